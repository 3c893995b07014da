// SPDX-License-Identifier: Apache-2.0
// Counts and fails allocations: operator new of the whole program, and an environment's allocator.
#pragma once

#include <cstdint>

#include "heddle/heddle.h"

namespace heddle::testing {

enum class Failing : uint8_t {
  kNone,
  kOnce,  // the Nth allocation fails, later ones succeed
  kFrom,  // the Nth and all later ones fail
};

// Allocations from now on are counted from 1; the Nth fails as told. Any thread.
void StartCounting(Failing failing, int64_t nth);
// Ends it; the number of allocations since. `*failed`: how many of them failed.
int64_t StopCounting(int64_t* failed = nullptr);
// Blocks of operator new and of the environment's allocator that are alive.
int64_t LiveBlocks();

// An allocator that is counted with operator new and fails with it.
heddle_allocator CountedAllocator();

}  // namespace heddle::testing
