// SPDX-License-Identifier: Apache-2.0
// DENSIFY: a constant that the file stores sparsely. Hosts show every constant dense, so that the
// value is there already.
#include <cstring>

#include "kernels/op_kernel.h"

namespace heddle::kernels {
namespace {

struct Densify {
  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectConstant(0));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    if (op.input(0).dtype == HEDDLE_DTYPE_STRING) return op.UnsupportedType(0);
    return op.SetOutput(0, op.input(0).dtype, op.input_dims(0));
  }

  static heddle_status Invoke(OpContext& op) {
    const heddle_tensor& input = op.input(0);
    if (op.output(0).data != input.data && input.bytes != 0) {
      std::memcpy(op.output(0).data, input.data, input.bytes);
    }
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(DENSIFY, 1, 1, Densify);

}  // namespace heddle::kernels
