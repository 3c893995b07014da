// SPDX-License-Identifier: Apache-2.0
// SQUEEZE: drops dimensions of 1, those listed or all. EXPAND_DIMS: adds one where input 1 says.
// The elements stay as they are.
#include <cstring>

#include "kernels/axes.h"
#include "kernels/late_shape.h"

namespace heddle::kernels {
namespace {

struct Reshaped {
  std::vector<int32_t> dims;
};

heddle_status CopyAll(const OpContext& op, const Reshaped& reshaped, void* data) {
  const heddle_tensor& input = op.input(0);
  if (input.dtype == HEDDLE_DTYPE_STRING) {
    HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, reshaped.dims, input.bytes, &data));
  }
  if (data != input.data && input.bytes != 0) std::memcpy(data, input.data, input.bytes);
  return HEDDLE_OK;
}

struct Squeeze {
  struct Node {
    std::vector<int32_t> axes;
  };
  using Plan = Reshaped;
  static constexpr std::array<size_t, 0> kShapeInputs = {};

  static heddle_status Init(OpContext& op, Node& node) {
    std::span<const int32_t> axes;
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_SQUEEZE_SQUEEZE_DIMS, &axes));
    node.axes.assign(axes.begin(), axes.end());
    return HEDDLE_OK;
  }

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    return op.ExpectOutputType(0, op.input(0).dtype);
  }

  static heddle_status Resolve(const OpContext& op, const Node& node, Reshaped* reshaped) {
    const auto input = op.input_dims(0);
    std::vector<bool> drop(input.size(), node.axes.empty());
    for (const int32_t axis : node.axes) {
      size_t d = 0;
      HEDDLE_OP_RETURN_IF_ERROR(ResolveAxis(op, 0, axis, &d));
      if (input[d] != 1) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 0, "dimension ", d,
                       " of shape ", ShapeText(input), " is to be dropped but is not 1");
      }
      drop[d] = true;
    }
    for (size_t d = 0; d < input.size(); ++d) {
      if (!drop[d] || input[d] != 1) reshaped->dims.push_back(input[d]);
    }
    return HEDDLE_OK;
  }

  static heddle_status Run(const OpContext& op, const Node&, const Plan& plan, void* data) {
    return CopyAll(op, plan, data);
  }
};

struct ExpandDims {
  struct Node {};
  using Plan = Reshaped;
  static constexpr size_t kShapeInputs[] = {1};

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    return ExpectEqualQuantization(op, 0, OpContext::kOutput(0));
  }

  static heddle_status Resolve(const OpContext& op, const Node&, Reshaped* reshaped) {
    int64_t axis = 0;
    HEDDLE_OP_RETURN_IF_ERROR(ReadInteger(op, 1, &axis));
    const auto input = op.input_dims(0);
    const auto rank = static_cast<int64_t>(input.size());
    if (axis < -rank - 1 || axis > rank) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "axis ", axis,
                     " is no place in shape ", ShapeText(input));
    }
    reshaped->dims.assign(input.begin(), input.end());
    reshaped->dims.insert(reshaped->dims.begin() + (axis < 0 ? axis + rank + 1 : axis), 1);
    return HEDDLE_OK;
  }

  static heddle_status Run(const OpContext& op, const Node&, const Plan& plan, void* data) {
    return CopyAll(op, plan, data);
  }
};

template <typename Kernel>
struct InPlace : LateShape<Kernel> {
  static constexpr heddle_in_place_pair kInPlace[] = {{0, 0}};
};

}  // namespace

HEDDLE_OP(SQUEEZE, 1, 2, InPlace<Squeeze>);
HEDDLE_OP(EXPAND_DIMS, 1, 1, InPlace<ExpandDims>);

}  // namespace heddle::kernels
