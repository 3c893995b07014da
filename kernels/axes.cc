// SPDX-License-Identifier: Apache-2.0
#include "kernels/axes.h"

#include "runtime/base/dtype.h"

namespace heddle::kernels {

heddle_status ReadIntegers(const OpContext& op, size_t i, int32_t max_rank,
                           std::vector<int64_t>* values) {
  const heddle_tensor& tensor = op.input(i);
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(i, 0, max_rank));
  if (tensor.dtype == HEDDLE_DTYPE_INT32) {
    const auto* data = static_cast<const int32_t*>(tensor.data);
    values->assign(data, data + tensor.bytes / sizeof(int32_t));
  } else if (tensor.dtype == HEDDLE_DTYPE_INT64) {
    const auto* data = static_cast<const int64_t*>(tensor.data);
    values->assign(data, data + tensor.bytes / sizeof(int64_t));
  } else {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPE_NOT_SUPPORTED, static_cast<int32_t>(i),
                   "input ", i, " is ", DtypeName(tensor.dtype), ", wanted is INT32 or INT64");
  }
  return HEDDLE_OK;
}

heddle_status ReadAxes(const OpContext& op, size_t i, std::vector<bool>* reduced) {
  std::vector<int64_t> axes;
  HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, i, 1, &axes));
  const int64_t rank = op.input(0).rank;
  reduced->assign(static_cast<size_t>(rank), false);
  if (rank == 0) return HEDDLE_OK;  // a scalar has no dimensions to choose from
  for (const int64_t axis : axes) {
    if (axis < -rank || axis >= rank) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, static_cast<int32_t>(i),
                     "axis ", axis, " is not a dimension of shape ", ShapeText(op.input_dims(0)));
    }
    (*reduced)[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
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
