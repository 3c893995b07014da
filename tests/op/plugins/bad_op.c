// SPDX-License-Identifier: Apache-2.0
// The first op is right, the second lacks what is required.
#include "tests/op/plugins/parts.h"

static const heddle_op kOps[] = {COPY_OP("Test.Copy", 1, 1),
                                 {.struct_size = sizeof(heddle_op),
                                  .builtin_code = 32,
                                  .min_version = 1,
                                  .max_version = 1,
                                  .custom_name = "Test.Broken",
                                  .infer = CopyInfer}};
EXPORT_PLUGIN(PLUGIN(HEDDLE_PLUGIN_ABI_VERSION, 0, kOps, sizeof(kOps[0]), 2))
