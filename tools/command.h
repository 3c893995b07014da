// SPDX-License-Identifier: Apache-2.0
// The subcommands of `heddle`, one file each: cmd_<name>.cc.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "heddle/heddle.hpp"

namespace heddle::tools {

// A subcommand adds its options and sets `chosen` when it is picked. Results go to stdout, the
// status that it returns to stderr.
using Chosen = std::function<Status()>;

void AddInspect(CLI::App* app, Chosen* chosen);
void AddRun(CLI::App* app, Chosen* chosen);
void AddBench(CLI::App* app, Chosen* chosen);
void AddOps(CLI::App* app, Chosen* chosen);

}  // namespace heddle::tools
