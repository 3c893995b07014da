// SPDX-License-Identifier: Apache-2.0
// The one thread pool: owned by an environment, shared by its interpreters. docs/design/threads.md
// tells how it waits, and what fork and teardown do.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "runtime/base/function_ref.h"
#include "runtime/base/status.h"
#include "runtime/sync/fork_safe.h"
#include "runtime/sync/parker.h"

namespace heddle {

class ThreadPool {
 public:
  using RangeFn = FunctionRef<void(int64_t begin, int64_t end)>;
  using ThreadRangeFn = FunctionRef<void(int32_t thread, int64_t begin, int64_t end)>;

  // At most `max_threads` threads compute at once, the caller's included; 0: UsableCores(). Workers
  // start with the first regions that need them.
  explicit ThreadPool(int32_t max_threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  // No region may be running. Joins the workers, but for a forked child, where there are none.
  ~ThreadPool();

  int32_t max_threads() const { return max_threads_; }
  // Workers that run now, for diagnosis: fewer than were asked for if the system refused threads.
  int32_t worker_count() const { return worker_count_.load(std::memory_order_acquire); }
  // False in a process forked after construction: regions run on the caller alone.
  bool Usable() const { return mark_.IsHere(); }

  // Calls fn on ranges that cover [0, count) once. Which ranges, and on which thread, depends on
  // thread count and timing, so what fn computes for an index must depend on nothing but the index:
  // then the bits are the same in every case.
  // Work of fewer than 2 * grain indices runs on the caller alone, as does all work while another
  // region runs (from inside a region, too). `max_threads` limits this region; 0: the pool's limit.
  // Workers take the caller's floating-point state.
  // Fails only if fn throws: RESOURCE_EXHAUSTED for bad_alloc. Then some ranges may not have run.
  Status ParallelFor(int64_t count, int64_t grain, int32_t max_threads, RangeFn fn) {
    return ParallelForThreads(
        count, grain, max_threads,
        [fn](int32_t /*thread*/, int64_t begin, int64_t end) { fn(begin, end); });
  }
  // The same; fn also gets a number below `max_threads` that no other running call of this region
  // has, to choose scratch memory by.
  Status ParallelForThreads(int64_t count, int64_t grain, int32_t max_threads, ThreadRangeFn fn);

 private:
  // A thread's share of a region: consecutive chunks, which idle threads may take too.
  struct alignas(64) Share {
    std::atomic<int32_t> next_chunk{0};
    int32_t chunks = 0;
    int64_t begin = 0;
    int64_t end = 0;
  };
  struct alignas(64) Worker {
    std::atomic<uint32_t> signal{0};  // counts the regions it was called to
    Parker parker;
    ForkSafe<std::thread> thread;
  };

  int32_t StartWorkers(int32_t wanted);
  void WorkerMain(int32_t thread);
  void Signal(Worker& worker);
  bool JoinRegion();
  void LeaveRegion();
  void Work(int32_t thread) noexcept;

  const ProcessMark mark_;
  const int32_t max_threads_;
  const uint64_t spin_ns_;  // 0 where threads outnumber cores
  std::unique_ptr<Share[]> shares_;
  std::unique_ptr<Worker[]> workers_;
  std::atomic<int32_t> worker_count_{0};
  uint64_t retry_start_ns_ = 0;  // guarded by the lease
  std::atomic<bool> stop_{false};

  alignas(64) std::atomic<bool> leased_{false};
  // The region under way. Written by the lease holder while the gate is shut and nobody is inside.
  int32_t threads_ = 0;
  int64_t chunk_ = 0;
  const ThreadRangeFn* fn_ = nullptr;
  uint64_t fp_state_ = 0;
  std::atomic<int32_t> failure_{0};
  // kOpen, plus the number of workers inside.
  alignas(64) std::atomic<uint32_t> gate_{0};
  Parker caller_;
};

}  // namespace heddle
