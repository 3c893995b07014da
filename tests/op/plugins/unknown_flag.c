// SPDX-License-Identifier: Apache-2.0
// Has a flag of a later header.
#include "tests/op/plugins/parts.h"

static const heddle_op kOps[] = {{.struct_size = sizeof(heddle_op),
                                  .builtin_code = 32,
                                  .min_version = 1,
                                  .max_version = 1,
                                  .flags = 1u << 20,
                                  .custom_name = "Test.Copy",
                                  .infer = CopyInfer,
                                  .invoke = CopyInvoke}};
EXPORT_PLUGIN(PLUGIN(HEDDLE_PLUGIN_ABI_VERSION, 0, kOps, sizeof(kOps[0]), 1))
