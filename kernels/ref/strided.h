// SPDX-License-Identifier: Apache-2.0
// Walks over tensors whose elements do not lie one behind another.
#pragma once

#include <cstdint>

namespace heddle::kernels::ref {

constexpr int kMaxRank = 8;
// Some ops split each dimension in two.
constexpr int kMaxLoops = 2 * kMaxRank;

struct Strided {
  int rank = 0;
  int64_t dims[kMaxLoops] = {};
  int64_t strides[kMaxLoops] = {};
  int64_t count = 1;  // product of dims

  void Append(int64_t dim, int64_t stride) {
    dims[rank] = dim;
    strides[rank] = stride;
    ++rank;
    count *= dim;
  }
  // Where the element of this row-major index lies.
  int64_t Offset(int64_t index) const {
    int64_t offset = 0;
    for (int d = rank - 1; d >= 0; --d) {
      offset += index % dims[d] * strides[d];
      index /= dims[d];
    }
    return offset;
  }
};

// Calls visit(offset) for every element, in row-major order.
template <typename Visit>
void ForEachElement(const Strided& strided, const Visit& visit) {
  if (strided.count == 0) return;
  const int last = strided.rank - 1;
  const int64_t run = last < 0 ? 1 : strided.dims[last];
  const int64_t step = last < 0 ? 0 : strided.strides[last];
  for (int64_t index = 0; index < strided.count; index += run) {
    int64_t offset = strided.Offset(index);
    for (int64_t i = 0; i < run; ++i, offset += step) visit(offset);
  }
}

}  // namespace heddle::kernels::ref
