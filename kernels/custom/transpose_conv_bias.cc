// SPDX-License-Identifier: Apache-2.0
// Convolution2DTransposeBias, of MediaPipe's models: data NHWC, filter [out, h, w, in], bias [out],
// all float32. Unlike TRANSPOSE_CONV's, the output's shape follows from the others: as large as the
// filter makes it (VALID), or with the padding cut off around it (SAME). Options: three int32,
// padding (1 SAME, 2 VALID), stride_w, stride_h; what follows them, in later ones, does not matter.
#include <cstring>

#include "kernels/conv_params.h"
#include "kernels/ref/conv.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

constexpr int32_t kSame = 1;
constexpr int32_t kValid = 2;

struct TransposeConvBias {
  struct Node {
    int32_t padding = 0;
    int32_t stride_w = 0;
    int32_t stride_h = 0;
  };
  struct Plan {
    ref::ConvShape shape;
    SumPlan sum;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    const void* data = nullptr;
    size_t bytes = 0;
    HEDDLE_OP_RETURN_IF_ERROR(op.call()->host->get_custom_options(op.call(), &data, &bytes));
    int32_t fields[3];
    if (bytes < sizeof(fields)) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     "the custom options have ", bytes, " bytes, wanted are at least ",
                     sizeof(fields));
    }
    std::memcpy(fields, data, sizeof(fields));
    node = {fields[0], fields[1], fields[2]};
    if ((node.padding != kSame && node.padding != kValid) || node.stride_w < 1 ||
        node.stride_h < 1) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     "padding is ", node.padding, ", stride_w ", node.stride_w, ", stride_h ",
                     node.stride_h, ", wanted are 1 or 2, and at least 1");
    }
    return HEDDLE_OK;
  }

  // Sets output and pad of an axis whose other fields are set.
  static heddle_status MakeAxis(const OpContext& op, int32_t padding, ref::WindowAxis* axis) {
    int64_t cut = 0;
    if (axis->input > 0 && padding == kSame) {
      cut = std::max(0, axis->filter - (axis->input - 1) % axis->stride - 1);
    }
    const int64_t output = (int64_t{axis->input} - 1) * axis->stride + axis->filter - cut;
    if (axis->input < 1 || axis->filter < 1 || output > std::numeric_limits<int32_t>::max()) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0, "data of shape ",
                     ShapeText(op.input_dims(0)), " and a filter of shape ",
                     ShapeText(op.input_dims(1)), " make no output");
    }
    axis->output = static_cast<int32_t>(output);
    axis->pad = static_cast<int32_t>(cut / 2);
    return HEDDLE_OK;
  }

  static heddle_status MakeShape(const OpContext& op, const Node& node, ref::ConvShape* shape) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(3, 3, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 4, 4));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 4, 4));
    for (const size_t i : {0, 1, 2}) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(i, HEDDLE_DTYPE_FLOAT32));
    }
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, HEDDLE_DTYPE_FLOAT32));
    const auto input = op.input_dims(0);
    const auto filter = op.input_dims(1);
    if (filter[3] != input[3]) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "the filter has shape ",
                     ShapeText(filter), ", wanted is [out,h,w,", input[3], "]");
    }
    shape->batches = input[0];
    shape->in_channels = input[3];
    shape->filter_channels = input[3];
    shape->out_channels = filter[0];
    shape->window.h = {input[1], 0, filter[1], node.stride_h, 1, 0};
    shape->window.w = {input[2], 0, filter[2], node.stride_w, 1, 0};
    HEDDLE_OP_RETURN_IF_ERROR(MakeAxis(op, node.padding, &shape->window.h));
    return MakeAxis(op, node.padding, &shape->window.w);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    ref::ConvShape shape;
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &shape));
    const int32_t dims[] = {op.input_dims(0)[0], shape.window.h.output, shape.window.w.output,
                            op.input_dims(1)[0]};
    return op.SetOutput(0, HEDDLE_DTYPE_FLOAT32, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &plan.shape));
    return PrepareSum(op, SumAttributes(), op.input_dims(1)[0], op.input_dims(0)[0], &plan.sum);
  }

  static heddle_status Invoke(OpContext& op, const Node&, const Plan& plan) {
    const ref::ConvShape& shape = plan.shape;
    const ref::WindowAxis& h = shape.window.h;
    const ref::WindowAxis& w = shape.window.w;
    const int64_t grain = GrainFor({w.output, shape.out_channels, h.filter / h.stride + 1,
                                    w.filter / w.stride + 1, shape.in_channels});
    return RunSum(op, plan.sum, shape.rows(), h.output, grain, op.output(0).data,
                  [&](const auto&... operands) { ref::TransposeConv(shape, operands...); });
  }
};

}  // namespace

HEDDLE_CUSTOM_OP(Convolution2DTransposeBias, 1, 1, TransposeConvBias);

}  // namespace heddle::kernels
