// SPDX-License-Identifier: Apache-2.0
// Tables of functions of quantised numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace heddle::kernels::ref {

// table[byte of q] = the quantised function of every 8-bit q.
template <typename T, typename Function>
void FillTable8(float input_scale, int32_t input_zero_point, float output_scale,
                int32_t output_zero_point, const Function& function, T table[256]) {
  constexpr int32_t kMin = std::numeric_limits<T>::min();
  constexpr int32_t kMax = std::numeric_limits<T>::max();
  const float inverse = 1.0f / output_scale;
  for (int32_t q = kMin; q <= kMax; ++q) {
    const float real = input_scale * static_cast<float>(q - input_zero_point);
    const float rounded = std::round(function(real) * inverse);
    const float moved = rounded + static_cast<float>(output_zero_point);
    // NaN (of a function of an overflow) becomes the minimum.
    const float clamped =
        moved >= kMin ? std::min(moved, static_cast<float>(kMax)) : static_cast<float>(kMin);
    table[static_cast<uint8_t>(q)] = static_cast<T>(clamped);
  }
}

constexpr int kTable16Size = 513;

// Samples for linear interpolation at 512 steps over all int16 numbers, each moved by half of the
// interpolation's error in the middle of its step. The models' definition computes some tables in
// double (Real) and some in single precision.
template <typename Real, typename Function>
void FillTable16(Real input_scale, int32_t input_zero_point, Real output_scale,
                 const Function& function, int16_t table[kTable16Size]) {
  constexpr int32_t kMin = -32768;
  constexpr int32_t kMax = 32767;
  const Real first = input_scale * static_cast<Real>(kMin - input_zero_point);
  const Real last = input_scale * static_cast<Real>(kMax - input_zero_point);
  const Real step = (last - first) / 512;
  const Real half_step = step / 2;
  const Real inverse = 65536 / (output_scale * kMax - output_scale * kMin);
  // A sample that overflowed is NaN, being moved by a difference of infinities: unmoved then.
  const auto clamp = [](Real value, Real unmoved) {
    const Real known = std::isnan(value) ? unmoved : value;
    return known >= kMin ? static_cast<int16_t>(std::min<Real>(known, kMax)) : int16_t{kMin};
  };
  for (int i = 0; i < 512; ++i) {
    const Real x = first + static_cast<Real>(i) * step;
    const Real sample = std::round(function(x) * inverse);
    const Real middle = std::round(function(x + half_step) * inverse);
    const Real next = function(first + static_cast<Real>(i + 1) * step) * inverse;
    const Real interpolated = std::round((next + sample) / 2);
    table[i] = clamp(sample - std::round((interpolated - middle) / 2), sample);
  }
  const Real end = std::round(function(last) * inverse);
  table[512] = clamp(end, end);
}

inline int16_t Lookup16(int16_t value, const int16_t table[kTable16Size]) {
  const int index = 256 + (value >> 7);
  const int offset = value & 0x7f;
  const auto slope = static_cast<int16_t>(table[index + 1] - table[index]);
  return static_cast<int16_t>(table[index] + ((slope * offset + 64) >> 7));
}
// A function of int16 numbers by its samples.
struct Table16 {
  int16_t samples[kTable16Size];
  int16_t Of(int16_t value) const { return Lookup16(value, samples); }
};

}  // namespace heddle::kernels::ref
