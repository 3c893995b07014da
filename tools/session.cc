// SPDX-License-Identifier: Apache-2.0
#include "tools/session.h"

#include <cstdio>
#include <string_view>
#include <utility>

namespace heddle::tools {
namespace {

bool HasComponent(std::string_view components, std::string_view name) {
  while (!components.empty()) {
    const size_t comma = components.find(',');
    std::string_view part = components.substr(0, comma);
    part = part.substr(std::min(part.find_first_not_of(' '), part.size()));
    if (part.substr(0, part.find(' ')) == name) return true;
    if (comma == std::string_view::npos) break;
    components.remove_prefix(comma + 1);
  }
  return false;
}

// "cpu" must not quietly run without the delegate that was asked for.
Status CheckDelegate(const std::string& delegate) {
  if (delegate.empty() || delegate == "none") return {};
  const heddle_library_info library = LibraryInfo();
  if (HasComponent(library.components, delegate)) return {};
  return {HEDDLE_UNSUPPORTED, HEDDLE_REASON_NAME_UNKNOWN,
          "this library has no delegate '" + delegate + "' (its components: " + library.components +
              "); run without --delegate"};
}

}  // namespace

void AddModelOptions(CLI::App* command, SessionOptions* options) {
  command->add_option("MODEL", options->model, "A .tflite file")->required();
  command->add_option("--plugin", options->plugins, "Shared library with custom ops")
      ->type_name("FILE");
}

void AddRunOptions(CLI::App* command, SessionOptions* options) {
  command->add_option("--threads", options->threads, "At most so many threads; 0: all cores")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_option("--kernels", options->kernels, "default, or ref: plain kernels, slow")
      ->check(CLI::IsMember({"default", "ref"}))
      ->capture_default_str();
  command->add_option("--delegate", options->delegate, "none or cpu; default: the library's choice")
      ->check(CLI::IsMember({"none", "cpu"}));
  command->add_option("--signature", options->signature, "Entry point; default: the first subgraph")
      ->type_name("KEY");
}

Result<Loaded> Load(const SessionOptions& options) {
  Status delegate = CheckDelegate(options.delegate);
  if (!delegate.ok()) return delegate;
  EnvironmentOptions environment_options;
  environment_options.num_threads = options.threads;
  Result<Environment> environment = Environment::Create(environment_options);
  if (!environment) return environment.error();
  Result<OpResolver> resolver = OpResolver::Default();
  if (!resolver) return resolver.error();
  for (const std::string& plugin : options.plugins) {
    Status added = resolver->AddPlugin(plugin);
    if (!added.ok()) return added;
  }
  const auto begin = std::chrono::steady_clock::now();
  Result<Model> model = Model::FromFile(*environment, options.model);
  if (!model) return model.error();
  const double load_ms = Milliseconds(std::chrono::steady_clock::now() - begin);
  return Loaded{*std::move(environment), *std::move(resolver), *std::move(model), load_ms};
}

Result<Interpreter> MakeInterpreter(const Loaded& loaded, const SessionOptions& options) {
  InterpreterOptions interpreter_options;
  interpreter_options.resolver = loaded.resolver.get();
  interpreter_options.num_threads = options.threads;
  interpreter_options.kernels =
      options.kernels == "ref" ? HEDDLE_KERNELS_REFERENCE : HEDDLE_KERNELS_DEFAULT;
  interpreter_options.preserve_all_tensors = options.preserve_all_tensors ? 1 : 0;
  Result<Interpreter> interpreter =
      Interpreter::Create(loaded.environment, loaded.model, interpreter_options);
  if (interpreter && !options.signature.empty()) {
    Status selected = interpreter->SelectSignature(options.signature.c_str());
    if (!selected.ok()) return selected;
  }
  return interpreter;
}

Entry EntryOf(const Model& model, const std::string& signature) {
  Entry entry;
  for (size_t s = 0; s < model.info().signature_count && !signature.empty(); ++s) {
    const heddle_signature_info info = *model.signature(s);
    if (info.key != signature) continue;
    entry.subgraph = info.subgraph;
    for (size_t i = 0; i < info.input_count; ++i) {
      entry.inputs.push_back(model.signature_tensor(s, false, i)->tensor);
    }
    for (size_t i = 0; i < info.output_count; ++i) {
      entry.outputs.push_back(model.signature_tensor(s, true, i)->tensor);
    }
    return entry;
  }
  const heddle_subgraph_info info = *model.subgraph(0);
  entry.inputs.assign(info.inputs, info.inputs + info.input_count);
  entry.outputs.assign(info.outputs, info.outputs + info.output_count);
  return entry;
}

double Milliseconds(std::chrono::steady_clock::duration time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

void PrintNotes(const std::vector<std::string>& notes) {
  for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", note.c_str());
}

}  // namespace heddle::tools
