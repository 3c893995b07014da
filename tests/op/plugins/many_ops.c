// SPDX-License-Identifier: Apache-2.0
// A count that cannot be.
#include "tests/op/plugins/parts.h"

static const heddle_op kOps[] = {COPY_OP("Test.Copy", 1, 1)};
EXPORT_PLUGIN(PLUGIN(HEDDLE_PLUGIN_ABI_VERSION, 0, kOps, sizeof(kOps[0]), (size_t)1 << 40))
