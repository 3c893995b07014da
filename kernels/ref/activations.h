// SPDX-License-Identifier: Apache-2.0
// Activations that are more than one call of the mathematical library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/ref/fixed_point.h"

namespace heddle::kernels::ref {

// x times the probability that a normal variable is below x.
inline float Gelu(float x) {
  constexpr float kRootOfHalf = 0.70710678118654752440f;
  return 0.5f * x * std::erfc(x * -kRootOfHalf);
}
constexpr float kRootOfTwoByPi = 0.79788456080286535588f;
inline float ApproximateGelu(float x) {
  return 0.5f * x * (1.0f + std::tanh(kRootOfTwoByPi * (x + 0.044715f * x * x * x)));
}
// Of 16-bit floats: each step is rounded, which cancellation makes visible.
template <typename T>
T ApproximateGelu(T x) {
  const T cubic = T(T(0.044715f) * T(T(x * x) * x));
  const T scaled = T(T(kRootOfTwoByPi) * T(x + cubic));
  return T(T(T(0.5f) * x) * T(1.0f + T(std::tanh(static_cast<float>(scaled)))));
}

inline float HardSwish(float x) { return x * std::min(6.0f, std::max(0.0f, x + 3)) / 6; }

// HARD_SWISH of 8-bit numbers in 16-bit fixed point.
struct QuantizedHardSwish {
  int32_t zero_point_in = 0;
  int32_t zero_point_out = 0;
  // From the input's steps / 128 to the output's, and to 3 / 32768.
  Multiplier out;  // its shift is not above 0
  Multiplier gate;

  static int16_t Upper16(int32_t multiplier) {
    return static_cast<int16_t>(std::min((int64_t{multiplier} + (1 << 15)) >> 16, int64_t{32767}));
  }
  static int16_t ShiftLeft16(int16_t value, int shift) {
    // More than 16 bits saturate everything but 0.
    const int32_t wide = int32_t{value} * (1 << std::min(shift, 15));
    return static_cast<int16_t>(std::clamp(wide, -32768, 32767));
  }

  template <typename T>
  T Of(T x) const {
    const auto fine = static_cast<int16_t>((int32_t{x} - zero_point_in) * 128);
    const int16_t scaled = RoundingDoublingHighMul(fine, Upper16(out.value));
    // The gate goes from -1 at x = -3 to 1 at x = 3. The last bit of a shift to the left comes
    // after the product, so that saturation happens there alone.
    int16_t value = fine;
    if (gate.shift > 0) value = ShiftLeft16(value, gate.shift - 1);
    value = RoundingDoublingHighMul(value, Upper16(gate.value));
    if (gate.shift > 0) value = ShiftLeft16(value, 1);
    if (gate.shift < 0) {
      value = static_cast<int16_t>(RoundingDivideByPowerOfTwo(value, -gate.shift));
    }
    const int32_t weight = (value + (1 << 15)) >> 1;
    const int32_t product = weight * scaled / (1 << 15);  // cut, not rounded
    return OffsetAndClamp<T>(RoundingDivideByPowerOfTwo(product, -out.shift), zero_point_out,
                             std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  }
};

// Rescaled by one factor from 0 on, and by another below.
struct QuantizedLeakyRelu {
  int32_t zero_point_in = 0;
  int32_t zero_point_out = 0;
  Multiplier identity;
  Multiplier alpha;  // of its magnitude
  bool alpha_is_negative = false;

  template <typename T>
  T Of(T x) const {
    const int32_t value = int32_t{x} - zero_point_in;
    int32_t scaled = Rescale(value, value >= 0 ? identity : alpha);
    if (value < 0 && alpha_is_negative) scaled = WrappingNegate(scaled);
    return OffsetAndClamp<T>(scaled, zero_point_out, std::numeric_limits<T>::min(),
                             std::numeric_limits<T>::max());
  }
};

// Rescaled and clamped, after taking the magnitude if asked.
struct QuantizedRectifier {
  int32_t zero_point_in = 0;
  int32_t zero_point_out = 0;
  Multiplier multiplier;
  bool absolute = false;
  int32_t min = 0;
  int32_t max = 0;

  template <typename T>
  T Of(T x) const {
    int32_t value = int32_t{x} - zero_point_in;
    if (absolute && value < 0) value = -value;
    return OffsetAndClamp<T>(Rescale(value, multiplier), zero_point_out, min, max);
  }
};

}  // namespace heddle::kernels::ref
