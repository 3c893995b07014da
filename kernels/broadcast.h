// SPDX-License-Identifier: Apache-2.0
// Two operands of different shapes, stretched to a common one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/op_kernel.h"
#include "kernels/window.h"

namespace heddle::kernels {

constexpr int kMaxBroadcastRank = 6;

// Loops over the elements of the common shape, with equal neighbouring dimensions merged.
struct Broadcast {
  int rank = 0;
  int64_t dims[kMaxBroadcastRank] = {};
  int64_t strides[2][kMaxBroadcastRank] = {};  // of the operands; 0 where one is stretched
  int64_t count = 0;                           // elements of the common shape
};

// The common shape of inputs 0 and 1. For infer.
heddle_status BroadcastShape(const OpContext& op, std::vector<int32_t>* dims);
// For prepare.
heddle_status MakeBroadcast(const OpContext& op, Broadcast* broadcast);

// fn(out, a, b, n, a_step, b_step) for runs that cover elements [begin, end): n elements from
// index out on, and of the operands from a and b on in steps of 0 or 1.
template <typename Fn>
void ForEachRun(const Broadcast& broadcast, int64_t begin, int64_t end, const Fn& fn) {
  const int last = broadcast.rank - 1;
  while (begin < end) {
    const int64_t column = begin % broadcast.dims[last];
    int64_t row = begin / broadcast.dims[last];
    int64_t offset[2] = {column * broadcast.strides[0][last], column * broadcast.strides[1][last]};
    for (int d = last - 1; d >= 0; --d) {
      const int64_t index = row % broadcast.dims[d];
      row /= broadcast.dims[d];
      offset[0] += index * broadcast.strides[0][d];
      offset[1] += index * broadcast.strides[1][d];
    }
    const int64_t n = std::min(end - begin, broadcast.dims[last] - column);
    fn(begin, offset[0], offset[1], n, broadcast.strides[0][last], broadcast.strides[1][last]);
    begin += n;
  }
}

// output[i] = fn(a[...], b[...]) over all elements, in parallel.
template <typename T, typename Out, typename Second = T, typename Fn>
heddle_status ForEachPair(const OpContext& op, const Broadcast& broadcast, const Fn& fn) {
  const T* const a = op.InputData<T>(0);
  const Second* const b = op.InputData<Second>(1);
  Out* const out = op.OutputData<Out>(0);
  return op.ParallelFor(broadcast.count, GrainFor(4), [&](int64_t begin, int64_t end) {
    ForEachRun(broadcast, begin, end,
               [&](int64_t o, int64_t ia, int64_t ib, int64_t n, int64_t sa, int64_t sb) {
                 for (int64_t i = 0; i < n; ++i) out[o + i] = fn(a[ia + i * sa], b[ib + i * sb]);
               });
  });
}

}  // namespace heddle::kernels
