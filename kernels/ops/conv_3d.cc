// SPDX-License-Identifier: Apache-2.0
// CONV_3D: data [n, d, h, w, in] by filter [d, h, w, in, out]. CONV_3D_TRANSPOSE: input 0 is the
// output's shape, which may be known only while running; filter [d, h, w, out, in]. float32.
#include "kernels/ref/conv_3d.h"

#include "kernels/conv_params.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

template <bool kTransposed>
struct Convolution3D {
  struct Node {
    int32_t padding = 0;
    int32_t strides[3] = {1, 1, 1};
    int32_t dilations[3] = {1, 1, 1};
    SumAttributes sum;
  };
  struct Plan {
    SumPlan sum;
  };
  static constexpr int32_t kData = kTransposed ? 2 : 0;
  static constexpr int32_t kFilter = 1;
  static constexpr int32_t kBias = kTransposed ? 3 : 2;

  static heddle_status Init(OpContext& op, Node& node) {
    constexpr uint32_t kStrides[] = {HEDDLE_ATTR_CONV_3D_STRIDE_D, HEDDLE_ATTR_CONV_3D_STRIDE_H,
                                     HEDDLE_ATTR_CONV_3D_STRIDE_W};
    constexpr uint32_t kDilations[] = {HEDDLE_ATTR_CONV_3D_DILATION_D_FACTOR,
                                       HEDDLE_ATTR_CONV_3D_DILATION_H_FACTOR,
                                       HEDDLE_ATTR_CONV_3D_DILATION_W_FACTOR};
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_CONV_3D_PADDING, &node.padding));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_CONV_3D_FUSED_ACTIVATION_FUNCTION, &node.sum.activation));
    for (const size_t i : {0, 1, 2}) {
      HEDDLE_OP_RETURN_IF_ERROR(op.Get(kStrides[i], &node.strides[i]));
      HEDDLE_OP_RETURN_IF_ERROR(op.Get(kDilations[i], &node.dilations[i]));
      HEDDLE_OP_RETURN_IF_ERROR(
          CheckWindowAttributes(op, {node.padding, node.strides[i], 1, node.dilations[i], 1}));
    }
    node.sum.operands = {kData, kFilter, kBias};
    return CheckActivation(op, node.sum.activation);
  }

  static heddle_status CheckOperands(const OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(kData + (kTransposed ? 1 : 2), kBias + 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(kData, 5, 5));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(kFilter, 5, 5));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kData, HEDDLE_DTYPE_FLOAT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, HEDDLE_DTYPE_FLOAT32));
    if constexpr (kTransposed) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(0, HEDDLE_DTYPE_INT32));
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 1, 1));
      if (op.input_dims(0)[0] != 5) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 0,
                       "the output's shape has ", op.input_dims(0)[0], " dimensions, wanted are 5");
      }
    }
    const int32_t channels = op.input_dims(kData)[4];
    const auto filter = op.input_dims(kFilter);
    if (filter[kTransposed ? 4 : 3] == channels) return HEDDLE_OK;
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, kFilter,
                   "the filter has shape ", ShapeText(filter), ", which does not fit the ",
                   channels, " channels of the input");
  }

  static int32_t OutChannels(const OpContext& op) {
    return op.input_dims(kFilter)[kTransposed ? 3 : 4];
  }

  static heddle_status MakeShape(const OpContext& op, const Node& node, ref::Conv3DShape* shape,
                                 int32_t (*dims)[5]) {
    const auto input = op.input_dims(kData);
    const auto filter = op.input_dims(kFilter);
    shape->batches = input[0];
    shape->in_channels = input[4];
    shape->out_channels = OutChannels(op);
    shape->transposed = kTransposed;
    if constexpr (kTransposed) {
      const auto* const wanted = op.InputData<int32_t>(0);
      std::copy_n(wanted, 5, *dims);
      const bool negative = std::any_of(wanted, wanted + 5, [](int32_t dim) { return dim < 0; });
      if (negative || wanted[0] != input[0] || wanted[4] != OutChannels(op)) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 0,
                       "the output's shape is ", ShapeText({wanted, 5}), ", wanted is [", input[0],
                       ",d,h,w,", OutChannels(op), "]");
      }
    }
    constexpr const char* kNames[] = {"depth", "height", "width"};
    ref::WindowAxis* const axes[] = {&shape->d, &shape->h, &shape->w};
    for (const size_t i : {0, 1, 2}) {
      *axes[i] = {input[i + 1],      kTransposed ? (*dims)[i + 1] : 0,
                  filter[i],         node.strides[i],
                  node.dilations[i], 0};
      HEDDLE_OP_RETURN_IF_ERROR((kTransposed ? MakeTransposedAxis : MakeWindowAxis)(
          op, kNames[i], node.padding, axes[i]));
      (*dims)[i + 1] = axes[i]->output;
    }
    (*dims)[0] = input[0];
    (*dims)[4] = OutChannels(op);
    return HEDDLE_OK;
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(CheckOperands(op));
    if (kTransposed && !op.IsConstant(0)) {
      return op.SetOutputDataDependent(0, HEDDLE_DTYPE_FLOAT32);
    }
    ref::Conv3DShape shape;
    int32_t dims[5];
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &shape, &dims));
    return op.SetOutput(0, HEDDLE_DTYPE_FLOAT32, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(CheckOperands(op));
    return PrepareSum(op, node.sum, OutChannels(op), op.input_dims(kData)[0], &plan.sum);
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    ref::Conv3DShape shape;
    int32_t dims[5];
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &shape, &dims));
    void* output = op.output(0).data;
    if (kTransposed && !op.IsConstant(0)) {
      HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, dims, 0, &output));
    }
    const int64_t grain = GrainFor({shape.w.output, shape.out_channels, shape.in_channels,
                                    shape.d.filter, shape.h.filter, shape.w.filter});
    return op.ParallelFor(shape.rows(), grain, [&](int64_t begin, int64_t end) {
      ref::Conv3D(shape, plan.sum.real, op.InputData<float>(kData), op.InputData<float>(kFilter),
                  op.InputData<float>(kBias), static_cast<float*>(output), begin, end);
    });
  }
};

}  // namespace

HEDDLE_OP(CONV_3D, 1, 1, Convolution3D<false>);
HEDDLE_OP(CONV_3D_TRANSPOSE, 1, 1, Convolution3D<true>);

}  // namespace heddle::kernels
