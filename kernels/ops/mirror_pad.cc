// SPDX-License-Identifier: Apache-2.0
// MIRROR_PAD: the input surrounded by its own mirror image; REFLECT leaves the border itself out,
// SYMMETRIC repeats it. Input 1 lists [before, after] for each dimension.
#include "kernels/axes.h"
#include "kernels/late_shape.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {
namespace {

struct MirrorPad {
  struct Node {
    int32_t mode = HEDDLE_MIRROR_PAD_MODE_REFLECT;
  };
  struct Plan {
    std::vector<int32_t> dims;
    std::vector<int64_t> before;
    std::vector<int64_t> after;
    std::vector<int64_t> from, to;  // strides of input and output
  };
  static constexpr size_t kShapeInputs[] = {1};

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_MIRROR_PAD_MODE, &node.mode));
    if (node.mode == HEDDLE_MIRROR_PAD_MODE_REFLECT ||
        node.mode == HEDDLE_MIRROR_PAD_MODE_SYMMETRIC) {
      return HEDDLE_OK;
    }
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                   "mode ", node.mode, " does not exist");
  }

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectMovable(op, 2));
    if (DtypeBits(op.input(0).dtype) < 8) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    const auto pads = op.input_dims(1);
    if (pads.size() != 2 || pads[0] != op.input(0).rank || pads[1] != 2) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1,
                     "the paddings have shape ", ShapeText(pads), ", wanted is [", op.input(0).rank,
                     ",2]");
    }
    return ExpectEqualQuantization(op, 0, OpContext::kOutput(0));
  }

  static heddle_status Resolve(const OpContext& op, const Node& node, Plan* plan) {
    std::vector<int64_t> pads;
    HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, 1, 2, &pads));
    const auto input = op.input_dims(0);
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input, &elements));
    for (size_t d = 0; d < input.size(); ++d) {
      const int64_t before = pads[2 * d];
      const int64_t after = pads[2 * d + 1];
      // What there is to mirror.
      const int64_t most = node.mode == HEDDLE_MIRROR_PAD_MODE_REFLECT ? input[d] - 1 : input[d];
      const bool fits = before >= 0 && after >= 0 && before <= most && after <= most;
      if ((before != 0 || after != 0) && (!fits || input[d] + before + after > INT32_MAX)) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "paddings ",
                       before, " and ", after, " of dimension ", d, " of ", input[d],
                       " are out of range");
      }
      plan->before.push_back(before);
      plan->after.push_back(after);
      plan->dims.push_back(static_cast<int32_t>(input[d] + before + after));
    }
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, OpContext::kOutput(0), plan->dims, &elements));
    plan->from = DenseStrides(input);
    plan->to = DenseStrides(plan->dims);
    return HEDDLE_OK;
  }

  // The input goes to the middle; then each dimension is mirrored over what is there already.
  static heddle_status Run(const OpContext& op, const Node& node, const Plan& plan, void* data) {
    const auto input = op.input_dims(0);
    const heddle_dtype dtype = op.input(0).dtype;
    const std::vector<int64_t>& from = plan.from;
    const std::vector<int64_t>& to = plan.to;
    CopyPlan middle;
    int64_t start = 0;
    for (size_t d = 0; d < input.size(); ++d) {
      middle.Append(input[d], {from[d], to[d]});
      start += plan.before[d] * to[d];
    }
    if (middle.count == 0) return HEDDLE_OK;
    middle.base[1] = start;
    HEDDLE_OP_RETURN_IF_ERROR(CopyBox(op, middle, dtype, op.input(0).data, data));
    const int64_t border = node.mode == HEDDLE_MIRROR_PAD_MODE_REFLECT ? 1 : 0;
    for (size_t mirrored = 0; mirrored < input.size(); ++mirrored) {
      const int64_t stride = to[mirrored];
      start -= plan.before[mirrored] * stride;
      for (const bool front : {true, false}) {
        const int64_t first = plan.before[mirrored];
        const int64_t last = first + input[mirrored] - 1;
        CopyPlan side;
        for (size_t d = 0; d < input.size(); ++d) {
          if (d == mirrored) {
            side.Append(front ? plan.before[d] : plan.after[d], {-stride, stride});
          } else {
            side.Append(d < mirrored ? plan.dims[d] : input[d], {to[d], to[d]});
          }
        }
        side.base[0] = start + (front ? first + first - 1 + border : last - border) * stride;
        side.base[1] = start + (front ? 0 : last + 1) * stride;
        HEDDLE_OP_RETURN_IF_ERROR(CopyBox(op, side, dtype, data, data));
      }
    }
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(MIRROR_PAD, 1, 3, LateShape<MirrorPad>);

}  // namespace heddle::kernels
