// SPDX-License-Identifier: Apache-2.0
// A plugin of this release, built with this release's headers: it must go on loading and running.
// Frozen with them. It uses what the host offers as widely as it can.
#include <stdio.h>
#include <string.h>

#include "heddle/heddle_attributes.h"
#include "heddle/heddle_plugin.h"

#define RETURN_IF_ERROR(expression)             \
  do {                                          \
    const heddle_status status_ = (expression); \
    if (status_ != HEDDLE_OK) return status_;   \
  } while (0)

// ---- Frozen.Accumulate, float32: output = input * factor + number of runs before this one.
// custom_options: the factor, a byte. Uses node and plan state, scratch, shared objects, resources,
// the allocator and threads. ----

typedef struct Node {
  const heddle_allocator* allocator;
  unsigned char factor;
  int32_t runs;  // resource id
} Node;

typedef struct Plan {
  const heddle_allocator* allocator;
  int32_t scratch;
  const float* factor;
} Plan;

static heddle_status AccumulateInit(heddle_op_call* call, void** node_state) {
  const heddle_host* host = call->host;
  const void* data = NULL;
  size_t bytes = 0;
  RETURN_IF_ERROR(host->get_custom_options(call, &data, &bytes));
  if (bytes != 1) {
    return host->report(call, HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID,
                        HEDDLE_NO_OPERAND, "one byte of options is needed");
  }
  int32_t runs = 0;
  RETURN_IF_ERROR(host->get_resource_id(call, "frozen", 6, "runs", 4, &runs));
  const heddle_allocator* allocator = host->get_allocator(call);
  Node* node = (Node*)allocator->allocate(allocator->context, sizeof(*node), sizeof(void*));
  if (node == NULL) return HEDDLE_RESOURCE_EXHAUSTED;
  node->allocator = allocator;
  node->factor = *(const unsigned char*)data;
  node->runs = runs;
  *node_state = node;
  return HEDDLE_OK;
}

static void AccumulateFree(void* user_data, void* node_state) {
  (void)user_data;
  const Node* node = (const Node*)node_state;
  node->allocator->deallocate(node->allocator->context, node_state, sizeof(Node), sizeof(void*));
}

static heddle_status AccumulateInfer(heddle_op_call* call) {
  const heddle_tensor* x = call->inputs[0];
  if (x->dtype != HEDDLE_DTYPE_FLOAT32) {
    return call->host->report(call, HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPE_NOT_SUPPORTED, 0,
                              "FLOAT32 is needed");
  }
  return call->host->set_output(call, 0, x->dtype, x->dims, x->rank);
}

static heddle_status MakeFactor(heddle_op_call* call, void* argument, void** object,
                                uint64_t* bytes) {
  static float factors[256];
  const unsigned char factor = *(const unsigned char*)argument;
  (void)call;
  factors[factor] = (float)factor;
  *object = &factors[factor];
  *bytes = sizeof(float);
  return HEDDLE_OK;
}

static void DropFactor(void* object) { (void)object; }

static heddle_status AccumulatePrepare(heddle_op_call* call, void** plan_state) {
  const heddle_host* host = call->host;
  Node* node = (Node*)call->node_state;
  void* factor = NULL;
  RETURN_IF_ERROR(
      host->get_shared(call, &node->factor, 1, MakeFactor, &node->factor, DropFactor, &factor));
  int32_t scratch = -1;
  RETURN_IF_ERROR(host->request_scratch(call, call->inputs[0]->bytes, &scratch));
  if (host->get_num_threads(call) < 1) return HEDDLE_INTERNAL;
  host->set_kernel_name(call, "frozen");
  Plan* plan =
      (Plan*)node->allocator->allocate(node->allocator->context, sizeof(*plan), sizeof(void*));
  if (plan == NULL) return HEDDLE_RESOURCE_EXHAUSTED;
  plan->allocator = node->allocator;
  plan->scratch = scratch;
  plan->factor = (const float*)factor;
  *plan_state = plan;
  return HEDDLE_OK;
}

static void AccumulateRelease(void* user_data, void* plan_state) {
  (void)user_data;
  const Plan* plan = (const Plan*)plan_state;
  plan->allocator->deallocate(plan->allocator->context, plan_state, sizeof(Plan), sizeof(void*));
}

static heddle_status MakeRuns(heddle_op_call* call, void* argument, void** object) {
  const Node* node = (const Node*)call->node_state;
  (void)argument;
  *object = node->allocator->allocate(node->allocator->context, sizeof(Node), sizeof(void*));
  if (*object == NULL) return HEDDLE_RESOURCE_EXHAUSTED;
  memcpy(*object, node, sizeof(Node));
  ((Node*)*object)->runs = 0;  // from here on: how many
  return HEDDLE_OK;
}

static void DropRuns(void* object) { AccumulateFree(NULL, object); }

static const heddle_resource_type kRuns = {
    .struct_size = sizeof(heddle_resource_type),
    .name = "frozen runs",
    .create = MakeRuns,
    .destroy = DropRuns,
};

typedef struct Work {
  const float* from;
  float* to;
  float factor, offset;
} Work;

static void Compute(void* argument, int64_t begin, int64_t end) {
  const Work* work = (const Work*)argument;
  for (int64_t i = begin; i < end; ++i) work->to[i] = work->from[i] * work->factor + work->offset;
}

static heddle_status AccumulateInvoke(heddle_op_call* call) {
  const heddle_host* host = call->host;
  const Node* node = (const Node*)call->node_state;
  const Plan* plan = (const Plan*)call->plan_state;
  void* runs = NULL;
  RETURN_IF_ERROR(host->resource_open(call, node->runs, &kRuns, 1, NULL, &runs));
  void* scratch = host->get_scratch(call, plan->scratch);
  if (scratch == NULL) return HEDDLE_INTERNAL;
  if (host->is_cancelled(call)) return HEDDLE_CANCELLED;
  const size_t bytes = call->inputs[0]->bytes;
  Work work = {(const float*)call->inputs[0]->data, (float*)scratch, *plan->factor,
               (float)((Node*)runs)->runs};
  ++((Node*)runs)->runs;
  RETURN_IF_ERROR(host->parallel_for(call, (int64_t)(bytes / sizeof(float)), 1024, Compute, &work));
  memcpy(call->outputs[0]->data, scratch, bytes);
  if (HEDDLE_HOST_HAS(host, log)) {
    host->log(call, HEDDLE_SEVERITY_DEBUG, HEDDLE_REASON_NONE, "frozen op ran");
  }
  return HEDDLE_OK;
}

// ---- Frozen.Positive, float32 {n} -> {m}: the elements above 0. A data-dependent output. ----

static heddle_status PositiveInfer(heddle_op_call* call) {
  return call->host->set_output_data_dependent(call, 0, HEDDLE_DTYPE_FLOAT32);
}

static heddle_status PositiveInvoke(heddle_op_call* call) {
  const heddle_tensor* x = call->inputs[0];
  const float* from = (const float*)x->data;
  const size_t count = x->bytes / sizeof(float);
  int32_t positive = 0;
  for (size_t i = 0; i < count; ++i) positive += from[i] > 0;
  void* to = NULL;
  RETURN_IF_ERROR(call->host->allocate_output(call, 0, &positive, 1, 0, &to));
  for (size_t i = 0, next = 0; i < count; ++i) {
    if (from[i] > 0) ((float*)to)[next++] = from[i];
  }
  return HEDDLE_OK;
}

// ---- RESHAPE version 1 in place of the library's: the shape from the new_shape attribute. ----

static heddle_status ReshapeInfer(heddle_op_call* call) {
  heddle_attribute_array shape = {.struct_size = sizeof(shape)};
  RETURN_IF_ERROR(call->host->get_array(call, HEDDLE_ATTR_RESHAPE_NEW_SHAPE, &shape));
  if (shape.width != 4 || shape.is_float) return HEDDLE_INTERNAL;
  return call->host->set_output(call, 0, call->inputs[0]->dtype, (const int32_t*)shape.data,
                                (int32_t)shape.count);
}

static heddle_status ReshapeInvoke(heddle_op_call* call) {
  // In place, if the host could arrange it.
  if (call->outputs[0]->data != call->inputs[0]->data) {
    memcpy(call->outputs[0]->data, call->inputs[0]->data, call->inputs[0]->bytes);
  }
  return HEDDLE_OK;
}

static const heddle_in_place_pair kInPlace[] = {{0, 0}};

static const heddle_op kOps[] = {
    {
        .struct_size = sizeof(heddle_op),
        .builtin_code = HEDDLE_BUILTIN_CUSTOM,
        .min_version = 1,
        .max_version = 1,
        .flags = HEDDLE_OP_STATEFUL | HEDDLE_OP_SIDE_EFFECTS,
        .custom_name = "Frozen.Accumulate",
        .init = AccumulateInit,
        .free = AccumulateFree,
        .infer = AccumulateInfer,
        .prepare = AccumulatePrepare,
        .release = AccumulateRelease,
        .invoke = AccumulateInvoke,
    },
    {
        .struct_size = sizeof(heddle_op),
        .builtin_code = HEDDLE_BUILTIN_CUSTOM,
        .min_version = 1,
        .max_version = 3,
        .custom_name = "Frozen.Positive",
        .infer = PositiveInfer,
        .invoke = PositiveInvoke,
    },
    {
        .struct_size = sizeof(heddle_op),
        .builtin_code = HEDDLE_BUILTIN_RESHAPE,
        .min_version = 1,
        .max_version = 1,
        .infer = ReshapeInfer,
        .invoke = ReshapeInvoke,
        .in_place = kInPlace,
        .in_place_count = 1,
    },
};

static const heddle_plugin kPlugin = {
    .struct_size = sizeof(heddle_plugin),
    .abi_version = HEDDLE_PLUGIN_ABI_VERSION,
    .name = "frozen",
    .version = "0.1",
    .ops = kOps,
    .op_stride = sizeof(kOps[0]),
    .op_count = sizeof(kOps) / sizeof(kOps[0]),
};

heddle_status heddle_plugin_query(uint32_t host_abi_version, const heddle_plugin** plugin) {
  if (host_abi_version < HEDDLE_PLUGIN_ABI_VERSION) return HEDDLE_VERSION_MISMATCH;
  *plugin = &kPlugin;
  return HEDDLE_OK;
}
