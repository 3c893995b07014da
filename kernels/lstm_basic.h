// SPDX-License-Identifier: Apache-2.0
// The BASIC kernel of LSTM: input [batch, inputs], last output [batch, cells], weights
// [4 cells, inputs + cells], bias [4 cells], last state [batch, cells]; gives output, state, the
// input with the last output behind it, and the sums of the gates. float32; uint8 with int16 state.
#pragma once

#include "kernels/op_kernel.h"
#include "kernels/ref/fixed_point.h"

namespace heddle::kernels {

struct BasicLstmPlan {
  int64_t batches = 0;
  int64_t inputs = 0;
  int64_t cells = 0;
  int32_t weights_zero_point = 0;
  ref::Multiplier scale;
};

heddle_status InferBasicLstm(const OpContext& op);
heddle_status PrepareBasicLstm(const OpContext& op, BasicLstmPlan* plan);
heddle_status RunBasicLstm(const OpContext& op, const BasicLstmPlan& plan);

}  // namespace heddle::kernels
