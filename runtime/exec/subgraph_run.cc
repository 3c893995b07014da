// SPDX-License-Identifier: Apache-2.0
// Running a plan: memory, bindings, the loop over steps.
#include <algorithm>
#include <cstring>

#include "runtime/base/clock.h"
#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "runtime/exec/subgraph.h"

namespace heddle {
namespace {

constexpr int32_t kMaxCallDepth = 64;

struct ScopedFlag {
  explicit ScopedFlag(bool* flag) : flag_(flag) { *flag_ = true; }
  ~ScopedFlag() { *flag_ = false; }
  bool* flag_;
};

struct ScopedDepth {
  explicit ScopedDepth(int32_t* depth) : depth_(depth) { ++*depth_; }
  ~ScopedDepth() { --*depth_; }
  int32_t* depth_;
};

bool RangesOverlap(const void* a, size_t a_bytes, const void* b, size_t b_bytes) {
  const auto a_start = reinterpret_cast<uintptr_t>(a);
  const auto b_start = reinterpret_cast<uintptr_t>(b);
  return a_start < b_start + b_bytes && b_start < a_start + a_bytes;
}

bool Inside(const void* data, const Block& block) {
  const auto* byte = static_cast<const uint8_t*>(data);
  return block && byte >= block.data() && byte < block.data() + std::max<size_t>(block.bytes(), 1);
}

bool SameDims(const std::vector<int32_t>& key, const std::vector<const heddle_tensor*>& inputs) {
  size_t at = 0;
  for (const heddle_tensor* input : inputs) {
    const int32_t rank = input == nullptr ? -1 : input->rank;
    const auto dims = static_cast<size_t>(std::max(rank, 0));
    if (at + 1 + dims > key.size() || key[at] != rank) return false;
    if (dims != 0 && !std::equal(input->dims, input->dims + dims,
                                 key.begin() + static_cast<ptrdiff_t>(at) + 1)) {
      return false;
    }
    at += 1 + dims;
  }
  return at == key.size();
}

}  // namespace

Status RunControl::Check() const {
  if (cancel != nullptr && cancel->Cancelled()) {
    return Status(HEDDLE_CANCELLED, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_CANCELLED,
                  "the run was cancelled");
  }
  if (deadline.Expired()) {
    return Status(HEDDLE_DEADLINE_EXCEEDED, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_DEADLINE,
                  "the deadline passed");
  }
  return {};
}

Status Subgraph::Activate(ShapePlan& plan) {
  const size_t bytes = std::max<size_t>(static_cast<size_t>(plan.arena_bytes), kTensorAlignment);
  if (arena_.bytes() < bytes || !arena_) {
    arena_.Reset();  // before the new one is taken: the peak counts
    arena_ = Block::Make(instance_->environment->allocator(), bytes);
    rebind_ = true;
    if (!arena_) return Status::OutOfMemory();
  }
  if (plan.bound_base == arena_.data() && !rebind_) return {};
  plan.BindArena(arena_.data());
  return {};
}

Status Subgraph::EnsureInputBlock(size_t input, int set, size_t bytes) {
  Block& block = inputs_[input].blocks[set];
  if (block && block.bytes() >= bytes) return {};
  Block larger = Block::Make(instance_->environment->allocator(), bytes);
  if (!larger) return Status::OutOfMemory();
  std::memset(larger.data(), 0, bytes);
  block = std::move(larger);
  rebind_ = true;
  return {};
}

StatusOr<void*> Subgraph::InputData(size_t input, size_t bytes) {
  InputSlot& slot = inputs_[input];
  const TensorDef& def = def_.tensors[static_cast<size_t>(def_.inputs[input])];
  if (slot.bound != nullptr) return static_cast<void*>(slot.bound->data());
  if (def.dtype == HEDDLE_DTYPE_STRING) {
    if (bytes == 0) bytes = slot.string_bytes;
    if (bytes == 0) {
      // Nobody set it: as many empty strings as the shape has.
      int64_t count = 0;
      if (!ElementCount(input_dims_[input], &count) || count > INT32_MAX / 8) {
        return Status(
            HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_MEMORY, HEDDLE_REASON_SIZE_OVERFLOW,
            StrCat("input ", input, " of shape ", ShapeText(input_dims_[input]), " is too large"));
      }
      bytes = static_cast<size_t>(count + 2) * sizeof(int32_t);
      HEDDLE_RETURN_IF_ERROR(EnsureInputBlock(input, 0, bytes));
      auto* header = reinterpret_cast<int32_t*>(slot.blocks[0].data());
      header[0] = static_cast<int32_t>(count);
      for (int64_t i = 0; i <= count; ++i) header[i + 1] = static_cast<int32_t>(bytes);
    }
    if (slot.string_bytes != bytes) rebind_ = true;
    slot.string_bytes = bytes;
  } else if (!DenseBytes(def.dtype, input_dims_[input], &bytes)) {
    return Status(
        HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_MEMORY, HEDDLE_REASON_SIZE_OVERFLOW,
        StrCat("input ", input, " of shape ", ShapeText(input_dims_[input]), " is too large"));
  }
  HEDDLE_RETURN_IF_ERROR(EnsureInputBlock(input, 0, bytes));
  return static_cast<void*>(slot.blocks[0].data());
}

void Subgraph::BindInput(size_t input, std::shared_ptr<Buffer> buffer) {
  inputs_[input].bound = std::move(buffer);
  rebind_ = true;
}

void Subgraph::BindOutput(size_t output, std::shared_ptr<Buffer> buffer) {
  bound_outputs_[output] = std::move(buffer);
  rebind_ = true;
}

void Subgraph::SwapBindings(std::vector<std::shared_ptr<Buffer>>& inputs,
                            std::vector<std::shared_ptr<Buffer>>& outputs) {
  for (size_t i = 0; i < inputs_.size(); ++i) std::swap(inputs_[i].bound, inputs[i]);
  for (size_t i = 0; i < bound_outputs_.size(); ++i) std::swap(bound_outputs_[i], outputs[i]);
  rebind_ = true;
}

Status Subgraph::BindInputs(ShapePlan& plan) {
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const auto tensor = static_cast<size_t>(def_.inputs[i]);
    InputSlot& slot = inputs_[i];
    heddle_tensor& view = plan.views[tensor];
    slot.copy_bound = false;
    if (slot.bound == nullptr) {
      HEDDLE_ASSIGN_OR_RETURN(view.data, InputData(i, 0));
      if (view.dtype == HEDDLE_DTYPE_STRING) view.bytes = slot.string_bytes;
      continue;
    }
    const Buffer& buffer = *slot.bound;
    if (view.dtype == HEDDLE_DTYPE_STRING) view.bytes = buffer.bytes();
    if (buffer.bytes() < view.bytes) {
      return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_MEMORY, HEDDLE_REASON_BUFFER_TOO_SMALL,
                    StrCat("the buffer bound to input ", i, " (\"", view.name, "\") has ",
                           buffer.bytes(), " bytes, the tensor needs ", view.bytes));
    }
    const size_t element = std::max<size_t>(DtypeBits(view.dtype) / 8, 1);
    const bool aligned =
        reinterpret_cast<uintptr_t>(buffer.data()) % std::min<size_t>(element, 8) == 0;
    const bool padded =
        is_overread_[tensor] == 0 || buffer.padded_bytes() >= view.bytes + kTensorPadding;
    view.data = buffer.data();
    if (aligned && padded) continue;
    const heddle_reason reason =
        aligned ? HEDDLE_REASON_COPY_PADDING : HEDDLE_REASON_COPY_ALIGNMENT;
    Log(HEDDLE_SEVERITY_WARNING, reason,
        StrCat("the buffer bound to input ", i, " is copied at each run"));
    HEDDLE_RETURN_IF_ERROR(EnsureInputBlock(i, 0, view.bytes));
    slot.copy_bound = true;
    view.data = slot.blocks[0].data();
  }
  return {};
}

Status Subgraph::BindOutputs(ShapePlan& plan) {
  for (size_t i = 0; i < bound_outputs_.size(); ++i) {
    copy_output_[i] = 0;
    if (bound_outputs_[i] == nullptr) continue;
    const Buffer& buffer = *bound_outputs_[i];
    const auto tensor = static_cast<size_t>(def_.outputs[i]);
    heddle_tensor& view = plan.views[tensor];
    copy_output_[i] = 1;
    if (plan.tensors[tensor].storage != Storage::kArena) continue;
    if (buffer.bytes() < view.bytes) {
      return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_MEMORY, HEDDLE_REASON_BUFFER_TOO_SMALL,
                    StrCat("the buffer bound to output ", i, " (\"", view.name, "\") has ",
                           buffer.bytes(), " bytes, the tensor needs ", view.bytes));
    }
    const size_t element = std::max<size_t>(DtypeBits(view.dtype) / 8, 1);
    bool in_place = reinterpret_cast<uintptr_t>(buffer.data()) % std::min<size_t>(element, 8) == 0;
    // An op may write this output before another has read that input or output.
    for (const int32_t input : def_.inputs) {
      const heddle_tensor& other = plan.views[static_cast<size_t>(input)];
      if (RangesOverlap(buffer.data(), view.bytes, other.data, other.bytes)) in_place = false;
    }
    for (size_t j = 0; j < i; ++j) {
      if (def_.outputs[j] == def_.outputs[i]) in_place = false;
      if (bound_outputs_[j] == nullptr) continue;
      const heddle_tensor& other = plan.views[static_cast<size_t>(def_.outputs[j])];
      if (RangesOverlap(buffer.data(), view.bytes, bound_outputs_[j]->data(), other.bytes))
        in_place = false;
    }
    if (!in_place) continue;
    view.data = buffer.data();
    copy_output_[i] = 0;
  }
  return {};
}

Status Subgraph::CopyBoundOutputs(ShapePlan& plan) {
  for (size_t i = 0; i < bound_outputs_.size(); ++i) {
    if (copy_output_[i] == 0) continue;
    const Buffer& buffer = *bound_outputs_[i];
    const heddle_tensor& view = plan.views[static_cast<size_t>(def_.outputs[i])];
    if (buffer.bytes() < view.bytes) {
      return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_BUFFER_TOO_SMALL,
                    StrCat("the buffer bound to output ", i, " (\"", view.name, "\") has ",
                           buffer.bytes(), " bytes, the result has ", view.bytes));
    }
    if (view.bytes != 0) std::memmove(buffer.data(), view.data, view.bytes);
  }
  return {};
}

Status Subgraph::Invoke() {
  if (!IsPrepared()) HEDDLE_RETURN_IF_ERROR(Prepare());
  ShapePlan& plan = *current_;
  HEDDLE_RETURN_IF_ERROR(Activate(plan));
  if (rebind_ || !io_bound_) {
    io_bound_ = false;
    HEDDLE_RETURN_IF_ERROR(BindInputs(plan));
    HEDDLE_RETURN_IF_ERROR(BindOutputs(plan));
    rebind_ = false;
    io_bound_ = true;
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const heddle_tensor& view = plan.views[static_cast<size_t>(def_.inputs[i])];
    if (inputs_[i].copy_bound) std::memcpy(view.data, inputs_[i].bound->data(), view.bytes);
  }
  HEDDLE_RETURN_IF_ERROR(Run(plan));
  return CopyBoundOutputs(plan);
}

bool Subgraph::Owns(const void* data) const {
  if (Inside(data, arena_) || dynamic_.Owns(data)) return true;
  for (const InputSlot& slot : inputs_) {
    if (Inside(data, slot.blocks[0]) || Inside(data, slot.blocks[1])) return true;
  }
  return std::any_of(variables_.begin(), variables_.end(),
                     [&](const Block& block) { return Inside(data, block); });
}

Status Subgraph::StageInputs(std::span<const heddle_tensor* const> inputs) {
  // Results of the last call may be passed on, inputs of that call among them: copies go to the
  // other set of blocks.
  const int set = 1 - input_set_;
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs_[i].staged = inputs[i]->data;
    if (!Owns(inputs[i]->data)) continue;
    HEDDLE_RETURN_IF_ERROR(EnsureInputBlock(i, set, inputs[i]->bytes));
    std::memcpy(inputs_[i].blocks[set].data(), inputs[i]->data, inputs[i]->bytes);
    inputs_[i].staged = inputs_[i].blocks[set].data();
  }
  input_set_ = set;
  return {};
}

Status Subgraph::Call(std::span<const heddle_tensor* const> inputs,
                      std::span<const heddle_tensor* const>* outputs) {
  if (active_ || instance_->call_depth >= kMaxCallDepth) {
    return Status(HEDDLE_INVALID_MODEL, HEDDLE_PHASE_INVOKE,
                  active_ ? HEDDLE_REASON_CALL_CYCLE : HEDDLE_REASON_CALL_DEPTH,
                  StrCat("subgraph ", index_, active_ ? " calls itself" : " is called too deeply"));
  }
  const ScopedDepth depth(&instance_->call_depth);
  std::shared_ptr<ShapePlan> plan;
  HEDDLE_RETURN_IF_ERROR(InferShapes(inputs, &plan));
  HEDDLE_RETURN_IF_ERROR(PreparePlan(*plan));
  HEDDLE_RETURN_IF_ERROR(StageInputs(inputs));  // before memory moves: inputs may lie in it
  rebind_ = rebind_ || io_bound_ || current_ != plan;
  HEDDLE_RETURN_IF_ERROR(Activate(*plan));
  rebind_ = false;
  io_bound_ = false;
  stale_ = true;  // an entry point must choose its own plan again
  current_ = plan;
  for (size_t i = 0; i < inputs.size(); ++i) {
    heddle_tensor& view = plan->views[static_cast<size_t>(def_.inputs[i])];
    view.data = inputs_[i].staged;
    if (view.dtype == HEDDLE_DTYPE_STRING) view.bytes = inputs[i]->bytes;
  }
  HEDDLE_RETURN_IF_ERROR(Run(*plan));
  *outputs = plan->output_views;
  return {};
}

Status Subgraph::Run(ShapePlan& plan) {
  const ScopedFlag running(&active_);
  dynamic_.ReleaseAll();
  const RunControl& control = instance_->control;
  const bool stops = control.Stops();
  const bool watched = control.observer != nullptr;
  for (Step* step : plan.to_run) {
    if (stops) {
      HEDDLE_RETURN_IF_ERROR(control.Check().Annotate([&](Fault& fault) {
        fault.plan_position = step->position;
        fault.subgraph = index_;
      }));
    }
    if (watched) HEDDLE_RETURN_IF_ERROR(Observe(*step, false));
    HEDDLE_RETURN_IF_ERROR(RunStep(plan, *step).Annotate([&](Fault& fault) {
      if (fault.plan_position < 0) fault.plan_position = step->position;
    }));
    if (watched) HEDDLE_RETURN_IF_ERROR(Observe(*step, true));
    for (const int32_t tensor : step->release_after)
      dynamic_.Release(plan.views[static_cast<size_t>(tensor)].data);
  }
  return {};
}

Status Subgraph::RunStep(ShapePlan& plan, Step& step) {
  if (step.dynamic_inputs) HEDDLE_RETURN_IF_ERROR(PrepareDynamicStep(plan, step));
  if (step.dynamic_outputs) HEDDLE_RETURN_IF_ERROR(AcquireOutputs(plan, step));
  step.owner->context.stage = Stage::kInvoke;  // planning for other shapes may have come between
  const heddle_status code = step.run(&step);
  if (code != HEDDLE_OK) return TakeReported(&step, code, Stage::kInvoke);
  if (!step.dynamic_outputs) return {};
  for (size_t i = 0; i < step.output_views.size(); ++i) {
    if (step.output_views[i] == nullptr || step.output_views[i]->data != nullptr) continue;
    return TakeReported(&step,
                        HostFunctions()->report(
                            &step, HEDDLE_INTERNAL, HEDDLE_REASON_OUTPUT_NOT_SET,
                            -1 - static_cast<int32_t>(i), "invoke did not allocate this output"),
                        Stage::kInvoke);
  }
  return {};
}

Status Subgraph::PrepareDynamicStep(ShapePlan& plan, Step& step) {
  if (step.prepared && SameDims(step.prepared_dims, step.input_views)) return {};
  step.ReleasePlanState();
  step.callees.clear();
  for (heddle_tensor* view : step.output_views) {
    if (view == nullptr) continue;
    view->flags = 0;
    view->data = nullptr;
  }
  if (step.owner->registration->op().infer == nullptr) {
    HEDDLE_RETURN_IF_ERROR(InferFromFile(step));
  } else {
    HEDDLE_RETURN_IF_ERROR(CallInfer(&step));
    HEDDLE_RETURN_IF_ERROR(CheckOutputs(plan, step));
  }
  step.dynamic_outputs = true;  // also those of known shape come from the dynamic arena
  for (const auto& callee : step.callees)
    HEDDLE_RETURN_IF_ERROR(callee->subgraph()->PreparePlan(*callee));
  void* plan_state = nullptr;
  HEDDLE_RETURN_IF_ERROR(CallPrepare(&step, &plan_state));
  step.plan_state = plan_state;
  step.kernel = step.owner->context.kernel_name;
  step.prepared_dims.clear();
  for (const heddle_tensor* input : step.input_views) {
    step.prepared_dims.push_back(input == nullptr ? -1 : input->rank);
    if (input != nullptr && input->rank > 0) {
      step.prepared_dims.insert(step.prepared_dims.end(), input->dims, input->dims + input->rank);
    }
  }
  step.prepared = true;
  return {};
}

Status Subgraph::AcquireOutputs(ShapePlan& plan, Step& step) {
  for (size_t i = 0; i < step.output_views.size(); ++i) {
    heddle_tensor* view = step.output_views[i];
    if (view == nullptr ||
        plan.tensors[static_cast<size_t>(view->index)].storage != Storage::kDynamic)
      continue;
    if (step.output_unknown[i] != 0) {
      view->flags = HEDDLE_TENSOR_DYNAMIC;
      view->rank = -1;
      view->bytes = 0;
      view->data = nullptr;
      continue;
    }
    HEDDLE_ASSIGN_OR_RETURN(view->data, dynamic_.Acquire(view->bytes));
  }
  return {};
}

Status Subgraph::Observe(const Step& step, bool is_end) const {
  heddle_node_event event = {};
  event.struct_size = sizeof(event);
  event.is_end = is_end ? 1 : 0;
  event.subgraph = index_;
  event.operator_index = step.owner->index;
  event.plan_position = step.position;
  event.op_name = step.node->name;
  event.time_ns = MonotonicNs();
  event.output_count = step.output_views.size();
  event.output_tensors = step.output_indices.data();
  event.outputs = step.output_views.data();
  if (instance_->control.observer(instance_->control.observer_context, &event) == 0) return {};
  return Status(HEDDLE_CANCELLED, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_CANCELLED,
                "the observer stopped the run");
}

Status Subgraph::ResizeInput(size_t input, std::span<const int32_t> dims) {
  size_t bytes;
  const TensorDef& def = def_.tensors[static_cast<size_t>(def_.inputs[input])];
  int64_t count;
  const bool fits = def.dtype == HEDDLE_DTYPE_STRING ? ElementCount(dims, &count)
                                                     : DenseBytes(def.dtype, dims, &bytes);
  if (!fits) {
    return Status(
        HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_BAD_SHAPE,
        StrCat("shape ", ShapeText(dims), " for input ", input, " is negative or too large"));
  }
  if (std::equal(dims.begin(), dims.end(), input_dims_[input].begin(), input_dims_[input].end()))
    return {};
  input_dims_[input].assign(dims.begin(), dims.end());
  inputs_[input].string_bytes = 0;
  stale_ = true;
  rebind_ = true;
  return {};
}

void Subgraph::ReleaseMemory() {
  current_.reset();
  plans_.clear();
  arena_.Reset();
  dynamic_.ReleaseAll();
  dynamic_.Trim();
  for (InputSlot& slot : inputs_) {
    slot.blocks[0].Reset();
    slot.blocks[1].Reset();
    slot.string_bytes = 0;
  }
  stale_ = true;
  rebind_ = true;
  io_bound_ = false;
}

void Subgraph::AddMemory(heddle_memory_info* info) const {
  const auto rounded = [](size_t bytes) {
    return (bytes + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
  };
  info->arena_bytes += arena_.bytes();
  if (current_ != nullptr)
    info->arena_lower_bound_bytes += std::max<uint64_t>(current_->lower_bound, kTensorAlignment);
  for (const InputSlot& slot : inputs_) {
    for (const Block& block : slot.blocks) {
      info->arena_bytes += rounded(block.bytes());
      info->arena_lower_bound_bytes += rounded(block.bytes());
    }
  }
  info->dynamic_bytes += dynamic_.held_bytes();
  for (const Block& block : variables_) info->variable_bytes += block.bytes();
  info->plan_count += plans_.size();
}

}  // namespace heddle
