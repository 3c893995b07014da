// SPDX-License-Identifier: Apache-2.0
// The functions that a subgraph's ops call.
#include <algorithm>

#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "runtime/exec/subgraph.h"

namespace heddle {
namespace {

Step& StepOf(heddle_op_call* call) { return static_cast<Step&>(*call); }

// Steps that are prepared outside the memory plan own their scratch.
bool OwnsScratch(const Step& step) { return step.dynamic_inputs || step.is_folded; }

Status OutputError(heddle_op_call* call, heddle_reason reason, size_t output,
                   const std::string& message) {
  return TakeReported(call,
                      HostFunctions()->report(call, HEDDLE_INVALID_MODEL, reason,
                                              -1 - static_cast<int32_t>(output), message.c_str()),
                      ContextOf(call).stage);
}

}  // namespace

void Subgraph::Log(heddle_severity severity, heddle_reason reason, std::string_view message) {
  instance_->environment->logger().Log(severity, reason, message);
}

Status Subgraph::SetOutput(heddle_op_call* call, size_t output, heddle_dtype dtype,
                           std::span<const int32_t> dims) {
  Step& step = StepOf(call);
  heddle_tensor* view = step.output_views[output];
  if (view == nullptr) return {};
  if (view->dtype != dtype) {
    return OutputError(
        call, HEDDLE_REASON_TYPES_DIFFER, output,
        StrCat("the file says ", DtypeName(view->dtype), ", the op computes ", DtypeName(dtype)));
  }
  if (dtype == HEDDLE_DTYPE_STRING) return SetOutputDataDependent(call, output, dtype);
  PlanTensor& tensor = step.plan->tensors[static_cast<size_t>(view->index)];
  size_t bytes;
  if (!DenseBytes(dtype, dims, &bytes)) {
    return OutputError(call, HEDDLE_REASON_SIZE_OVERFLOW, output,
                       StrCat("shape ", ShapeText(dims), " is negative or too large"));
  }
  if (tensor.storage != Storage::kNone && tensor.storage != Storage::kArena &&
      tensor.storage != Storage::kDynamic) {
    return OutputError(
        call, HEDDLE_REASON_DUPLICATE_PRODUCER, output,
        "the tensor is an input, a constant or a variable, and an operator writes it");
  }
  // The op may pass dims of another tensor, but never those of this one.
  tensor.dims.assign(dims.begin(), dims.end());
  view->rank = static_cast<int32_t>(dims.size());
  view->dims = tensor.dims.data();
  view->bytes = bytes;
  view->flags = HEDDLE_TENSOR_SHAPE_KNOWN;
  step.output_unknown[output] = 0;
  if (step.dynamic_inputs) {
    tensor.storage = Storage::kDynamic;
    view->flags |= HEDDLE_TENSOR_DYNAMIC;
  } else {
    tensor.storage = Storage::kArena;
  }
  return {};
}

Status Subgraph::SetOutputDataDependent(heddle_op_call* call, size_t output, heddle_dtype dtype) {
  Step& step = StepOf(call);
  heddle_tensor* view = step.output_views[output];
  if (view == nullptr) return {};
  if (view->dtype != dtype) {
    return OutputError(
        call, HEDDLE_REASON_TYPES_DIFFER, output,
        StrCat("the file says ", DtypeName(view->dtype), ", the op computes ", DtypeName(dtype)));
  }
  PlanTensor& tensor = step.plan->tensors[static_cast<size_t>(view->index)];
  if (tensor.storage != Storage::kNone && tensor.storage != Storage::kArena &&
      tensor.storage != Storage::kDynamic) {
    return OutputError(
        call, HEDDLE_REASON_DUPLICATE_PRODUCER, output,
        "the tensor is an input, a constant or a variable, and an operator writes it");
  }
  tensor.storage = Storage::kDynamic;
  step.output_unknown[output] = 1;
  view->flags = HEDDLE_TENSOR_DYNAMIC;
  view->rank = -1;
  view->dims = nullptr;
  view->bytes = 0;
  view->data = nullptr;
  return {};
}

Status Subgraph::RequestScratch(heddle_op_call* call, size_t bytes, int32_t* scratch) {
  Step& step = StepOf(call);
  if (OwnsScratch(step)) {
    step.scratch.reserve(step.scratch.size() + 1);
    step.own_scratch.reserve(step.own_scratch.size() + 1);
    Block block = Block::Make(instance_->environment->allocator(), bytes);
    if (!block) return Status::OutOfMemory();
    *scratch = static_cast<int32_t>(step.scratch.size());
    step.scratch.push_back(block.data());
    step.own_scratch.push_back(std::move(block));
    return {};
  }
  *scratch = static_cast<int32_t>(step.scratch_buffers.size());
  step.scratch_buffers.push_back(static_cast<int32_t>(step.plan->buffers.size()));
  step.plan->buffers.push_back({bytes, step.position, step.position, 0});
  step.scratch.push_back(nullptr);
  return {};
}

void* Subgraph::GetScratch(heddle_op_call* call, int32_t scratch) {
  const Step& step = StepOf(call);
  const auto index = static_cast<size_t>(scratch);
  return scratch >= 0 && index < step.scratch.size() ? step.scratch[index] : nullptr;
}

Status Subgraph::GetShared(heddle_op_call* call, const SharedRequest& request, void** object) {
  Step& step = StepOf(call);
  step.shared.reserve(step.shared.size() + 1);
  HEDDLE_ASSIGN_OR_RETURN(
      WeightStore::Ref ref,
      instance_->weights->GetOrMake(request.key, [&](WeightStore::Made* made) -> Status {
        const heddle_status code =
            request.create(call, request.argument, &made->object, &made->bytes);
        made->destroy = request.destroy;
        return TakeReported(call, code, Stage::kPrepare);
      }));
  *object = ref->object();
  step.shared.push_back(std::move(ref));
  return {};
}

Status Subgraph::AllocateOutput(heddle_op_call* call, size_t output, std::span<const int32_t> dims,
                                size_t bytes, void** data) {
  Step& step = StepOf(call);
  heddle_tensor* view = step.output_views[output];
  if (view == nullptr) {
    return OutputError(call, HEDDLE_REASON_BAD_ARGUMENT, output,
                       "allocate_output for an absent output");
  }
  PlanTensor& tensor = step.plan->tensors[static_cast<size_t>(view->index)];
  if (step.output_unknown[output] == 0) {
    if (!std::equal(dims.begin(), dims.end(), tensor.dims.begin(), tensor.dims.end())) {
      return OutputError(call, HEDDLE_REASON_SHAPES_DIFFER, output,
                         StrCat("allocate_output with shape ", ShapeText(dims), ", infer said ",
                                ShapeText(tensor.dims)));
    }
    *data = view->data;
    return {};
  }
  if (view->dtype != HEDDLE_DTYPE_STRING && !DenseBytes(view->dtype, dims, &bytes)) {
    return OutputError(call, HEDDLE_REASON_SIZE_OVERFLOW, output,
                       StrCat("shape ", ShapeText(dims), " is negative or too large"));
  }
  void* memory = nullptr;
  if (step.is_folded) {
    // The attempt to fold ends here; the run has its own limit.
    if (bytes > kMaxFoldedBytes) {
      return OutputError(call, HEDDLE_REASON_LIMIT_EXCEEDED, output, "too large to be folded");
    }
    tensor.folded = Block::Make(instance_->environment->allocator(), bytes);
    if (!tensor.folded) return Status::OutOfMemory();
    memory = tensor.folded.data();
  } else {
    if (view->data != nullptr) dynamic_.Release(view->data);
    HEDDLE_ASSIGN_OR_RETURN(memory, dynamic_.Acquire(bytes));
  }
  tensor.dims.assign(dims.begin(), dims.end());
  view->rank = static_cast<int32_t>(dims.size());
  view->dims = tensor.dims.data();
  view->bytes = bytes;
  view->data = memory;
  view->flags = HEDDLE_TENSOR_SHAPE_KNOWN | HEDDLE_TENSOR_DYNAMIC;
  *data = memory;
  return {};
}

Status Subgraph::ParallelFor(int64_t count, int64_t grain,
                             void (*function)(void*, int64_t, int64_t), void* argument) {
  return instance_->environment->pool().ParallelFor(
      count, grain, instance_->num_threads,
      [function, argument](int64_t begin, int64_t end) { function(argument, begin, end); });
}

int32_t Subgraph::NumThreads() {
  const int32_t most = instance_->environment->pool().max_threads();
  return instance_->num_threads > 0 ? std::min(instance_->num_threads, most) : most;
}

bool Subgraph::IsCancelled() {
  return instance_->control.Stops() && !instance_->control.Check().ok();
}

Status Subgraph::GetResourceId(std::string_view container, std::string_view name, int32_t* id) {
  *id = instance_->resources.IdOf(container, name);
  return {};
}

Status Subgraph::OpenResource(heddle_op_call* call, int32_t id, const heddle_resource_type& type,
                              bool create, void* argument, void** object) {
  return instance_->resources.Open(call, id, type, create, argument, object);
}

namespace {

Status NoSubgraph(int32_t index, size_t count) {
  return Status(HEDDLE_INVALID_MODEL, HEDDLE_PHASE_PLAN, HEDDLE_REASON_INDEX_OUT_OF_RANGE,
                StrCat("subgraph ", index, " is called, the model has ", count));
}

}  // namespace

Status Subgraph::GetSubgraphIo(int32_t index, size_t* inputs, size_t* outputs) {
  const std::vector<SubgraphDef>& all = instance_->model->subgraphs();
  if (index < 0 || static_cast<size_t>(index) >= all.size()) return NoSubgraph(index, all.size());
  *inputs = all[static_cast<size_t>(index)].inputs.size();
  *outputs = all[static_cast<size_t>(index)].outputs.size();
  return {};
}

Status Subgraph::InferSubgraph(heddle_op_call* call, int32_t index,
                               std::span<const heddle_tensor* const> inputs,
                               std::span<const heddle_tensor* const>* outputs) {
  auto& all = instance_->subgraphs;
  if (index < 0 || static_cast<size_t>(index) >= all.size()) return NoSubgraph(index, all.size());
  Step& step = StepOf(call);
  std::shared_ptr<ShapePlan> plan;
  HEDDLE_RETURN_IF_ERROR(all[static_cast<size_t>(index)]->InferShapes(inputs, &plan));
  *outputs = plan->output_views;
  if (std::find(step.callees.begin(), step.callees.end(), plan) == step.callees.end()) {
    step.callees.push_back(std::move(plan));
  }
  return {};
}

Status Subgraph::InvokeSubgraph(heddle_op_call*, int32_t index,
                                std::span<const heddle_tensor* const> inputs,
                                std::span<const heddle_tensor* const>* outputs) {
  auto& all = instance_->subgraphs;
  if (index < 0 || static_cast<size_t>(index) >= all.size()) return NoSubgraph(index, all.size());
  return all[static_cast<size_t>(index)]->Call(inputs, outputs);
}

}  // namespace heddle
