// SPDX-License-Identifier: Apache-2.0
// What the whole test program counts and injects: heap allocations, refused threads.
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle {

// Calls of operator new so far.
uint64_t AllocationCount();
// The next so many allocations on this thread succeed, the one after fails; negative: none fails.
void FailAllocationAfter(int64_t successes);
// Threads that may still be started; negative: any number.
extern std::atomic<int32_t> threads_allowed;

}  // namespace heddle
