// SPDX-License-Identifier: Apache-2.0
// heddle run: feeds a model, runs it, shows what comes out.
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "tools/command.h"
#include "tools/inputs.h"
#include "tools/json_out.h"
#include "tools/outputs.h"
#include "tools/table.h"

namespace heddle::tools {
namespace {

struct Options {
  SessionOptions session;
  InputOptions inputs;
  OutputOptions outputs;
  int32_t runs = 1;
  bool show_image = false;
  bool json = false;
};

Json InputsJson(const Interpreter& interpreter, const Feed& feed) {
  Json inputs = Json::array();
  for (size_t i = 0; i < interpreter.input_count(); ++i) {
    const heddle_tensor_info info = *interpreter.input_info(i);
    inputs.push_back({{"name", interpreter.input_name(i)},
                      {"index", i},
                      {"dtype", heddle_dtype_get_name(info.dtype)},
                      {"shape", ShapeJson(info)},
                      {"source", feed.sources[i]}});
  }
  return inputs;
}

Status MakeFolders(const OutputOptions& outputs) {
  for (const std::string& folder : {outputs.folder, outputs.dump_folder}) {
    if (folder.empty()) continue;
    Status made = MakeFolder(folder);
    if (!made.ok()) return made;
  }
  return {};
}

Status Run(const Options& options) {
  const Result<Loaded> loaded = Load(options.session);
  if (!loaded) return loaded.error();
  const ModelMetadata metadata = ReadMetadata(loaded->model, options.session.model);
  std::vector<std::string> notes = metadata.notes;
  const Result<std::vector<Labels>> labels =
      LabelsOfOutputs(options.session, *loaded, metadata, options.outputs.label_file);
  // A model runs without its labels; only a file that was asked for must be there.
  if (!labels && !options.outputs.label_file.empty()) return labels.error();
  if (!labels) notes.emplace_back(labels.error().message());

  Result<Interpreter> interpreter = MakeInterpreter(*loaded, options.session);
  if (!interpreter) return interpreter.error();
  const Result<Feed> feed =
      FeedInputs(options.session, *loaded, options.inputs, metadata, &*interpreter);
  if (!feed) return feed.error();
  notes.insert(notes.end(), feed->notes.begin(), feed->notes.end());

  const auto begin = std::chrono::steady_clock::now();
  for (int32_t run = 0; run < options.runs; ++run) {
    Status status = interpreter->Invoke();
    if (!status.ok()) return status;
  }
  const double run_ms = Milliseconds(std::chrono::steady_clock::now() - begin);

  Status folders = MakeFolders(options.outputs);
  if (!folders.ok()) return folders;
  const Result<Report> outputs =
      ReportOutputs(*interpreter, labels ? *labels : std::vector<Labels>(), options.outputs);
  if (!outputs) return outputs.error();
  notes.insert(notes.end(), outputs->notes.begin(), outputs->notes.end());
  Report dump;
  if (!options.outputs.dump_folder.empty()) {
    Result<Report> dumped = DumpTensors(*interpreter, loaded->model, options.outputs.dump_folder);
    if (!dumped) return dumped.error();
    dump = *std::move(dumped);
  }

  PrintNotes(notes);
  if (options.json) {
    Json json = {{"model", options.session.model},
                 {"runs", options.runs},
                 {"run_ms", run_ms},
                 {"inputs", InputsJson(*interpreter, *feed)},
                 {"outputs", outputs->json},
                 {"notes", notes}};
    if (!options.outputs.dump_folder.empty()) json["tensors"] = dump.json;
    return PrintJson(json);
  }
  if (options.show_image) std::printf("%s", feed->pictures.c_str());
  std::printf("%s%s%s in %s ms\n", outputs->text.c_str(), dump.text.c_str(),
              Counted(static_cast<size_t>(options.runs), "run").c_str(), Fixed(run_ms, 3).c_str());
  return {};
}

}  // namespace

void AddRun(CLI::App* app, Chosen* chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app->add_subcommand("run", "Runs a model and shows or writes its outputs");
  AddModelOptions(command, &options->session);
  AddInputOptions(command, &options->inputs);
  AddRunOptions(command, &options->session);
  command->add_option("--runs", options->runs, "Runs with the same inputs; the last one's outputs")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--output", options->outputs.folder, "Write outputs here as .npy")
      ->type_name("DIR");
  command
      ->add_option("--dump-tensors", options->outputs.dump_folder,
                   "Write every tensor here as .npy, after the run")
      ->type_name("DIR");
  command
      ->add_option("--labels", options->outputs.label_file,
                   "Labels of the outputs, one a line; default: the model's own")
      ->type_name("FILE");
  command->add_option("--top", options->outputs.top, "Labels shown for each row")
      ->capture_default_str();
  command->add_flag("--show-image", options->show_image, "Show pictures as the model sees them");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, chosen] {
    options->session.preserve_all_tensors = !options->outputs.dump_folder.empty();
    *chosen = [options] { return Run(*options); };
  });
}

}  // namespace heddle::tools
