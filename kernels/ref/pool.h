// SPDX-License-Identifier: Apache-2.0
// Average and maximum over a sliding window, NHWC.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/ref/window.h"

namespace heddle::kernels::ref {

// Limits of the output: float for float, else int32.
template <typename T>
using PoolLimit = std::conditional_t<std::is_same_v<T, float>, float, int32_t>;

// Rounds to nearest, halves away from zero.
inline int64_t RoundedQuotient(int64_t sum, int64_t count) {
  return sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
}

struct AveragePool {
  template <typename T>
  using Sum = std::conditional_t<std::is_same_v<T, float>, float, int64_t>;
  template <typename T>
  static constexpr Sum<T> kInitial = 0;
  template <typename S, typename T>
  static S Add(S sum, T value) {
    return sum + value;
  }
  static float Finish(float sum, int64_t count) { return sum / static_cast<float>(count); }
  static int64_t Finish(int64_t sum, int64_t count) { return RoundedQuotient(sum, count); }
};

struct MaxPool {
  template <typename T>
  using Sum = T;
  template <typename T>
  static constexpr T kInitial = std::numeric_limits<T>::lowest();
  template <typename T>
  static T Add(T max, T value) {
    return std::max(max, value);
  }
  template <typename T>
  static T Finish(T max, int64_t) {
    return max;
  }
};

// Rows [begin, end) of batches * output height. Every window covers at least one input element.
template <typename Kind, typename T>
void Pool(const Window& window, int64_t channels, PoolLimit<T> min, PoolLimit<T> max,
          const T* input, T* output, int64_t begin, int64_t end) {
  using Sum = typename Kind::template Sum<T>;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t first_y = row / window.h.output * window.h.input;
    const int64_t out_y = row % window.h.output;
    const WindowAxis::Taps ys = window.h.TapsInside(out_y);
    for (int64_t out_x = 0; out_x < window.w.output; ++out_x) {
      const WindowAxis::Taps xs = window.w.TapsInside(out_x);
      const int64_t y0 = first_y + window.h.Origin(out_y);
      const int64_t x0 = window.w.Origin(out_x);
      const int64_t count = (ys.end - ys.begin) * (xs.end - xs.begin);
      T* out = output + (row * window.w.output + out_x) * channels;
      for (int64_t c = 0; c < channels; ++c) {
        Sum sum = Kind::template kInitial<T>;
        for (int64_t y = ys.begin; y < ys.end; ++y) {
          for (int64_t x = xs.begin; x < xs.end; ++x) {
            sum = Kind::Add(sum, input[((y0 + y) * window.w.input + x0 + x) * channels + c]);
          }
        }
        const auto value = Kind::Finish(sum, count);
        using Wide = std::common_type_t<decltype(value), PoolLimit<T>>;
        out[c] = static_cast<T>(std::min<Wide>(std::max<Wide>(value, min), max));
      }
    }
  }
}

}  // namespace heddle::kernels::ref
