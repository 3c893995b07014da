// SPDX-License-Identifier: Apache-2.0
// SPACE_TO_DEPTH: each square block of an NHWC image becomes one pixel with the block's channels
// one behind another. DEPTH_TO_SPACE: the reverse.
#include "kernels/late_shape.h"

namespace heddle::kernels {
namespace {

struct BlockNode {
  int32_t size = 0;
};

heddle_status CheckBlock(const OpContext& op, const BlockNode& node) {
  if (node.size > 0) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                 "block_size ", node.size, " is not positive");
}

struct BlockKernel : ViewKernel {
  using Node = BlockNode;
  static constexpr std::array<size_t, 0> kShapeInputs = {};

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectMovable(op, 1));
    return op.ExpectRank(0, 4, 4);
  }

  static heddle_status Misfit(const OpContext& op, const Node& node) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 0, "shape ",
                   ShapeText(op.input_dims(0)), " does not divide into blocks of ", node.size);
  }

  static heddle_status SetDims(const OpContext& op, int64_t n, int64_t h, int64_t w, int64_t c,
                               View* view) {
    for (const int64_t dim : {n, h, w, c}) {
      if (dim > INT32_MAX) {
        return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, OpContext::kOutput(0),
                       "a dimension of ", dim, " is too large");
      }
      view->dims.push_back(static_cast<int32_t>(dim));
    }
    int64_t elements = 0;
    return CountElements(op, OpContext::kOutput(0), view->dims, &elements);
  }

  // `dims`: the input's, with a block's rows and columns as dimensions of their own. In both ops
  // the output has the two in the middle the other way round.
  static heddle_status SwapMiddle(const OpContext& op, const int64_t (&dims)[6], View* view) {
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, op.input_dims(0), &elements));
    if (elements == 0) {
      view->source.Append(0, 0);
      return HEDDLE_OK;
    }
    int64_t strides[6] = {};
    int64_t stride = 1;
    for (int d = 5; d >= 0; --d) {
      strides[d] = stride;
      stride *= dims[d];
    }
    for (const int d : {0, 1, 3, 2, 4, 5}) view->source.Append(dims[d], strides[d]);
    return HEDDLE_OK;
  }
};

struct SpaceToDepth : BlockKernel {
  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_SPACE_TO_DEPTH_BLOCK_SIZE, &node.size));
    return CheckBlock(op, node);
  }

  static heddle_status Resolve(const OpContext& op, const Node& node, View* view) {
    const auto in = op.input_dims(0);
    const int64_t size = node.size;
    if (in[1] % size != 0 || in[2] % size != 0) return Misfit(op, node);
    if (in[3] > 0 && size * size > INT32_MAX) return Misfit(op, node);
    HEDDLE_OP_RETURN_IF_ERROR(
        SetDims(op, in[0], in[1] / size, in[2] / size, in[3] * size * size, view));
    return SwapMiddle(op, {in[0], in[1] / size, size, in[2] / size, size, in[3]}, view);
  }
};

struct DepthToSpace : BlockKernel {
  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_DEPTH_TO_SPACE_BLOCK_SIZE, &node.size));
    return CheckBlock(op, node);
  }

  static heddle_status Resolve(const OpContext& op, const Node& node, View* view) {
    const auto in = op.input_dims(0);
    const int64_t size = node.size;
    if (in[3] % (size * size) != 0) return Misfit(op, node);
    const int64_t depth = in[3] / (size * size);
    HEDDLE_OP_RETURN_IF_ERROR(SetDims(op, in[0], in[1] * size, in[2] * size, depth, view));
    return SwapMiddle(op, {in[0], in[1], in[2], size, size, depth}, view);
  }
};

}  // namespace

HEDDLE_OP(SPACE_TO_DEPTH, 1, 2, LateShape<SpaceToDepth>);
HEDDLE_OP(DEPTH_TO_SPACE, 1, 2, LateShape<DepthToSpace>);

}  // namespace heddle::kernels
