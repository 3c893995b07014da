// SPDX-License-Identifier: Apache-2.0
#include "kernels/packed.h"

#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {

bool IsPacked(heddle_dtype dtype) {
  return dtype == HEDDLE_DTYPE_INT4 || dtype == HEDDLE_DTYPE_INT2;
}

heddle_status UnpackConstant(const OpContext& op, size_t i, std::vector<int8_t>* elements) {
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectConstant(i));
  const heddle_tensor& tensor = op.input(i);
  const auto bits = static_cast<int>(DtypeBits(tensor.dtype));
  const int per_byte = 8 / bits;
  int64_t count = 0;
  if (!ElementCount(op.input_dims(i), &count) || count > PTRDIFF_MAX ||
      (count + per_byte - 1) / per_byte > static_cast<int64_t>(tensor.bytes)) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SIZE_OVERFLOW, static_cast<int32_t>(i),
                   "shape ", ShapeText(op.input_dims(i)), " does not fit the tensor's data");
  }
  const auto* const bytes = static_cast<const uint8_t*>(tensor.data);
  elements->resize(static_cast<size_t>(count));
  for (size_t e = 0; e < elements->size(); ++e) {
    const auto position = static_cast<int>(e % static_cast<size_t>(per_byte));
    const int up = 8 - bits * (position + 1);
    const auto top = static_cast<int8_t>(bytes[e / static_cast<size_t>(per_byte)] << up);
    (*elements)[e] = static_cast<int8_t>(top >> (8 - bits));
  }
  return HEDDLE_OK;
}

}  // namespace heddle::kernels
