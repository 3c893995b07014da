// SPDX-License-Identifier: Apache-2.0
// A model loaded as the command line asks, for all subcommands.
#pragma once

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/files.h"

namespace heddle::tools {

struct SessionOptions {
  std::string model;
  std::vector<std::string> plugins;
  int32_t threads = 0;
  std::string kernels = "default";
  std::string delegate;
  std::string signature;
  bool preserve_all_tensors = false;
};

// MODEL and --plugin.
void AddModelOptions(CLI::App* command, SessionOptions* options);
// --threads, --kernels, --delegate, --signature.
void AddRunOptions(CLI::App* command, SessionOptions* options);

struct Loaded {
  Environment environment;
  OpResolver resolver;
  Model model;
  double load_ms = 0;
};
Result<Loaded> Load(const SessionOptions& options);

// Made but not prepared, with the signature selected.
Result<Interpreter> MakeInterpreter(const Loaded& loaded, const SessionOptions& options);

// The tensors behind the inputs and outputs that a signature (or "", the first subgraph) names.
struct Entry {
  size_t subgraph = 0;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;
};
Entry EntryOf(const Model& model, const std::string& signature);

double Milliseconds(std::chrono::steady_clock::duration time);

// Remarks go to stderr, so that stdout holds results only.
void PrintNotes(const std::vector<std::string>& notes);

}  // namespace heddle::tools
