// SPDX-License-Identifier: Apache-2.0
// SPACE_TO_BATCH_ND: pads the middle dimensions, cuts them into blocks, and moves each place of a
// block into the batch. BATCH_TO_SPACE_ND: the reverse, with crops for pads. Inputs: NHC or NHWC,
// block sizes, [before, after] of each dimension.
#include <algorithm>

#include "kernels/axes.h"
#include "kernels/late_shape.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {
namespace {

constexpr int64_t kMaxSpatial = 2;

int64_t CeilDiv(int64_t a, int64_t b) { return a > 0 ? (a - 1) / b + 1 : a / b; }

// One middle dimension: `space` and `blocks` elements of the two sides.
struct BlockAxis {
  int64_t block = 1;
  int64_t before = 0;
  int64_t space = 1;
  int64_t blocks = 1;
};

struct BatchPlan {
  std::vector<int32_t> dims;
  BlockAxis axes[kMaxSpatial];
  int64_t batch = 0;  // of the spatial side
  int64_t depth = 0;
  uint64_t pad = 0;  // an element
};

template <bool kToBatch>
struct BatchKernel {
  struct Node {};
  using Plan = BatchPlan;
  static constexpr size_t kShapeInputs[] = {1, 2};

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectMovable(op, 3));
    if (DtypeBits(op.input(0).dtype) < 8) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 3, 2 + kMaxSpatial));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_INT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(2, HEDDLE_DTYPE_INT32));
    const int32_t spatial = op.input(0).rank - 2;
    const auto blocks = op.input_dims(1);
    const auto pads = op.input_dims(2);
    if (blocks.size() != 1 || blocks[0] != spatial || pads.size() != 2 || pads[0] != spatial ||
        pads[1] != 2) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "block sizes of shape ",
                     ShapeText(blocks), " and pads of shape ", ShapeText(pads),
                     " do not fit shape ", ShapeText(op.input_dims(0)));
    }
    return ExpectEqualQuantization(op, 0, OpContext::kOutput(0));
  }

  static heddle_status Refuse(const OpContext& op, int32_t operand, size_t d) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, operand,
                   "block sizes and pads do not fit dimension ", d, " of shape ",
                   ShapeText(op.input_dims(0)));
  }

  static heddle_status Resolve(const OpContext& op, const Node&, BatchPlan* plan) {
    std::vector<int64_t> blocks;
    std::vector<int64_t> pads;
    HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, 1, 1, &blocks));
    HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, 2, 2, &pads));
    const auto input = op.input_dims(0);
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input, &elements));
    int64_t batch = input[0];
    plan->dims.assign(input.begin(), input.end());
    for (size_t d = 0; d < blocks.size(); ++d) {
      BlockAxis& axis = plan->axes[d];
      axis.block = blocks[d];
      axis.before = pads[2 * d];
      const int64_t after = pads[2 * d + 1];
      if (axis.block < 1) return Refuse(op, 1, d + 1);
      if (axis.before < 0 || after < 0) return Refuse(op, 2, d + 1);
      int64_t result = 0;
      if (kToBatch) {
        axis.space = input[d + 1];
        const int64_t padded = axis.space + axis.before + after;
        if (padded % axis.block != 0) return Refuse(op, 2, d + 1);
        result = axis.blocks = padded / axis.block;
        batch *= axis.block;
      } else {
        axis.blocks = input[d + 1];
        result = axis.space = axis.blocks * axis.block - axis.before - after;
        if (batch % axis.block != 0) return Refuse(op, 1, 0);
        batch /= axis.block;
      }
      if (result < 0 || result > INT32_MAX || batch > INT32_MAX) return Refuse(op, 2, d + 1);
      plan->dims[d + 1] = static_cast<int32_t>(result);
    }
    plan->dims[0] = static_cast<int32_t>(batch);
    plan->batch = kToBatch ? input[0] : batch;
    plan->depth = input.back();
    // The last elements of pads are a zero's.
    const heddle_quantization& q = *op.output(0).quantization;
    if (DtypeBits(op.input(0).dtype) <= 16 && q.zero_point_count != 0) {
      plan->pad = static_cast<uint64_t>(q.zero_points[0]);
    }
    return CountElements(op, OpContext::kOutput(0), plan->dims, &elements);
  }

  static heddle_status Run(const OpContext& op, const Node&, const BatchPlan& plan, void* data) {
    int64_t elements = 1;
    for (const int32_t dim : plan.dims) elements *= dim;
    if (elements == 0) return HEDDLE_OK;
    if (kToBatch) {
      HEDDLE_OP_RETURN_IF_ERROR(FillElements(op, op.input(0).dtype, plan.pad, elements, data));
    }
    const BlockAxis& h = plan.axes[0];
    const BlockAxis& w = plan.axes[1];
    for (int64_t i = 0; i < h.block; ++i) {
      for (int64_t j = 0; j < w.block; ++j) {
        HEDDLE_OP_RETURN_IF_ERROR(CopyPlace(op, plan, i, j, data));
      }
    }
    return HEDDLE_OK;
  }

  // Blocks of an axis whose element `place` lies inside the space: [first, second).
  static std::pair<int64_t, int64_t> Inside(const BlockAxis& axis, int64_t place) {
    const int64_t first = std::max<int64_t>(0, CeilDiv(axis.before - place, axis.block));
    const int64_t last =
        std::min(axis.blocks, CeilDiv(axis.space + axis.before - place, axis.block));
    return {first, std::max(first, last)};
  }

  // The elements at place (i, j) of their blocks.
  static heddle_status CopyPlace(const OpContext& op, const BatchPlan& plan, int64_t i, int64_t j,
                                 void* data) {
    const BlockAxis& h = plan.axes[0];
    const BlockAxis& w = plan.axes[1];
    const auto [h_first, h_last] = Inside(h, i);
    const auto [w_first, w_last] = Inside(w, j);
    const int64_t space_w = plan.depth;
    const int64_t space_h = w.space * space_w;
    const int64_t space_n = h.space * space_h;
    const int64_t blocks_h = w.blocks * plan.depth;
    const int64_t blocks_n = h.blocks * blocks_h;
    const int64_t space =
        (h_first * h.block + i - h.before) * space_h + (w_first * w.block + j - w.before) * space_w;
    const int64_t blocks =
        (i * w.block + j) * plan.batch * blocks_n + h_first * blocks_h + w_first * plan.depth;
    CopyPlan box;
    constexpr int kSpace = kToBatch ? 0 : 1;
    const auto append = [&](int64_t dim, int64_t in_space, int64_t in_blocks) {
      box.Append(dim, kToBatch ? std::array{in_space, in_blocks} : std::array{in_blocks, in_space});
    };
    box.base[kSpace] = space;
    box.base[1 - kSpace] = blocks;
    append(plan.batch, space_n, blocks_n);
    append(h_last - h_first, h.block * space_h, blocks_h);
    append(w_last - w_first, w.block * space_w, plan.depth);
    append(plan.depth, 1, 1);
    return CopyBox(op, box, op.input(0).dtype, op.input(0).data, data);
  }
};

}  // namespace

HEDDLE_OP(SPACE_TO_BATCH_ND, 1, 4, LateShape<BatchKernel<true>>);
HEDDLE_OP(BATCH_TO_SPACE_ND, 1, 4, LateShape<BatchKernel<false>>);

}  // namespace heddle::kernels
