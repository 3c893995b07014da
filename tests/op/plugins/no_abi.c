// SPDX-License-Identifier: Apache-2.0
// Forgot its ABI version.
#include "tests/op/plugins/parts.h"

static const heddle_op kOps[] = {COPY_OP("Test.Copy", 1, 1)};
EXPORT_PLUGIN(PLUGIN(0, 0, kOps, sizeof(kOps[0]), 1))
