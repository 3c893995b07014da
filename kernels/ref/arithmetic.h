// SPDX-License-Identifier: Apache-2.0
// Sum, difference and product of two numbers, with the clamp of a fused activation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "heddle/heddle.h"
#include "kernels/ref/fixed_point.h"

namespace heddle::kernels::ref {

template <typename T>
struct Clamp {
  T min;
  T max;
  T operator()(T value) const { return std::min(std::max(value, min), max); }
};

// An element of a COMPLEX64 tensor.
struct Complex {
  static constexpr heddle_dtype kDtype = HEDDLE_DTYPE_COMPLEX64;
  float real = 0;
  float imaginary = 0;
};

struct Add {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a + b;
    else
      return WrappingAdd(a, b);
  }
};
struct Sub {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a - b;
    else
      return WrappingAdd(a, WrappingNegate(b));
  }
};
struct Mul {
  template <typename T>
  static T Of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>)
      return a * b;
    else
      return WrappingMul(a, b);
  }
  static Complex Of(Complex a, Complex b) {
    return {a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
  }
};

// Sums of 8- and 16-bit numbers of different scales: both are brought to twice the larger scale,
// with `left_shift` more bits.
struct QuantizedAdd {
  int32_t zero_point_a = 0;
  int32_t zero_point_b = 0;
  int32_t zero_point_out = 0;
  int left_shift = 0;
  Multiplier a;
  Multiplier b;
  Multiplier out;
  bool subtract = false;
  int32_t min = 0;
  int32_t max = 0;

  template <typename T>
  T Of(T x, T y) const {
    const int32_t shifted_x = (int32_t{x} - zero_point_a) * (1 << left_shift);
    const int32_t shifted_y = (int32_t{y} - zero_point_b) * (1 << left_shift);
    const int32_t real_x = Rescale(shifted_x, a);
    const int32_t real_y = Rescale(shifted_y, b);
    const int32_t sum = WrappingAdd(real_x, subtract ? -real_y : real_y);
    return OffsetAndClamp<T>(Rescale(sum, out), zero_point_out, min, max);
  }
};

// Sums of 16-bit numbers whose scales are powers of two: one operand is shifted to the other's.
struct PowerOfTwoAdd {
  int shift_a = 0;  // right
  int shift_b = 0;
  bool subtract = false;
  int32_t min = 0;
  int32_t max = 0;

  int16_t Of(int16_t x, int16_t y) const {
    const int32_t a = RoundingDivideByPowerOfTwo(x, shift_a);
    const int32_t b = RoundingDivideByPowerOfTwo(y, shift_b);
    const int32_t sum = std::clamp(subtract ? a - b : a + b, -32768, 32767);
    return static_cast<int16_t>(std::clamp(sum, min, max));
  }
};

struct QuantizedMul {
  int32_t zero_point_a = 0;
  int32_t zero_point_b = 0;
  int32_t zero_point_out = 0;
  Multiplier out;
  int32_t min = 0;
  int32_t max = 0;

  template <typename T>
  T Of(T x, T y) const {
    const int32_t product = (int32_t{x} - zero_point_a) * (int32_t{y} - zero_point_b);
    return OffsetAndClamp<T>(Rescale(product, out), zero_point_out, min, max);
  }
};

}  // namespace heddle::kernels::ref
