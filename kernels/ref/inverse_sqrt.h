// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "kernels/ref/fixed_point.h"

namespace heddle::kernels::ref {

// 1 / sqrt(x) of a whole number, by five steps of Newton's method; 0 counts as 1.
inline Multiplier InverseSquareRoot(int32_t x) {
  if (x <= 1) return {std::numeric_limits<int32_t>::max(), 0};
  int right_shift = 11;
  while (x >= 1 << 29) {
    x /= 4;
    ++right_shift;
  }
  // To between 2^27 and 2^29, by an even number of bits.
  const int pairs = (__builtin_clz(static_cast<uint32_t>(x)) - 1) / 2 - 1;
  right_shift -= pairs;
  x = WrappingShiftLeft(x, 2 * pairs);
  // From here on with 3 integer bits, so that a product has 6.
  const auto product = [](int32_t a, int32_t b) { return RoundingDoublingHighMul(a, b); };
  const int32_t half = RoundingDivideByPowerOfTwo(x >> 1, 1);
  constexpr int32_t kThreeHalves = 3 << 27;
  int32_t root = 1 << 28;
  for (int i = 0; i < 5; ++i) {
    // A cube has 9 integer bits.
    const int32_t cube = SaturatingShiftLeft(product(product(root, root), root), 6);
    root = SaturatingShiftLeft(
        WrappingAdd(product(kThreeHalves, root), WrappingNegate(product(half, cube))), 3);
  }
  constexpr int32_t kHalfRootOfTwo = 1518500250;
  Multiplier result = {product(root, kHalfRootOfTwo), -right_shift};
  if (right_shift < 0) result = {WrappingShiftLeft(result.value, -right_shift), 0};
  return result;
}

}  // namespace heddle::kernels::ref
