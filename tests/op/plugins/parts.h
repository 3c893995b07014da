// SPDX-License-Identifier: Apache-2.0
// What the test plugins are put together from.
#pragma once

#include <stddef.h>
#include <string.h>

#include "heddle/heddle_plugin.h"

// The output is a copy of the input.
static inline heddle_status CopyInfer(heddle_op_call* call) {
  const heddle_tensor* input = call->inputs[0];
  return call->host->set_output(call, 0, input->dtype, input->dims, input->rank);
}

static inline heddle_status CopyInvoke(heddle_op_call* call) {
  memmove(call->outputs[0]->data, call->inputs[0]->data, call->inputs[0]->bytes);
  return HEDDLE_OK;
}

// Initialiser of a heddle_op that copies.
#define COPY_OP_OF_SIZE(SIZE, NAME, MIN, MAX) \
  {.struct_size = (SIZE),                     \
   .builtin_code = 32,                        \
   .min_version = (MIN),                      \
   .max_version = (MAX),                      \
   .custom_name = (NAME),                     \
   .infer = CopyInfer,                        \
   .invoke = CopyInvoke}
#define COPY_OP(NAME, MIN, MAX) COPY_OP_OF_SIZE(sizeof(heddle_op), NAME, MIN, MAX)

#define PLUGIN(ABI, CAPABILITIES, OPS, STRIDE, COUNT) \
  {.struct_size = sizeof(heddle_plugin),              \
   .abi_version = (ABI),                              \
   .capabilities = (CAPABILITIES),                    \
   .name = "test",                                    \
   .version = "1.0",                                  \
   .ops = (OPS),                                      \
   .op_stride = (STRIDE),                             \
   .op_count = (COUNT)}

// The exported symbol, which gives kPlugin.
#define EXPORT_PLUGIN(...)                                                                     \
  static const heddle_plugin kPlugin = __VA_ARGS__;                                            \
  heddle_status heddle_plugin_query(uint32_t host_abi_version, const heddle_plugin** plugin) { \
    if (host_abi_version < 1) return HEDDLE_VERSION_MISMATCH;                                  \
    *plugin = &kPlugin;                                                                        \
    return HEDDLE_OK;                                                                          \
  }
