// SPDX-License-Identifier: Apache-2.0
#include "kernels/axes.h"

#include "kernels/copy.h"
#include "kernels/dispatch.h"

namespace heddle::kernels {
namespace {

heddle_status CheckAxis(const OpContext& op, size_t input, int64_t axis, int32_t operand,
                        heddle_reason reason, size_t* resolved) {
  const int64_t rank = op.input(input).rank;
  if (axis >= -rank && axis < rank) {
    *resolved = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    return HEDDLE_OK;
  }
  return op.Fail(HEDDLE_INVALID_MODEL, reason, operand, "axis ", axis,
                 " is not a dimension of shape ", ShapeText(op.input_dims(input)));
}

}  // namespace

heddle_status ReadIntegers(const OpContext& op, size_t i, int32_t max_rank,
                           std::vector<int64_t>* values) {
  const heddle_tensor& tensor = op.input(i);
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(i, 0, max_rank));
  const bool known =
      DispatchDtype<int32_t, int64_t, int16_t, int8_t, bool>(tensor.dtype, [&](auto tag) {
        using Type = typename decltype(tag)::type;
        // Bools of a model may hold any byte.
        using T = std::conditional_t<std::is_same_v<Type, bool>, uint8_t, Type>;
        const auto* data = static_cast<const T*>(tensor.data);
        values->assign(data, data + tensor.bytes / sizeof(T));
      });
  if (known) return HEDDLE_OK;
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPE_NOT_SUPPORTED, static_cast<int32_t>(i),
                 "input ", i, " is ", DtypeName(tensor.dtype), ", wanted is INT32 or INT64");
}

heddle_status ReadShape(const OpContext& op, size_t i, std::vector<int32_t>* dims) {
  std::vector<int64_t> values;
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(i, 1, 1));
  HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, i, 1, &values));
  if (values.size() > ref::kMaxRank) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, static_cast<int32_t>(i),
                   "a shape of rank ", values.size(), " is not supported, at most is ",
                   ref::kMaxRank);
  }
  dims->clear();
  for (const int64_t value : values) {
    if (value < 0 || value > INT32_MAX) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, static_cast<int32_t>(i),
                     "dimension ", value, " is out of range");
    }
    dims->push_back(static_cast<int32_t>(value));
  }
  int64_t elements = 0;
  return CountElements(op, static_cast<int32_t>(i), *dims, &elements);
}

heddle_status ReadInteger(const OpContext& op, size_t i, int64_t* value) {
  std::vector<int64_t> values;
  HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, i, ref::kMaxRank, &values));
  if (values.size() == 1) {
    *value = values[0];
    return HEDDLE_OK;
  }
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, static_cast<int32_t>(i),
                 "input ", i, " has shape ", ShapeText(op.input_dims(i)),
                 ", wanted is one element");
}

heddle_status ResolveAxis(const OpContext& op, size_t input, int64_t axis, size_t* resolved) {
  return CheckAxis(op, input, axis, static_cast<int32_t>(input), HEDDLE_REASON_ATTRIBUTE_INVALID,
                   resolved);
}

heddle_status ReadAxis(const OpContext& op, size_t input, size_t i, size_t* resolved) {
  int64_t axis = 0;
  HEDDLE_OP_RETURN_IF_ERROR(ReadInteger(op, i, &axis));
  return CheckAxis(op, input, axis, static_cast<int32_t>(i), HEDDLE_REASON_DATA_OUT_OF_RANGE,
                   resolved);
}

heddle_status AxisFromData(const OpContext& op, size_t i, int64_t axis, size_t* resolved) {
  return CheckAxis(op, 0, axis, static_cast<int32_t>(i), HEDDLE_REASON_DATA_OUT_OF_RANGE, resolved);
}

heddle_status ReadAxes(const OpContext& op, size_t i, std::vector<bool>* reduced) {
  std::vector<int64_t> axes;
  HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, i, 1, &axes));
  reduced->assign(op.input_dims(0).size(), false);
  if (reduced->empty()) return HEDDLE_OK;  // a scalar has no dimensions to choose from
  for (const int64_t axis : axes) {
    size_t d = 0;
    HEDDLE_OP_RETURN_IF_ERROR(AxisFromData(op, i, axis, &d));
    (*reduced)[d] = true;
  }
  return HEDDLE_OK;
}

heddle_status ReadAxis(const OpContext& op, size_t i, int64_t* axis) {
  const heddle_tensor& tensor = op.input(i);
  const auto operand = static_cast<int32_t>(i);
  const bool is_int64 = tensor.dtype == HEDDLE_DTYPE_INT64;
  if (!is_int64) HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(i, HEDDLE_DTYPE_INT32));
  if (tensor.bytes != (is_int64 ? sizeof(int64_t) : sizeof(int32_t))) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, operand, "shape ",
                   ShapeText(op.input_dims(i)), " of input ", i, " does not have one element");
  }
  const int64_t value = is_int64 ? *op.InputData<int64_t>(i) : int64_t{*op.InputData<int32_t>(i)};
  const int64_t rank = op.input(0).rank;
  *axis = value < 0 ? value + rank : value;
  if (*axis >= 0 && *axis < rank) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, operand, "axis ", value,
                 " is not a dimension of shape ", ShapeText(op.input_dims(0)));
}

}  // namespace heddle::kernels
