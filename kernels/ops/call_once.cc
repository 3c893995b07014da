// SPDX-License-Identifier: Apache-2.0
// CALL_ONCE: runs a subgraph, which initialises resources, unless that was done before.
#include "kernels/subgraph_call.h"

namespace heddle::kernels {
namespace {

// Whether a subgraph has run. A resource, so that all nodes that name the subgraph share it and it
// goes back together with the variables that the subgraph made.
struct Initialised {
  bool done = false;
};

constexpr heddle_resource_type kInitialisedType = {
    sizeof(heddle_resource_type),
    "initialised subgraph",
    [](heddle_op_call*, void*, void** object) -> heddle_status {
      *object = new (std::nothrow) Initialised;
      return *object != nullptr ? HEDDLE_OK : HEDDLE_RESOURCE_EXHAUSTED;
    },
    [](void* object) { delete static_cast<Initialised*>(object); },
    [](const void* object, void** copy) -> heddle_status {
      *copy = new (std::nothrow) Initialised(*static_cast<const Initialised*>(object));
      return *copy != nullptr ? HEDDLE_OK : HEDDLE_RESOURCE_EXHAUSTED;
    },
    nullptr,
};

struct CallOnce {
  struct Node {
    int32_t subgraph = 0;
    int32_t resource = 0;
  };
  static constexpr uint32_t kFlags = HEDDLE_OP_STATEFUL | HEDDLE_OP_SIDE_EFFECTS;

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_CALL_ONCE_INIT_SUBGRAPH_INDEX, &node.subgraph));
    constexpr std::string_view kContainer = "heddle.call_once";
    const std::string name = StrCat(node.subgraph);
    return op.call()->host->get_resource_id(op.call(), kContainer.data(), kContainer.size(),
                                            name.data(), name.size(), &node.resource);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(0, 0, 0));
    return ExpectSubgraph(op, "initialiser", node.subgraph, 0, 0);
  }

  static heddle_status Invoke(OpContext& op, const Node& node) {
    void* object = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(op.call()->host->resource_open(
        op.call(), node.resource, &kInitialisedType, 1, nullptr, &object));
    auto& initialised = *static_cast<Initialised*>(object);
    if (initialised.done) return HEDDLE_OK;
    TensorViews outputs;
    HEDDLE_OP_RETURN_IF_ERROR(InvokeSubgraph(op, node.subgraph, {}, &outputs));
    initialised.done = true;
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(CALL_ONCE, 1, 1, CallOnce);

}  // namespace heddle::kernels
