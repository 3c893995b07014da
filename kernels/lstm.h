// SPDX-License-Identifier: Apache-2.0
// LSTM cells as nodes have them: which input is what, checked in prepare and run step by step.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/op_kernel.h"
#include "kernels/recurrent.h"
#include "kernels/ref/lstm.h"
#include "kernels/ref/lstm_integer.h"
#include "kernels/sequence.h"

namespace heddle::kernels {

// Positions of a node's inputs; -1: the op has no such input.
struct LstmGateOperands {
  int32_t input;
  int32_t aux;
  int32_t recurrent;
  int32_t peephole;
  int32_t bias;
  int32_t norm;
};
struct LstmOperands {
  int32_t input;
  int32_t aux;
  LstmGateOperands gates[ref::kLstmGates];
  int32_t projection;
  int32_t projection_bias;
  int32_t output_state;
  int32_t cell_state;
};

// Of LSTM and UNIDIRECTIONAL_SEQUENCE_LSTM: 24 inputs, or 20 without norms.
inline constexpr LstmOperands kFullLstm = {
    0,
    -1,
    {{1, -1, 5, 9, 12, 20}, {2, -1, 6, 10, 13, 21}, {3, -1, 7, -1, 14, 22}, {4, -1, 8, 11, 15, 23}},
    16,
    17,
    18,
    19};

struct LstmAttributes {
  int32_t activation = 0;
  float cell_clip = 0;
  float projection_clip = 0;
  bool asymmetric = false;
};
// For init.
heddle_status CheckLstmAttributes(const OpContext& op, const LstmAttributes& attributes);

// Which optional parts a cell has, and its sizes.
struct LstmForm {
  ref::LstmSizes sizes;
  bool has_input_gate = true;
  bool has_peephole = false;
  bool has_norm = false;
  bool has_projection = false;
  bool is_diagonal = false;
};

// Cells on float data.
struct LstmPlan {
  struct Gate {
    WeightsPlan input;
    WeightsPlan aux;
    WeightsPlan recurrent;
    WeightsPlan peephole;
  };
  const LstmOperands* operands = nullptr;
  LstmForm form;
  Gate gates[ref::kLstmGates];
  WeightsPlan projection;
  bool is_hybrid = false;
  int32_t real_scratch = -1;  // for each batch
  int32_t int8_scratch = -1;
};

// Cells on int8 data.
struct LstmIntegerPlan {
  const LstmOperands* operands = nullptr;
  LstmForm form;
  ref::LstmIntegerCell cell;                        // without pointers into inputs
  std::vector<int32_t> biases[ref::kLstmGates][2];  // of input and recurrent sums
  std::vector<int32_t> projection_bias;
  int32_t gate_scratch = -1;  // for each batch
  int32_t hidden_scratch = -1;
};

// For infer: the number of outputs a step, from the weights of the output gate.
heddle_status GetLstmOutputs(const OpContext& op, const LstmOperands& operands, int32_t* outputs);

// Checks all operands for `batches`; prepares and requests scratch.
heddle_status PrepareLstm(const OpContext& op, const LstmOperands& operands,
                          const LstmAttributes& attributes, int64_t batches, LstmPlan* plan);
heddle_status PrepareIntegerLstm(const OpContext& op, const LstmOperands& operands,
                                 const LstmAttributes& attributes, int64_t batches,
                                 LstmIntegerPlan* plan);
// Shapes and presence, which both have alike. `data`: of the input.
heddle_status CheckLstm(const OpContext& op, const LstmOperands& operands, int64_t batches,
                        LstmForm* form);

// A row of output has `stride` values, those of this cell begin at `offset`.
struct LstmTarget {
  float* data;
  int64_t stride;
  int64_t offset;
};
heddle_status RunLstm(const OpContext& op, const LstmPlan& plan, const LstmAttributes& attributes,
                      const Sequence& sequence, const float* aux, const LstmTarget& target);
heddle_status RunIntegerLstm(const OpContext& op, const LstmIntegerPlan& plan,
                             const Sequence& sequence);

}  // namespace heddle::kernels
