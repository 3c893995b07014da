// SPDX-License-Identifier: Apache-2.0
// One step of one batch of a plain recurrent layer.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ref/recurrent.h"

namespace heddle::kernels::ref {

struct RnnCell {
  int64_t inputs = 0;
  int64_t aux_inputs = 0;
  int64_t units = 0;
  Weights input;
  Weights aux;  // used if there are auxiliary inputs
  Weights recurrent;
  const float* bias = nullptr;
  int32_t activation = 0;
  bool is_hybrid = false;
  bool asymmetric = false;
};

// `quantized`: memory for inputs, auxiliary inputs and units; used by hybrid cells. Reads and
// writes `state`.
inline void RnnStep(const RnnCell& cell, const float* input, const float* aux, float* state,
                    int8_t* quantized, float* output) {
  const auto row = [&](const float* data, int64_t n) {
    const DataRow result = MakeRow(cell.is_hybrid, cell.asymmetric, data, n, quantized);
    if (cell.is_hybrid) quantized += n;
    return result;
  };
  const DataRow input_row = row(input, cell.inputs);
  const DataRow aux_row = row(aux, cell.aux_inputs);
  const DataRow state_row = row(state, cell.units);
  for (int64_t u = 0; u < cell.units; ++u) {
    float sum = cell.bias[u];
    sum += Product(cell.input, u, cell.inputs, input_row);
    if (cell.aux_inputs > 0) sum += Product(cell.aux, u, cell.aux_inputs, aux_row);
    sum += Product(cell.recurrent, u, cell.units, state_row);
    output[u] = Activate(cell.activation, sum);
  }
  std::copy_n(output, cell.units, state);
}

}  // namespace heddle::kernels::ref
