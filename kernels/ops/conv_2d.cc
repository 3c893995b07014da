// SPDX-License-Identifier: Apache-2.0
// CONV_2D: NHWC by [out, h, w, in / groups]. DEPTHWISE_CONV_2D: each channel with its own filters,
// [1, h, w, in * multiplier]. float32; uint8; int8 and int16 with int8 or int4 filters, one scale
// or one for each output channel; float32 with such filters (hybrid).
#include "kernels/conv_params.h"
#include "kernels/ref/conv.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

struct Plain {
  static constexpr uint32_t kPadding = HEDDLE_ATTR_CONV_2D_PADDING;
  static constexpr uint32_t kStrideH = HEDDLE_ATTR_CONV_2D_STRIDE_H;
  static constexpr uint32_t kStrideW = HEDDLE_ATTR_CONV_2D_STRIDE_W;
  static constexpr uint32_t kDilationH = HEDDLE_ATTR_CONV_2D_DILATION_H_FACTOR;
  static constexpr uint32_t kDilationW = HEDDLE_ATTR_CONV_2D_DILATION_W_FACTOR;
  static constexpr uint32_t kActivation = HEDDLE_ATTR_CONV_2D_FUSED_ACTIVATION_FUNCTION;
  static constexpr FilterTypes kFilters = {
      Types({HEDDLE_DTYPE_UINT8, HEDDLE_DTYPE_INT8, HEDDLE_DTYPE_INT4}), Types({HEDDLE_DTYPE_INT4}),
      Types({HEDDLE_DTYPE_INT4})};
  static constexpr int32_t kChannelDim = 0;

  static heddle_status Init(const OpContext& op, SumAttributes* sum) {
    sum->hybrid_zero_point = HybridZeroPoint::kIfScalesDiffer;
    sum->scales_in_turn = true;
    return op.Get(HEDDLE_ATTR_CONV_2D_QUANTIZED_BIAS_TYPE, &sum->bias_type);
  }

  static heddle_status CheckChannels(const OpContext& op, ref::ConvShape* shape) {
    const auto input = op.input_dims(0);
    const auto filter = op.input_dims(1);
    if (filter[3] < 1 || input[3] % filter[3] != 0 ||
        (input[3] != 0 && filter[0] % (input[3] / filter[3]) != 0) || input[3] == 0) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "the filter has shape ",
                     ShapeText(filter), ", which does not divide the ", input[3],
                     " channels of the input into groups");
    }
    shape->out_channels = filter[0];
    shape->filter_channels = filter[3];
    return HEDDLE_OK;
  }

  // Multiplications for a row of the output.
  static int64_t Work(const ref::ConvShape& shape) { return shape.filter_channels; }
  template <typename... Operands>
  static void Run(const ref::ConvShape& shape, const Operands&... operands) {
    ref::Conv(shape, operands...);
  }
};

struct ByDepth {
  static constexpr uint32_t kPadding = HEDDLE_ATTR_DEPTHWISE_CONV_2D_PADDING;
  static constexpr uint32_t kStrideH = HEDDLE_ATTR_DEPTHWISE_CONV_2D_STRIDE_H;
  static constexpr uint32_t kStrideW = HEDDLE_ATTR_DEPTHWISE_CONV_2D_STRIDE_W;
  static constexpr uint32_t kDilationH = HEDDLE_ATTR_DEPTHWISE_CONV_2D_DILATION_H_FACTOR;
  static constexpr uint32_t kDilationW = HEDDLE_ATTR_DEPTHWISE_CONV_2D_DILATION_W_FACTOR;
  static constexpr uint32_t kActivation = HEDDLE_ATTR_DEPTHWISE_CONV_2D_FUSED_ACTIVATION_FUNCTION;
  static constexpr FilterTypes kFilters = {Types({HEDDLE_DTYPE_INT8}), Types({HEDDLE_DTYPE_INT4}),
                                           0};
  static constexpr int32_t kChannelDim = 3;

  static heddle_status Init(const OpContext&, SumAttributes*) { return HEDDLE_OK; }

  static heddle_status CheckChannels(const OpContext& op, ref::ConvShape* shape) {
    const auto input = op.input_dims(0);
    const auto filter = op.input_dims(1);
    // The multiplier comes from the shapes: files exist whose attribute contradicts them.
    if (filter[0] != 1 || input[3] < 1 || filter[3] < 1 || filter[3] % input[3] != 0) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "the filter has shape ",
                     ShapeText(filter), ", wanted is [1,h,w,n], n a multiple of the input's ",
                     input[3], " channels");
    }
    shape->out_channels = filter[3];
    shape->filter_channels = filter[3] / input[3];
    return HEDDLE_OK;
  }

  static int64_t Work(const ref::ConvShape&) { return 1; }
  template <typename... Operands>
  static void Run(const ref::ConvShape& shape, const Operands&... operands) {
    ref::DepthwiseConv(shape, operands...);
  }
};

template <typename Kind>
struct Convolution {
  struct Node {
    WindowAttributes window;
    SumAttributes sum;
  };
  struct Plan {
    ref::ConvShape shape;
    SumPlan sum;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(Kind::kPadding, &node.window.padding));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(Kind::kStrideH, &node.window.stride_h));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(Kind::kStrideW, &node.window.stride_w));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(Kind::kDilationH, &node.window.dilation_h));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(Kind::kDilationW, &node.window.dilation_w));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(Kind::kActivation, &node.sum.activation));
    HEDDLE_OP_RETURN_IF_ERROR(Kind::Init(op, &node.sum));
    node.sum.filters = Kind::kFilters;
    node.sum.filter_channel_dim = Kind::kChannelDim;
    HEDDLE_OP_RETURN_IF_ERROR(CheckWindowAttributes(op, node.window));
    return CheckActivation(op, node.sum.activation);
  }

  static heddle_status MakeShape(const OpContext& op, const Node& node, ref::ConvShape* shape) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 3, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 4, 4));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 4, 4));
    const auto filter = op.input_dims(1);
    HEDDLE_OP_RETURN_IF_ERROR(MakeWindow(op, node.window, filter[1], filter[2], &shape->window));
    shape->batches = op.input_dims(0)[0];
    shape->in_channels = op.input_dims(0)[3];
    return Kind::CheckChannels(op, shape);
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
    SumAttributes sum = node.sum;
    // LiteRT computes groups as if the scales differed.
    const bool groups =
        Kind::kChannelDim == 0 && plan.shape.in_channels != plan.shape.filter_channels;
    if (groups) sum.hybrid_zero_point = HybridZeroPoint::kAlways;
    return PrepareSum(op, sum, plan.shape.out_channels, plan.shape.batches, &plan.sum);
  }

  static heddle_status Invoke(OpContext& op, const Node&, const Plan& plan) {
    const ref::ConvShape& shape = plan.shape;
    const int64_t grain =
        GrainFor({shape.window.w.output, shape.out_channels, shape.window.h.filter,
                  shape.window.w.filter, Kind::Work(shape)});
    return RunSum(op, plan.sum, shape.rows(), shape.window.h.output, grain, op.output(0).data,
                  [&](const auto&... operands) { Kind::Run(shape, operands...); });
  }
};

}  // namespace

HEDDLE_OP(CONV_2D, 1, 8, Convolution<Plain>);
HEDDLE_OP(DEPTHWISE_CONV_2D, 1, 7, Convolution<ByDepth>);

}  // namespace heddle::kernels
