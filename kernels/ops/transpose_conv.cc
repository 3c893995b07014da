// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE_CONV: input 0 is the output's shape, which may be known only while running; filter
// [out, h, w, in], data NHWC, bias. float32; uint8; int8 and int16 with int8 filters, one scale or
// one for each output channel; float32 with int8 filters (hybrid).
#include "kernels/conv_params.h"
#include "kernels/ref/conv.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

struct TransposeConv {
  struct Node {
    WindowAttributes window;
    SumAttributes sum;
  };
  struct Plan {
    SumPlan sum;
  };
  static constexpr size_t kShape = 0;
  static constexpr size_t kFilter = 1;
  static constexpr size_t kData = 2;
  static constexpr size_t kBias = 3;

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_TRANSPOSE_CONV_PADDING, &node.window.padding));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_TRANSPOSE_CONV_STRIDE_H, &node.window.stride_h));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_TRANSPOSE_CONV_STRIDE_W, &node.window.stride_w));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_TRANSPOSE_CONV_FUSED_ACTIVATION_FUNCTION, &node.sum.activation));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_TRANSPOSE_CONV_QUANTIZED_BIAS_TYPE, &node.sum.bias_type));
    node.sum.operands = {kData, kFilter, kBias};
    node.sum.filters.with_float = Types({HEDDLE_DTYPE_INT8});
    HEDDLE_OP_RETURN_IF_ERROR(CheckWindowAttributes(op, node.window));
    return CheckActivation(op, node.sum.activation);
  }

  static heddle_status CheckOperands(const OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(3, 4, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kShape, HEDDLE_DTYPE_INT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(kShape, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(kFilter, 4, 4));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(kData, 4, 4));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(kData).dtype));
    const auto filter = op.input_dims(kFilter);
    if (op.input_dims(kShape)[0] != 4) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, kShape,
                     "the output's shape has ", op.input_dims(kShape)[0],
                     " dimensions, wanted are 4");
    }
    if (filter[3] != op.input_dims(kData)[3] || filter[1] < 1 || filter[2] < 1) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, kFilter,
                     "the filter has shape ", ShapeText(filter), ", wanted is [out,h,w,",
                     op.input_dims(kData)[3], "], h and w at least 1");
    }
    return HEDDLE_OK;
  }

  // Reads the output's shape and lays the filter out on it, as a convolution of the output would.
  static heddle_status MakeShape(const OpContext& op, const Node& node, ref::ConvShape* shape) {
    const auto input = op.input_dims(kData);
    const auto filter = op.input_dims(kFilter);
    const auto* const output = op.InputData<int32_t>(kShape);
    for (const int d : {0, 1, 2, 3}) {
      const bool fits = d == 0 ? output[0] == input[0] : d == 3 ? output[3] == filter[0] : true;
      if (output[d] < 0 || !fits) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, kShape,
                       "the output's shape is ", ShapeText({output, 4}), ", wanted is [", input[0],
                       ",h,w,", filter[0], "]");
      }
    }
    shape->batches = output[0];
    shape->in_channels = input[3];
    shape->filter_channels = input[3];
    shape->out_channels = output[3];
    const WindowAttributes& a = node.window;
    shape->window.h = {input[1], output[1], filter[1], a.stride_h, 1, 0};
    shape->window.w = {input[2], output[2], filter[2], a.stride_w, 1, 0};
    HEDDLE_OP_RETURN_IF_ERROR(MakeTransposedAxis(op, "height", a.padding, &shape->window.h));
    return MakeTransposedAxis(op, "width", a.padding, &shape->window.w);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(CheckOperands(op));
    if (!op.IsConstant(kShape)) return op.SetOutputDataDependent(0, op.input(kData).dtype);
    ref::ConvShape shape;
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &shape));
    return op.SetOutput(0, op.input(kData).dtype, {op.InputData<int32_t>(kShape), 4});
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(CheckOperands(op));
    return PrepareSum(op, node.sum, op.input_dims(kFilter)[0], op.input_dims(kData)[0], &plan.sum);
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    ref::ConvShape shape;
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &shape));
    void* output = op.output(0).data;
    if (!op.IsConstant(kShape)) {
      HEDDLE_OP_RETURN_IF_ERROR(
          op.AllocateOutput(0, {op.InputData<int32_t>(kShape), 4}, 0, &output));
    }
    const ref::WindowAxis& h = shape.window.h;
    const ref::WindowAxis& w = shape.window.w;
    const int64_t grain = GrainFor({w.output, shape.out_channels, h.filter / h.stride + 1,
                                    w.filter / w.stride + 1, shape.in_channels});
    return RunSum(op, plan.sum, shape.rows(), h.output, grain, output,
                  [&](const auto&... operands) { ref::TransposeConv(shape, operands...); });
  }
};

}  // namespace

HEDDLE_OP(TRANSPOSE_CONV, 1, 5, TransposeConv);

}  // namespace heddle::kernels
