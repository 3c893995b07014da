// SPDX-License-Identifier: Apache-2.0
#include "tests/op/plugins/parts.h"

EXPORT_PLUGIN(PLUGIN(HEDDLE_PLUGIN_ABI_VERSION, 0, NULL, sizeof(heddle_op), 3))
