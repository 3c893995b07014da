// SPDX-License-Identifier: Apache-2.0
// Audio comes as frames, each computed alone with some memory of its own. Frames are dealt to at
// most kFrameWorkers loops, so that this memory does not grow with the length of the audio.
#pragma once

#include "kernels/op_kernel.h"

namespace heddle::kernels {

constexpr int64_t kFrameWorkers = 16;

// fn(worker, frame) for each frame; frames of one worker come one after the other.
template <typename Fn>
heddle_status ForEachFrame(const OpContext& op, int64_t frames, const Fn& fn) {
  const int64_t workers = frames < kFrameWorkers ? frames : kFrameWorkers;
  return op.ParallelFor(workers, 1, [&](int64_t begin, int64_t end) {
    for (int64_t worker = begin; worker < end; ++worker) {
      for (int64_t frame = worker; frame < frames; frame += workers) fn(worker, frame);
    }
  });
}

}  // namespace heddle::kernels
