// SPDX-License-Identifier: Apache-2.0
// Rows of `depth` elements, divided by their length or by the strength around each element.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/ref/inverse_sqrt.h"

namespace heddle::kernels::ref {

inline void L2Normalize(const float* input, float* output, int64_t depth) {
  float squares = 0;
  for (int64_t i = 0; i < depth; ++i) squares += input[i] * input[i];
  const float length = std::max(std::sqrt(squares), 1e-6f);
  for (int64_t i = 0; i < depth; ++i) output[i] = input[i] / length;
}

// The output has steps of 1/128 around its middle number.
template <typename T>
void L2Normalize(int32_t zero_point, const T* input, T* output, int64_t depth) {
  constexpr int32_t kMin = std::numeric_limits<T>::min();
  int32_t squares = 0;
  for (int64_t i = 0; i < depth; ++i) {
    const int32_t value = int32_t{input[i]} - zero_point;
    squares = WrappingAdd(squares, value * value);
  }
  const Multiplier inverse = InverseSquareRoot(squares);
  for (int64_t i = 0; i < depth; ++i) {
    const int32_t value = int32_t{input[i]} - zero_point;
    // uint8 moves the value up before, int8 the multiplier: the roundings differ.
    const int32_t scaled = kMin == 0 ? Rescale(value * 128, inverse)
                                     : Rescale(value, {inverse.value, inverse.shift + 7});
    output[i] = OffsetAndClamp<T>(scaled, kMin + 128, kMin, std::numeric_limits<T>::max());
  }
}

struct LocalResponse {
  int32_t radius = 0;
  float bias = 0;
  float alpha = 0;
  float beta = 0;
};

// The strength is of `radius` elements before, and of the element and those after that make up
// `radius`.
inline void NormalizeLocalResponse(const LocalResponse& params, const float* input, float* output,
                                   int64_t depth) {
  for (int64_t i = 0; i < depth; ++i) {
    const int64_t begin = std::max<int64_t>(0, i - params.radius);
    const int64_t end = std::min<int64_t>(depth, i + params.radius);
    float squares = 0;
    for (int64_t k = begin; k < end; ++k) squares += input[k] * input[k];
    output[i] = input[i] * std::pow(params.bias + params.alpha * squares, -params.beta);
  }
}

}  // namespace heddle::kernels::ref
