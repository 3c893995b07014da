// SPDX-License-Identifier: Apache-2.0
// One step of one batch of an LSTM on float data. Weights may be int8.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/ref/recurrent.h"

namespace heddle::kernels::ref {

enum LstmGateIndex : int { kInputGate, kForgetGate, kCellGate, kOutputGate, kLstmGates };

struct LstmSizes {
  int64_t inputs = 0;
  int64_t aux_inputs = 0;
  int64_t cells = 0;
  int64_t outputs = 0;
};

// gate = activation(norm(input + auxiliary input + last output + own cell) + bias)
struct LstmGate {
  Weights input;
  Weights aux;        // used if there are auxiliary inputs
  Weights recurrent;  // [cells, outputs], or the diagonal of it
  bool is_diagonal = false;
  bool has_peephole = false;
  Weights peephole;  // [cells]
  const float* norm = nullptr;
  const float* bias = nullptr;
};

struct LstmCell {
  LstmSizes sizes;
  bool has_input_gate = true;  // else it is 1 - the forget gate
  LstmGate gates[kLstmGates];
  bool has_projection = false;
  Weights projection;  // [outputs, cells]
  const float* projection_bias = nullptr;
  int32_t activation = 0;
  float cell_clip = 0;  // 0: none
  float projection_clip = 0;
  bool is_hybrid = false;
  bool asymmetric = false;
};

// What a step works in. Int8 parts are used by hybrid cells alone.
struct LstmScratch {
  float* gates;  // [gates, cells]
  int8_t* input;
  int8_t* aux;
  int8_t* output;
  int8_t* hidden;
};

// To mean 0 and deviation 1.
inline void Normalize(float* values, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += values[i];
  const float mean = sum / static_cast<float>(n);
  float squares = 0;
  for (int64_t i = 0; i < n; ++i) squares += (values[i] - mean) * (values[i] - mean);
  const float factor = 1 / std::sqrt(squares / static_cast<float>(n) + 1e-8f);
  for (int64_t i = 0; i < n; ++i) values[i] = (values[i] - mean) * factor;
}

inline float Clip(float value, float limit) {
  return limit > 0 ? std::min(std::max(value, -limit), limit) : value;
}

inline void LstmGateSums(const LstmSizes& sizes, const LstmGate& gate, const DataRow& input,
                         const DataRow& aux, const DataRow& last_output, const float* cells,
                         float* result) {
  for (int64_t c = 0; c < sizes.cells; ++c) {
    float sum = gate.norm != nullptr ? 0 : gate.bias[c];
    sum += Product(gate.input, c, sizes.inputs, input);
    if (sizes.aux_inputs > 0) sum += Product(gate.aux, c, sizes.aux_inputs, aux);
    sum += gate.is_diagonal ? WeightAt(gate.recurrent, c) * last_output.real[c]
                            : Product(gate.recurrent, c, sizes.outputs, last_output);
    if (gate.has_peephole) sum += WeightAt(gate.peephole, c) * cells[c];
    result[c] = sum;
  }
  if (gate.norm == nullptr || sizes.cells == 0) return;
  Normalize(result, sizes.cells);
  for (int64_t c = 0; c < sizes.cells; ++c) result[c] = result[c] * gate.norm[c] + gate.bias[c];
}

// Reads and writes `cells` and `last_output`, the state.
inline void LstmStep(const LstmCell& cell, const float* input, const float* aux, float* cells,
                     float* last_output, const LstmScratch& scratch, float* output) {
  const LstmSizes& sizes = cell.sizes;
  const DataRow input_row =
      MakeRow(cell.is_hybrid, cell.asymmetric, input, sizes.inputs, scratch.input);
  const DataRow aux_row =
      MakeRow(cell.is_hybrid, cell.asymmetric, aux, sizes.aux_inputs, scratch.aux);
  const DataRow output_row =
      MakeRow(cell.is_hybrid, cell.asymmetric, last_output, sizes.outputs, scratch.output);
  float* values[kLstmGates];
  for (int g = 0; g < kLstmGates; ++g) values[g] = scratch.gates + g * sizes.cells;
  const auto compute = [&](LstmGateIndex g) {
    LstmGateSums(sizes, cell.gates[g], input_row, aux_row, output_row, cells, values[g]);
    for (int64_t c = 0; c < sizes.cells; ++c) {
      values[g][c] =
          g == kCellGate ? Activate(cell.activation, values[g][c]) : Sigmoid(values[g][c]);
    }
  };
  if (cell.has_input_gate) compute(kInputGate);
  compute(kForgetGate);
  compute(kCellGate);
  for (int64_t c = 0; c < sizes.cells; ++c) {
    const float forget = values[kForgetGate][c];
    const float take = cell.has_input_gate ? values[kInputGate][c] : 1 - forget;
    cells[c] = Clip(forget * cells[c] + values[kCellGate][c] * take, cell.cell_clip);
  }
  compute(kOutputGate);  // after the cells: its peephole sees the new ones
  float* hidden = cell.has_projection ? values[kCellGate] : last_output;
  for (int64_t c = 0; c < sizes.cells; ++c) {
    hidden[c] = values[kOutputGate][c] * Activate(cell.activation, cells[c]);
  }
  if (cell.has_projection) {
    const DataRow hidden_row =
        MakeRow(cell.is_hybrid, cell.asymmetric, hidden, sizes.cells, scratch.hidden);
    for (int64_t i = 0; i < sizes.outputs; ++i) {
      const float bias = cell.projection_bias != nullptr ? cell.projection_bias[i] : 0;
      last_output[i] =
          Clip(bias + Product(cell.projection, i, sizes.cells, hidden_row), cell.projection_clip);
    }
  }
  std::copy_n(last_output, sizes.outputs, output);
}

}  // namespace heddle::kernels::ref
