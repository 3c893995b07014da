// SPDX-License-Identifier: Apache-2.0
// --input, --resize, --random-seed: what goes into a model.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/metadata.h"
#include "tools/session.h"

namespace heddle::tools {

struct InputOptions {
  std::vector<std::string> inputs;   // NAME=FILE, N=FILE, or a .npz alone
  std::vector<std::string> resizes;  // NAME=1,2,3
  std::optional<uint64_t> random_seed;
  std::vector<float> mean;
  std::vector<float> deviation;
};
void AddInputOptions(CLI::App* command, InputOptions* options);

// What was fed.
struct Feed {
  std::vector<std::string> sources;  // of each input: a file, "random", "zeros"
  std::vector<std::string> notes;    // what was resized or converted on the way
  std::string pictures;              // in characters, as the model sees them
  double prepare_ms = 0;             // of planning alone
};

// Resizes inputs as the options and files ask, prepares, and fills every input: from its file, at
// random if there is a seed, else with zeros.
Result<Feed> FeedInputs(const SessionOptions& session, const Loaded& loaded,
                        const InputOptions& options, const ModelMetadata& metadata,
                        Interpreter* interpreter);

}  // namespace heddle::tools
