// SPDX-License-Identifier: Apache-2.0
// Places buffers with known lifetimes in one arena so that buffers alive at the same time never
// overlap.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace heddle {

// A buffer that is alive from the start of step `first` to the end of step `last`, both included.
struct ArenaBuffer {
  size_t bytes = 0;
  int32_t first = 0;
  int32_t last = 0;
};

struct ArenaPlan {
  std::vector<size_t> offsets;  // one a buffer, multiples of kTensorAlignment
  size_t bytes = 0;             // of the arena
  size_t lower_bound = 0;       // largest sum of rounded sizes alive at once
  bool overflow = false;        // sizes do not fit size_t
};

// Greedy placement in several orders (by size, by lifetime, by start), the smallest result taken.
// The method is the "greedy by size" family of Pisarchyk and Lee, "Efficient Memory Management for
// Deep Neural Net Inference" (2020). Deterministic. Every buffer is followed by at least
// kTensorPadding bytes of the arena that may be read.
ArenaPlan PlanArena(std::span<const ArenaBuffer> buffers);

}  // namespace heddle
