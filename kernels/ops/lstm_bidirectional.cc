// SPDX-License-Identifier: Apache-2.0
// BIDIRECTIONAL_SEQUENCE_LSTM. float32, or float32 by int8 weights.
#include "kernels/lstm.h"

namespace heddle::kernels {
namespace {

constexpr int32_t kAux = 39;
constexpr size_t kInputs = 48;

// A direction's inputs begin at `first`, those for the auxiliary input at `aux_weights`.
constexpr LstmOperands Direction(int32_t input, int32_t aux, int32_t first, int32_t aux_weights,
                                 int32_t output_state) {
  LstmOperands operands = {};
  operands.input = input;
  operands.aux = aux;
  for (int32_t g = 0; g < ref::kLstmGates; ++g) {
    operands.gates[g] = {
        first + g, aux < 0 ? -1 : aux_weights + g, first + 4 + g, -1, first + 11 + g, -1};
  }
  operands.gates[ref::kInputGate].peephole = first + 8;
  operands.gates[ref::kForgetGate].peephole = first + 9;
  operands.gates[ref::kOutputGate].peephole = first + 10;
  operands.projection = first + 15;
  operands.projection_bias = first + 16;
  operands.output_state = output_state;
  operands.cell_state = output_state + 1;
  return operands;
}

constexpr LstmOperands kForward = Direction(0, kAux, 1, 40, 35);
constexpr LstmOperands kBackward = Direction(0, kAux, 18, 44, 37);
constexpr LstmOperands kStackedBackward = Direction(kAux, -1, 18, 44, 37);

struct BidirectionalSequenceLstm {
  static constexpr uint32_t kFlags = HEDDLE_OP_STATEFUL;

  struct Node {
    LstmAttributes lstm;
    bool time_major = true;
    bool merge_outputs = false;
  };
  struct Plan {
    Sequence sequence;
    LstmPlan forward;
    LstmPlan backward;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    LstmAttributes& lstm = node.lstm;
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(
        HEDDLE_ATTR_BIDIRECTIONAL_SEQUENCE_LSTM_FUSED_ACTIVATION_FUNCTION, &lstm.activation));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_BIDIRECTIONAL_SEQUENCE_LSTM_CELL_CLIP, &lstm.cell_clip));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_BIDIRECTIONAL_SEQUENCE_LSTM_PROJ_CLIP, &lstm.projection_clip));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(
        HEDDLE_ATTR_BIDIRECTIONAL_SEQUENCE_LSTM_ASYMMETRIC_QUANTIZE_INPUTS, &lstm.asymmetric));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_BIDIRECTIONAL_SEQUENCE_LSTM_TIME_MAJOR, &node.time_major));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_BIDIRECTIONAL_SEQUENCE_LSTM_MERGE_OUTPUTS, &node.merge_outputs));
    return CheckLstmAttributes(op, lstm);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, kInputs, node.merge_outputs ? 1 : 2));
    int32_t forward = 0;
    int32_t backward = 0;
    HEDDLE_OP_RETURN_IF_ERROR(GetLstmOutputs(op, kForward, &forward));
    HEDDLE_OP_RETURN_IF_ERROR(GetLstmOutputs(op, kBackward, &backward));
    return InferBidirectional(op, node.merge_outputs, forward, backward);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    plan.sequence = MakeSequence(op.input_dims(0), node.time_major);
    const int32_t forward_weights = kForward.gates[ref::kOutputGate].aux;
    const int32_t backward_weights = kBackward.gates[ref::kOutputGate].aux;
    const bool has_weights = op.HasInput(static_cast<size_t>(forward_weights));
    const bool has_aux = op.HasInput(kAux);
    if (has_weights != op.HasInput(static_cast<size_t>(backward_weights)) ||
        (has_weights && !has_aux)) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_MISSING_OPERAND, HEDDLE_NO_OPERAND,
                     "the auxiliary input wants weights of both directions");
    }
    if (has_aux) HEDDLE_OP_RETURN_IF_ERROR(CheckAuxInput(op, kAux));
    const LstmOperands& backward = has_aux && !has_weights ? kStackedBackward : kBackward;
    const int64_t batches = plan.sequence.batches;
    HEDDLE_OP_RETURN_IF_ERROR(PrepareLstm(op, kForward, node.lstm, batches, &plan.forward));
    return PrepareLstm(op, backward, node.lstm, batches, &plan.backward);
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    const int64_t forward = plan.forward.form.sizes.outputs;
    const int64_t backward = plan.backward.form.sizes.outputs;
    const bool merge = node.merge_outputs;
    auto* output = op.OutputData<float>(0);
    const auto* aux = plan.forward.form.sizes.aux_inputs > 0 ? op.InputData<float>(kAux) : nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(RunLstm(op, plan.forward, node.lstm, plan.sequence, aux,
                                      {output, forward + (merge ? backward : 0), 0}));
    Sequence sequence = plan.sequence;
    sequence.backward = true;
    const LstmTarget target = merge ? LstmTarget{output, forward + backward, forward}
                                    : LstmTarget{op.OutputData<float>(1), backward, 0};
    return RunLstm(op, plan.backward, node.lstm, sequence, aux, target);
  }
};

}  // namespace

HEDDLE_OP(BIDIRECTIONAL_SEQUENCE_LSTM, 1, 3, BidirectionalSequenceLstm);

}  // namespace heddle::kernels
