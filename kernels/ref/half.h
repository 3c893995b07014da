// SPDX-License-Identifier: Apache-2.0
// 16-bit floats: kernels compute in single precision and round each result.
#pragma once

#include "heddle/heddle.h"
#include "runtime/base/half.h"

namespace heddle::kernels::ref {

using heddle::FloatToHalf;
using heddle::HalfToFloat;

// The upper half of a single: exact.
inline float BFloat16ToFloat(uint16_t bfloat) {
  return std::bit_cast<float>(uint32_t{bfloat} << 16);
}

// Rounded to nearest even.
inline uint16_t FloatToBFloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

// Elements of FLOAT16 and BFLOAT16 tensors.
struct Half {
  static constexpr heddle_dtype kDtype = HEDDLE_DTYPE_FLOAT16;
  uint16_t bits = 0;
  Half() = default;
  explicit Half(float value) : bits(FloatToHalf(value)) {}
  operator float() const {
    return HalfToFloat(bits);
  }  // NOLINT(google-explicit-constructor): exact
};
struct BFloat16 {
  static constexpr heddle_dtype kDtype = HEDDLE_DTYPE_BFLOAT16;
  uint16_t bits = 0;
  BFloat16() = default;
  explicit BFloat16(float value) : bits(FloatToBFloat16(value)) {}
  operator float() const { return BFloat16ToFloat(bits); }  // NOLINT(google-explicit-constructor)
};

}  // namespace heddle::kernels::ref
