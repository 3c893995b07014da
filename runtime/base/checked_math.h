// SPDX-License-Identifier: Apache-2.0
// Arithmetic on sizes from untrusted sources: every function says whether the result is right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace heddle {

template <typename T>
[[nodiscard]] bool CheckedAdd(T a, T b, T* out) {
  return !__builtin_add_overflow(a, b, out);
}
template <typename T>
[[nodiscard]] bool CheckedMul(T a, T b, T* out) {
  return !__builtin_mul_overflow(a, b, out);
}

// offset + size <= total, without wrapping.
[[nodiscard]] constexpr bool RangeFits(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

// Elements of a shape; false when a dimension is negative or the product passes INT64_MAX.
[[nodiscard]] inline bool ElementCount(std::span<const int32_t> dims, int64_t* count) {
  int64_t product = 1;
  bool zero = false;
  for (const int32_t dim : dims) {
    if (dim < 0) return false;
    // A zero makes the product zero, but the others must still multiply without overflow.
    if (dim == 0)
      zero = true;
    else if (!CheckedMul<int64_t>(product, dim, &product))
      return false;
  }
  *count = zero ? 0 : product;
  return true;
}

// Smallest multiple of `alignment` (a power of two) that is >= value; false on overflow.
[[nodiscard]] inline bool AlignUp(size_t value, size_t alignment, size_t* out) {
  size_t sum;
  if (!CheckedAdd(value, alignment - 1, &sum)) return false;
  *out = sum & ~(alignment - 1);
  return true;
}

}  // namespace heddle
