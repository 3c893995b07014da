// SPDX-License-Identifier: Apache-2.0
// Needs a capability of a later library.
#include "tests/op/plugins/parts.h"

static const heddle_op kOps[] = {COPY_OP("Test.Copy", 1, 1)};
EXPORT_PLUGIN(PLUGIN(HEDDLE_PLUGIN_ABI_VERSION, 1u << 5, kOps, sizeof(kOps[0]), 1))
