// SPDX-License-Identifier: Apache-2.0
// heddle: looks at, runs and measures .tflite models.
#include <cstdio>
#include <exception>
#include <string>

#include "tools/command.h"

namespace {

std::string VersionText() {
  const heddle_library_info library = heddle::LibraryInfo();
  return std::string("heddle ") + library.version_text + " (" + library.build_id +
         ")\ncomponents: " + library.components + "\nlibrary: " + library.path;
}

int Run(int argc, char** argv) {
  constexpr int kUsageError = 2;
  CLI::App app("Looks at, runs and measures .tflite models.", "heddle");
  app.set_version_flag("--version", VersionText);
  app.require_subcommand(1);
  heddle::tools::Chosen chosen;
  heddle::tools::AddInspect(&app, &chosen);
  heddle::tools::AddRun(&app, &chosen);
  heddle::tools::AddBench(&app, &chosen);
  heddle::tools::AddOps(&app, &chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsageError;  // --help and --version come this way too
  }
  const heddle::Status status = chosen();
  if (status.ok()) return 0;
  std::fprintf(stderr, "heddle: %s\n", status.message());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return Run(argc, argv);
  } catch (const std::exception& error) {  // no memory
    std::fprintf(stderr, "heddle: %s\n", error.what());
    return 1;
  }
}
