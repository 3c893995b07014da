// SPDX-License-Identifier: Apache-2.0
// Labels for the outputs of a classifier.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tools/metadata.h"
#include "tools/session.h"

namespace heddle::tools {

using Labels = std::vector<std::string>;

// The labels of each output: of `label_file` if given, else what the metadata says, else, where the
// archive behind the model has a single .txt file with "label" in its name, that one. Empty where
// there are none.
Result<std::vector<Labels>> LabelsOfOutputs(const SessionOptions& session, const Loaded& loaded,
                                            const ModelMetadata& metadata,
                                            const std::string& label_file);

struct Choice {
  size_t index;
  double value;
};
// The `count` largest values, largest first; of equal ones the first.
std::vector<Choice> Largest(Span<const double> values, size_t count);

// Whether the output has a value for each label in every row.
bool FitLabels(const heddle_tensor_info& info, const Labels& labels);

}  // namespace heddle::tools
