// SPDX-License-Identifier: Apache-2.0
// LOGICAL_AND and LOGICAL_OR with stretching, LOGICAL_NOT: bool. Any byte but 0 is true.
#include "kernels/broadcast.h"

namespace heddle::kernels {
namespace {

struct And {
  static uint8_t Of(uint8_t a, uint8_t b) { return a != 0 && b != 0 ? 1 : 0; }
};
struct Or {
  static uint8_t Of(uint8_t a, uint8_t b) { return a != 0 || b != 0 ? 1 : 0; }
};

template <typename Function>
struct LogicalBinary {
  struct Plan {
    Broadcast broadcast;
  };
  static constexpr heddle_in_place_pair kInPlace[] = {{0, 0}, {1, 0}};

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(0, HEDDLE_DTYPE_BOOL));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_BOOL));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, HEDDLE_DTYPE_BOOL));
    std::vector<int32_t> dims;
    HEDDLE_OP_RETURN_IF_ERROR(BroadcastShape(op, &dims));
    return op.SetOutput(0, HEDDLE_DTYPE_BOOL, dims);
  }
  static heddle_status Prepare(OpContext& op, Plan& plan) {
    return MakeBroadcast(op, &plan.broadcast);
  }
  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    return ForEachPair<uint8_t, uint8_t>(op, plan.broadcast,
                                         [](uint8_t a, uint8_t b) { return Function::Of(a, b); });
  }
};

struct LogicalNot {
  static constexpr heddle_in_place_pair kInPlace[] = {{0, 0}};

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(0, HEDDLE_DTYPE_BOOL));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, HEDDLE_DTYPE_BOOL));
    return op.SetOutput(0, HEDDLE_DTYPE_BOOL, op.input_dims(0));
  }
  static heddle_status Invoke(OpContext& op) {
    const auto* input = op.InputData<uint8_t>(0);
    auto* output = op.OutputData<uint8_t>(0);
    for (size_t i = 0; i < op.input(0).bytes; ++i) output[i] = input[i] == 0 ? 1 : 0;
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(LOGICAL_AND, 1, 1, LogicalBinary<And>);
HEDDLE_OP(LOGICAL_NOT, 1, 1, LogicalNot);
HEDDLE_OP(LOGICAL_OR, 1, 1, LogicalBinary<Or>);

}  // namespace heddle::kernels
