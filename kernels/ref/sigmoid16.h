// SPDX-License-Identifier: Apache-2.0
// Sigmoid and tanh of 16-bit fixed-point numbers, by one table of the sigmoid.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/ref/fixed_point.h"

namespace heddle::kernels::ref {

// Entry i stands for x = i / 24, with 16 fraction bits. Each sample is raised by half of the error
// that linear interpolation makes in the middle of a step.
struct SigmoidTable {
  uint32_t value[256];
};

inline void FillSigmoidTable(SigmoidTable* table) {
  constexpr double kStep = 1.0 / 24;
  for (int i = 0; i < 256; ++i) {
    const double y = 1 / (1 + std::exp(-i * kStep));
    const double second_derivative = y * (1 - y) * (1 - 2 * y);
    const double sample = y - second_derivative * kStep * kStep / 16;
    table->value[i] = static_cast<uint32_t>(std::min(std::round(sample * 65536), 65535.0));
  }
  table->value[255] = 65535;
}

// Brings an input to steps of 1 / (3 * 4096): x * value >> shift, rounded.
struct SigmoidScale {
  int32_t value = 0;
  int32_t shift = 0;

  int32_t Of(int16_t x) const {
    const int64_t half = shift > 0 ? int64_t{1} << (shift - 1) : 0;
    return static_cast<int32_t>((int64_t{x} * value + half) >> shift);
  }
};

// `max_exact_shift`: scales of 2^-12 up to 2^(that - 12) need no rounding. False if the scale is
// too small or too large.
inline bool MakeSigmoidScale(float scale, int max_exact_shift, SigmoidScale* result) {
  const double log2 = std::log2(static_cast<double>(scale));
  const double whole = std::round(log2);
  const int exact_shift = static_cast<int>(whole) + 12;
  if (std::abs(log2 - whole) < 1e-3 && exact_shift >= 0 && exact_shift <= max_exact_shift) {
    *result = {3 << exact_shift, 0};
    return true;
  }
  double multiplier = static_cast<double>(scale) * 4096 * 3;
  int shift = 0;
  for (; multiplier <= 32767.0 / 2 && shift <= 30; ++shift) multiplier *= 2;
  if (!(multiplier < 65536) || shift > 31) return false;
  *result = {static_cast<int32_t>(multiplier), shift};
  return true;
}

// The table's value at |x|, with `bits` bits of fraction between entries kept.
inline int32_t InterpolateSigmoid(const SigmoidTable& table, int32_t x, int bits) {
  const auto magnitude = static_cast<uint32_t>(x < 0 ? -static_cast<int64_t>(x) : x);
  const uint32_t index = magnitude >> bits;
  if (index >= 255) return -1;  // saturated
  const uint32_t fraction = magnitude & ((1u << bits) - 1);
  const uint32_t low = table.value[index];
  return static_cast<int32_t>((low << bits) + fraction * (table.value[index + 1] - low));
}

inline int16_t Sigmoid16(const SigmoidTable& table, const SigmoidScale& scale, int16_t input) {
  const int32_t x = scale.Of(input);
  int32_t y = InterpolateSigmoid(table, x, 9);  // 25 fraction bits
  if (y < 0) y = 0x7fff << 10;
  y = x >= 0 ? y + (1 << 9) : (1 << 25) - y + (1 << 9) - 1;
  return static_cast<int16_t>(y >> 10);
}

// tanh(x) = 2 sigmoid(2x) - 1.
inline int16_t Tanh16(const SigmoidTable& table, const SigmoidScale& scale, int16_t input) {
  const int32_t x = scale.Of(input);
  int32_t y = InterpolateSigmoid(table, x, 8);  // 24 fraction bits
  if (y < 0) y = 0xffff << 8;
  y = x >= 0 ? y - (1 << 23) + (1 << 7) : -y + (1 << 23) + (1 << 7) - 1;
  return static_cast<int16_t>(y >> 8);
}

}  // namespace heddle::kernels::ref
