// SPDX-License-Identifier: Apache-2.0
#include "kernels/sequence.h"

#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {

heddle_status InferBidirectional(const OpContext& op, bool merge_outputs, int32_t forward_outputs,
                                 int32_t backward_outputs) {
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(0, HEDDLE_DTYPE_FLOAT32));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 3, 3));
  int32_t width = forward_outputs;
  if (merge_outputs && !CheckedAdd(forward_outputs, backward_outputs, &width)) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, HEDDLE_NO_OPERAND,
                   "the outputs are too large to be one");
  }
  const int32_t widths[] = {width, backward_outputs};
  for (size_t i = 0; i < op.output_count(); ++i) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(i, HEDDLE_DTYPE_FLOAT32));
    const int32_t dims[] = {op.input_dims(0)[0], op.input_dims(0)[1], widths[i]};
    HEDDLE_OP_RETURN_IF_ERROR(op.SetOutput(i, HEDDLE_DTYPE_FLOAT32, dims));
  }
  return HEDDLE_OK;
}

heddle_status CheckAuxInput(const OpContext& op, size_t aux) {
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(aux, HEDDLE_DTYPE_FLOAT32));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(aux, 3, 3));
  const auto dims = op.input_dims(0);
  const auto aux_dims = op.input_dims(aux);
  if (aux_dims[0] == dims[0] && aux_dims[1] == dims[1]) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, static_cast<int32_t>(aux),
                 "the auxiliary input has shape ", ShapeText(aux_dims), ", the input ",
                 ShapeText(dims), "; the first two dimensions must be the same");
}

}  // namespace heddle::kernels
