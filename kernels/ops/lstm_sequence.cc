// SPDX-License-Identifier: Apache-2.0
// UNIDIRECTIONAL_SEQUENCE_LSTM: input [batch, time, inputs] or [time, batch, inputs]. float32;
// float32 by int8 weights; int8 with gates of 16 bits.
#include "kernels/lstm.h"

namespace heddle::kernels {
namespace {

struct UnidirectionalSequenceLstm {
  static constexpr uint32_t kFlags = HEDDLE_OP_STATEFUL;

  struct Node {
    LstmAttributes lstm;
    bool time_major = false;
  };
  struct Plan {
    Sequence sequence;
    LstmPlan real;
    LstmIntegerPlan integer;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    LstmAttributes& lstm = node.lstm;
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(
        HEDDLE_ATTR_UNIDIRECTIONAL_SEQUENCE_LSTM_FUSED_ACTIVATION_FUNCTION, &lstm.activation));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_UNIDIRECTIONAL_SEQUENCE_LSTM_CELL_CLIP, &lstm.cell_clip));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_UNIDIRECTIONAL_SEQUENCE_LSTM_PROJ_CLIP, &lstm.projection_clip));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_UNIDIRECTIONAL_SEQUENCE_LSTM_TIME_MAJOR, &node.time_major));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(
        HEDDLE_ATTR_UNIDIRECTIONAL_SEQUENCE_LSTM_ASYMMETRIC_QUANTIZE_INPUTS, &lstm.asymmetric));
    return CheckLstmAttributes(op, lstm);
  }

  static heddle_status Infer(OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 24, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 3, 3));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    int32_t outputs = 0;
    HEDDLE_OP_RETURN_IF_ERROR(GetLstmOutputs(op, kFullLstm, &outputs));
    const int32_t dims[] = {op.input_dims(0)[0], op.input_dims(0)[1], outputs};
    return op.SetOutput(0, op.input(0).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    plan.sequence = MakeSequence(op.input_dims(0), node.time_major);
    if (op.input(0).dtype == HEDDLE_DTYPE_INT8) {
      return PrepareIntegerLstm(op, kFullLstm, node.lstm, plan.sequence.batches, &plan.integer);
    }
    return PrepareLstm(op, kFullLstm, node.lstm, plan.sequence.batches, &plan.real);
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    if (op.input(0).dtype == HEDDLE_DTYPE_INT8) {
      return RunIntegerLstm(op, plan.integer, plan.sequence);
    }
    const LstmTarget target = {op.OutputData<float>(0), plan.real.form.sizes.outputs, 0};
    return RunLstm(op, plan.real, node.lstm, plan.sequence, nullptr, target);
  }
};

}  // namespace

HEDDLE_OP(UNIDIRECTIONAL_SEQUENCE_LSTM, 1, 4, UnidirectionalSequenceLstm);

}  // namespace heddle::kernels
