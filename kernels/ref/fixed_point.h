// SPDX-License-Identifier: Apache-2.0
// Fixed-point arithmetic that quantised models are defined by: rounding, saturation, and the order
// of the two roundings of a rescale decide the last bit, so every integer kernel uses these.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace heddle::kernels::ref {

// value * 2^(shift - 31): a positive real number as a 31-bit fraction and a power of two.
struct Multiplier {
  int32_t value = 0;
  int32_t shift = 0;
};

// The nearest Multiplier of a finite, non-negative number. Numbers below 2^-32 become 0.
inline Multiplier QuantizeMultiplier(double real) {
  Multiplier result;
  if (real == 0) return result;
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);
  auto rounded = static_cast<int64_t>(std::round(fraction * 2147483648.0));
  if (rounded == int64_t{1} << 31) {
    rounded /= 2;
    ++exponent;
  }
  if (exponent < -31) return result;
  result.value = static_cast<int32_t>(rounded);
  result.shift = exponent;
  return result;
}

// Sums of products are defined modulo 2^32: a sum may leave the range and come back.
template <typename T>
T WrappingAdd(T a, T b) {
  using Unsigned = std::common_type_t<std::make_unsigned_t<T>, unsigned>;  // no promotion to int
  return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
}
template <typename T>
T WrappingMul(T a, T b) {
  using Unsigned = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
  return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
}
template <typename T>
T WrappingNegate(T a) {
  return WrappingMul(a, static_cast<T>(-1));
}
inline int32_t WrappingShiftLeft(int32_t a, int shift) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) << shift);
}

// High 32 bits of 2ab, rounded to nearest, halves away from zero; the one overflow saturates.
inline int32_t RoundingDoublingHighMul(int32_t a, int32_t b) {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  if (a == kMin && b == kMin) return std::numeric_limits<int32_t>::max();
  const int64_t product = int64_t{a} * b;
  const int64_t nudge = product >= 0 ? (int64_t{1} << 30) : 1 - (int64_t{1} << 30);
  return static_cast<int32_t>((product + nudge) / (int64_t{1} << 31));
}

// The same for 16 bits.
inline int16_t RoundingDoublingHighMul(int16_t a, int16_t b) {
  const int32_t product = int32_t{a} * b;
  const int32_t nudge = product >= 0 ? 1 << 14 : 1 - (1 << 14);
  return static_cast<int16_t>(std::min((product + nudge) / (1 << 15), 32767));
}

// x / 2^exponent, rounded to nearest, halves away from zero. 0 <= exponent <= 31.
inline int32_t RoundingDivideByPowerOfTwo(int32_t x, int exponent) {
  const int64_t mask = (int64_t{1} << exponent) - 1;
  const int64_t remainder = x & mask;
  const int64_t threshold = (mask >> 1) + (x < 0 ? 1 : 0);
  return static_cast<int32_t>((int64_t{x} >> exponent) + (remainder > threshold ? 1 : 0));
}

// x times the multiplier, rounded twice: once by the product, once by the right shift.
// -31 <= shift <= 30.
inline int32_t Rescale(int32_t x, Multiplier by) {
  const int left = std::max(by.shift, 0);
  const int right = std::max(-by.shift, 0);
  return RoundingDivideByPowerOfTwo(RoundingDoublingHighMul(WrappingShiftLeft(x, left), by.value),
                                    right);
}

// The same for 64-bit sums (48 bits used), with the fraction cut to 15 bits and one rounding.
// -31 <= shift <= 14.
inline int32_t Rescale(int64_t x, Multiplier by) {
  const int64_t fraction = by.value < 0x7fff0000 ? (by.value + (1 << 15)) >> 16 : 0x7fff;
  const int shift = 15 - by.shift;
  const int64_t product = WrappingMul(x, fraction);
  return static_cast<int32_t>(WrappingAdd(product, int64_t{1} << (shift - 1)) >> shift);
}

// value + offset inside [min, max], as T.
template <typename T>
T OffsetAndClamp(int32_t value, int32_t offset, int32_t min, int32_t max) {
  return static_cast<T>(std::clamp<int64_t>(int64_t{value} + offset, min, max));
}

// ---- exp and 1/x on fixed-point numbers: an int32 with n integer bits holds raw / 2^(31 - n).

inline int32_t SaturatingShiftLeft(int32_t x, int shift) {
  const int64_t wide = int64_t{x} * (int64_t{1} << shift);
  return static_cast<int32_t>(std::clamp<int64_t>(wide, std::numeric_limits<int32_t>::min(),
                                                  std::numeric_limits<int32_t>::max()));
}

// exp(x) for x in [-1/4, 0], no integer bits in and out: the Taylor series around -1/8.
inline int32_t ExpQuarterBelowZero(int32_t x) {
  constexpr int32_t kExpMinusEighth = 1895147668;  // exp(-1/8)
  constexpr int32_t kThird = 715827883;
  const int32_t a = WrappingAdd(x, int32_t{1} << 28);
  const int32_t a2 = RoundingDoublingHighMul(a, a);
  const int32_t a3 = RoundingDoublingHighMul(a2, a);
  const int32_t a4 = RoundingDoublingHighMul(a2, a2);
  const int32_t a4_over_4 = RoundingDivideByPowerOfTwo(a4, 2);
  const int32_t tail = RoundingDivideByPowerOfTwo(
      WrappingAdd(RoundingDoublingHighMul(WrappingAdd(a4_over_4, a3), kThird), a2), 1);
  return WrappingAdd(kExpMinusEighth,
                     RoundingDoublingHighMul(kExpMinusEighth, WrappingAdd(a, tail)));
}

// exp(x) for x <= 0 with 5 integer bits; the result has none.
inline int32_t ExpBelowZero(int32_t x) {
  constexpr int kFractionBits = 26;
  constexpr int32_t kQuarter = 1 << (kFractionBits - 2);
  const int32_t in_quarter = (x & (kQuarter - 1)) - kQuarter;
  int32_t result = ExpQuarterBelowZero(SaturatingShiftLeft(in_quarter, 5));
  const int32_t remainder = in_quarter - x;
  // exp(-2^k) for k = -2 ... 4.
  constexpr int32_t kFactors[] = {1672461947, 1302514674, 790015084, 290630308,
                                  39332535,   720401,     242};
  for (int i = 0; i < 7; ++i) {
    if ((remainder & (1 << (kFractionBits - 2 + i))) != 0) {
      result = RoundingDoublingHighMul(result, kFactors[i]);
    }
  }
  return x == 0 ? std::numeric_limits<int32_t>::max() : result;
}

// 1 / (1 + x) for x in [0, 1], no integer bits in and out: three steps of Newton's method.
inline int32_t OneOverOnePlus(int32_t x) {
  constexpr int32_t kOne = std::numeric_limits<int32_t>::max();
  const int64_t sum = int64_t{x} + kOne;
  const auto half_denominator = static_cast<int32_t>((sum + (sum >= 0 ? 1 : -1)) / 2);
  // With two integer bits: 48/17 - 32/17 d.
  int32_t estimate =
      WrappingAdd(1515870810, RoundingDoublingHighMul(half_denominator, -1010580540));
  for (int i = 0; i < 3; ++i) {
    const int32_t product = RoundingDoublingHighMul(half_denominator, estimate);
    const int32_t error = (1 << 29) - product;
    estimate =
        WrappingAdd(estimate, SaturatingShiftLeft(RoundingDoublingHighMul(estimate, error), 2));
  }
  return SaturatingShiftLeft(estimate, 1);
}

// 1/x for x > 0 with `integer_bits`: the fraction (no integer bits) and how many bits it was
// shifted.
inline int32_t Reciprocal(int32_t x, int integer_bits, int* bits_over_unit) {
  const int headroom = x == 0 ? 31 : __builtin_clz(static_cast<uint32_t>(x));
  *bits_over_unit = integer_bits - headroom;
  const uint64_t top = uint64_t{static_cast<uint32_t>(x)} << headroom;
  const auto shifted = static_cast<int32_t>(static_cast<uint32_t>(top) - (uint32_t{1} << 31));
  return OneOverOnePlus(shifted);
}

}  // namespace heddle::kernels::ref
