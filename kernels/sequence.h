// SPDX-License-Identifier: Apache-2.0
// Inputs [batch, time, n], or [time, batch, n], or [batch, n] for a single step.
#pragma once

#include <cstdint>

#include "kernels/op_kernel.h"

namespace heddle::kernels {

struct Sequence {
  int64_t batches = 0;
  int64_t steps = 1;
  bool time_major = false;
  bool backward = false;

  // Which of the rows of n values step t of batch b is about.
  int64_t RowOf(int64_t b, int64_t t) const {
    const int64_t time = backward ? steps - 1 - t : t;
    return time_major ? time * batches + b : b * steps + time;
  }
};

inline Sequence MakeSequence(std::span<const int32_t> dims, bool time_major) {
  if (dims.size() == 2) return {dims[0], 1, false, false};
  return {dims[time_major ? 1 : 0], dims[time_major ? 0 : 1], time_major, false};
}

// step(b, row) for all steps in their order; batches in parallel, in ranges of at least `grain`.
template <typename Fn>
heddle_status RunSequence(const OpContext& op, const Sequence& sequence, int64_t grain,
                          const Fn& step) {
  return op.ParallelFor(sequence.batches, grain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      for (int64_t t = 0; t < sequence.steps; ++t) step(b, sequence.RowOf(b, t));
    }
  });
}

// Ops that go through a sequence in both directions. An auxiliary input beside the input is used by
// both directions if they have weights for it; without, it is the backward direction's only input.
// For infer: one output, where the directions' values follow each other, or two.
heddle_status InferBidirectional(const OpContext& op, bool merge_outputs, int32_t forward_outputs,
                                 int32_t backward_outputs);
// For prepare: an auxiliary input has as many steps and batches as the input.
heddle_status CheckAuxInput(const OpContext& op, size_t aux);

}  // namespace heddle::kernels
