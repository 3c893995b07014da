// SPDX-License-Identifier: Apache-2.0
// Plain recurrent layers as nodes have them. float32, or float32 by int8 weights.
#pragma once

#include <cstdint>

#include "kernels/op_kernel.h"
#include "kernels/recurrent.h"
#include "kernels/sequence.h"

namespace heddle::kernels {

// Positions of a node's inputs; -1: the op has no such input.
struct RnnOperands {
  int32_t input;
  int32_t weights;    // [units, inputs]
  int32_t recurrent;  // [units, units]
  int32_t bias;       // [units]
  int32_t state;      // [batch, units]
  int32_t aux;
  int32_t aux_weights;  // absent: the auxiliary input is not used
};

struct RnnPlan {
  const RnnOperands* operands = nullptr;
  int64_t inputs = 0;
  int64_t aux_inputs = 0;
  int64_t units = 0;
  WeightsPlan weights;
  WeightsPlan aux;
  WeightsPlan recurrent;
  int32_t scratch = -1;  // hybrid: int8, for each batch
};

struct RnnAttributes {
  int32_t activation = 0;
  bool asymmetric = false;
};

heddle_status PrepareRnn(const OpContext& op, const RnnOperands& operands,
                         const RnnAttributes& attributes, int64_t batches, RnnPlan* plan);
// A row of output has `stride` values; this layer's begin at output[0].
heddle_status RunRnn(const OpContext& op, const RnnPlan& plan, const RnnAttributes& attributes,
                     const Sequence& sequence, float* output, int64_t stride);

}  // namespace heddle::kernels
