// SPDX-License-Identifier: Apache-2.0
// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: NHWC images to the height and width of input 1,
// which may be known only while running. float32, uint8, int8, int16.
#include "kernels/ref/resize.h"

#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

struct Bilinear {
  static constexpr uint32_t kAlignCorners = HEDDLE_ATTR_RESIZE_BILINEAR_ALIGN_CORNERS;
  static constexpr uint32_t kHalfPixelCenters = HEDDLE_ATTR_RESIZE_BILINEAR_HALF_PIXEL_CENTERS;
  static constexpr bool kMayHaveBoth = false;
  template <typename... Arguments>
  static void Run(const Arguments&... arguments) {
    ref::ResizeBilinear(arguments...);
  }
};

struct Nearest {
  static constexpr uint32_t kAlignCorners = HEDDLE_ATTR_RESIZE_NEAREST_NEIGHBOR_ALIGN_CORNERS;
  static constexpr uint32_t kHalfPixelCenters =
      HEDDLE_ATTR_RESIZE_NEAREST_NEIGHBOR_HALF_PIXEL_CENTERS;
  static constexpr bool kMayHaveBoth = true;
  template <typename... Arguments>
  static void Run(const Arguments&... arguments) {
    ref::ResizeNearest(arguments...);
  }
};

template <typename Method>
struct Resize {
  struct Node {
    bool align_corners = false;
    bool half_pixel_centers = false;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(Method::kAlignCorners, &node.align_corners));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(Method::kHalfPixelCenters, &node.half_pixel_centers));
    if (node.align_corners && node.half_pixel_centers && !Method::kMayHaveBoth) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     "align_corners and half_pixel_centers exclude each other");
    }
    return HEDDLE_OK;
  }

  // The output's shape, from input 1.
  static heddle_status MakeShape(const OpContext& op, int32_t (*dims)[4]) {
    const auto input = op.input_dims(0);
    const auto* const size = op.InputData<int32_t>(1);
    if (size[0] < 1 || size[1] < 1) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "the new size is ",
                     size[0], " by ", size[1], ", wanted is at least 1");
    }
    (*dims)[0] = input[0];
    (*dims)[1] = size[0];
    (*dims)[2] = size[1];
    (*dims)[3] = input[3];
    return HEDDLE_OK;
  }

  static heddle_status Infer(OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 4, 4));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_INT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    const auto input = op.input_dims(0);
    if (op.input_dims(1)[0] != 2) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1,
                     "the new size has shape ", ShapeText(op.input_dims(1)), ", wanted is [2]");
    }
    if (input[1] < 1 || input[2] < 1) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0, "an image of shape ",
                     ShapeText(input), " has nothing to resize");
    }
    if (!op.IsConstant(1)) return op.SetOutputDataDependent(0, op.input(0).dtype);
    int32_t dims[4];
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, &dims));
    return op.SetOutput(0, op.input(0).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node&) {
    if (!IsOneOf<float, uint8_t, int8_t, int16_t>(op.input(0).dtype)) return op.UnsupportedType(0);
    if (op.input(0).dtype != HEDDLE_DTYPE_FLOAT32 && IsQuantized(op.input(0)) &&
        IsQuantized(op.output(0))) {
      Affine affine;
      return ExpectSameQuantization(op, &affine);
    }
    return HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Node& node) {
    int32_t dims[4];
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, &dims));
    void* data = op.output(0).data;
    if (!op.IsConstant(1)) HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, dims, 0, &data));
    const auto input = op.input_dims(0);
    const auto axis = [&](size_t d) {
      return ref::ResizeAxis{input[d], dims[d], node.align_corners, node.half_pixel_centers};
    };
    const ref::ResizeAxis h = axis(1);
    const ref::ResizeAxis w = axis(2);
    const int64_t depth = dims[3];
    const int64_t rows = depth == 0 ? 0 : int64_t{dims[0]} * dims[1];
    return DispatchInput<float, uint8_t, int8_t, int16_t>(op, 0, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return op.ParallelFor(rows, GrainFor({dims[2], depth, 8}), [&](int64_t begin, int64_t end) {
        Method::Run(h, w, depth, op.InputData<T>(0), static_cast<T*>(data), begin, end);
      });
    });
  }
};

}  // namespace

HEDDLE_OP(RESIZE_BILINEAR, 1, 4, Resize<Bilinear>);
HEDDLE_OP(RESIZE_NEAREST_NEIGHBOR, 1, 4, Resize<Nearest>);

}  // namespace heddle::kernels
