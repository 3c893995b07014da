// SPDX-License-Identifier: Apache-2.0
// One step of one batch of an LSTM on int8 data, with int8 weights, gates of 16 bits (3 integer
// bits before their activation, none after), and int16 cells whose scale is a power of two.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ref/fixed_point16.h"
#include "kernels/ref/lstm.h"

namespace heddle::kernels::ref {

struct LstmIntegerGate {
  const int8_t* input = nullptr;
  const int8_t* recurrent = nullptr;
  const int32_t* input_bias = nullptr;  // what zero points add, and the bias if there is no norm
  const int32_t* recurrent_bias = nullptr;
  const int16_t* peephole = nullptr;  // null: none
  const int16_t* norm = nullptr;      // null: none
  const int32_t* norm_bias = nullptr;
  Multiplier input_scale;
  Multiplier recurrent_scale;
  Multiplier peephole_scale;
  Multiplier norm_scale;
  int32_t least_variance = 1;
};

struct LstmIntegerCell {
  LstmSizes sizes;
  bool has_input_gate = true;
  LstmIntegerGate gates[kLstmGates];
  int cell_integer_bits = 0;
  int16_t cell_clip = 0;  // 0: none
  Multiplier hidden_scale;
  int32_t hidden_zero_point = 0;
  const int8_t* projection = nullptr;  // null: none
  const int32_t* projection_bias = nullptr;
  Multiplier projection_scale;
  int8_t projection_clip = 0;
  int32_t output_zero_point = 0;
};

struct LstmIntegerScratch {
  int16_t* gates;  // [gates, cells]
  int8_t* hidden;  // [cells]
};

// 1 / sqrt(x) for x > 0.
inline Multiplier InverseSquareRoot(int32_t x) {
  if (x <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  int shift = 11;
  for (; x >= 1 << 29; x /= 4) ++shift;
  const int pairs = (__builtin_clz(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  shift -= pairs;
  x <<= 2 * pairs;  // now in [2^27, 2^29)
  // Newton's method with 3 integer bits.
  const int32_t half = RoundingDivideByPowerOfTwo(x >> 1, 1);
  constexpr int32_t kOneAndHalf = (1 << 28) + (1 << 27);
  int32_t y = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    const int32_t cube =
        SaturatingShiftLeft(RoundingDoublingHighMul(RoundingDoublingHighMul(y, y), y), 6);
    const int32_t next =
        WrappingAdd(RoundingDoublingHighMul(kOneAndHalf, y), -RoundingDoublingHighMul(half, cube));
    y = SaturatingShiftLeft(next, 3);
  }
  constexpr int32_t kHalfSquareRootOfTwo = 1518500250;
  y = RoundingDoublingHighMul(y, kHalfSquareRootOfTwo);
  if (shift < 0) {
    y = WrappingShiftLeft(y, -shift);
    shift = 0;
  }
  return {y, -shift};
}

// To mean 0 and deviation 1, in steps of 2^-10, then by the norm's weights.
inline void NormalizeGate(const LstmIntegerGate& gate, int64_t n, int16_t* values) {
  if (n == 0) return;
  int64_t sum = 0;
  int64_t squares = 0;
  for (int64_t i = 0; i < n; ++i) {
    sum += values[i];
    squares += int32_t{values[i]} * values[i];
  }
  const auto mean = static_cast<int32_t>(sum * 1024 / n);
  const int64_t scaled = squares * ((1 << 20) / n) - int64_t{mean} * mean;
  auto variance = static_cast<int32_t>(scaled / (1 << 20));
  if (variance < 1) variance = gate.least_variance;
  const Multiplier factor = InverseSquareRoot(variance);
  for (int64_t i = 0; i < n; ++i) {
    const int32_t normal = Rescale(1024 * values[i] - mean, factor);
    const int64_t weighted =
        WrappingAdd(WrappingMul(normal, int32_t{gate.norm[i]}), gate.norm_bias[i]);
    const auto rounded =
        static_cast<int32_t>((weighted > 0 ? weighted + 512 : weighted - 512) / 1024);
    values[i] = SaturateTo16(Rescale(rounded, gate.norm_scale));
  }
}

inline int32_t LstmDot(const int8_t* weights, const int8_t* data, int64_t n, int32_t bias) {
  return WrappingAdd(DotInt8(weights, data, n), bias);
}

// a + b with both in 32 bits, as 16 bits.
inline int16_t SaturatingSum16(int32_t a, int32_t b) {
  return static_cast<int16_t>(std::clamp<int64_t>(int64_t{a} + b, -32768, 32767));
}

inline void LstmGateSums(const LstmSizes& sizes, const LstmIntegerGate& gate, const int8_t* input,
                         const int8_t* last_output, const int16_t* cells, int16_t* result) {
  for (int64_t c = 0; c < sizes.cells; ++c) {
    int16_t sum = SaturatingSum16(
        Rescale(LstmDot(gate.input + c * sizes.inputs, input, sizes.inputs, gate.input_bias[c]),
                gate.input_scale),
        0);
    sum = SaturatingSum16(Rescale(LstmDot(gate.recurrent + c * sizes.outputs, last_output,
                                          sizes.outputs, gate.recurrent_bias[c]),
                                  gate.recurrent_scale),
                          sum);
    if (gate.peephole != nullptr) {
      sum =
          SaturatingSum16(Rescale(int32_t{gate.peephole[c]} * cells[c], gate.peephole_scale), sum);
    }
    result[c] = sum;
  }
  if (gate.norm != nullptr) NormalizeGate(gate, sizes.cells, result);
}

inline void LstmStep(const LstmIntegerCell& cell, const int8_t* input, int16_t* cells,
                     int8_t* last_output, const LstmIntegerScratch& scratch, int8_t* output) {
  const LstmSizes& sizes = cell.sizes;
  int16_t* values[kLstmGates];
  for (int g = 0; g < kLstmGates; ++g) values[g] = scratch.gates + g * sizes.cells;
  const auto compute = [&](LstmGateIndex g) {
    LstmGateSums(sizes, cell.gates[g], input, last_output, cells, values[g]);
    for (int64_t c = 0; c < sizes.cells; ++c) {
      values[g][c] = g == kCellGate ? FixedTanh16(values[g][c], 3) : FixedSigmoid16(values[g][c]);
    }
  };
  if (cell.has_input_gate) compute(kInputGate);
  compute(kForgetGate);
  compute(kCellGate);
  const int product_shift = 15 + cell.cell_integer_bits;
  for (int64_t c = 0; c < sizes.cells; ++c) {
    const int16_t forget = values[kForgetGate][c];
    const int32_t take = cell.has_input_gate ? values[kInputGate][c] : 32767 - forget;
    const int32_t kept = RoundingDivideByPowerOfTwo(forget * cells[c], 15);
    const int32_t taken = RoundingDivideByPowerOfTwo(take * values[kCellGate][c], product_shift);
    int32_t sum = SaturateTo16(kept + taken);
    if (cell.cell_clip > 0) sum = std::clamp<int32_t>(sum, -cell.cell_clip, cell.cell_clip);
    cells[c] = static_cast<int16_t>(sum);
  }
  compute(kOutputGate);
  const bool projects = cell.projection != nullptr;
  int8_t* hidden = projects ? scratch.hidden : last_output;
  for (int64_t c = 0; c < sizes.cells; ++c) {
    const int32_t product = values[kOutputGate][c] * FixedTanh16(cells[c], cell.cell_integer_bits);
    // The projection's bias adds the zero point back.
    hidden[c] = OffsetAndClamp<int8_t>(Rescale(product, cell.hidden_scale),
                                       projects ? -cell.hidden_zero_point : cell.hidden_zero_point,
                                       -128, 127);
  }
  for (int64_t i = 0; i < sizes.outputs && projects; ++i) {
    const int32_t sum =
        LstmDot(cell.projection + i * sizes.cells, hidden, sizes.cells, cell.projection_bias[i]);
    const bool clips = cell.projection_clip > 0;
    const auto value = OffsetAndClamp<int8_t>(Rescale(sum, cell.projection_scale),
                                              cell.output_zero_point, -128, 127);
    last_output[i] = clips ? std::clamp<int8_t>(value, static_cast<int8_t>(-cell.projection_clip),
                                                cell.projection_clip)
                           : value;
  }
  std::copy_n(last_output, sizes.outputs, output);
}

}  // namespace heddle::kernels::ref
