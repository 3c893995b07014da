// SPDX-License-Identifier: Apache-2.0
#include "kernels/channel_loop.h"

#include "runtime/base/checked_math.h"

namespace heddle::kernels {

heddle_status GetChannelQuantization(const OpContext& op, int32_t operand,
                                     ChannelQuantization* channels) {
  const heddle_tensor& tensor = OperandTensor(op, operand);
  const auto dims = OpContext::Dims(tensor);
  const heddle_quantization& q = *tensor.quantization;
  if (q.kind != HEDDLE_QUANTIZATION_AFFINE || q.count <= 1) {
    channels->affines.resize(1);
    channels->outer = 1;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, operand, channels->affines.data()));
    return ElementCount(dims, &channels->inner)
               ? HEDDLE_OK
               : op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, operand, "shape ",
                         ShapeText(dims), " is too large");
  }
  const auto axis = static_cast<size_t>(q.axis);
  if (q.axis < 0 || axis >= dims.size()) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_BAD_QUANTIZATION, operand,
                   OperandName(operand), " of shape ", ShapeText(dims),
                   " is quantised along dimension ", q.axis);
  }
  HEDDLE_OP_RETURN_IF_ERROR(GetAffines(op, operand, dims[axis], &channels->affines));
  if (!ElementCount(dims.first(axis), &channels->outer) ||
      !ElementCount(dims.subspan(axis + 1), &channels->inner)) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, operand, "shape ",
                   ShapeText(dims), " is too large");
  }
  return HEDDLE_OK;
}

}  // namespace heddle::kernels
