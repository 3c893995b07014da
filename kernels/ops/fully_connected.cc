// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED: input [..., depth] by filter [units, depth]. float32; uint8; int8 and int16 with
// int8, int4 or int2 filters, one scale or one for each unit; float32 with such filters (hybrid),
// or with int4 filters that have a scale for each block of a unit.
// Shuffled filters (version 2) are refused by attribute, int16 filters (14) by type.
#include "kernels/ref/fully_connected.h"

#include "kernels/conv_params.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

struct FullyConnected {
  struct Node {
    SumAttributes sum;
    bool keep_num_dims = false;
  };
  struct Plan {
    int64_t rows = 0;
    int64_t depth = 0;
    int64_t units = 0;
    SumPlan sum;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    int32_t format = 0;
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_FULLY_CONNECTED_FUSED_ACTIVATION_FUNCTION, &node.sum.activation));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_FULLY_CONNECTED_WEIGHTS_FORMAT, &format));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_FULLY_CONNECTED_KEEP_NUM_DIMS, &node.keep_num_dims));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_FULLY_CONNECTED_QUANTIZED_BIAS_TYPE, &node.sum.bias_type));
    bool asymmetric = false;
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_FULLY_CONNECTED_ASYMMETRIC_QUANTIZE_INPUTS, &asymmetric));
    node.sum.hybrid_zero_point = asymmetric ? HybridZeroPoint::kAlways : HybridZeroPoint::kNever;
    node.sum.filters = {
        Types({HEDDLE_DTYPE_UINT8, HEDDLE_DTYPE_INT8, HEDDLE_DTYPE_INT4, HEDDLE_DTYPE_INT2}),
        Types({HEDDLE_DTYPE_INT4, HEDDLE_DTYPE_INT2}),
        Types({HEDDLE_DTYPE_INT4, HEDDLE_DTYPE_INT2})};
    node.sum.filter_may_have_zero_point = true;
    node.sum.filter_may_have_blocks = true;
    node.sum.rescale_by_factor = true;
    if (format != HEDDLE_WEIGHTS_FORMAT_DEFAULT) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_ATTRIBUTE_NOT_SUPPORTED, HEDDLE_NO_OPERAND,
                     "weights_format ", format, " is not supported");
    }
    return CheckActivation(op, node.sum.activation);
  }

  // Without keep_num_dims the input is flattened to rows of the filter's depth.
  static heddle_status MakeShape(const OpContext& op, const Node& node, int64_t* rows) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 3, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 2, 2));
    const auto input = op.input_dims(0);
    const auto filter = op.input_dims(1);
    const int64_t depth = filter[1];
    int64_t count = 0;
    bool fits = ElementCount(input, &count);
    if (node.keep_num_dims || depth == 0) {
      fits = fits && !input.empty() && input.back() == depth &&
             ElementCount(input.first(input.size() - 1), rows);
    } else {
      fits = fits && count % depth == 0;
      *rows = count / depth;
    }
    if (!fits || *rows > std::numeric_limits<int32_t>::max()) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 0, "the input has shape ",
                     ShapeText(input), ", which does not fit the filter's depth of ", depth);
    }
    return HEDDLE_OK;
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    int64_t rows = 0;
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &rows));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    const int32_t units = op.input_dims(1)[0];
    if (node.keep_num_dims) {
      std::vector<int32_t> dims(op.input_dims(0).begin(), op.input_dims(0).end());
      dims.back() = units;
      return op.SetOutput(0, op.input(0).dtype, dims);
    }
    const int32_t dims[] = {static_cast<int32_t>(rows), units};
    return op.SetOutput(0, op.input(0).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &plan.rows));
    plan.units = op.input_dims(1)[0];
    plan.depth = op.input_dims(1)[1];
    return PrepareSum(op, node.sum, op.input_dims(1)[0], plan.rows, &plan.sum);
  }

  static heddle_status Invoke(OpContext& op, const Node&, const Plan& plan) {
    return RunSum(
        op, plan.sum, plan.rows * plan.units, plan.units, GrainFor(plan.depth), op.output(0).data,
        [&](const auto&... operands) { ref::FullyConnected(plan.depth, plan.units, operands...); });
  }
};

}  // namespace

HEDDLE_OP(FULLY_CONNECTED, 1, 14, FullyConnected);

}  // namespace heddle::kernels
