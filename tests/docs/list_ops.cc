// SPDX-License-Identifier: Apache-2.0
// Prints the registered builtin ops, one a line: builtin code, lowest and highest version. For
// scripts/ops_doc.py.
#include <cstdio>

#include "heddle/heddle.h"

int main() {
  constexpr int32_t kMaxBuiltinCode = 1024;
  heddle_op_resolver* resolver = nullptr;
  if (heddle_op_resolver_create_default(&resolver, nullptr) != HEDDLE_OK) return 1;
  for (int32_t code = 0; code < kMaxBuiltinCode; ++code) {
    int32_t min_version = 0;
    int32_t max_version = 0;
    if (heddle_op_resolver_get_versions(resolver, code, nullptr, &min_version, &max_version) ==
        HEDDLE_OK) {
      std::printf("%d %d %d\n", code, min_version, max_version);
    }
  }
  heddle_op_resolver_destroy(resolver);
  return 0;
}
