// SPDX-License-Identifier: Apache-2.0
#include "runtime/op/host.h"

#include <cstring>
#include <new>
#include <utility>

#include "runtime/base/strings.h"

namespace heddle {
namespace {

heddle_phase PhaseOf(Stage stage) {
  switch (stage) {
    case Stage::kNone:
      return HEDDLE_PHASE_NONE;
    case Stage::kInit:
      return HEDDLE_PHASE_INIT;
    case Stage::kInfer:
      return HEDDLE_PHASE_PLAN;
    case Stage::kPrepare:
      return HEDDLE_PHASE_PREPARE;
    case Stage::kInvoke:
      return HEDDLE_PHASE_INVOKE;
  }
  return HEDDLE_PHASE_NONE;
}

// The tensor that `operand` of heddle_host::report means, and its name in the model: "inputs[1]".
const heddle_tensor* OperandOf(const heddle_op_call* call, int32_t operand, std::string* place) {
  if (operand == HEDDLE_NO_OPERAND) return nullptr;
  const bool is_input = operand >= 0;
  const auto position = static_cast<size_t>(is_input ? operand : -1 - operand);
  *place = StrCat(is_input ? "inputs[" : "outputs[", position, "]");
  if (is_input) return position < call->input_count ? call->inputs[position] : nullptr;
  return position < call->output_count ? call->outputs[position] : nullptr;
}

std::string NodePlace(const heddle_node_info& info) {
  if (info.operator_index < 0) return {};
  return StrCat("subgraphs[", info.subgraph, "].operators[", info.operator_index, "]");
}

void SetNode(const heddle_node_info& info, Stage stage, Fault* fault) {
  fault->phase = PhaseOf(stage);
  fault->op_name = info.name;
  fault->op_version = info.version;
  fault->subgraph = info.subgraph;
  fault->operator_index = info.operator_index;
}

// Records `status` for the node and returns its code: how host functions fail.
heddle_status Fail(heddle_op_call* call, Status status) {
  NodeContext& context = ContextOf(call);
  const heddle_status code = status.code();
  context.reported = std::move(status).Annotate([&](Fault& fault) {
    if (!fault.op_name.empty()) return;  // a fault of a called subgraph: it has its own place
    SetNode(context.info, context.stage, &fault);
    if (fault.place.empty()) fault.place = NodePlace(context.info);
  });
  return code;
}

Status StageError(const char* function) {
  return Status(HEDDLE_FAILED_PRECONDITION, HEDDLE_PHASE_PLUGIN, HEDDLE_REASON_BAD_ARGUMENT,
                StrCat("the op called ", function, " in a callback where it is not allowed"));
}

// Every host function is an entry from C: exceptions end here.
template <typename Body>
heddle_status Guard(heddle_op_call* call, Body&& body) {
  try {
    Status status = body();
    return status.ok() ? HEDDLE_OK : Fail(call, std::move(status));
  } catch (const std::bad_alloc&) {
    ContextOf(call).reported = Status::OutOfMemory();
    return HEDDLE_RESOURCE_EXHAUSTED;
  }
}

// The same for functions that are allowed in some stages only.
template <typename Body>
heddle_status GuardStage(heddle_op_call* call, const char* function, bool allowed, Body&& body) {
  return Guard(call, [&]() -> Status { return allowed ? body() : StageError(function); });
}

Stage StageOf(heddle_op_call* call) { return ContextOf(call).stage; }
OpHost& HostOf(heddle_op_call* call) { return *ContextOf(call).host; }

heddle_status HostReport(heddle_op_call* call, heddle_status status, heddle_reason reason,
                         int32_t operand, const char* message) {
  if (status == HEDDLE_OK) return HEDDLE_OK;
  Guard(call, [&]() -> Status {
    const NodeContext& context = ContextOf(call);
    Fault fault;
    fault.code = status;
    fault.reason = reason;
    SetNode(context.info, context.stage, &fault);
    fault.place = NodePlace(context.info);
    std::string operand_place;
    const heddle_tensor* tensor = OperandOf(call, operand, &operand_place);
    fault.message = StrCat(context.info.name, ": ", message != nullptr ? message : "");
    if (!operand_place.empty()) {
      fault.place += (fault.place.empty() ? "" : ".") + operand_place;
      StrAppend(fault.message, " (", operand_place);
      if (tensor != nullptr) {
        fault.tensor = tensor->index;
        fault.tensor_name = tensor->name;
        StrAppend(fault.message, ", tensor ", tensor->index, " \"", tensor->name, "\"");
      }
      fault.message += ')';
    }
    return Status(std::move(fault));
  });
  return status;
}

void HostLog(heddle_op_call* call, heddle_severity severity, heddle_reason reason,
             const char* message) {
  HostOf(call).Log(severity, reason, message != nullptr ? message : "");
}

Status AttributeStatus(heddle_op_call* call, uint32_t key, AttributeError error) {
  if (error == AttributeError::kNone || error == AttributeError::kAbsent) return {};
  const AttributeField* field = FindAttributeField(key);
  const std::string name =
      field != nullptr ? StrCat(field->table, ".", field->name) : StrCat("key ", key);
  const char* why = error == AttributeError::kUnknownKey ? " is no field of the schema"
                    : error == AttributeError::kOtherTable
                        ? " is asked for, but the operator has options of another table"
                        : " is of another kind";
  const bool model_at_fault = error == AttributeError::kOtherTable;
  return Status(model_at_fault ? HEDDLE_INVALID_MODEL : HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_INIT,
                model_at_fault ? HEDDLE_REASON_BAD_OPTIONS : HEDDLE_REASON_BAD_ARGUMENT,
                StrCat(call->node->name, ": attribute ", name, why));
}

heddle_status HostGetInt(heddle_op_call* call, uint32_t key, int64_t* value) {
  return Guard(call, [&] {
    return AttributeStatus(call, key, ContextOf(call).attributes.GetInt(key, value));
  });
}

heddle_status HostGetFloat(heddle_op_call* call, uint32_t key, double* value) {
  return Guard(call, [&] {
    return AttributeStatus(call, key, ContextOf(call).attributes.GetFloat(key, value));
  });
}

heddle_status HostGetString(heddle_op_call* call, uint32_t key, const char** text, size_t* length) {
  return Guard(call, [&] {
    std::string_view view;
    Status status = AttributeStatus(call, key, ContextOf(call).attributes.GetString(key, &view));
    *text = view.data() != nullptr ? view.data() : "";
    *length = view.size();
    return status;
  });
}

heddle_status HostGetArray(heddle_op_call* call, uint32_t key, heddle_attribute_array* array) {
  return Guard(call, [&] {
    AttributeArray view;
    Status status = AttributeStatus(call, key, ContextOf(call).attributes.GetArray(key, &view));
    const heddle_attribute_array filled = {sizeof(heddle_attribute_array), view.data, view.count,
                                           view.width, view.is_float ? 1 : 0};
    const size_t size = array->struct_size;
    std::memcpy(array, &filled, size < sizeof(filled) ? size : sizeof(filled));
    array->struct_size = size;
    return status;
  });
}

heddle_status HostGetCustomOptions(heddle_op_call* call, const void** data, size_t* bytes) {
  *data = ContextOf(call).custom_options.data();
  *bytes = ContextOf(call).custom_options.size();
  return HEDDLE_OK;
}

heddle_status HostSetOutput(heddle_op_call* call, size_t output, heddle_dtype dtype,
                            const int32_t* dims, int32_t rank) {
  return GuardStage(call, "set_output", StageOf(call) == Stage::kInfer, [&]() -> Status {
    if (output >= call->output_count || rank < 0 || (rank > 0 && dims == nullptr)) {
      return Status(
          HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_PLUGIN, HEDDLE_REASON_BAD_ARGUMENT,
          StrCat("set_output: output ", output, " of ", call->output_count, ", rank ", rank));
    }
    return HostOf(call).SetOutput(call, output, dtype, {dims, static_cast<size_t>(rank)});
  });
}

heddle_status HostSetOutputDataDependent(heddle_op_call* call, size_t output, heddle_dtype dtype) {
  return GuardStage(
      call, "set_output_data_dependent", StageOf(call) == Stage::kInfer, [&]() -> Status {
        if (output >= call->output_count) {
          return Status(
              HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_PLUGIN, HEDDLE_REASON_BAD_ARGUMENT,
              StrCat("set_output_data_dependent: output ", output, " of ", call->output_count));
        }
        return HostOf(call).SetOutputDataDependent(call, output, dtype);
      });
}

heddle_status HostRequestScratch(heddle_op_call* call, size_t bytes, int32_t* scratch) {
  return GuardStage(call, "request_scratch", StageOf(call) == Stage::kPrepare,
                    [&] { return HostOf(call).RequestScratch(call, bytes, scratch); });
}

heddle_status HostGetShared(heddle_op_call* call, const void* key, size_t key_bytes,
                            heddle_status (*create)(heddle_op_call*, void*, void**, uint64_t*),
                            void* argument, void (*destroy)(void*), void** object) {
  return GuardStage(call, "get_shared", StageOf(call) == Stage::kPrepare, [&]() -> Status {
    if (key == nullptr || create == nullptr || destroy == nullptr) {
      return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_PLUGIN, HEDDLE_REASON_NULL_ARGUMENT,
                    "get_shared needs a key, create and destroy");
    }
    const OpHost::SharedRequest request = {
        {static_cast<const char*>(key), key_bytes}, create, argument, destroy};
    return HostOf(call).GetShared(call, request, object);
  });
}

void HostSetKernelName(heddle_op_call* call, const char* name) {
  if (name != nullptr) ContextOf(call).kernel_name = name;
}

void* HostGetScratch(heddle_op_call* call, int32_t scratch) {
  return StageOf(call) == Stage::kInvoke ? HostOf(call).GetScratch(call, scratch) : nullptr;
}

heddle_status HostAllocateOutput(heddle_op_call* call, size_t output, const int32_t* dims,
                                 int32_t rank, size_t bytes, void** data) {
  return GuardStage(call, "allocate_output", StageOf(call) == Stage::kInvoke, [&]() -> Status {
    if (output >= call->output_count || rank < 0 || (rank > 0 && dims == nullptr)) {
      return Status(
          HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_PLUGIN, HEDDLE_REASON_BAD_ARGUMENT,
          StrCat("allocate_output: output ", output, " of ", call->output_count, ", rank ", rank));
    }
    return HostOf(call).AllocateOutput(call, output, {dims, static_cast<size_t>(rank)}, bytes,
                                       data);
  });
}

heddle_status HostParallelFor(heddle_op_call* call, int64_t count, int64_t grain,
                              void (*function)(void*, int64_t, int64_t), void* argument) {
  return Guard(call, [&] { return HostOf(call).ParallelFor(count, grain, function, argument); });
}

int32_t HostGetNumThreads(heddle_op_call* call) { return HostOf(call).NumThreads(); }
int32_t HostIsCancelled(heddle_op_call* call) { return HostOf(call).IsCancelled() ? 1 : 0; }
uint64_t HostGetLoopLimit(heddle_op_call* call) { return HostOf(call).LoopLimit(); }

heddle_status HostGetResourceId(heddle_op_call* call, const char* container,
                                size_t container_length, const char* name, size_t name_length,
                                int32_t* id) {
  return Guard(call, [&] {
    return HostOf(call).GetResourceId({container, container_length}, {name, name_length}, id);
  });
}

heddle_status HostResourceOpen(heddle_op_call* call, int32_t id, const heddle_resource_type* type,
                               int32_t create, void* argument, void** object) {
  const Stage stage = StageOf(call);
  return GuardStage(
      call, "resource_open", stage == Stage::kPrepare || stage == Stage::kInvoke, [&]() -> Status {
        if (type == nullptr || type->name == nullptr || type->create == nullptr ||
            type->destroy == nullptr) {
          return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_PLUGIN, HEDDLE_REASON_NULL_ARGUMENT,
                        "resource_open needs a type with name, create and destroy");
        }
        return HostOf(call).OpenResource(call, id, *type, create != 0, argument, object);
      });
}

heddle_status HostGetSubgraphIo(heddle_op_call* call, int32_t index, size_t* inputs,
                                size_t* outputs) {
  return Guard(call, [&] { return HostOf(call).GetSubgraphIo(index, inputs, outputs); });
}

heddle_status HostInferSubgraph(heddle_op_call* call, int32_t index,
                                const heddle_tensor* const* inputs, size_t input_count,
                                const heddle_tensor* const** outputs, size_t* output_count) {
  return GuardStage(call, "infer_subgraph", StageOf(call) == Stage::kInfer, [&]() -> Status {
    std::span<const heddle_tensor* const> views;
    HEDDLE_RETURN_IF_ERROR(HostOf(call).InferSubgraph(call, index, {inputs, input_count}, &views));
    *outputs = views.data();
    *output_count = views.size();
    return {};
  });
}

heddle_status HostInvokeSubgraph(heddle_op_call* call, int32_t index,
                                 const heddle_tensor* const* inputs, size_t input_count,
                                 const heddle_tensor* const** outputs, size_t* output_count) {
  return GuardStage(call, "invoke_subgraph", StageOf(call) == Stage::kInvoke, [&]() -> Status {
    std::span<const heddle_tensor* const> views;
    HEDDLE_RETURN_IF_ERROR(HostOf(call).InvokeSubgraph(call, index, {inputs, input_count}, &views));
    *outputs = views.data();
    *output_count = views.size();
    return {};
  });
}

const heddle_allocator* HostGetAllocator(heddle_op_call* call) {
  return HostOf(call).GetAllocator();
}

constexpr heddle_host kHost = {
    sizeof(heddle_host),
    HEDDLE_PLUGIN_ABI_VERSION,
    HostReport,
    HostLog,
    HostGetInt,
    HostGetFloat,
    HostGetString,
    HostGetArray,
    HostGetCustomOptions,
    HostSetOutput,
    HostSetOutputDataDependent,
    HostRequestScratch,
    HostGetShared,
    HostSetKernelName,
    HostGetScratch,
    HostAllocateOutput,
    HostParallelFor,
    HostGetNumThreads,
    HostIsCancelled,
    HostGetResourceId,
    HostResourceOpen,
    HostGetSubgraphIo,
    HostInferSubgraph,
    HostInvokeSubgraph,
    HostGetLoopLimit,
    HostGetAllocator,
};

}  // namespace

const heddle_host* HostFunctions() { return &kHost; }

void InitNodeContext(OpHost* host, const OpRegistration* registration, int32_t version,
                     int32_t subgraph, int32_t operator_index, bool reference, NodeContext* context,
                     heddle_op_call* call) {
  context->host = host;
  context->registration = registration;
  context->info = {sizeof(heddle_node_info),
                   registration->op().builtin_code,
                   version,
                   registration->name().c_str(),
                   reference ? uint32_t{HEDDLE_NODE_REFERENCE} : 0u,
                   subgraph,
                   operator_index};
  *call = {};
  call->struct_size = sizeof(*call);
  call->host = HostFunctions();
  call->host_context = context;
  call->node = &context->info;
  call->user_data = registration->op().user_data;
}

Status TakeReported(heddle_op_call* call, heddle_status code, Stage stage) {
  NodeContext& context = ContextOf(call);
  Status reported = std::move(context.reported);
  context.reported = Status();
  if (code == HEDDLE_OK) return {};
  if (!reported.ok()) return reported;
  if (code == HEDDLE_RESOURCE_EXHAUSTED) return Status::OutOfMemory();
  Fault fault;
  fault.code = code;
  fault.reason = HEDDLE_REASON_NONE;
  SetNode(context.info, stage, &fault);
  fault.place = NodePlace(context.info);
  fault.message = StrCat(context.info.name, " failed without giving a reason");
  return Status(std::move(fault));
}

Status CallInit(heddle_op_call* call) {
  NodeContext& context = ContextOf(call);
  const heddle_op& op = context.registration->op();
  if (op.init == nullptr) return {};
  context.stage = Stage::kInit;
  void* state = nullptr;
  const heddle_status code = op.init(call, &state);
  if (code == HEDDLE_OK) call->node_state = state;
  return TakeReported(call, code, Stage::kInit);
}

Status CallInfer(heddle_op_call* call) {
  NodeContext& context = ContextOf(call);
  const heddle_op& op = context.registration->op();
  if (op.infer == nullptr) return {};
  context.stage = Stage::kInfer;
  return TakeReported(call, op.infer(call), Stage::kInfer);
}

Status CallPrepare(heddle_op_call* call, void** plan_state) {
  NodeContext& context = ContextOf(call);
  const heddle_op& op = context.registration->op();
  *plan_state = nullptr;
  if (op.prepare == nullptr) return {};
  context.stage = Stage::kPrepare;
  context.kernel_name = "";
  void* state = nullptr;
  const heddle_status code = op.prepare(call, &state);
  if (code == HEDDLE_OK) *plan_state = state;
  return TakeReported(call, code, Stage::kPrepare);
}

Status CallInvoke(heddle_op_call* call) {
  NodeContext& context = ContextOf(call);
  context.stage = Stage::kInvoke;
  return TakeReported(call, context.registration->op().invoke(call), Stage::kInvoke);
}

}  // namespace heddle
