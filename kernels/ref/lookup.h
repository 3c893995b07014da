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
// interpolation's error in the middle of its step.
template <typename Function>
void FillTable16(double input_scale, int32_t input_zero_point, double output_scale,
                 const Function& function, int16_t table[kTable16Size]) {
  constexpr int32_t kMin = -32768;
  constexpr int32_t kMax = 32767;
  const double first = input_scale * (kMin - input_zero_point);
  const double last = input_scale * (kMax - input_zero_point);
  const double step = (last - first) / 512;
  const double inverse = 65536.0 / (output_scale * kMax - output_scale * kMin);
  const auto clamp = [](double value) {
    return static_cast<int16_t>(std::min<double>(std::max<double>(value, kMin), kMax));
  };
  for (int i = 0; i < 512; ++i) {
    const double sample = std::round(function(first + i * step) * inverse);
    const double middle = std::round(function(first + i * step + step / 2) * inverse);
    const double next = function(first + (i + 1) * step) * inverse;
    const double interpolated = std::round((next + sample) / 2);
    table[i] = clamp(sample - std::round((interpolated - middle) / 2));
  }
  table[512] = clamp(std::round(function(last) * inverse));
}

inline int16_t Lookup16(int16_t value, const int16_t table[kTable16Size]) {
  const int index = 256 + (value >> 7);
  const int offset = value & 0x7f;
  const auto slope = static_cast<int16_t>(table[index + 1] - table[index]);
  return static_cast<int16_t>(table[index] + ((slope * offset + 64) >> 7));
}

}  // namespace heddle::kernels::ref
