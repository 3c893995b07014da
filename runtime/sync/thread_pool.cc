// SPDX-License-Identifier: Apache-2.0
#include "runtime/sync/thread_pool.h"

#include <algorithm>
#include <exception>
#include <new>

#include "runtime/base/clock.h"
#include "runtime/base/platform.h"
#include "runtime/sync/fp_state.h"

namespace heddle {
namespace {

constexpr uint32_t kOpen = uint32_t{1} << 31;
constexpr int32_t kMostThreads = 1024;
// A share is cut into a few chunks, so that a thread that comes late or is preempted can be helped.
constexpr int64_t kChunksPerShare = 4;
// The next region of a model usually comes within microseconds. Sleeping and waking costs tens.
constexpr uint64_t kSpinNs = 60'000;
constexpr uint64_t kRetryStartNs = 1'000'000'000;

enum Failure : int32_t { kNoFailure = 0, kOutOfMemory = 1, kForeignException = 2 };

int32_t ThreadLimit(int32_t max_threads) {
  return std::clamp(max_threads > 0 ? max_threads : UsableCores(), 1, kMostThreads);
}

template <typename Call>
int32_t Guarded(Call&& call) noexcept {
  try {
    call();
    return kNoFailure;
  } catch (const std::bad_alloc&) {
    return kOutOfMemory;
  } catch (...) {
    return kForeignException;
  }
}

Status FailureStatus(int32_t failure) {
  if (failure == kNoFailure) return {};
  if (failure == kOutOfMemory) return Status::OutOfMemory();
  return Status(HEDDLE_INTERNAL, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_INTERNAL,
                "a kernel left a parallel region by an exception");
}

}  // namespace

ThreadPool::ThreadPool(int32_t max_threads)
    : max_threads_(ThreadLimit(max_threads)),
      spin_ns_(max_threads_ <= UsableCores() ? kSpinNs : 0),
      shares_(new Share[static_cast<size_t>(max_threads_)]),
      workers_(new Worker[static_cast<size_t>(max_threads_ - 1)]) {}

ThreadPool::~ThreadPool() {
  if (!Usable()) return;
  stop_.store(true);
  const int32_t workers = worker_count();
  for (int32_t i = 0; i < workers; ++i) Signal(workers_[i]);
  for (int32_t i = 0; i < workers; ++i) workers_[i].thread->join();
}

Status ThreadPool::ParallelForThreads(int64_t count, int64_t grain, int32_t max_threads,
                                      ThreadRangeFn fn) {
  if (count <= 0) return {};
  const int32_t limit = max_threads > 0 ? std::min(max_threads, max_threads_) : max_threads_;
  auto threads =
      static_cast<int32_t>(std::min<int64_t>(limit, count / std::max<int64_t>(grain, 1)));
  const auto run_alone = [&] { return FailureStatus(Guarded([&] { fn(0, 0, count); })); };
  if (threads <= 1 || leased_.exchange(true, std::memory_order_acquire)) return run_alone();

  threads = std::min(threads, 1 + StartWorkers(threads - 1));
  if (threads <= 1) {
    leased_.store(false, std::memory_order_release);
    return run_alone();
  }

  const int64_t quotient = count / threads;
  const int64_t remainder = count % threads;
  // Rounded up: a share has at most kChunksPerShare chunks, of at least `grain` but for its last.
  chunk_ = std::max(grain, quotient / kChunksPerShare + 1);
  int64_t begin = 0;
  for (int32_t i = 0; i < threads; ++i) {
    Share& share = shares_[i];
    share.begin = begin;
    share.end = begin += quotient + (i < remainder ? 1 : 0);
    share.chunks = static_cast<int32_t>((share.end - share.begin - 1) / chunk_ + 1);
    share.next_chunk.store(0, std::memory_order_relaxed);
  }
  threads_ = threads;
  fn_ = &fn;
  fp_state_ = ReadFpState();
  failure_.store(kNoFailure, std::memory_order_relaxed);
  gate_.store(kOpen, std::memory_order_release);
  for (int32_t i = 0; i < threads - 1; ++i) Signal(workers_[i]);

  Work(0);

  // All chunks are taken. Workers that have not come yet need not: only those inside are waited
  // for.
  if (gate_.fetch_and(~kOpen) != kOpen) {
    const auto all_left = [this] { return gate_.load() == 0; };
    if (!SpinUntil(all_left, spin_ns_)) caller_.Park(all_left);
  }
  const int32_t failure = failure_.load(std::memory_order_relaxed);
  leased_.store(false, std::memory_order_release);
  return FailureStatus(failure);
}

// Called with the lease. Returns how many workers there are, of at most `wanted` ones.
int32_t ThreadPool::StartWorkers(int32_t wanted) {
  int32_t running = worker_count();
  if (running >= wanted) return wanted;
  if (!Usable()) return running;
  if (retry_start_ns_ != 0 && MonotonicNs() < retry_start_ns_) return running;
  retry_start_ns_ = 0;
  while (running < wanted) {
    const int32_t thread = running + 1;
    try {
      *workers_[running].thread = std::thread([this, thread] { WorkerMain(thread); });
    } catch (const std::exception&) {
      // No thread to be had (std::system_error, std::bad_alloc): go on with fewer, and do not pay
      // for the attempt at every region.
      retry_start_ns_ = MonotonicNs() + kRetryStartNs;
      break;
    }
    worker_count_.store(++running, std::memory_order_release);
  }
  return running;
}

void ThreadPool::Signal(Worker& worker) {
  worker.signal.fetch_add(1);
  // In a forked child a vanished worker may have left its parker locked: do not touch it.
  if (worker.parker.IsParked() && Usable()) worker.parker.Unpark();
}

void ThreadPool::WorkerMain(int32_t thread) {
  Worker& worker = workers_[thread - 1];
  uint32_t seen = 0;
  const auto signalled = [&] { return worker.signal.load() != seen; };
  for (;;) {
    if (!SpinUntil(signalled, spin_ns_)) worker.parker.Park(signalled);
    seen = worker.signal.load();
    if (stop_.load()) return;
    if (!JoinRegion()) continue;
    Work(thread);
    LeaveRegion();
  }
}

bool ThreadPool::JoinRegion() {
  uint32_t gate = gate_.load(std::memory_order_relaxed);
  while ((gate & kOpen) != 0) {
    if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acquire,
                                    std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void ThreadPool::LeaveRegion() {
  // The last one out of a region that is shut; while it is open the caller does not wait.
  if (gate_.fetch_sub(1) == 1) caller_.Unpark();
}

// A thread works on its own share first, so that over the regions of a model it sees the same part
// of the data, then on what is left of the others.
void ThreadPool::Work(int32_t thread) noexcept {
  // A worker that comes late for one region may find itself in a later one that is smaller.
  if (thread >= threads_) return;
  if (thread != 0) WriteFpState(fp_state_);
  const int32_t failure = Guarded([&] {
    for (int32_t i = 0; i < threads_; ++i) {
      const int32_t owner = thread + i < threads_ ? thread + i : thread + i - threads_;
      Share& share = shares_[owner];
      while (share.next_chunk.load(std::memory_order_relaxed) < share.chunks) {
        const int32_t chunk = share.next_chunk.fetch_add(1, std::memory_order_relaxed);
        if (chunk >= share.chunks) break;
        const int64_t begin = share.begin + chunk * chunk_;
        const int64_t length = std::min(chunk_, share.end - begin);
        (*fn_)(thread, begin, begin + length);
      }
    }
  });
  if (failure != kNoFailure) failure_.store(failure, std::memory_order_relaxed);
}

}  // namespace heddle
