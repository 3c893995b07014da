// SPDX-License-Identifier: Apache-2.0
// PACK: equal tensors side by side along a new dimension. UNPACK: the reverse. Any type of whole
// bytes; scales must be equal.
#include "kernels/axes.h"
#include "kernels/copy.h"
#include "kernels/dispatch.h"
#include "kernels/parts.h"

namespace heddle::kernels {
namespace {

struct PackNode {
  int32_t count = 0;
  int32_t axis = 0;
};

// Dimensions from `axis` on without the one of the parts.
heddle_status AddEqualParts(const OpContext& op, heddle_dtype dtype, std::span<const int32_t> inner,
                            int32_t count, Parts* parts) {
  for (int32_t i = 0; i < count; ++i) {
    HEDDLE_OP_RETURN_IF_ERROR(AddPart(op, 0, dtype, inner, parts));
  }
  return HEDDLE_OK;
}

struct Pack {
  using Node = PackNode;
  using Plan = Parts;

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_PACK_VALUES_COUNT, &node.count));
    return op.Get(HEDDLE_ATTR_PACK_AXIS, &node.axis);
  }

  static heddle_status Axis(const OpContext& op, const Node& node, size_t* axis) {
    const int64_t rank = op.input(0).rank + int64_t{1};
    const int64_t resolved = node.axis < 0 ? node.axis + rank : node.axis;
    *axis = static_cast<size_t>(resolved);
    if (resolved >= 0 && resolved < rank) return HEDDLE_OK;
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                   "axis ", node.axis, " is no place in shape ", ShapeText(op.input_dims(0)));
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    const size_t count = op.input_count();
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(std::max<size_t>(1, count), SIZE_MAX, 1));
    if (node.count < 0 || static_cast<size_t>(node.count) != count) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_WRONG_OPERAND_COUNT, HEDDLE_NO_OPERAND,
                     "has ", count, " inputs, values_count is ", node.count);
    }
    const heddle_dtype dtype = op.input(0).dtype;
    if (!DispatchWidth(dtype, [](auto) {})) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    const auto first = op.input_dims(0);
    for (size_t i = 1; i < count; ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(i, dtype));
      const auto other = op.input_dims(i);
      if (std::equal(first.begin(), first.end(), other.begin(), other.end())) continue;
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, static_cast<int32_t>(i),
                     "input ", i, " has shape ", ShapeText(other), ", input 0 has ",
                     ShapeText(first));
    }
    size_t axis = 0;
    HEDDLE_OP_RETURN_IF_ERROR(Axis(op, node, &axis));
    std::vector<int32_t> dims(first.begin(), first.end());
    dims.insert(dims.begin() + static_cast<ptrdiff_t>(axis), node.count);
    return op.SetOutput(0, dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Parts& parts) {
    for (size_t i = 0; i < op.input_count(); ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(
          ExpectEqualQuantization(op, OpContext::kOutput(0), static_cast<int32_t>(i)));
    }
    size_t axis = 0;
    HEDDLE_OP_RETURN_IF_ERROR(Axis(op, node, &axis));
    HEDDLE_OP_RETURN_IF_ERROR(StartParts(op, op.input_dims(0).first(axis), &parts));
    return AddEqualParts(op, op.input(0).dtype, op.input_dims(0).subspan(axis), node.count, &parts);
  }

  static heddle_status Invoke(OpContext& op, const Node&, const Parts& parts) {
    return JoinInputs(op, parts);
  }
};

struct Unpack {
  using Node = PackNode;
  using Plan = Parts;

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_UNPACK_NUM, &node.count));
    return op.Get(HEDDLE_ATTR_UNPACK_AXIS, &node.axis);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, op.output_count()));
    const heddle_dtype dtype = op.input(0).dtype;
    if (!DispatchWidth(dtype, [](auto) {})) return op.UnsupportedType(0);
    size_t axis = 0;
    HEDDLE_OP_RETURN_IF_ERROR(ResolveAxis(op, 0, node.axis, &axis));
    const auto input = op.input_dims(0);
    const size_t count = op.output_count();
    if (node.count != input[axis] || static_cast<size_t>(input[axis]) != count) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_WRONG_OPERAND_COUNT, HEDDLE_NO_OPERAND,
                     "has ", count, " outputs, num is ", node.count, ", and dimension ", axis,
                     " of shape ", ShapeText(input), " has ", input[axis]);
    }
    std::vector<int32_t> dims(input.begin(), input.end());
    dims.erase(dims.begin() + static_cast<ptrdiff_t>(axis));
    for (size_t i = 0; i < count; ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(i, dtype));
      HEDDLE_OP_RETURN_IF_ERROR(op.SetOutput(i, dtype, dims));
    }
    return HEDDLE_OK;
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Parts& parts) {
    for (size_t i = 0; i < op.output_count(); ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(
          ExpectEqualQuantization(op, 0, OpContext::kOutput(static_cast<int32_t>(i))));
    }
    size_t axis = 0;
    HEDDLE_OP_RETURN_IF_ERROR(ResolveAxis(op, 0, node.axis, &axis));
    HEDDLE_OP_RETURN_IF_ERROR(StartParts(op, op.input_dims(0).first(axis), &parts));
    return AddEqualParts(op, op.input(0).dtype, op.input_dims(0).subspan(axis + 1), node.count,
                         &parts);
  }

  static heddle_status Invoke(OpContext& op, const Node&, const Parts& parts) {
    return CutInput(op, parts, 0);
  }
};

}  // namespace

HEDDLE_OP(PACK, 1, 5, Pack);
HEDDLE_OP(UNPACK, 1, 6, Unpack);

}  // namespace heddle::kernels
