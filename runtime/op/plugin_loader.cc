// SPDX-License-Identifier: Apache-2.0
#include "runtime/op/plugin_loader.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/platform.h"
#include "runtime/base/reason.h"
#include "runtime/base/strings.h"

namespace heddle {
namespace {

constexpr size_t kMaxOps = 65536;

Status PluginError(const char* path, heddle_status code, heddle_reason reason,
                   const std::string& what) {
  return Status(code, HEDDLE_PHASE_PLUGIN, reason, StrCat(path, ": ", what));
}

Status CheckPlugin(const char* path, const heddle_plugin& plugin) {
  if (plugin.abi_version == 0 || plugin.abi_version > HEDDLE_PLUGIN_ABI_VERSION) {
    return PluginError(path, HEDDLE_VERSION_MISMATCH, HEDDLE_REASON_PLUGIN_ABI,
                       StrCat("the plugin has ABI version ", plugin.abi_version,
                              ", this library serves 1 to ", HEDDLE_PLUGIN_ABI_VERSION));
  }
  const uint32_t unknown = plugin.capabilities & ~HEDDLE_PLUGIN_KNOWN_CAPABILITIES;
  for (uint32_t bit = 0; bit < 32; ++bit) {
    if ((unknown >> bit & 1) == 0) continue;
    return PluginError(path, HEDDLE_UNSUPPORTED, HEDDLE_REASON_PLUGIN_CAPABILITY,
                       StrCat("the plugin needs capability bit ", bit));
  }
  const auto bad_table = [&](const std::string& what) {
    return PluginError(path, HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_PLUGIN_BAD_TABLE, what);
  };
  if (plugin.name == nullptr || plugin.version == nullptr)
    return bad_table("name or version is NULL");
  if (plugin.op_count == 0) return bad_table("it brings no ops");
  if (plugin.op_count > kMaxOps) return bad_table(StrCat("op_count is ", plugin.op_count));
  if (plugin.ops == nullptr) return bad_table("ops is NULL");
  if (plugin.op_stride < sizeof(size_t) || plugin.op_stride > 65536 ||
      plugin.op_stride % alignof(heddle_op) != 0) {
    return bad_table(StrCat("op_stride is ", plugin.op_stride));
  }
  return {};
}

}  // namespace

Status AddPluginOps(const char* path, OpResolver* resolver) {
  HEDDLE_ASSIGN_OR_RETURN(void* library, LoadSharedLibrary(path));
  void* symbol = FindSymbol(library, "heddle_plugin_query");
  if (symbol == nullptr) {
    return PluginError(path, HEDDLE_UNSUPPORTED, HEDDLE_REASON_PLUGIN_NO_ENTRY,
                       "exports no heddle_plugin_query");
  }
  const auto query = reinterpret_cast<heddle_plugin_query_function>(symbol);
  const heddle_plugin* given = nullptr;
  const heddle_status code = query(HEDDLE_PLUGIN_ABI_VERSION, &given);
  if (code != HEDDLE_OK) {
    const heddle_reason reason =
        code == HEDDLE_VERSION_MISMATCH ? HEDDLE_REASON_PLUGIN_ABI : HEDDLE_REASON_PLUGIN_BAD_TABLE;
    return PluginError(path, code, reason,
                       StrCat("heddle_plugin_query returned ", StatusName(code),
                              " for host ABI version ", HEDDLE_PLUGIN_ABI_VERSION));
  }
  if (given == nullptr || given->struct_size < sizeof(size_t)) {
    return PluginError(path, HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_PLUGIN_BAD_TABLE,
                       "heddle_plugin_query gave nothing");
  }
  heddle_plugin plugin = {};
  std::memcpy(&plugin, given, std::min(given->struct_size, sizeof(plugin)));
  HEDDLE_RETURN_IF_ERROR(CheckPlugin(path, plugin));

  OpResolver added;
  const auto* bytes = static_cast<const unsigned char*>(plugin.ops);
  for (size_t i = 0; i < plugin.op_count; ++i) {
    const auto* op = reinterpret_cast<const heddle_op*>(bytes + i * plugin.op_stride);
    // A struct may not reach into the next one.
    if (op->struct_size > plugin.op_stride) {
      return PluginError(path, HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_PLUGIN_BAD_TABLE,
                         StrCat("ops[", i, "].struct_size ", op->struct_size, " passes the stride ",
                                plugin.op_stride));
    }
    HEDDLE_RETURN_IF_ERROR(added.Add(*op).Annotate(
        [&](Fault& fault) { fault.message = StrCat(path, ", ops[", i, "]: ", fault.message); }));
  }
  resolver->Merge(std::move(added));
  return {};
}

}  // namespace heddle
