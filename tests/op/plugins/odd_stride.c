// SPDX-License-Identifier: Apache-2.0
// A stride that would misalign the second op.
#include "tests/op/plugins/parts.h"

static const heddle_op kOps[] = {COPY_OP("Test.Copy", 1, 1), COPY_OP("Test.Other", 1, 1)};
EXPORT_PLUGIN(PLUGIN(HEDDLE_PLUGIN_ABI_VERSION, 0, kOps, sizeof(kOps[0]) + 1, 2))
