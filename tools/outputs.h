// SPDX-License-Identifier: Apache-2.0
// What came out of a model: files, statistics, labels.
#pragma once

#include <string>
#include <vector>

#include "tools/json_out.h"
#include "tools/labels.h"

namespace heddle::tools {

struct OutputOptions {
  std::string folder;       // .npy files go here; empty: none are written
  std::string dump_folder;  // every tensor goes here; empty: none
  std::string label_file;
  size_t top = 5;  // labels of each row
};

struct Report {
  Json json = Json::array();
  std::string text;
  std::vector<std::string> notes;
};

// All outputs in the order of the model: JSON has name, index, dtype, shape, file (null unless
// written), values of small ones, min, max and mean as real numbers, and the best labels.
Result<Report> ReportOutputs(const Interpreter& interpreter, const std::vector<Labels>& labels,
                             const OutputOptions& options);

// Every tensor of every subgraph that has data after the run.
Result<Report> DumpTensors(const Interpreter& interpreter, const Model& model,
                           const std::string& folder);

}  // namespace heddle::tools
