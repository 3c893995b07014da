// SPDX-License-Identifier: Apache-2.0
// Resizing of NHWC images: where an output position lies in the input, and what is taken there.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace heddle::kernels::ref {

// Height or width; both sizes are at least 1.
struct ResizeAxis {
  int32_t input = 1;
  int32_t output = 1;
  bool align_corners = false;
  bool half_pixel_centers = false;

  bool Aligned() const { return align_corners && output > 1; }

  int64_t Nearest(int64_t out) const {
    const float scale = Aligned() ? static_cast<float>(input - 1) / static_cast<float>(output - 1)
                                  : static_cast<float>(input) / static_cast<float>(output);
    const float position = (static_cast<float>(out) + (half_pixel_centers ? 0.5f : 0.0f)) * scale;
    const float whole = align_corners ? std::round(position) : std::floor(position);
    return std::min<int64_t>(static_cast<int64_t>(whole), input - 1);
  }
};

// Two neighbours and the weight of the upper one: a float, or an integer in 1/1024.
template <typename Weight>
struct ResizeTap {
  int64_t lower;
  int64_t upper;
  Weight weight;
};

inline ResizeTap<float> FloatTap(const ResizeAxis& axis, int64_t out) {
  const float scale = axis.Aligned()
                          ? static_cast<float>(axis.input - 1) / static_cast<float>(axis.output - 1)
                          : static_cast<float>(axis.input) / static_cast<float>(axis.output);
  const auto value = static_cast<float>(out);
  const float position = axis.half_pixel_centers ? (value + 0.5f) * scale - 0.5f : value * scale;
  const int64_t last = axis.input - 1;
  const int64_t lower = std::clamp<int64_t>(static_cast<int64_t>(std::floor(position)), 0, last);
  const int64_t upper = std::clamp<int64_t>(static_cast<int64_t>(std::ceil(position)), 0, last);
  return {lower, upper, position - static_cast<float>(lower)};
}

inline ResizeTap<int64_t> IntegerTap(const ResizeAxis& axis, int64_t out) {
  constexpr int64_t kOne = 1024;
  const int64_t in_span = axis.Aligned() ? axis.input - 1 : axis.input;
  const int64_t out_span = axis.Aligned() ? axis.output - 1 : axis.output;
  const int64_t scale = (kOne * in_span + out_span / 2) / out_span;
  const int64_t position = out * scale + (axis.half_pixel_centers ? scale / 2 - kOne / 2 : 0);
  const int64_t last = axis.input - 1;
  const int64_t lower = std::clamp<int64_t>(position / kOne, 0, last);
  const int64_t upper = std::clamp<int64_t>((position + kOne - 1) / kOne, 0, last);
  return {lower, upper, position - kOne * lower};
}

// The four neighbours by their weights. uint8 is computed in float, as its models expect.
template <typename T>
T Interpolate(T a, T b, T c, T d, float y, float x) {
  const float value = static_cast<float>(a) * (1 - y) * (1 - x) +
                      static_cast<float>(b) * y * (1 - x) + static_cast<float>(c) * (1 - y) * x +
                      static_cast<float>(d) * y * x;
  if constexpr (std::is_same_v<T, float>) {
    return value;
  } else {
    return static_cast<T>(std::clamp<float>(value + 0.5f, 0, std::numeric_limits<T>::max()));
  }
}
template <typename T>
T Interpolate(T a, T b, T c, T d, int64_t y, int64_t x) {
  constexpr int64_t kOne = 1024;
  const int64_t sum = int64_t{a} * (kOne - y) * (kOne - x) + int64_t{b} * y * (kOne - x) +
                      int64_t{c} * (kOne - y) * x + int64_t{d} * y * x;
  const int64_t rounded = (sum + (sum > 0 ? kOne * kOne / 2 : -kOne * kOne / 2)) / (kOne * kOne);
  return static_cast<T>(
      std::clamp<int64_t>(rounded, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

// Rows [begin, end) of batches * h.output; a pixel has `depth` elements.
template <typename T>
void ResizeBilinear(const ResizeAxis& h, const ResizeAxis& w, int64_t depth, const T* input,
                    T* output, int64_t begin, int64_t end) {
  constexpr bool kFloat = std::is_same_v<T, float> || std::is_same_v<T, uint8_t>;
  const auto tap = [](const ResizeAxis& axis, int64_t out) {
    if constexpr (kFloat) {
      return FloatTap(axis, out);
    } else {
      return IntegerTap(axis, out);
    }
  };
  for (int64_t row = begin; row < end; ++row) {
    const auto y = tap(h, row % h.output);
    const T* const image = input + row / h.output * h.input * w.input * depth;
    const T* const upper = image + y.lower * w.input * depth;
    const T* const lower = image + y.upper * w.input * depth;
    for (int64_t out_x = 0; out_x < w.output; ++out_x) {
      const auto x = tap(w, out_x);
      T* const out = output + (row * w.output + out_x) * depth;
      for (int64_t c = 0; c < depth; ++c) {
        out[c] = Interpolate<T>(upper[x.lower * depth + c], lower[x.lower * depth + c],
                                upper[x.upper * depth + c], lower[x.upper * depth + c], y.weight,
                                x.weight);
      }
    }
  }
}

template <typename T>
void ResizeNearest(const ResizeAxis& h, const ResizeAxis& w, int64_t depth, const T* input,
                   T* output, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    const T* const in =
        input + (row / h.output * h.input + h.Nearest(row % h.output)) * w.input * depth;
    for (int64_t out_x = 0; out_x < w.output; ++out_x) {
      std::copy_n(in + w.Nearest(out_x) * depth, depth, output + (row * w.output + out_x) * depth);
    }
  }
}

}  // namespace heddle::kernels::ref
