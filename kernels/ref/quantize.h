// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/ref/fixed_point.h"

namespace heddle::kernels::ref {

// The nearest quantised number, halves away from zero; out of range saturates, NaN is the minimum.
template <typename T>
T Quantize(float value, float scale, int32_t zero_point) {
  constexpr double kMin = std::numeric_limits<T>::min();
  constexpr double kMax = std::numeric_limits<T>::max();
  const double rounded = std::round(double{value / scale}) + zero_point;
  return static_cast<T>(rounded >= kMin ? std::min(rounded, kMax) : kMin);
}

template <typename T>
float Dequantize(T value, float scale, int32_t zero_point) {
  return scale * static_cast<float>(int32_t{value} - zero_point);
}

template <typename Out, typename In>
Out Requantize(In value, int32_t in_zero_point, Multiplier multiplier, int32_t out_zero_point) {
  const int32_t scaled = Rescale(WrappingAdd(int32_t{value}, -in_zero_point), multiplier);
  return OffsetAndClamp<Out>(scaled, out_zero_point, std::numeric_limits<Out>::min(),
                             std::numeric_limits<Out>::max());
}

}  // namespace heddle::kernels::ref
