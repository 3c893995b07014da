// SPDX-License-Identifier: Apache-2.0
// exp(beta x) / sum of exp(beta x), over rows of `depth` elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/ref/fixed_point.h"
#include "kernels/ref/lookup.h"

namespace heddle::kernels::ref {

template <typename T>
void Softmax(float beta, const T* input, T* output, int64_t depth) {
  float max = std::numeric_limits<float>::lowest();
  for (int64_t i = 0; i < depth; ++i) max = std::max(max, static_cast<float>(input[i]));
  float sum = 0;
  for (int64_t i = 0; i < depth; ++i) {
    const float value = std::exp((input[i] - max) * beta);
    output[i] = T(value);
    sum += value;
  }
  for (int64_t i = 0; i < depth; ++i) output[i] = T(output[i] / sum);
}

// 8-bit softmax: differences to the row's maximum, in 5 integer and 26 fraction bits.
struct SoftmaxParams8 {
  Multiplier multiplier;     // of a difference: beta * scale * 2^26, at least 1
  int32_t least_difference;  // smaller ones count as exp = 0
};
constexpr int kSoftmaxDifferenceBits = 5;

inline SoftmaxParams8 MakeSoftmaxParams8(double beta_times_scale) {
  const double real = std::min(beta_times_scale * (1 << (31 - kSoftmaxDifferenceBits)),
                               static_cast<double>((int64_t{1} << 31) - 1));
  SoftmaxParams8 params;
  params.multiplier = QuantizeMultiplier(real);
  const double range = ((1 << kSoftmaxDifferenceBits) - 1) *
                       static_cast<double>(int64_t{1} << (31 - kSoftmaxDifferenceBits)) /
                       static_cast<double>(int64_t{1} << params.multiplier.shift);
  params.least_difference = -static_cast<int32_t>(std::floor(range));
  return params;
}

// Of 8-bit numbers; the results have 8 or 16 bits, the least for 0.
template <typename T, typename Out>
void Softmax(const SoftmaxParams8& params, const T* input, Out* output, int64_t depth) {
  constexpr int kSumBits = 12;
  constexpr int32_t kMin = std::numeric_limits<Out>::min();
  constexpr int32_t kMax = std::numeric_limits<Out>::max();
  if (depth == 0) return;
  const int32_t max = *std::max_element(input, input + depth);
  const auto exp = [&](int32_t difference) {
    const int32_t scaled = RoundingDoublingHighMul(
        WrappingShiftLeft(difference, params.multiplier.shift), params.multiplier.value);
    return ExpBelowZero(scaled);
  };

  int32_t sum = 0;
  for (int64_t i = 0; i < depth; ++i) {
    const int32_t difference = input[i] - max;
    if (difference < params.least_difference) continue;
    sum = WrappingAdd(sum, RoundingDivideByPowerOfTwo(exp(difference), kSumBits));
  }
  int bits_over_unit = 0;
  const int32_t scale = Reciprocal(sum, kSumBits, &bits_over_unit);
  constexpr int kOutBits = 8 * sizeof(Out);
  const int exponent = std::clamp(bits_over_unit + 31 - kOutBits, 0, 31);
  for (int64_t i = 0; i < depth; ++i) {
    const int32_t difference = input[i] - max;
    if (difference < params.least_difference) {
      output[i] = static_cast<Out>(kMin);
      continue;
    }
    const int32_t value =
        RoundingDivideByPowerOfTwo(RoundingDoublingHighMul(scale, exp(difference)), exponent);
    output[i] = static_cast<Out>(std::clamp(value + kMin, kMin, kMax));
  }
}

// int16 softmax: exp over [-10, 0] and 1 / (1 + x) over [0, 1] by tables.
struct SoftmaxTables16 {
  int16_t exp[kTable16Size];
  int16_t one_over_one_plus[kTable16Size];
};

inline void FillSoftmaxTables16(SoftmaxTables16* tables) {
  FillTable16(10.0 / 65535, 32767, 2.0 / 65535, [](double x) { return std::exp(x); }, tables->exp);
  FillTable16(
      1.0 / 65535, -32768, 2.0 / 65535, [](double x) { return 1.0 / (1.0 + x); },
      tables->one_over_one_plus);
}

// `multiplier`: of a difference to the row's maximum, so that -65535 means -10.
inline void Softmax(Multiplier multiplier, const SoftmaxTables16& tables, const int16_t* input,
                    int16_t* output, int64_t depth) {
  if (depth == 0) return;
  const auto saturate = [](int32_t value) {
    return static_cast<int16_t>(std::clamp(value, -32768, 32767));
  };
  const int32_t max = *std::max_element(input, input + depth);
  int32_t sum = 0;  // 15 fraction bits
  for (int64_t i = 0; i < depth; ++i) {
    const int32_t scaled = Rescale(int32_t{input[i]} - max, multiplier);
    output[i] = Lookup16(saturate(WrappingAdd(scaled, 32767)), tables.exp);
    sum = WrappingAdd(sum, int32_t{output[i]});
  }
  const int headroom = __builtin_clz(static_cast<uint32_t>(std::max(sum, 1)));
  // The sum, with its leading bit moved to the unit, is 1 + x.
  const auto shifted = static_cast<int32_t>(((int64_t{sum} << (headroom - 1)) + (1 << 13)) >> 14);
  const int16_t reciprocal =
      Lookup16(saturate(shifted - ((1 << 15) + (1 << 16))), tables.one_over_one_plus);
  const int right = 31 - headroom;
  const int64_t half = right > 0 ? int64_t{1} << (right - 1) : 0;
  for (int64_t i = 0; i < depth; ++i) {
    const int64_t product = int64_t{output[i]} * reciprocal;
    output[i] = static_cast<int16_t>(std::clamp<int64_t>((product + half) >> right, 0, 32767));
  }
}

}  // namespace heddle::kernels::ref
