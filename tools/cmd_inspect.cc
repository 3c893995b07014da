// SPDX-License-Identifier: Apache-2.0
// heddle inspect: what is in a model, and whether it can run here.
#include <cstdio>
#include <memory>

#include "tools/command.h"
#include "tools/inspection.h"

namespace heddle::tools {
namespace {

struct Options {
  SessionOptions session;
  InspectionParts parts;
  bool json = false;
};

Status Inspect(const Options& options) {
  const Result<Loaded> loaded = Load(options.session);
  if (!loaded) return loaded.error();
  Inspection inspection;
  inspection.path = options.session.model;
  inspection.model = &loaded->model;
  inspection.metadata = ReadMetadata(loaded->model, options.session.model);
  inspection.support = SupportOf(*loaded);
  // A model that cannot run is still worth a look.
  Result<Interpreter> interpreter = MakeInterpreter(*loaded, options.session);
  inspection.plan = interpreter ? interpreter->Prepare() : interpreter.error();
  if (inspection.plan.ok()) {
    // Inputs have memory once it is asked for: count them, as in a run.
    for (size_t i = 0; i < interpreter->input_count(); ++i) (void)interpreter->input_data(i);
    inspection.memory = interpreter->memory();
  }

  PrintNotes(inspection.metadata.notes);
  if (options.json) return PrintJson(InspectionJson(inspection));
  std::printf("%s", InspectionText(inspection, options.parts).c_str());
  return {};
}

}  // namespace

void AddInspect(CLI::App* app, Chosen* chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app->add_subcommand(
      "inspect", "Shows a model's ops, inputs and outputs, and whether it can run here");
  AddModelOptions(command, &options->session);
  command->add_flag("--operators", options->parts.operators, "List every operator");
  command->add_flag("--tensors", options->parts.tensors, "List every tensor");
  command->add_flag("--json", options->json, "Print one JSON object with everything");
  command->callback([options, chosen] { *chosen = [options] { return Inspect(*options); }; });
}

}  // namespace heddle::tools
