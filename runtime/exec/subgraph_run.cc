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
    if (inputs_[i].copy_bound && view.bytes != 0)
      std::memcpy(view.data, inputs_[i].bound->data(), view.bytes);
  }
  HEDDLE_RETURN_IF_ERROR(Run(plan));
  return CopyBoundOutputs(plan);
}

bool Subgraph::Owns(const void* data) const {
  if (Inside(data, arena_) || dynamic_.Owns(data)) return true;
  for (const InputSlot& slot : inputs_) {
    for (const Block& block : slot.blocks) {
      if (Inside(data, block)) return true;
    }
  }
  return std::any_of(variables_.begin(), variables_.end(),
                     [&](const Block& block) { return Inside(data, block); });
}

Status Subgraph::StageInputs(std::span<const heddle_tensor* const> inputs) {
  // Results of the last call may be passed on, inputs of that call among them: copies go to the
  // other set of blocks.
  const int set = 3 - input_set_;
  for (size_t i = 0; i < inputs.size(); ++i) {
    inputs_[i].staged = inputs[i]->data;
    if (!Owns(inputs[i]->data)) continue;
    HEDDLE_RETURN_IF_ERROR(EnsureInputBlock(i, set, inputs[i]->bytes));
    if (inputs[i]->bytes != 0)
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
    if (stops) HEDDLE_RETURN_IF_ERROR(AtStep(*step, control.Check()));
    if (watched) HEDDLE_RETURN_IF_ERROR(AtStep(*step, Observe(*step, false)));
    HEDDLE_RETURN_IF_ERROR(AtStep(*step, RunStep(plan, *step)));
    if (watched) HEDDLE_RETURN_IF_ERROR(AtStep(*step, Observe(*step, true)));
    for (const int32_t tensor : step->release_after)
      dynamic_.Release(plan.views[static_cast<size_t>(tensor)].data);
  }
  return {};
}

Status Subgraph::AtStep(const Step& step, Status status) const {
  return std::move(status).Annotate([&](Fault& fault) {
    if (fault.op_name.empty()) {
      const OperatorCode& code = instance_->model->CodeOf(*step.owner->def);
      fault.op_name = code.name;
      fault.op_version = code.version;
      fault.subgraph = index_;
      fault.operator_index = step.owner->index;
      if (fault.place.empty()) {
        fault.place = StrCat("subgraphs[", index_, "].operators[", step.owner->index, "]");
      }
    }
    if (fault.plan_position < 0) fault.plan_position = step.position;
  });
}

Status Subgraph::RunStep(ShapePlan& plan, Step& step) {
  if (step.dynamic_inputs) HEDDLE_RETURN_IF_ERROR(PrepareDynamicStep(plan, step));
  if (step.dynamic_outputs) HEDDLE_RETURN_IF_ERROR(AcquireOutputs(plan, step));
  NodeContext& context = step.owner->context;
  context.stage = Stage::kInvoke;  // planning for other shapes may have come between
  if (!context.reported.ok()) context.reported = {};  // a fault that the last run got over
  const heddle_status code = step.run(&step);
  if (code != HEDDLE_OK) {
    Status status = TakeReported(&step, code, Stage::kInvoke);
    // An op that asked whether to stop does not know why.
    if (code == HEDDLE_CANCELLED && instance_->control.deadline.Expired()) {
      return instance_->control.Check();
    }
    return status;
  }
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

}  // namespace heddle
