// SPDX-License-Identifier: Apache-2.0
// Planning: shapes of every tensor for given input shapes, folding, kernels, memory.
#include <algorithm>
#include <map>

#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "runtime/exec/subgraph.h"

namespace heddle {
namespace {

void AppendKey(std::span<const int32_t> dims, std::vector<int32_t>* key) {
  key->push_back(static_cast<int32_t>(dims.size()));
  key->insert(key->end(), dims.begin(), dims.end());
}

void ClearView(heddle_tensor* view) {
  view->flags = 0;
  view->rank = -1;
  view->bytes = 0;
  view->data = nullptr;
}

}  // namespace

void Subgraph::InitTensors(ShapePlan& plan) {
  const size_t count = def_.tensors.size();
  plan.views.resize(count);  // never resized again: steps point into it
  plan.tensors.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const TensorDef& def = def_.tensors[i];
    heddle_tensor& view = plan.views[i];
    view = {};
    view.struct_size = sizeof(view);
    view.dtype = def.dtype;
    view.index = static_cast<int32_t>(i);
    view.name = def.name.data() != nullptr ? def.name.data() : "";
    view.quantization = &def.quantization;
    ClearView(&view);
    PlanTensor& tensor = plan.tensors[i];
    tensor.dims.reserve(8);
    if (def.is_variable) {
      tensor.storage = Storage::kVariable;
      view.flags = HEDDLE_TENSOR_SHAPE_KNOWN | HEDDLE_TENSOR_VARIABLE;
      view.bytes = variables_[i].bytes();
      view.data = variables_[i].data();
    } else if (def.is_constant) {
      tensor.storage = Storage::kConstant;
      view.flags = HEDDLE_TENSOR_SHAPE_KNOWN | HEDDLE_TENSOR_CONSTANT;
      view.bytes = def.data.size();
      if (def.is_sparse && !DenseBytes(def.dtype, def.dims, &view.bytes)) view.bytes = 0;
      view.data = const_cast<void*>(constants_[i]);
    } else {
      continue;
    }
    tensor.dims.assign(def.dims.begin(), def.dims.end());
    view.rank = static_cast<int32_t>(def.dims.size());
    view.dims = tensor.dims.data();
  }
  const int32_t* key = plan.key().data();
  for (const int32_t input : def_.inputs) {
    const int32_t rank = *key++;
    heddle_tensor& view = plan.views[static_cast<size_t>(input)];
    PlanTensor& tensor = plan.tensors[static_cast<size_t>(input)];
    tensor.storage = Storage::kInput;
    tensor.dims.assign(key, key + rank);
    key += rank;
    view.flags = HEDDLE_TENSOR_SHAPE_KNOWN;
    view.rank = rank;
    view.dims = tensor.dims.data();
    // Strings bring their size with their data.
    if (!DenseBytes(view.dtype, tensor.dims, &view.bytes)) view.bytes = 0;
  }
}

StatusOr<std::shared_ptr<ShapePlan>> Subgraph::GetPlan(const std::vector<int32_t>& key) {
  for (auto it = plans_.begin(); it != plans_.end(); ++it) {
    if ((*it)->key() != key) continue;
    plans_.splice(plans_.begin(), plans_, it);
    return plans_.front();
  }
  HEDDLE_ASSIGN_OR_RETURN(std::shared_ptr<ShapePlan> plan, BuildPlan(key));
  plans_.push_front(plan);
  EvictPlans(plan.get());
  return plan;
}

void Subgraph::EvictPlans(const ShapePlan* keep) {
  uint64_t sum = 0;
  for (auto it = plans_.begin(); it != plans_.end();) {
    sum += (*it)->cost_bytes();
    // Plans that a caller's plan or the current run holds stay.
    const bool drop =
        sum > instance_->max_plan_cache_bytes && it->get() != keep && it->use_count() == 1;
    if (drop) sum -= (*it)->cost_bytes();
    it = drop ? plans_.erase(it) : std::next(it);
  }
}

StatusOr<std::shared_ptr<ShapePlan>> Subgraph::BuildPlan(std::vector<int32_t> key) {
  auto plan = std::make_shared<ShapePlan>(this, std::move(key));
  InitTensors(*plan);
  for (size_t position = 0; position < execution_plan_.size(); ++position) {
    Node& node = nodes_[static_cast<size_t>(execution_plan_[position])];
    Step& step = AddStep(*plan, node, static_cast<int32_t>(position));
    Status status = AtStep(step, InferStep(*plan, step));
    if (status.ok()) continue;
    // A shape that does not fit may come from the file, behind an op that nobody has: that is the
    // first cause.
    Status first = UnresolvedOps(*plan);
    first.Append(std::move(status));
    return first;
  }
  for (const int32_t output : def_.outputs) {
    const heddle_tensor& view = plan->views[static_cast<size_t>(output)];
    plan->output_views.push_back(&view);
    if (plan->tensors[static_cast<size_t>(output)].storage != Storage::kNone) continue;
    Status status(HEDDLE_INVALID_MODEL, HEDDLE_PHASE_PLAN, HEDDLE_REASON_MISSING_PRODUCER,
                  StrCat("output tensor ", output, " \"", view.name, "\" of subgraph ", index_,
                         " is produced by nothing"));
    return std::move(status).Annotate([&](Fault& fault) {
      fault.subgraph = index_;
      fault.tensor = output;
      fault.tensor_name = view.name;
    });
  }
  return plan;
}

Step& Subgraph::AddStep(ShapePlan& plan, Node& node, int32_t position) {
  Step& step = plan.steps.emplace_back();
  if (node.registration != nullptr) {
    InitNodeContext(this, node.registration.get(), node.context.info.version, index_, node.index,
                    instance_->reference, &node.context, &step);
    step.run = node.registration->op().invoke;
  }
  step.plan = &plan;
  step.owner = &node;
  step.position = position;
  step.node_state = node.node_state;
  for (const int32_t input : node.def->inputs) {
    step.input_views.push_back(input < 0 ? nullptr : &plan.views[static_cast<size_t>(input)]);
  }
  for (const int32_t output : node.def->outputs) {
    step.output_views.push_back(output < 0 ? nullptr : &plan.views[static_cast<size_t>(output)]);
    step.output_indices.push_back(output);
  }
  for (const int32_t tensor : node.def->intermediates) {
    step.intermediate_views.push_back(tensor < 0 ? nullptr
                                                 : &plan.views[static_cast<size_t>(tensor)]);
  }
  step.output_unknown.assign(step.output_views.size(), 0);
  step.inputs = step.input_views.data();
  step.input_count = step.input_views.size();
  step.outputs = step.output_views.data();
  step.output_count = step.output_views.size();
  step.intermediates = step.intermediate_views.data();
  step.intermediate_count = step.intermediate_views.size();
  return step;
}

Status Subgraph::CheckInputs(const ShapePlan& plan, const Step& step) const {
  for (size_t i = 0; i < step.input_views.size(); ++i) {
    const heddle_tensor* view = step.input_views[i];
    if (view == nullptr || plan.tensors[static_cast<size_t>(view->index)].storage != Storage::kNone)
      continue;
    const std::string& name = instance_->model->CodeOf(*step.owner->def).name;
    Status status(HEDDLE_INVALID_MODEL, HEDDLE_PHASE_PLAN, HEDDLE_REASON_MISSING_PRODUCER,
                  StrCat(name, " reads tensor ", view->index, " \"", view->name,
                         "\", which nothing produces"));
    return std::move(status).Annotate([&](Fault& fault) {
      fault.subgraph = index_;
      fault.operator_index = step.owner->index;
      fault.op_name = name;
      fault.tensor = view->index;
      fault.tensor_name = view->name;
      fault.place =
          StrCat("subgraphs[", index_, "].operators[", step.owner->index, "].inputs[", i, "]");
    });
  }
  return {};
}

Status Subgraph::InferStep(ShapePlan& plan, Step& step) {
  HEDDLE_RETURN_IF_ERROR(CheckInputs(plan, step));
  bool constant_inputs = true;
  bool unproven = false;
  for (const heddle_tensor* input : step.input_views) {
    if (input == nullptr) continue;
    unproven = unproven || (input->flags & HEDDLE_TENSOR_UNPROVEN) != 0;
    const Storage storage = plan.tensors[static_cast<size_t>(input->index)].storage;
    step.dynamic_inputs = step.dynamic_inputs || storage == Storage::kDynamic;
    constant_inputs =
        constant_inputs && (storage == Storage::kConstant || storage == Storage::kFolded);
  }
  if (step.owner->registration == nullptr) return InferFromFile(step);
  if (step.dynamic_inputs) {
    for (size_t i = 0; i < step.output_views.size(); ++i) {
      if (step.output_views[i] == nullptr) continue;
      HEDDLE_RETURN_IF_ERROR(SetOutputDataDependent(&step, i, step.output_views[i]->dtype));
    }
    step.dynamic_outputs = true;
    return {};
  }
  const OpRegistration& registration = *step.owner->registration;
  if (registration.op().infer == nullptr) {
    HEDDLE_RETURN_IF_ERROR(InferFromFile(step));
  } else {
    HEDDLE_RETURN_IF_ERROR(CallInfer(&step));
    HEDDLE_RETURN_IF_ERROR(CheckOutputs(plan, step));
    if (unproven) {
      for (heddle_tensor* output : step.output_views) {
        if (output != nullptr) output->flags |= HEDDLE_TENSOR_UNPROVEN;
      }
    }
  }
  const bool pure = !registration.has_flag(HEDDLE_OP_STATEFUL) && !step.owner->has_side_effects;
  if (!pure || !(constant_inputs || registration.has_flag(HEDDLE_OP_SHAPES_ONLY))) return {};
  size_t bytes = 0;
  for (const heddle_tensor* output : step.output_views)
    bytes += output != nullptr ? output->bytes : 0;
  if (bytes > kMaxFoldedBytes) return {};
  return FoldStep(plan, step);
}

Status Subgraph::InferFromFile(Step& step) {
  for (size_t i = 0; i < step.output_views.size(); ++i) {
    if (step.output_views[i] == nullptr) continue;
    const TensorDef& def = def_.tensors[static_cast<size_t>(step.output_indices[i])];
    if (step.dynamic_inputs || !def.has_rank) {
      HEDDLE_RETURN_IF_ERROR(SetOutputDataDependent(&step, i, def.dtype));
      step.dynamic_outputs = true;
      continue;
    }
    HEDDLE_RETURN_IF_ERROR(SetOutput(&step, i, def.dtype, def.dims));
    if (step.output_unknown[i] != 0) {
      step.dynamic_outputs = true;  // strings: the file cannot know their bytes
    } else {
      step.output_views[i]->flags |= HEDDLE_TENSOR_UNPROVEN;
    }
  }
  return {};
}

Status Subgraph::CheckOutputs(const ShapePlan& plan, Step& step) {
  step.dynamic_outputs = false;
  for (size_t i = 0; i < step.output_views.size(); ++i) {
    if (step.output_views[i] == nullptr) continue;
    const Storage storage = plan.tensors[static_cast<size_t>(step.output_indices[i])].storage;
    if ((step.output_views[i]->flags & HEDDLE_TENSOR_SHAPE_KNOWN) == 0) {
      if (storage != Storage::kDynamic ||
          (step.output_views[i]->flags & HEDDLE_TENSOR_DYNAMIC) == 0) {
        return TakeReported(&step,
                            HostFunctions()->report(
                                &step, HEDDLE_INTERNAL, HEDDLE_REASON_OUTPUT_NOT_SET,
                                -1 - static_cast<int32_t>(i), "infer gave this output no shape"),
                            Stage::kInfer);
      }
      step.dynamic_outputs = true;
    }
  }
  return {};
}

Status Subgraph::FoldStep(ShapePlan& plan, Step& step) {
  step.is_folded = true;
  const auto compute = [&]() -> Status {
    for (size_t i = 0; i < step.output_views.size(); ++i) {
      heddle_tensor* view = step.output_views[i];
      if (view == nullptr || (view->flags & HEDDLE_TENSOR_SHAPE_KNOWN) == 0) continue;
      PlanTensor& tensor = plan.tensors[static_cast<size_t>(view->index)];
      tensor.folded = Block::Make(instance_->environment->allocator(), view->bytes);
      if (!tensor.folded) return Status::OutOfMemory();
      view->data = tensor.folded.data();
    }
    void* plan_state = nullptr;
    HEDDLE_RETURN_IF_ERROR(CallPrepare(&step, &plan_state));
    step.plan_state = plan_state;
    step.kernel = step.owner->context.kernel_name;
    HEDDLE_RETURN_IF_ERROR(CallInvoke(&step));
    return CheckOutputs(plan, step);
  };
  Status status = compute();
  step.ReleasePlanState();
  if (status.is_out_of_memory()) return status;
  if (!status.ok() || step.dynamic_outputs) {
    // Let it fail, if it must, when it runs: it may lie in a branch that never does.
    step.is_folded = false;
    for (heddle_tensor* view : step.output_views) {
      if (view == nullptr) continue;
      plan.tensors[static_cast<size_t>(view->index)].folded.Reset();
      view->data = nullptr;
    }
    HEDDLE_RETURN_IF_ERROR(CallInfer(&step));
    return CheckOutputs(plan, step);
  }
  for (heddle_tensor* view : step.output_views) {
    if (view == nullptr) continue;
    plan.tensors[static_cast<size_t>(view->index)].storage = Storage::kFolded;
    view->flags = HEDDLE_TENSOR_SHAPE_KNOWN | HEDDLE_TENSOR_CONSTANT;
  }
  return {};
}

Status Subgraph::UnresolvedOps(const ShapePlan& plan) const {
  Status misses;
  const bool any = std::any_of(plan.steps.begin(), plan.steps.end(), [](const Step& step) {
    return step.owner->registration == nullptr;
  });
  if (!any) return misses;
  // One round of conversion should do, so those of other subgraphs are told as well.
  for (const auto& subgraph : instance_->subgraphs) subgraph->AddUnresolved(&misses);
  return misses;
}

void Subgraph::AddUnresolved(Status* misses) const {
  // One fault an op code, at its first operator: a model may use it a thousand times.
  struct Use {
    size_t position = 0;
    size_t count = 0;
  };
  std::map<uint32_t, Use> uses;
  for (size_t position = 0; position < execution_plan_.size(); ++position) {
    const Node& node = nodes_[static_cast<size_t>(execution_plan_[position])];
    if (node.registration != nullptr) continue;
    Use& use = uses[node.def->code];
    if (use.count++ == 0) use.position = position;
  }
  for (const auto& [code, use] : uses) {
    misses->Append((*instance_->misses)[code].Clone().Annotate([&](Fault& fault) {
      fault.subgraph = index_;
      fault.operator_index = execution_plan_[use.position];
      fault.plan_position = static_cast<int32_t>(use.position);
      fault.place = StrCat("subgraphs[", index_, "].operators[", fault.operator_index, "]");
      if (use.count > 1)
        StrAppend(fault.message, " (", use.count, " operators, this is the first)");
    }));
  }
}

Status Subgraph::PreparePlan(ShapePlan& plan) {
  if (plan.prepared) return {};
  plan.buffers.clear();
  plan.to_run.clear();
  HEDDLE_RETURN_IF_ERROR(UnresolvedOps(plan));
  for (Step& step : plan.steps) {
    step.ReleasePlanState();
    step.scratch_buffers.clear();
  }
  for (Step& step : plan.steps) {
    if (step.is_folded) continue;
    plan.to_run.push_back(&step);
    for (const auto& callee : step.callees)
      HEDDLE_RETURN_IF_ERROR(callee->subgraph()->PreparePlan(*callee));
    if (step.dynamic_inputs) continue;
    void* plan_state = nullptr;
    HEDDLE_RETURN_IF_ERROR(AtStep(step, CallPrepare(&step, &plan_state)));
    step.plan_state = plan_state;
    step.prepared = true;
    step.kernel = step.owner->context.kernel_name;
  }
  HEDDLE_RETURN_IF_ERROR(plan.PlanMemory(def_.outputs, instance_->preserve_all));
  plan.prepared = true;
  return {};
}

Status Subgraph::InferShapes(std::span<const heddle_tensor* const> inputs,
                             std::shared_ptr<ShapePlan>* plan) {
  if (inputs.size() != def_.inputs.size()) {
    return Status(HEDDLE_INVALID_MODEL, HEDDLE_PHASE_PLAN, HEDDLE_REASON_SUBGRAPH_MISMATCH,
                  StrCat("subgraph ", index_, " has ", def_.inputs.size(),
                         " inputs, it is called with ", inputs.size()));
  }
  key_.clear();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorDef& def = def_.tensors[static_cast<size_t>(def_.inputs[i])];
    if (inputs[i] == nullptr || inputs[i]->rank < 0 || inputs[i]->dtype != def.dtype) {
      return Status(HEDDLE_INVALID_MODEL, HEDDLE_PHASE_PLAN, HEDDLE_REASON_SUBGRAPH_MISMATCH,
                    StrCat("input ", i, " of subgraph ", index_, " (\"", def.name, "\") is ",
                           DtypeName(def.dtype), ", it is called with ",
                           inputs[i] == nullptr  ? "nothing"
                           : inputs[i]->rank < 0 ? "a tensor of unknown shape"
                                                 : DtypeName(inputs[i]->dtype)));
    }
    AppendKey({inputs[i]->dims, static_cast<size_t>(inputs[i]->rank)}, &key_);
  }
  HEDDLE_ASSIGN_OR_RETURN(*plan, GetPlan(key_));
  return {};
}

Status Subgraph::Prepare() {
  key_.clear();
  for (const std::vector<int32_t>& dims : input_dims_) AppendKey(dims, &key_);
  if (current_ == nullptr || current_->key() != key_) {
    HEDDLE_ASSIGN_OR_RETURN(std::shared_ptr<ShapePlan> plan, GetPlan(key_));
    HEDDLE_RETURN_IF_ERROR(PreparePlan(*plan));
    current_ = std::move(plan);
    EvictPlans(current_.get());
    rebind_ = true;
  }
  stale_ = false;
  return Activate(*current_);
}

}  // namespace heddle
