// SPDX-License-Identifier: Apache-2.0
// Making a subgraph: nodes, their order, variables.
#include <algorithm>
#include <cstring>
#include <functional>
#include <queue>

#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "runtime/exec/subgraph.h"
#include "runtime/model/sparsity.h"

namespace heddle {
namespace {

bool TouchesResource(const SubgraphDef& def, const OperatorDef& op) {
  const auto is_resource = [&](int32_t tensor) {
    if (tensor < 0) return false;
    const heddle_dtype dtype = def.tensors[static_cast<size_t>(tensor)].dtype;
    return dtype == HEDDLE_DTYPE_RESOURCE || dtype == HEDDLE_DTYPE_VARIANT;
  };
  return std::any_of(op.inputs.begin(), op.inputs.end(), is_resource) ||
         std::any_of(op.outputs.begin(), op.outputs.end(), is_resource);
}

}  // namespace

Instance::~Instance() {
  // A plan of one subgraph may hold plans of others, which need the nodes of those.
  for (auto& subgraph : subgraphs) subgraph->ReleaseMemory();
}

Subgraph::Subgraph(Instance* instance, int32_t index)
    : instance_(instance),
      index_(index),
      def_(instance->model->subgraphs()[static_cast<size_t>(index)]),
      dynamic_(instance->environment->allocator(), instance->max_dynamic_bytes) {}

StatusOr<std::unique_ptr<Subgraph>> Subgraph::Make(
    Instance* instance, int32_t index, const std::vector<OpRegistrationRef>& registrations) {
  std::unique_ptr<Subgraph> subgraph(new Subgraph(instance, index));
  HEDDLE_RETURN_IF_ERROR(subgraph->CreateNodes(registrations));
  HEDDLE_RETURN_IF_ERROR(subgraph->OrderNodes());
  HEDDLE_RETURN_IF_ERROR(subgraph->AllocateVariables());
  HEDDLE_RETURN_IF_ERROR(subgraph->PlaceConstants());
  for (const int32_t input : subgraph->def_.inputs) {
    const TensorDef& tensor = subgraph->def_.tensors[static_cast<size_t>(input)];
    subgraph->input_dims_.emplace_back(tensor.dims.begin(), tensor.dims.end());
  }
  subgraph->inputs_.resize(subgraph->def_.inputs.size());
  subgraph->bound_outputs_.resize(subgraph->def_.outputs.size());
  subgraph->copy_output_.resize(subgraph->def_.outputs.size());
  return subgraph;
}

Subgraph::~Subgraph() {
  // Plan states first: they may refer to node states.
  current_.reset();
  plans_.clear();
  for (Node& node : nodes_) {
    if (node.node_state == nullptr) continue;
    const heddle_op& op = node.registration->op();
    op.free(op.user_data, node.node_state);
  }
}

Status Subgraph::CreateNodes(const std::vector<OpRegistrationRef>& registrations) {
  nodes_.resize(def_.operators.size());  // never resized again: calls point to contexts
  is_overread_.assign(def_.tensors.size(), 0);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    Node& node = nodes_[i];
    node.index = static_cast<int32_t>(i);
    node.def = &def_.operators[i];
    node.registration = registrations[node.def->code];
    node.has_side_effects = TouchesResource(def_, *node.def);
    if (node.registration == nullptr) continue;
    node.has_side_effects =
        node.has_side_effects || node.registration->has_flag(HEDDLE_OP_SIDE_EFFECTS);
    // What a node passes on to subgraphs may be read there.
    if (node.registration->has_flag(HEDDLE_OP_OVERREADS | HEDDLE_OP_SIDE_EFFECTS)) {
      for (const int32_t input : node.def->inputs) {
        if (input >= 0) is_overread_[static_cast<size_t>(input)] = 1;
      }
    }
    // Inputs and outputs have no shapes yet, so init sees none.
    heddle_op_call call;
    InitNodeContext(this, node.registration.get(), instance_->model->CodeOf(*node.def).version,
                    index_, node.index, instance_->reference, &node.context, &call);
    node.context.attributes = node.def->attributes;
    node.context.custom_options = node.def->custom_options;
    HEDDLE_RETURN_IF_ERROR(CallInit(&call));
    node.node_state = call.node_state;
  }
  return {};
}

Status Subgraph::OrderNodes() {
  // Kahn's algorithm, the lowest index first: a file that is in order stays as it is.
  const size_t count = nodes_.size();
  std::vector<std::vector<int32_t>> successors(count);
  std::vector<int32_t> waiting_for(count, 0);
  const auto add_edge = [&](int32_t from, int32_t to) {
    successors[static_cast<size_t>(from)].push_back(to);
    ++waiting_for[static_cast<size_t>(to)];
  };
  std::vector<int32_t> producer(def_.tensors.size(), -1);
  for (const Node& node : nodes_) {
    for (const int32_t output : node.def->outputs) {
      if (output >= 0) producer[static_cast<size_t>(output)] = node.index;
    }
  }
  std::vector<int32_t> last_user(def_.tensors.size(), -1);  // of variables
  int32_t last_effect = -1;
  for (const Node& node : nodes_) {
    for (const int32_t input : node.def->inputs) {
      if (input < 0) continue;
      const auto tensor = static_cast<size_t>(input);
      if (producer[tensor] >= 0) add_edge(producer[tensor], node.index);
      if (!def_.tensors[tensor].is_variable) continue;
      // An op may change a variable that it reads: keep the file's order.
      if (last_user[tensor] >= 0 && last_user[tensor] != node.index)
        add_edge(last_user[tensor], node.index);
      last_user[tensor] = node.index;
    }
    if (!node.has_side_effects) continue;
    if (last_effect >= 0) add_edge(last_effect, node.index);
    last_effect = node.index;
  }
  for (const auto& [from, to] : def_.control_edges) add_edge(from, to);

  std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
  for (size_t i = 0; i < count; ++i) {
    if (waiting_for[i] == 0) ready.push(static_cast<int32_t>(i));
  }
  execution_plan_.reserve(count);
  while (!ready.empty()) {
    const int32_t node = ready.top();
    ready.pop();
    execution_plan_.push_back(node);
    for (const int32_t next : successors[static_cast<size_t>(node)]) {
      if (--waiting_for[static_cast<size_t>(next)] == 0) ready.push(next);
    }
  }
  if (execution_plan_.size() != count) {
    const auto stuck =
        std::find_if(waiting_for.begin(), waiting_for.end(), [](int32_t n) { return n > 0; });
    const auto operator_index = static_cast<int32_t>(stuck - waiting_for.begin());
    Status status(
        HEDDLE_INVALID_MODEL, HEDDLE_PHASE_PLAN, HEDDLE_REASON_DATA_CYCLE,
        StrCat("the operators of subgraph ", index_, " cannot be ordered: operator ",
               operator_index, " waits for itself through data, control or resource dependencies"));
    return std::move(status).Annotate([&](Fault& fault) {
      fault.subgraph = index_;
      fault.operator_index = operator_index;
      fault.place = StrCat("subgraphs[", index_, "].operators[", operator_index, "]");
    });
  }
  return {};
}

Status Subgraph::AllocateVariables() {
  variables_.resize(def_.tensors.size());
  for (size_t i = 0; i < def_.tensors.size(); ++i) {
    const TensorDef& tensor = def_.tensors[i];
    if (!tensor.is_variable) continue;
    size_t bytes;
    if (!DenseBytes(tensor.dtype, tensor.dims, &bytes)) {
      Status status(HEDDLE_UNSUPPORTED, HEDDLE_PHASE_PLAN, HEDDLE_REASON_TYPE_NOT_SUPPORTED,
                    StrCat("variable tensor \"", tensor.name, "\" of type ",
                           DtypeName(tensor.dtype), " has no size"));
      return std::move(status).Annotate([&](Fault& fault) {
        fault.subgraph = index_;
        fault.tensor = static_cast<int32_t>(i);
        fault.tensor_name = tensor.name;
        fault.place = StrCat("subgraphs[", index_, "].tensors[", i, "]");
      });
    }
    variables_[i] = Block::Make(instance_->environment->allocator(), bytes);
    if (!variables_[i]) return Status::OutOfMemory();
  }
  return ResetVariables();
}

Status Subgraph::PlaceConstants() {
  const std::span<const uint8_t> file = instance_->model->bytes();
  constants_.resize(def_.tensors.size());
  for (size_t i = 0; i < def_.tensors.size(); ++i) {
    const TensorDef& tensor = def_.tensors[i];
    if (!tensor.is_constant || tensor.is_variable) continue;
    const uint8_t* data = tensor.data.data();
    const size_t element = std::clamp<size_t>(DtypeBits(tensor.dtype) / 8, 4, 8);
    const bool aligned = reinterpret_cast<uintptr_t>(data) % element == 0;
    const auto behind =
        static_cast<size_t>(file.data() + file.size() - (data + tensor.data.size()));
    if (!tensor.is_sparse && aligned && (is_overread_[i] == 0 || behind >= kTensorPadding)) {
      constants_[i] = data;
      continue;
    }
    HEDDLE_ASSIGN_OR_RETURN(WeightStore::Ref copy, CopyConstant(i));
    constants_[i] = static_cast<const Block*>(copy->object())->data();
    constant_copies_.push_back(std::move(copy));
  }
  return {};
}

// Ops see every constant aligned and dense.
StatusOr<WeightStore::Ref> Subgraph::CopyConstant(size_t index) {
  const TensorDef& tensor = def_.tensors[index];
  const auto bad_sparsity = [&](const char* why) {
    Status status(
        HEDDLE_INVALID_MODEL, HEDDLE_PHASE_PLAN, HEDDLE_REASON_BAD_SPARSITY,
        StrCat("sparse tensor \"", tensor.name, "\" of shape ", ShapeText(tensor.dims), " ", why));
    return std::move(status).Annotate([&](Fault& fault) {
      fault.subgraph = index_;
      fault.tensor = static_cast<int32_t>(index);
      fault.tensor_name = tensor.name;
      fault.place = StrCat("subgraphs[", index_, "].tensors[", index, "]");
    });
  };
  size_t bytes = tensor.data.size();
  if (tensor.is_sparse && !DenseBytes(tensor.dtype, tensor.dims, &bytes)) {
    return bad_sparsity("has no size");
  }
  // The same bytes may be stored sparsely in several ways.
  const std::string key = StrCat("constant copy ", reinterpret_cast<uintptr_t>(tensor.data.data()),
                                 " ", bytes, " ", reinterpret_cast<uintptr_t>(tensor.sparsity));
  return instance_->weights->GetOrMake(key, [&](WeightStore::Made* made) -> Status {
    auto block = std::make_unique<Block>(Block::Make(instance_->environment->allocator(), bytes));
    if (!*block) return Status::OutOfMemory();
    if (tensor.is_sparse) {
      std::memset(block->data(), 0, bytes);
      if (!Densify(tensor, {block->data(), bytes})) return bad_sparsity("cannot be read");
    } else {
      std::memcpy(block->data(), tensor.data.data(), bytes);
    }
    made->object = block.release();
    made->destroy = [](void* object) { delete static_cast<Block*>(object); };
    made->bytes = bytes;
    return {};
  });
}

Status Subgraph::ResetVariables() {
  for (size_t i = 0; i < variables_.size(); ++i) {
    if (!variables_[i]) continue;
    const TensorDef& tensor = def_.tensors[i];
    // A variable with data in the file starts with it.
    if (tensor.is_constant && tensor.data.size() == variables_[i].bytes()) {
      std::memcpy(variables_[i].data(), tensor.data.data(), tensor.data.size());
    } else {
      // Zero as a real number, for int8: what LiteRT starts with.
      const heddle_quantization& q = tensor.quantization;
      const bool has_zero_point = tensor.dtype == HEDDLE_DTYPE_INT8 &&
                                  q.kind == HEDDLE_QUANTIZATION_AFFINE && q.zero_point_count != 0;
      const auto zero = has_zero_point ? static_cast<uint8_t>(q.zero_points[0]) : uint8_t{0};
      std::memset(variables_[i].data(), zero, variables_[i].bytes());
    }
  }
  return {};
}

}  // namespace heddle
