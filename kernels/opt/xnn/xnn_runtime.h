// SPDX-License-Identifier: Apache-2.0
// What XNNPACK needs before its operators can be used: initialisation, memory, threads.
//
// The one exception to "no global state": XNNPACK keeps, for the whole process (or, in a shared
// libheddle, for that copy of it), its tables of kernels and the first allocator that it is given.
// It gets the forwarding allocator of xnn_runtime.cc, which takes from the C++ heap and counts;
// environments share it.
#pragma once

#include <xnnpack.h>

#include <cstdint>
#include <string>

#include "runtime/sync/thread_pool.h"

// XNNPACK's opaque thread pool: a pool of ours with the limit of threads for one operator.
struct pthreadpool {
  heddle::ThreadPool* pool;
  int32_t max_threads;
};

namespace heddle {

// Initialises XNNPACK at the first call, from any number of threads at once. False if it does not
// support this processor.
bool XnnInitialize();

// "XNNPACK git20241108, kernels 0c86...": the version, and the identifier of the kernels linked in,
// by which packed weights may be kept.
std::string XnnVersionText();

// What XNNPACK holds now, in this process: operators, indirection buffers, packed weights that no
// weights-cache provider took. Not part of any arena.
uint64_t XnnAllocatedBytes();

// What to hand XNNPACK as its thread pool. An operator must be run with the limit that it was
// reshaped for, or less: it reserves scratch memory by thread.
class XnnThreads {
 public:
  // Null pool, or limit 1: everything runs on the caller. Limit 0: the pool's.
  XnnThreads(ThreadPool* pool, int32_t max_threads)
      : threads_{pool, pool == nullptr                                         ? 1
                       : max_threads <= 0 || max_threads > pool->max_threads() ? pool->max_threads()
                                                                               : max_threads} {}
  pthreadpool_t get() { return threads_.max_threads > 1 ? &threads_ : nullptr; }

 private:
  pthreadpool threads_;
};

}  // namespace heddle
