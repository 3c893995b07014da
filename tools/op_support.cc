// SPDX-License-Identifier: Apache-2.0
#include "tools/op_support.h"

#include <string_view>

namespace heddle::tools {

ModelSupport SupportOf(const Loaded& loaded) {
  ModelSupport support;
  support.check = loaded.resolver.CheckModel(loaded.model);
  for (size_t i = 0; i < loaded.model.info().operator_code_count; ++i) {
    OpSupport op;
    op.info = *loaded.model.operator_code(i);
    op.registered = loaded.resolver.versions(op.info.builtin_code,
                                             op.info.is_custom != 0 ? op.info.name : nullptr);
    for (size_t f = 0; f < support.check.fault_count(); ++f) {
      const heddle_error_info fault = support.check.fault(f);
      if (std::string_view(fault.op_name) == op.info.name && fault.op_version == op.info.version) {
        op.fault = fault;
        break;
      }
    }
    support.ops.push_back(op);
  }
  return support;
}

std::string VersionsText(const std::optional<OpResolver::Versions>& versions) {
  if (!versions) return "none";
  const std::string min = std::to_string(versions->min);
  return versions->min == versions->max ? min : min + "-" + std::to_string(versions->max);
}

Json VersionsJson(const std::optional<OpResolver::Versions>& versions) {
  if (!versions) return nullptr;
  return {{"min", versions->min}, {"max", versions->max}};
}

}  // namespace heddle::tools
