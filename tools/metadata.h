// SPDX-License-Identifier: Apache-2.0
// What a model's TFLITE_METADATA entry says about its inputs and outputs, and the label files that
// it names.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/files.h"

namespace heddle::tools {

struct TensorMetadata {
  std::string name;
  // Normalisation (value - mean) / deviation, one entry or one per channel; empty: none given.
  std::vector<float> mean;
  std::vector<float> deviation;
  uint32_t sample_rate = 0;  // of audio; 0: not given
  std::string label_file;    // labels along the last axis; empty: none
};

struct ModelMetadata {
  std::string name;
  std::string description;
  std::vector<TensorMetadata> inputs;  // in the order of the first subgraph
  std::vector<TensorMetadata> outputs;
  std::vector<std::string> files;  // members of the archive behind the model
  std::vector<std::string> notes;  // what could not be read, for the user
};

// Metadata is a hint: what is damaged is left out, with a note.
ModelMetadata ReadMetadata(const Model& model, const std::string& path);

// The labels of a file in the model's archive, one a line.
Result<std::vector<std::string>> ReadModelLabels(const Model& model, const std::string& path,
                                                 const std::string& label_file);
std::vector<std::string> SplitLabels(Span<const uint8_t> text);

}  // namespace heddle::tools
