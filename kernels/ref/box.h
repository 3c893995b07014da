// SPDX-License-Identifier: Apache-2.0
// A box of elements that several tensors walk through together, each with steps of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/ref/strided.h"

namespace heddle::kernels::ref {

template <int kTensors>
struct Box {
  int rank = 0;
  int64_t dims[kMaxLoops] = {};
  std::array<int64_t, kTensors> strides[kMaxLoops] = {};
  std::array<int64_t, kTensors> base = {};  // where the first element lies
  int64_t count = 1;                        // product of dims

  // Dimensions come from the outermost on; one that only continues its neighbour joins it.
  void Append(int64_t dim, const std::array<int64_t, kTensors>& steps) {
    count *= dim;
    if (dim == 1) return;
    bool joins = rank > 0;
    for (int n = 0; joins && n < kTensors; ++n) joins = strides[rank - 1][n] == dim * steps[n];
    if (joins) {
      dims[rank - 1] *= dim;
    } else {
      dims[rank++] = dim;
    }
    strides[rank - 1] = steps;
  }
  // The innermost dimension is a row.
  int64_t row() const { return rank == 0 ? 1 : dims[rank - 1]; }
  int64_t rows() const { return count == 0 ? 0 : count / row(); }
  int64_t step(int n) const { return rank == 0 ? 1 : strides[rank - 1][n]; }
};

// fn(offsets) with the first element's offset in each tensor, for rows [begin, end).
template <int kTensors, typename Fn>
void ForEachRow(const Box<kTensors>& box, int64_t begin, int64_t end, const Fn& fn) {
  const int outer = std::max(box.rank - 1, 0);
  int64_t index[kMaxLoops];
  std::array<int64_t, kTensors> offsets = box.base;
  int64_t rest = begin;
  for (int d = outer - 1; d >= 0; --d) {
    index[d] = rest % box.dims[d];
    rest /= box.dims[d];
    for (int n = 0; n < kTensors; ++n) offsets[n] += index[d] * box.strides[d][n];
  }
  for (int64_t row = begin; row < end; ++row) {
    fn(offsets);
    for (int d = outer - 1; d >= 0; --d) {
      const bool ends = ++index[d] == box.dims[d];
      const int64_t steps = ends ? 1 - box.dims[d] : 1;
      for (int n = 0; n < kTensors; ++n) offsets[n] += steps * box.strides[d][n];
      if (!ends) break;
      index[d] = 0;
    }
  }
}

}  // namespace heddle::kernels::ref
