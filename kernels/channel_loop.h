// SPDX-License-Identifier: Apache-2.0
// Element loops over a tensor that may have one scale for each index of a dimension.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/quantization.h"
#include "kernels/window.h"

namespace heddle::kernels {

// Elements lie as [outer, affines.size(), inner]; with one scale inner is all of them.
struct ChannelQuantization {
  std::vector<Affine> affines;
  int64_t outer = 0;
  int64_t inner = 0;
};

heddle_status GetChannelQuantization(const OpContext& op, int32_t operand,
                                     ChannelQuantization* channels);

// fn(first, count, affine) over all elements, in parallel.
template <typename Fn>
heddle_status ForEachChannelRun(const OpContext& op, const ChannelQuantization& channels,
                                const Fn& fn) {
  const int64_t inner = channels.inner;
  const auto count = static_cast<int64_t>(channels.affines.size());
  return op.ParallelFor(
      channels.outer * count * inner, GrainFor(4), [&](int64_t begin, int64_t end) {
        while (begin < end) {
          const int64_t run = begin / inner;
          const int64_t stop = std::min(end, (run + 1) * inner);
          fn(begin, stop - begin, channels.affines[static_cast<size_t>(run % count)]);
          begin = stop;
        }
      });
}

}  // namespace heddle::kernels
