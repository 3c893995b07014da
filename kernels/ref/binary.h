// SPDX-License-Identifier: Apache-2.0
// Functions of two numbers beside sum, difference and product (arithmetic.h).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/ref/fixed_point.h"

namespace heddle::kernels::ref {

// Quotient towards zero of integers whose divisor is not 0; the one overflow wraps.
template <typename T>
T Quotient(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a / b;
  } else {
    return b == -1 ? WrappingNegate(a) : static_cast<T>(a / b);
  }
}

// The greatest whole number not above the quotient, and what it leaves: of the divisor's sign.
template <typename T>
T FloorQuotient(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(std::floor(static_cast<double>(a) / static_cast<double>(b)));
  } else {
    const T quotient = Quotient(a, b);
    const bool inexact = b != -1 && a % b != 0;
    return static_cast<T>(quotient - (inexact && (a < 0) != (b < 0) ? 1 : 0));
  }
}
template <typename T>
T FloorRemainder(T a, T b) {
  T remainder;
  if constexpr (std::is_floating_point_v<T>) {
    remainder = std::fmod(a, b);
  } else {
    remainder = b == -1 ? T{0} : static_cast<T>(a % b);
  }
  return remainder != 0 && (b < 0) != (remainder < 0) ? static_cast<T>(remainder + b) : remainder;
}

// Of an exponent that is not negative; integers wrap.
template <typename T>
T Power(T base, T exponent) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(base, exponent);
  } else {
    T result = 1;
    for (; exponent > 0; exponent = static_cast<T>(exponent >> 1)) {
      if ((exponent & 1) != 0) result = WrappingMul(result, base);
      base = WrappingMul(base, base);
    }
    return result;
  }
}

// (x - y)^2 of int8 numbers, both brought to twice the larger scale with 7 more bits.
struct QuantizedSquaredDifference {
  static constexpr int kShift = 7;
  int32_t zero_point_a = 0;
  int32_t zero_point_b = 0;
  int32_t zero_point_out = 0;
  Multiplier a;
  Multiplier b;
  Multiplier out;

  int8_t Of(int8_t x, int8_t y) const {
    const int32_t real_x = Rescale((x - zero_point_a) * (1 << kShift), a);
    const int32_t real_y = Rescale((y - zero_point_b) * (1 << kShift), b);
    const int32_t difference = real_x - real_y;
    return OffsetAndClamp<int8_t>(Rescale(difference * difference, out), zero_point_out, -128, 127);
  }
};

// Quotients of numbers whose divisor is not 0: the dividend, moved up as far as it goes, times the
// divisor's reciprocal.
struct QuantizedQuotient {
  int32_t zero_point_a = 0;
  int32_t zero_point_b = 0;
  int32_t zero_point_out = 0;
  Multiplier out;
  int32_t min = 0;
  int32_t max = 0;

  template <typename T>
  T Of(T x, T y) const {
    int32_t dividend = int32_t{x} - zero_point_a;
    int32_t divisor = int32_t{y} - zero_point_b;
    if (divisor < 0) {
      dividend = -dividend;
      divisor = -divisor;
    }
    int bits_over_unit = 0;
    const int32_t reciprocal = Reciprocal(divisor, 31, &bits_over_unit);
    const int headroom = dividend == 0 ? 31 : __builtin_clrsb(dividend);
    const int32_t quotient =
        RoundingDoublingHighMul(WrappingShiftLeft(dividend, headroom), reciprocal);
    const int shift = out.shift - bits_over_unit - headroom;
    const int32_t scaled = RoundingDoublingHighMul(quotient, out.value);
    const int32_t result = shift > 0 ? SaturatingShiftLeft(scaled, std::min(shift, 31))
                                     : RoundingDivideByPowerOfTwo(scaled, std::min(-shift, 31));
    return OffsetAndClamp<T>(result, zero_point_out, min, max);
  }
};

// x, below 0 times y.
struct QuantizedPRelu {
  int32_t zero_point_x = 0;
  int32_t zero_point_y = 0;
  int32_t zero_point_out = 0;
  Multiplier identity;
  Multiplier product;

  template <typename T, typename Second>
  T Of(T x, Second y) const {
    const int32_t value = int32_t{x} - zero_point_x;
    const int32_t result = value >= 0
                               ? Rescale(value, identity)
                               : Rescale(WrappingMul(value, int32_t{y} - zero_point_y), product);
    return OffsetAndClamp<T>(result, zero_point_out, std::numeric_limits<T>::min(),
                             std::numeric_limits<T>::max());
  }
};

}  // namespace heddle::kernels::ref
