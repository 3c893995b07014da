// SPDX-License-Identifier: Apache-2.0
#include "tests/op/plugins/parts.h"

static const heddle_op kOps[] = {COPY_OP("Test.Copy", 1, 1)};
EXPORT_PLUGIN({.struct_size = sizeof(heddle_plugin),
               .abi_version = HEDDLE_PLUGIN_ABI_VERSION,
               .version = "1.0",
               .ops = kOps,
               .op_stride = sizeof(kOps[0]),
               .op_count = 1})
