// SPDX-License-Identifier: Apache-2.0
// Fixed-point numbers of 16 bits: n integer bits hold raw / 2^(15 - n). The same series and
// iterations as on 32 bits, rounded at each step; quantised LSTMs are defined by the last bit.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ref/fixed_point.h"

namespace heddle::kernels::ref {

inline int16_t SaturateTo16(int32_t x) {
  return static_cast<int16_t>(std::clamp<int32_t>(x, -32768, 32767));
}

// High 16 bits of 2ab, rounded; the one overflow saturates.
inline int16_t RoundingDoublingHighMul16(int16_t a, int16_t b) {
  if (a == -32768 && b == -32768) return 32767;
  const int32_t product = int32_t{a} * b;
  const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return static_cast<int16_t>((product + nudge) / (1 << 15));
}

// A constant of the 32-bit functions.
inline int16_t Constant16(int32_t constant) {
  return static_cast<int16_t>(RoundingDivideByPowerOfTwo(constant, 16));
}

inline int16_t ShiftLeft16(int16_t x, int shift) { return SaturateTo16(int32_t{x} * (1 << shift)); }

// exp(x) for x in [-1/4, 0], no integer bits in and out.
inline int16_t ExpQuarterBelowZero16(int16_t x) {
  const int16_t exp_minus_eighth = Constant16(1895147668);
  const int16_t third = Constant16(715827883);
  const auto a = static_cast<int16_t>(x + (1 << 12));
  const int16_t a2 = RoundingDoublingHighMul16(a, a);
  const int16_t a3 = RoundingDoublingHighMul16(a2, a);
  const int16_t a4 = RoundingDoublingHighMul16(a2, a2);
  const auto cubic = static_cast<int16_t>(RoundingDivideByPowerOfTwo(a4, 2) + a3);
  const auto sum = static_cast<int16_t>(RoundingDoublingHighMul16(cubic, third) + a2);
  const int32_t tail = RoundingDivideByPowerOfTwo(sum, 1);
  return SaturateTo16(exp_minus_eighth +
                      RoundingDoublingHighMul16(exp_minus_eighth, static_cast<int16_t>(a + tail)));
}

// exp(x) for x <= 0 with 0 to 7 integer bits; the result has none.
inline int16_t ExpBelowZero16(int16_t x, int integer_bits) {
  const int fraction_bits = 15 - integer_bits;
  const int quarter = 1 << (fraction_bits - 2);
  const auto in_quarter = static_cast<int16_t>((x & (quarter - 1)) - quarter);
  int16_t result = ExpQuarterBelowZero16(ShiftLeft16(in_quarter, integer_bits));
  const int32_t remainder = in_quarter - x;
  // exp(-2^k) for k = -2 ... 4.
  constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308,
                                  39332535,   720401,     242};
  for (int k = -2; k < std::min(integer_bits, 5); ++k) {
    if ((remainder & (1 << (fraction_bits + k))) != 0) {
      result = RoundingDoublingHighMul16(result, Constant16(kFactors[k + 2]));
    }
  }
  if (integer_bits > 5 && x < -(1 << (20 - integer_bits))) result = 0;  // below -32
  return x == 0 ? int16_t{32767} : result;
}

// 2 / (1 + x) for x in [0, 1] with no integer bits; the result has two.
inline int16_t TwoOverOnePlus16(int16_t x) {
  const int32_t sum = int32_t{x} + 32767;
  const auto half_denominator = static_cast<int16_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  auto estimate =
      static_cast<int16_t>(Constant16(1515870810) +
                           RoundingDoublingHighMul16(half_denominator, Constant16(-1010580540)));
  for (int i = 0; i < 3; ++i) {
    const int16_t product = RoundingDoublingHighMul16(half_denominator, estimate);
    const auto error = static_cast<int16_t>((1 << 13) - product);
    estimate =
        static_cast<int16_t>(estimate + ShiftLeft16(RoundingDoublingHighMul16(estimate, error), 2));
  }
  return estimate;
}

// 1 / (1 + exp(-x)) of a number with 3 integer bits; the result has none.
inline int16_t FixedSigmoid16(int16_t x) {
  if (x == 0) return 1 << 14;
  const auto below_zero = static_cast<int16_t>(x > 0 ? -x : x);
  const int16_t positive = ShiftLeft16(TwoOverOnePlus16(ExpBelowZero16(below_zero, 3)), 1);
  return x > 0 ? positive : static_cast<int16_t>(32767 - positive);
}

// tanh of a number with 0 to 6 integer bits; the result has none.
inline int16_t FixedTanh16(int16_t x, int integer_bits) {
  if (x == 0) return 0;
  const auto below_zero = static_cast<int16_t>(x > 0 ? -x : x);
  const int16_t exp = ExpBelowZero16(below_zero, integer_bits + 1);  // of -2 |x|
  const int16_t magnitude = ShiftLeft16(static_cast<int16_t>(TwoOverOnePlus16(exp) - (1 << 13)), 2);
  return x > 0 ? magnitude : static_cast<int16_t>(-magnitude);
}

}  // namespace heddle::kernels::ref
