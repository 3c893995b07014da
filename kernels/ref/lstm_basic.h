// SPDX-License-Identifier: Apache-2.0
// The first LSTM that the file format had: one matrix for all gates, which multiplies the input
// and the last output behind it. Gates in this order: input, cell, forget, output.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/ref/fixed_point16.h"
#include "kernels/ref/recurrent.h"

namespace heddle::kernels::ref {

// One cell of a batch from the sums of its gates: its new state and output.
inline void BasicLstmCell(const float* sums, int64_t cells, int64_t c, float last_state,
                          float* state, float* output) {
  const float take = Sigmoid(sums[c]);
  const float value = std::tanh(sums[cells + c]);
  const float keep = Sigmoid(sums[2 * cells + c]);
  *state = take * value + keep * last_state;
  *output = Sigmoid(sums[3 * cells + c]) * std::tanh(*state);
}

// Sums with 3 integer bits, a state with 4, an output of 8 bits around 128.
inline void BasicLstmCell(const int16_t* sums, int64_t cells, int64_t c, int16_t last_state,
                          int16_t* state, uint8_t* output) {
  constexpr int kStateBits = 4;
  const int16_t take = FixedSigmoid16(sums[c]);
  const int16_t value = FixedTanh16(sums[cells + c], 3);
  const int16_t keep = FixedSigmoid16(sums[2 * cells + c]);
  const int32_t taken =
      RoundingDivideByPowerOfTwo(RoundingDoublingHighMul16(take, value), kStateBits);
  *state = SaturateTo16(taken + RoundingDoublingHighMul16(keep, last_state));
  const int16_t result = RoundingDoublingHighMul16(FixedSigmoid16(sums[3 * cells + c]),
                                                   FixedTanh16(*state, kStateBits));
  *output = static_cast<uint8_t>(
      128 + std::clamp<int32_t>(RoundingDivideByPowerOfTwo(result, 8), -128, 127));
}

inline float BasicLstmSum(const float* weights, const float* data, int64_t n, float bias) {
  return DotFloat(weights, data, n) + bias;
}

inline int16_t BasicLstmSum(const uint8_t* weights, int32_t weights_zero_point, const uint8_t* data,
                            int64_t n, int32_t bias, Multiplier scale) {
  int32_t sum = bias;
  for (int64_t i = 0; i < n; ++i) {
    sum = WrappingAdd(sum, (int32_t{data[i]} - 128) * (int32_t{weights[i]} - weights_zero_point));
  }
  return SaturateTo16(Rescale(sum, scale));
}

}  // namespace heddle::kernels::ref
