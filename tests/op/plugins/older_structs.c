// SPDX-License-Identifier: Apache-2.0
// Built with an earlier header, whose heddle_op ended with `invoke`.
#include "tests/op/plugins/parts.h"

enum { kOldSize = offsetof(heddle_op, in_place) };

// What follows must not be read as fields.
typedef struct old_op {
  unsigned char fields[kOldSize];
  unsigned char behind[sizeof(void*)];
} old_op;

static old_op ops[2];
static heddle_plugin plugin_table = PLUGIN(HEDDLE_PLUGIN_ABI_VERSION, 0, ops, sizeof(ops[0]), 2);

heddle_status heddle_plugin_query(uint32_t host_abi_version, const heddle_plugin** plugin) {
  const heddle_op given[2] = {COPY_OP_OF_SIZE(kOldSize, "Test.Copy", 1, 2),
                              COPY_OP_OF_SIZE(kOldSize, "Test.Other", 1, 1)};
  if (host_abi_version < 1) return HEDDLE_VERSION_MISMATCH;
  for (int i = 0; i < 2; ++i) {
    memcpy(ops[i].fields, &given[i], kOldSize);
    memset(ops[i].behind, 0xff, sizeof(ops[i].behind));
  }
  *plugin = &plugin_table;
  return HEDDLE_OK;
}
