// SPDX-License-Identifier: Apache-2.0
// CONV_2D: NHWC by [out, h, w, in / groups]. float32; uint8; int8 and int16 with int8 filters, one
// scale or one for each output channel. Not yet: hybrid (versions 2, 5) and int4 filters (7), which
// are refused by their types.
#include "kernels/conv_params.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

struct Conv2D {
  struct Node {
    WindowAttributes window;
    SumAttributes sum;
  };
  struct Plan {
    ref::ConvShape shape;
    SumPlan sum;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_CONV_2D_PADDING, &node.window.padding));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_CONV_2D_STRIDE_H, &node.window.stride_h));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_CONV_2D_STRIDE_W, &node.window.stride_w));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_CONV_2D_DILATION_H_FACTOR, &node.window.dilation_h));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_CONV_2D_DILATION_W_FACTOR, &node.window.dilation_w));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_CONV_2D_FUSED_ACTIVATION_FUNCTION, &node.sum.activation));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_CONV_2D_QUANTIZED_BIAS_TYPE, &node.sum.bias_type));
    HEDDLE_OP_RETURN_IF_ERROR(CheckWindowAttributes(op, node.window));
    return CheckActivation(op, node.sum.activation);
  }

  static heddle_status MakeShape(const OpContext& op, const Node& node, ref::ConvShape* shape) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 3, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 4, 4));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 4, 4));
    const auto input = op.input_dims(0);
    const auto filter = op.input_dims(1);
    HEDDLE_OP_RETURN_IF_ERROR(MakeWindow(op, node.window, filter[1], filter[2], &shape->window));
    shape->batches = input[0];
    shape->in_channels = input[3];
    shape->out_channels = filter[0];
    shape->filter_channels = filter[3];
    if (filter[3] < 1 || input[3] % filter[3] != 0 ||
        (input[3] != 0 && filter[0] % (input[3] / filter[3]) != 0) || input[3] == 0) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "the filter has shape ",
                     ShapeText(filter), ", which does not divide the ", input[3],
                     " channels of the input into groups");
    }
    return HEDDLE_OK;
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    ref::ConvShape shape;
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &shape));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    const int32_t dims[] = {op.input_dims(0)[0], shape.window.h.output, shape.window.w.output,
                            shape.out_channels};
    return op.SetOutput(0, op.input(0).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &plan.shape));
    return PrepareSum(op, node.sum, plan.shape.out_channels, &plan.sum);
  }

  static heddle_status Invoke(OpContext& op, const Node&, const Plan& plan) {
    const ref::ConvShape& shape = plan.shape;
    const int64_t grain =
        GrainFor({shape.window.w.output, shape.out_channels, shape.window.h.filter,
                  shape.window.w.filter, shape.filter_channels});
    return op.ParallelFor(shape.rows(), grain, [&](int64_t begin, int64_t end) {
      RunSum(op, plan.sum, [&](const auto& params, auto... operands) {
        ref::Conv(shape, params, operands..., begin, end);
      });
    });
  }
};

}  // namespace

HEDDLE_OP(CONV_2D, 1, 8, Conv2D);

}  // namespace heddle::kernels
