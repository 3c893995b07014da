// SPDX-License-Identifier: Apache-2.0
// SHAPE: the dimensions of the input, int32 or int64.
#include "kernels/op_kernel.h"

namespace heddle::kernels {
namespace {

struct Shape {
  struct Node {
    int32_t out_type = HEDDLE_DTYPE_INT32;
  };
  static constexpr uint32_t kFlags = HEDDLE_OP_SHAPES_ONLY;

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_SHAPE_OUT_TYPE, &node.out_type));
    // FLOAT32 is the schema's default and means that the file does not say: int32.
    if (node.out_type == HEDDLE_DTYPE_FLOAT32) node.out_type = HEDDLE_DTYPE_INT32;
    if (node.out_type == HEDDLE_DTYPE_INT32 || node.out_type == HEDDLE_DTYPE_INT64) {
      return HEDDLE_OK;
    }
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                   "out_type ", node.out_type, " is neither INT32 nor INT64");
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    const auto dtype = static_cast<heddle_dtype>(node.out_type);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    const int32_t dims[] = {op.input(0).rank};
    return op.SetOutput(0, dtype, dims);
  }

  static heddle_status Invoke(OpContext& op, const Node& node) {
    const auto dims = op.input_dims(0);
    for (size_t i = 0; i < dims.size(); ++i) {
      if (node.out_type == HEDDLE_DTYPE_INT64) {
        op.OutputData<int64_t>(0)[i] = dims[i];
      } else {
        op.OutputData<int32_t>(0)[i] = dims[i];
      }
    }
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(SHAPE, 1, 1, Shape);

}  // namespace heddle::kernels
