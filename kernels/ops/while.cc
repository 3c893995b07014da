// SPDX-License-Identifier: Apache-2.0
// WHILE: while the condition subgraph says so of the values, they become what the body makes of
// them.
#include "kernels/subgraph_call.h"
#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {
namespace {

struct While {
  struct Node {
    int32_t condition = 0;
    int32_t body = 0;
  };
  struct Plan {
    std::vector<bool> dynamic;
  };
  static constexpr uint32_t kFlags = HEDDLE_OP_SIDE_EFFECTS;

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_WHILE_COND_SUBGRAPH_INDEX, &node.condition));
    return op.Get(HEDDLE_ATTR_WHILE_BODY_SUBGRAPH_INDEX, &node.body);
  }

  static TensorViews Inputs(const OpContext& op) { return {op.call()->inputs, op.input_count()}; }

  static heddle_status Infer(OpContext& op, const Node& node) {
    const size_t count = op.input_count();
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(count, count, count));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectSubgraph(op, "condition", node.condition, count, 1));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectSubgraph(op, "body", node.body, count, count));

    TensorViews condition;
    HEDDLE_OP_RETURN_IF_ERROR(InferSubgraph(op, node.condition, Inputs(op), &condition));
    int64_t elements = 1;
    if (condition[0]->dtype != HEDDLE_DTYPE_BOOL ||
        (IsShapeKnown(*condition[0]) &&
         (!ElementCount(OpContext::Dims(*condition[0]), &elements) || elements != 1))) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SUBGRAPH_MISMATCH, HEDDLE_NO_OPERAND,
                     "the condition, subgraph ", node.condition, ", gives ",
                     DtypeName(condition[0]->dtype), " of shape ",
                     ShapeText(OpContext::Dims(*condition[0])), ", wanted is one BOOL");
    }

    TensorViews body;
    HEDDLE_OP_RETURN_IF_ERROR(InferSubgraph(op, node.body, Inputs(op), &body));
    // If one value changes its shape, the next round may change that of any other.
    bool fixed = true;
    for (size_t i = 0; i < count; ++i) {
      if (body[i]->dtype != op.input(i).dtype) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SUBGRAPH_MISMATCH,
                       static_cast<int32_t>(i), "the body, subgraph ", node.body, ", gives ",
                       DtypeName(body[i]->dtype), " for value ", i, ", which is ",
                       DtypeName(op.input(i).dtype));
      }
      fixed = fixed && body[i]->dtype != HEDDLE_DTYPE_STRING && SameShape(*body[i], op.input(i));
    }
    for (size_t i = 0; i < count; ++i) {
      const heddle_dtype dtype = op.input(i).dtype;
      HEDDLE_OP_RETURN_IF_ERROR(fixed ? op.SetOutput(i, dtype, op.input_dims(i))
                                      : op.SetOutputDataDependent(i, dtype));
    }
    return HEDDLE_OK;
  }

  static heddle_status Prepare(OpContext& op, const Node&, Plan& plan) {
    plan.dynamic = DynamicOutputs(op);
    return HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    heddle_op_call* call = op.call();
    const uint64_t limit = call->host->get_loop_limit(call);
    TensorViews values = Inputs(op);
    for (uint64_t round = 0;; ++round) {
      TensorViews condition;
      HEDDLE_OP_RETURN_IF_ERROR(InvokeSubgraph(op, node.condition, values, &condition));
      bool go_on = false;
      HEDDLE_OP_RETURN_IF_ERROR(ReadCondition(op, HEDDLE_NO_OPERAND, *condition[0], &go_on));
      if (!go_on) break;
      if (limit != 0 && round >= limit) {
        return op.Fail(HEDDLE_RESOURCE_EXHAUSTED, HEDDLE_REASON_LOOP_LIMIT, HEDDLE_NO_OPERAND,
                       "did not end after ", limit, " rounds");
      }
      if (call->host->is_cancelled(call) != 0) {
        return op.Fail(HEDDLE_CANCELLED, HEDDLE_REASON_CANCELLED, HEDDLE_NO_OPERAND,
                       "cancelled in round ", round);
      }
      HEDDLE_OP_RETURN_IF_ERROR(InvokeSubgraph(op, node.body, values, &values));
    }
    return CopyToOutputs(op, plan.dynamic, values);
  }
};

}  // namespace

HEDDLE_OP(WHILE, 1, 1, While);

}  // namespace heddle::kernels
