// SPDX-License-Identifier: Apache-2.0
// heddle ops: the ops that models need, as the list of a selective build.
#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/command.h"
#include "tools/json_out.h"
#include "tools/op_support.h"
#include "tools/table.h"

namespace heddle::tools {
namespace {

struct Options {
  std::vector<std::string> models;
  std::vector<std::string> plugins;
  bool json = false;
};

// An op over all models.
struct Need {
  int32_t builtin_code = 0;
  bool is_custom = false;
  int32_t min_version = 0;
  int32_t max_version = 0;
  size_t count = 0;
  std::optional<OpResolver::Versions> registered;
  std::string fault;  // message of the first model in which it cannot run
  std::vector<std::string> models;
};
// Builtins before custom ops, each by name.
using Needs = std::map<std::pair<bool, std::string>, Need>;

Status AddModel(const Options& options, const std::string& path, Needs* needs) {
  SessionOptions session;
  session.model = path;
  session.plugins = options.plugins;
  const Result<Loaded> loaded = Load(session);
  if (!loaded) return loaded.error();
  const ModelSupport support = SupportOf(*loaded);
  for (const OpSupport& op : support.ops) {
    const heddle_operator_code_info& info = op.info;
    Need& need = (*needs)[{info.is_custom != 0, info.name}];
    const bool is_new = need.models.empty();
    need.builtin_code = info.builtin_code;
    need.is_custom = info.is_custom != 0;
    need.min_version = is_new ? info.version : std::min(need.min_version, info.version);
    need.max_version = std::max(need.max_version, info.version);
    need.count += info.count;
    need.registered = op.registered;
    if (op.fault && need.fault.empty()) need.fault = op.fault->message;
    if (is_new || need.models.back() != path) need.models.push_back(path);
  }
  return {};
}

Json ToJson(const Options& options, const Needs& needs) {
  Json ops = Json::array();
  for (const auto& [key, need] : needs) {
    Json op = {{"name", key.second},
               {"builtin_code", need.builtin_code},
               {"custom", need.is_custom},
               {"min_version", need.min_version},
               {"max_version", need.max_version},
               {"count", need.count},
               {"registered", VersionsJson(need.registered)},
               {"runs", need.fault.empty()},
               {"models", need.models}};
    if (!need.fault.empty()) op["message"] = need.fault;
    ops.push_back(std::move(op));
  }
  return {{"models", options.models}, {"ops", ops}};
}

std::string ToText(const Options& options, const Needs& needs) {
  std::string text = "# Ops of " + Counted(options.models.size(), "model") +
                     ", for a selective build: cmake -DHEDDLE_OPS=FILE\n";
  for (const std::string& model : options.models)
    text += "#   " + Printable(BaseName(model)) + "\n";
  for (const auto& [key, need] : needs) {
    const OpResolver::Versions wanted = {need.min_version, need.max_version};
    // A selective build leaves builtins out; custom ops come from the program or from plugins.
    const std::string name = Printable(key.second);
    text += need.is_custom ? "# custom:" + name : name;
    text += (need.is_custom ? ", version " : "  # version ") + VersionsText(wanted) + ", " +
            Counted(need.count, "operator") + "\n";
    if (!need.fault.empty())
      text += "#   cannot run in this build: " + Printable(need.fault) + "\n";
  }
  return text;
}

Status Ops(const Options& options) {
  Needs needs;
  for (const std::string& path : options.models) {
    Status added = AddModel(options, path, &needs);
    if (!added.ok()) return added;
  }
  if (options.json) return PrintJson(ToJson(options, needs));
  std::printf("%s", ToText(options, needs).c_str());
  return {};
}

}  // namespace

void AddOps(CLI::App* app, Chosen* chosen) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app->add_subcommand("ops", "Prints the ops of models as the list of a selective build");
  command->add_option("MODEL", options->models, ".tflite files")->required();
  command->add_option("--plugin", options->plugins, "Shared library with custom ops")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print one JSON object");
  command->callback([options, chosen] { *chosen = [options] { return Ops(*options); }; });
}

}  // namespace heddle::tools
