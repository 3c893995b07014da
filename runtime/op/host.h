// SPDX-License-Identifier: Apache-2.0
// The host's side of heddle_plugin.h. Three classes offer the functions to ops: Subgraph
// (runtime/exec), RunSingleOp (this folder) and the CPU delegate. OpHost is what they implement;
// NodeContext is what stands behind a call.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "heddle/heddle_plugin.h"
#include "runtime/base/status.h"
#include "runtime/model/attributes.h"
#include "runtime/op/registration.h"

namespace heddle {

class OpHost;

enum class Stage : uint8_t { kNone, kInit, kInfer, kPrepare, kInvoke };

// One node as the host sees it; heddle_op_call::host_context points here. Does not move once a call
// exists.
struct NodeContext {
  OpHost* host = nullptr;
  const OpRegistration* registration = nullptr;
  AttributeView attributes;
  std::span<const uint8_t> custom_options;
  heddle_node_info info = {};
  Stage stage = Stage::kNone;
  const char* kernel_name = "";
  Status reported;  // the last fault that the op reported
};

// What a host offers beyond errors and attributes, which work the same everywhere. Functions are
// called only in the stages that heddle_plugin.h names.
class OpHost {
 public:
  virtual ~OpHost() = default;
  virtual void Log(heddle_severity severity, heddle_reason reason, std::string_view message) = 0;
  virtual const heddle_allocator* GetAllocator() = 0;

  virtual Status SetOutput(heddle_op_call* call, size_t output, heddle_dtype dtype,
                           std::span<const int32_t> dims) = 0;
  virtual Status SetOutputDataDependent(heddle_op_call* call, size_t output,
                                        heddle_dtype dtype) = 0;

  virtual Status RequestScratch(heddle_op_call* call, size_t bytes, int32_t* scratch) = 0;
  virtual void* GetScratch(heddle_op_call* call, int32_t scratch) = 0;
  struct SharedRequest {
    std::string_view key;
    heddle_status (*create)(heddle_op_call*, void*, void**, uint64_t*);
    void* argument;
    void (*destroy)(void*);
  };
  virtual Status GetShared(heddle_op_call* call, const SharedRequest& request, void** object) = 0;

  virtual Status AllocateOutput(heddle_op_call* call, size_t output, std::span<const int32_t> dims,
                                size_t bytes, void** data) = 0;
  virtual Status ParallelFor(int64_t count, int64_t grain,
                             void (*function)(void*, int64_t, int64_t), void* argument) = 0;
  virtual int32_t NumThreads() = 0;
  virtual bool IsCancelled() = 0;
  virtual uint64_t LoopLimit() = 0;

  virtual Status GetResourceId(std::string_view container, std::string_view name, int32_t* id) = 0;
  virtual Status OpenResource(heddle_op_call* call, int32_t id, const heddle_resource_type& type,
                              bool create, void* argument, void** object) = 0;

  virtual Status GetSubgraphIo(int32_t index, size_t* inputs, size_t* outputs) = 0;
  virtual Status InferSubgraph(heddle_op_call* call, int32_t index,
                               std::span<const heddle_tensor* const> inputs,
                               std::span<const heddle_tensor* const>* outputs) = 0;
  virtual Status InvokeSubgraph(heddle_op_call* call, int32_t index,
                                std::span<const heddle_tensor* const> inputs,
                                std::span<const heddle_tensor* const>* outputs) = 0;
};

// The table that calls carry.
const heddle_host* HostFunctions();

// Fills the fields of `context` and `call` that do not depend on shapes.
void InitNodeContext(OpHost* host, const OpRegistration* registration, int32_t version,
                     int32_t subgraph, int32_t operator_index, bool reference, NodeContext* context,
                     heddle_op_call* call);

inline NodeContext& ContextOf(heddle_op_call* call) {
  return *static_cast<NodeContext*>(call->host_context);
}

// Run one callback and turn its result into a Status that names op, place and operand. A missing
// optional callback succeeds.
Status CallInit(heddle_op_call* call);
Status CallInfer(heddle_op_call* call);
Status CallPrepare(heddle_op_call* call, void** plan_state);
Status CallInvoke(heddle_op_call* call);
// The Status of a callback that returned `code`, for callers that run `invoke` themselves on the
// hot path.
Status TakeReported(heddle_op_call* call, heddle_status code, Stage stage);

}  // namespace heddle
