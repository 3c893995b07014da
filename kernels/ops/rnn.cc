// SPDX-License-Identifier: Apache-2.0
// RNN: input [batch, inputs]. UNIDIRECTIONAL_SEQUENCE_RNN: [batch, time, inputs] or
// [time, batch, inputs].
#include "kernels/rnn.h"

namespace heddle::kernels {
namespace {

constexpr RnnOperands kOperands = {0, 1, 2, 3, 4, -1, -1};

template <bool kIsSequence>
struct Rnn {
  static constexpr uint32_t kFlags = HEDDLE_OP_STATEFUL;

  struct Node {
    RnnAttributes rnn;
    bool time_major = false;
  };
  struct Plan {
    Sequence sequence;
    RnnPlan rnn;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(kIsSequence
                                         ? HEDDLE_ATTR_SEQUENCE_RNN_FUSED_ACTIVATION_FUNCTION
                                         : HEDDLE_ATTR_RNN_FUSED_ACTIVATION_FUNCTION,
                                     &node.rnn.activation));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(kIsSequence
                                         ? HEDDLE_ATTR_SEQUENCE_RNN_ASYMMETRIC_QUANTIZE_INPUTS
                                         : HEDDLE_ATTR_RNN_ASYMMETRIC_QUANTIZE_INPUTS,
                                     &node.rnn.asymmetric));
    if constexpr (kIsSequence) {
      HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_SEQUENCE_RNN_TIME_MAJOR, &node.time_major));
    }
    return CheckRecurrentActivation(op, node.rnn.activation);
  }

  static heddle_status Infer(OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(5, 5, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, kIsSequence ? 3 : 2, kIsSequence ? 3 : 2));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 2, 2));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    std::vector<int32_t> dims(op.input_dims(0).begin(), op.input_dims(0).end());
    dims.back() = op.input_dims(1)[0];
    return op.SetOutput(0, op.input(0).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    plan.sequence = MakeSequence(op.input_dims(0), node.time_major);
    return PrepareRnn(op, kOperands, node.rnn, plan.sequence.batches, &plan.rnn);
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    return RunRnn(op, plan.rnn, node.rnn, plan.sequence, op.OutputData<float>(0), plan.rnn.units);
  }
};

}  // namespace

HEDDLE_OP(RNN, 1, 3, Rnn<false>);
HEDDLE_OP(UNIDIRECTIONAL_SEQUENCE_RNN, 1, 3, Rnn<true>);

}  // namespace heddle::kernels
