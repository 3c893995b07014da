// SPDX-License-Identifier: Apache-2.0
// log(softmax(x)), over rows of `depth` elements.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/ref/fixed_point.h"
#include "kernels/ref/softmax.h"

namespace heddle::kernels::ref {

inline void LogSoftmax(const float* input, float* output, int64_t depth) {
  float max = std::numeric_limits<float>::lowest();
  for (int64_t i = 0; i < depth; ++i) max = std::max(max, input[i]);
  float sum = 0;
  for (int64_t i = 0; i < depth; ++i) sum += std::exp(input[i] - max);
  const float log_sum = std::log(sum);
  for (int64_t i = 0; i < depth; ++i) output[i] = input[i] - max - log_sum;
}

// log(x) for x >= 1 with 12 integer bits; the result has 5. x is brought near 1 in two ways, by
// powers of two around 2^(-1/4) and around 2^(1/4), the better of which goes into a rational
// approximation.
inline int32_t LogAboveOne(int32_t x) {
  constexpr int kIntegerBits = 12;
  constexpr int kSumFractionBits = 25;  // 6 integer bits
  // Without integer bits:
  constexpr int32_t kLog2 = 1488522236;
  constexpr int32_t kFourthRootOfHalf = 1805811301;
  constexpr int32_t kRootOfHalf = 1518500250;
  constexpr int32_t kNumerator = 117049297;  // 11/240 * 2^(1/4)
  constexpr int32_t kSquared = 127690142;    // 1/20 * 2^(1/4)
  constexpr int32_t kConstant = 1057819769;  // 2 / 2^(1/4) - 2^(1/4)
  constexpr int32_t kLinear = 638450708;     // 1/4 * 2^(1/4)
  constexpr int32_t kQuarter = 1 << (kSumFractionBits - 2);
  const auto product = [](int32_t a, int32_t b) { return RoundingDoublingHighMul(a, b); };
  const auto leading_zeros = [](int32_t a) {
    return a == 0 ? 32 : __builtin_clz(static_cast<uint32_t>(a));
  };

  const int zeros = leading_zeros(x);
  const int32_t near_a =
      SaturatingShiftLeft(product(SaturatingShiftLeft(x, zeros - 1), kRootOfHalf), 1);
  const int32_t power_a = SaturatingShiftLeft(kIntegerBits - zeros, kSumFractionBits) + kQuarter;
  const int headroom = leading_zeros(product(x, kRootOfHalf)) - 1;
  const int32_t near_b = SaturatingShiftLeft(x, headroom);
  const int32_t power_b = SaturatingShiftLeft(kIntegerBits - headroom, kSumFractionBits) - kQuarter;

  const int32_t near = std::min(near_a, near_b);
  const int32_t power = std::max(power_a, power_b);
  const int64_t sum = int64_t{near} + kFourthRootOfHalf;
  const auto mean = static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  const int32_t q = WrappingMul(near - kFourthRootOfHalf, 2);
  const int32_t q2 = product(q, q);
  const int32_t numerator = WrappingAdd(product(q, near), product(product(q, q2), kNumerator));
  const int32_t inner = WrappingAdd(WrappingAdd(kConstant, q), product(kSquared, q2));
  const int32_t denominator = WrappingAdd(product(mean, inner), product(kLinear, q));
  const int32_t fraction =
      product(RoundingDivideByPowerOfTwo(numerator, 6), OneOverOnePlus(denominator));
  return SaturatingShiftLeft(WrappingAdd(product(power, kLog2), fraction), 1);
}

struct QuantizedLogSoftmax {
  SoftmaxParams8 softmax;
  Multiplier reverse;  // from 5 integer and 26 fraction bits to input steps
};

// 8-bit numbers; the output has steps of 1/16 below its greatest number, which stands for 0.
template <typename T>
void LogSoftmax(const QuantizedLogSoftmax& params, const T* input, T* output, int64_t depth) {
  constexpr int kSumBits = 12;
  constexpr int32_t kMin = std::numeric_limits<T>::min();
  constexpr int32_t kMax = std::numeric_limits<T>::max();
  if (depth == 0) return;
  const int32_t max = *std::max_element(input, input + depth);
  const int32_t least = params.softmax.least_difference;
  int32_t sum = 0;
  for (int64_t i = 0; i < depth; ++i) {
    const int32_t difference = input[i] - max;
    if (difference < least) continue;
    const int32_t power = ExpBelowZero(Rescale(difference, params.softmax.multiplier));
    sum = WrappingAdd(sum, RoundingDivideByPowerOfTwo(power, kSumBits));
  }
  const int32_t log_sum = LogAboveOne(sum);
  // Differences down to here have a logarithm that 5 integer bits hold.
  const int32_t representable = WrappingAdd(log_sum, std::numeric_limits<int32_t>::min());
  const int32_t bound = std::max(least - 1, Rescale(representable, params.reverse));
  for (int64_t i = 0; i < depth; ++i) {
    const int32_t difference = input[i] - max;
    if (difference <= bound) {
      output[i] = static_cast<T>(kMin);
      continue;
    }
    const int32_t log =
        WrappingAdd(Rescale(difference, params.softmax.multiplier), WrappingNegate(log_sum));
    output[i] = OffsetAndClamp<T>(RoundingDivideByPowerOfTwo(log, 22), kMax, kMin, kMax);
  }
}

}  // namespace heddle::kernels::ref
