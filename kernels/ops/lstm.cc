// SPDX-License-Identifier: Apache-2.0
// LSTM: one step. FULL kernel: input [batch, inputs]; float32, float32 by int8 weights, int8 with
// gates of 16 bits. BASIC kernel: see lstm_basic.h.
#include "kernels/lstm.h"

#include "kernels/lstm_basic.h"

namespace heddle::kernels {
namespace {

struct Lstm {
  static constexpr uint32_t kFlags = HEDDLE_OP_STATEFUL;

  struct Node {
    LstmAttributes lstm;
    bool is_basic = false;
  };
  struct Plan {
    Sequence sequence;
    LstmPlan real;
    LstmIntegerPlan integer;
    BasicLstmPlan basic;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    LstmAttributes& lstm = node.lstm;
    int32_t kernel = 0;
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_LSTM_FUSED_ACTIVATION_FUNCTION, &lstm.activation));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_LSTM_CELL_CLIP, &lstm.cell_clip));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_LSTM_PROJ_CLIP, &lstm.projection_clip));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_LSTM_ASYMMETRIC_QUANTIZE_INPUTS, &lstm.asymmetric));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_LSTM_KERNEL_TYPE, &kernel));
    if (kernel != HEDDLE_LSTM_KERNEL_FULL && kernel != HEDDLE_LSTM_KERNEL_BASIC) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     "kernel_type ", kernel, " does not exist");
    }
    node.is_basic = kernel == HEDDLE_LSTM_KERNEL_BASIC;
    return CheckLstmAttributes(op, lstm);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    if (node.is_basic) return InferBasicLstm(op);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 24, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 2, 2));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    int32_t outputs = 0;
    HEDDLE_OP_RETURN_IF_ERROR(GetLstmOutputs(op, kFullLstm, &outputs));
    const int32_t dims[] = {op.input_dims(0)[0], outputs};
    return op.SetOutput(0, op.input(0).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    if (node.is_basic) return PrepareBasicLstm(op, &plan.basic);
    plan.sequence = MakeSequence(op.input_dims(0), true);
    if (op.input(0).dtype == HEDDLE_DTYPE_INT8) {
      return PrepareIntegerLstm(op, kFullLstm, node.lstm, plan.sequence.batches, &plan.integer);
    }
    return PrepareLstm(op, kFullLstm, node.lstm, plan.sequence.batches, &plan.real);
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    if (node.is_basic) return RunBasicLstm(op, plan.basic);
    if (op.input(0).dtype == HEDDLE_DTYPE_INT8) {
      return RunIntegerLstm(op, plan.integer, plan.sequence);
    }
    const LstmTarget target = {op.OutputData<float>(0), plan.real.form.sizes.outputs, 0};
    return RunLstm(op, plan.real, node.lstm, plan.sequence, nullptr, target);
  }
};

}  // namespace

HEDDLE_OP(LSTM, 1, 4, Lstm);

}  // namespace heddle::kernels
