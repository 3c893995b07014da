// SPDX-License-Identifier: Apache-2.0
// DYNAMIC_UPDATE_SLICE: input 0 with a box replaced by input 1. Input 2 says where the box begins;
// it is moved so that it lies inside.
#include <algorithm>
#include <cstring>

#include "kernels/copy.h"

namespace heddle::kernels {
namespace {

struct DynamicUpdateSlice {
  struct Plan {
    CopyPlan box;  // from the update to the output, were it to begin at 0
    std::vector<int64_t> limits;
    std::vector<int64_t> strides;
  };
  static constexpr heddle_in_place_pair kInPlace[] = {{0, 0}};

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(3, 3, 1));
    const heddle_dtype dtype = op.input(0).dtype;
    if (!IsMovable(dtype)) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(2, 1, 1));
    const auto input = op.input_dims(0);
    const auto update = op.input_dims(1);
    bool fits = update.size() == input.size();
    for (size_t d = 0; fits && d < input.size(); ++d) fits = update[d] <= input[d];
    if (!fits) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "an update of shape ",
                     ShapeText(update), " does not fit into shape ", ShapeText(input));
    }
    if (op.input_dims(2)[0] != op.input(0).rank) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 2, op.input_dims(2)[0],
                     " start indices for shape ", ShapeText(input));
    }
    const heddle_dtype index = op.input(2).dtype;
    if (index != HEDDLE_DTYPE_INT32 && index != HEDDLE_DTYPE_INT64) return op.UnsupportedType(2);
    return op.SetOutput(0, dtype, input);
  }

  static heddle_status Prepare(OpContext& op, Plan& plan) {
    const auto input = op.input_dims(0);
    const auto update = op.input_dims(1);
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input, &elements));
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 1, update, &elements));
    plan.strides = DenseStrides(input);
    const std::vector<int64_t> from = DenseStrides(update);
    for (size_t d = 0; d < input.size(); ++d) {
      plan.limits.push_back(input[d] - update[d]);
      plan.box.Append(update[d], {from[d], plan.strides[d]});
    }
    return HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    void* output = op.output(0).data;
    if (output != op.input(0).data && op.input(0).bytes != 0) {
      std::memcpy(output, op.input(0).data, op.input(0).bytes);
    }
    CopyPlan box = plan.box;
    for (size_t d = 0; d < plan.limits.size(); ++d) {
      const int64_t start = op.input(2).dtype == HEDDLE_DTYPE_INT32 ? op.InputData<int32_t>(2)[d]
                                                                    : op.InputData<int64_t>(2)[d];
      box.base[1] += std::clamp<int64_t>(start, 0, plan.limits[d]) * plan.strides[d];
    }
    return CopyBox(op, box, op.input(0).dtype, op.input(1).data, output);
  }
};

}  // namespace

HEDDLE_OP(DYNAMIC_UPDATE_SLICE, 1, 6, DynamicUpdateSlice);

}  // namespace heddle::kernels
