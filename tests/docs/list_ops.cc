// SPDX-License-Identifier: Apache-2.0
// Prints the registered ops, one a line: builtin code or custom name, lowest and highest version.
// For scripts/ops_doc.py.
#include <cstdio>

#include "heddle/heddle.h"

namespace {

constexpr int32_t kMaxBuiltinCode = 1024;
constexpr int32_t kCustomCode = 32;
// A resolver tells of a custom op only if asked by name.
#define HEDDLE_BUILTIN_CUSTOM_OP(NAME) #NAME,
constexpr const char* kCustomOps[] = {
#include "kernels/custom_ops.inc"
};
#undef HEDDLE_BUILTIN_CUSTOM_OP

}  // namespace

int main() {
  heddle_op_resolver* resolver = nullptr;
  if (heddle_op_resolver_create_default(&resolver, nullptr) != HEDDLE_OK) return 1;
  int32_t min_version = 0;
  int32_t max_version = 0;
  for (int32_t code = 0; code < kMaxBuiltinCode; ++code) {
    if (heddle_op_resolver_get_versions(resolver, code, nullptr, &min_version, &max_version) ==
        HEDDLE_OK) {
      std::printf("%d %d %d\n", code, min_version, max_version);
    }
  }
  for (const char* name : kCustomOps) {
    if (heddle_op_resolver_get_versions(resolver, kCustomCode, name, &min_version, &max_version) ==
        HEDDLE_OK) {
      std::printf("%s %d %d\n", name, min_version, max_version);
    }
  }
  heddle_op_resolver_destroy(resolver);
  return 0;
}
