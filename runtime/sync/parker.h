// SPDX-License-Identifier: Apache-2.0
// How a thread waits for an atomic to change: spin for a bounded time, then sleep.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "runtime/base/clock.h"
#include "runtime/sync/fork_safe.h"

namespace heddle {

inline void CpuPause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield");
#endif
}

// True as soon as `ready()` is; false when it was not for `bound_ns`. The bound is time, since a
// pause takes from one to over a hundred cycles; the clock is read only after a first short round.
// From then on it yields between rounds: on a busy machine the awaited thread may need this core.
template <typename Ready>
bool SpinUntil(Ready&& ready, uint64_t bound_ns) {
  if (bound_ns == 0) return ready();
  constexpr uint32_t kRound = 64;
  uint64_t start_ns = 0;
  for (uint32_t i = 1;; ++i) {
    if (ready()) return true;
    CpuPause();
    if (i % kRound != 0) continue;
    const uint64_t now_ns = MonotonicNs();
    if (start_ns == 0)
      start_ns = now_ns;
    else if (now_ns - start_ns >= bound_ns)
      return ready();
    else
      std::this_thread::yield();
  }
}

// The sleeping place of one thread. The waker first changes the atomic that `ready` reads, then
// calls Unpark; both sides use sequentially consistent operations, so that either the waker sees
// the sleeper or the sleeper sees the change.
class Parker {
 public:
  template <typename Ready>
  void Park(Ready&& ready) {
    std::unique_lock lock(sleep_->mutex);
    parked_.store(true);
    sleep_->wake.wait(lock, ready);
    parked_.store(false);
  }

  bool IsParked() const { return parked_.load(); }
  // Cheap when nobody sleeps.
  void Unpark() {
    if (!IsParked()) return;
    // Taking the lock waits out a sleeper between its check and its sleep.
    {
      const std::lock_guard lock(sleep_->mutex);
    }
    sleep_->wake.notify_one();
  }

 private:
  struct Sleep {
    std::mutex mutex;
    std::condition_variable wake;
  };
  std::atomic<bool> parked_{false};
  ForkSafe<Sleep> sleep_;
};

}  // namespace heddle
