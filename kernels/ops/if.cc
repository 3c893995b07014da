// SPDX-License-Identifier: Apache-2.0
// IF: input 0 chooses the subgraph that gets the other inputs.
#include <algorithm>

#include "kernels/subgraph_call.h"
#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {
namespace {

struct If {
  struct Node {
    int32_t then_branch = 0;
    int32_t else_branch = 0;
  };
  struct Plan {
    std::vector<bool> dynamic;
  };
  static constexpr uint32_t kFlags = HEDDLE_OP_SIDE_EFFECTS;

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_IF_THEN_SUBGRAPH_INDEX, &node.then_branch));
    return op.Get(HEDDLE_ATTR_IF_ELSE_SUBGRAPH_INDEX, &node.else_branch);
  }

  static TensorViews Arguments(const OpContext& op) {
    return {op.call()->inputs + 1, op.input_count() - 1};
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(
        op.ExpectOperands(std::max<size_t>(1, op.input_count()), SIZE_MAX, op.output_count()));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(0, HEDDLE_DTYPE_BOOL));
    int64_t count = 0;
    if (!ElementCount(op.input_dims(0), &count) || count != 1) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0,
                     "the condition has shape ", ShapeText(op.input_dims(0)),
                     ", wanted is one element");
    }
    const size_t arguments = op.input_count() - 1;
    HEDDLE_OP_RETURN_IF_ERROR(
        ExpectSubgraph(op, "then branch", node.then_branch, arguments, op.output_count()));
    HEDDLE_OP_RETURN_IF_ERROR(
        ExpectSubgraph(op, "else branch", node.else_branch, arguments, op.output_count()));

    // The views of one branch may go when the other is asked: keep what matters.
    struct Shape {
      heddle_dtype dtype;
      bool known;
      std::vector<int32_t> dims;
    };
    std::vector<Shape> shapes;
    TensorViews views;
    HEDDLE_OP_RETURN_IF_ERROR(InferSubgraph(op, node.then_branch, Arguments(op), &views));
    for (const heddle_tensor* view : views) {
      const auto dims = OpContext::Dims(*view);
      shapes.push_back({view->dtype, IsShapeKnown(*view), {dims.begin(), dims.end()}});
    }
    HEDDLE_OP_RETURN_IF_ERROR(InferSubgraph(op, node.else_branch, Arguments(op), &views));
    for (size_t i = 0; i < op.output_count(); ++i) {
      const heddle_tensor& view = *views[i];
      const Shape& shape = shapes[i];
      if (view.dtype != shape.dtype) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SUBGRAPH_MISMATCH,
                       OpContext::kOutput(static_cast<int32_t>(i)), "the branches give ",
                       DtypeName(shape.dtype), " and ", DtypeName(view.dtype), " for output ", i);
      }
      const auto dims = OpContext::Dims(view);
      const bool fixed = shape.known && IsShapeKnown(view) && view.dtype != HEDDLE_DTYPE_STRING &&
                         std::equal(dims.begin(), dims.end(), shape.dims.begin(), shape.dims.end());
      HEDDLE_OP_RETURN_IF_ERROR(fixed ? op.SetOutput(i, view.dtype, dims)
                                      : op.SetOutputDataDependent(i, view.dtype));
    }
    return HEDDLE_OK;
  }

  static heddle_status Prepare(OpContext& op, const Node&, Plan& plan) {
    plan.dynamic = DynamicOutputs(op);
    return HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    bool condition = false;
    HEDDLE_OP_RETURN_IF_ERROR(ReadCondition(op, 0, op.input(0), &condition));
    TensorViews values;
    HEDDLE_OP_RETURN_IF_ERROR(InvokeSubgraph(op, condition ? node.then_branch : node.else_branch,
                                             Arguments(op), &values));
    return CopyToOutputs(op, plan.dynamic, values);
  }
};

}  // namespace

HEDDLE_OP(IF, 1, 1, If);

}  // namespace heddle::kernels
