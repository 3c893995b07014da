// SPDX-License-Identifier: Apache-2.0
// Built with a later header of the same ABI: both structs have grown, and so has the stride.
#include "tests/op/plugins/parts.h"

typedef struct newer_op {
  heddle_op op;
  void* added;
  uint64_t also_added[3];
} newer_op;

typedef struct newer_plugin {
  heddle_plugin plugin;
  const char* added;
} newer_plugin;

static const newer_op kOps[] = {
    {COPY_OP_OF_SIZE(sizeof(newer_op), "Test.Copy", 1, 2), (void*)&kOps, {1, 2, 3}},
    {COPY_OP_OF_SIZE(sizeof(newer_op), "Test.Other", 1, 1), (void*)&kOps, {4, 5, 6}}};

static const newer_plugin kPlugin = {{.struct_size = sizeof(newer_plugin),
                                      .abi_version = HEDDLE_PLUGIN_ABI_VERSION,
                                      .name = "test",
                                      .version = "2.0",
                                      .ops = kOps,
                                      .op_stride = sizeof(kOps[0]),
                                      .op_count = 2},
                                     "more"};

heddle_status heddle_plugin_query(uint32_t host_abi_version, const heddle_plugin** plugin) {
  if (host_abi_version < 1) return HEDDLE_VERSION_MISMATCH;
  *plugin = &kPlugin.plugin;
  return HEDDLE_OK;
}
