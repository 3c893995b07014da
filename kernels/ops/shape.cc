// SPDX-License-Identifier: Apache-2.0
// SHAPE: the dimensions of the input, int32 or int64. RANK: their number, int32.
// BROADCAST_ARGS: the shape to which the shapes in two lists are stretched.
#include <algorithm>

#include "kernels/dispatch.h"

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

struct Rank {
  static constexpr uint32_t kFlags = HEDDLE_OP_SHAPES_ONLY;

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, HEDDLE_DTYPE_INT32));
    return op.SetOutput(0, HEDDLE_DTYPE_INT32, {});
  }

  static heddle_status Invoke(OpContext& op) {
    *op.OutputData<int32_t>(0) = op.input(0).rank;
    return HEDDLE_OK;
  }
};

struct BroadcastArgs {
  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    const heddle_dtype dtype = op.input(0).dtype;
    if (!IsOneOf<int32_t, int64_t>(dtype)) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 1, 1));
    const int32_t dims[] = {std::max(op.input_dims(0)[0], op.input_dims(1)[0])};
    return op.SetOutput(0, dtype, dims);
  }

  static heddle_status Invoke(OpContext& op) {
    return DispatchInput<int32_t, int64_t>(op, 0, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int64_t sizes[] = {op.input_dims(0)[0], op.input_dims(1)[0]};
      const int64_t rank = std::max(sizes[0], sizes[1]);
      for (int64_t d = 0; d < rank; ++d) {  // from the last dimension on
        const T a = d < sizes[0] ? op.InputData<T>(0)[sizes[0] - 1 - d] : T{1};
        const T b = d < sizes[1] ? op.InputData<T>(1)[sizes[1] - 1 - d] : T{1};
        if (a != b && a != 1 && b != 1) {
          return op.Fail(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_SHAPES_DIFFER, 1, "dimensions ", a,
                         " and ", b, " cannot be stretched to a common one");
        }
        op.OutputData<T>(0)[rank - 1 - d] = a == 1 ? b : a;
      }
      return HEDDLE_OK;
    });
  }
};

}  // namespace

HEDDLE_OP(RANK, 1, 1, Rank);
HEDDLE_OP(BROADCAST_ARGS, 1, 1, BroadcastArgs);
HEDDLE_OP(SHAPE, 1, 1, Shape);

}  // namespace heddle::kernels
