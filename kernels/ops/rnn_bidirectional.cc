// SPDX-License-Identifier: Apache-2.0
// BIDIRECTIONAL_SEQUENCE_RNN. float32, or float32 by int8 weights.
#include "kernels/rnn.h"

namespace heddle::kernels {
namespace {

constexpr int32_t kAux = 9;
constexpr RnnOperands kForward = {0, 1, 2, 3, 4, kAux, 10};
constexpr RnnOperands kBackward = {0, 5, 6, 7, 8, kAux, 11};
constexpr RnnOperands kStackedBackward = {kAux, 5, 6, 7, 8, -1, -1};

struct BidirectionalSequenceRnn {
  static constexpr uint32_t kFlags = HEDDLE_OP_STATEFUL;

  struct Node {
    RnnAttributes rnn;
    bool time_major = false;
    bool merge_outputs = false;
  };
  struct Plan {
    Sequence sequence;
    RnnPlan forward;
    RnnPlan backward;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(
        HEDDLE_ATTR_BIDIRECTIONAL_SEQUENCE_RNN_FUSED_ACTIVATION_FUNCTION, &node.rnn.activation));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(
        HEDDLE_ATTR_BIDIRECTIONAL_SEQUENCE_RNN_ASYMMETRIC_QUANTIZE_INPUTS, &node.rnn.asymmetric));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_BIDIRECTIONAL_SEQUENCE_RNN_TIME_MAJOR, &node.time_major));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_BIDIRECTIONAL_SEQUENCE_RNN_MERGE_OUTPUTS, &node.merge_outputs));
    return CheckRecurrentActivation(op, node.rnn.activation);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(9, 12, node.merge_outputs ? 1 : 2));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(kForward.weights, 2, 2));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(kBackward.weights, 2, 2));
    return InferBidirectional(op, node.merge_outputs, op.input_dims(kForward.weights)[0],
                              op.input_dims(kBackward.weights)[0]);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    plan.sequence = MakeSequence(op.input_dims(0), node.time_major);
    const bool has_weights = op.HasInput(kForward.aux_weights);
    if (has_weights != op.HasInput(kBackward.aux_weights) || (has_weights && !op.HasInput(kAux))) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_MISSING_OPERAND, HEDDLE_NO_OPERAND,
                     "the auxiliary input wants weights of both directions");
    }
    if (op.HasInput(kAux)) HEDDLE_OP_RETURN_IF_ERROR(CheckAuxInput(op, kAux));
    const RnnOperands& backward = op.HasInput(kAux) && !has_weights ? kStackedBackward : kBackward;
    const int64_t batches = plan.sequence.batches;
    HEDDLE_OP_RETURN_IF_ERROR(PrepareRnn(op, kForward, node.rnn, batches, &plan.forward));
    return PrepareRnn(op, backward, node.rnn, batches, &plan.backward);
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    const int64_t forward_units = plan.forward.units;
    const int64_t backward_units = plan.backward.units;
    const bool merge = node.merge_outputs;
    auto* output = op.OutputData<float>(0);
    HEDDLE_OP_RETURN_IF_ERROR(RunRnn(op, plan.forward, node.rnn, plan.sequence, output,
                                     forward_units + (merge ? backward_units : 0)));
    Sequence sequence = plan.sequence;
    sequence.backward = true;
    return merge ? RunRnn(op, plan.backward, node.rnn, sequence, output + forward_units,
                          forward_units + backward_units)
                 : RunRnn(op, plan.backward, node.rnn, sequence, op.OutputData<float>(1),
                          backward_units);
  }
};

}  // namespace

HEDDLE_OP(BIDIRECTIONAL_SEQUENCE_RNN, 1, 3, BidirectionalSequenceRnn);

}  // namespace heddle::kernels
