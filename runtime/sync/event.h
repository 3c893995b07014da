// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <vector>

#include "heddle/heddle.h"
#include "runtime/base/status.h"
#include "runtime/sync/fork_safe.h"

namespace heddle {

// How the completion of something is told, once. Held by std::shared_ptr; whoever completes it must
// own one, since waiters may drop theirs as soon as it is done. Destroying never blocks.
class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  // Stores the result, wakes all waiters and runs the callbacks on this thread, outside any lock.
  // Allocates nothing. Only the first call counts; false from later ones.
  bool Complete(Status result);

  bool IsDone() const { return done_.load(std::memory_order_acquire); }
  // Waits until done or `timeout_ns` passed (UINT64_MAX: for ever). Whether it is done. False at
  // once in a forked child for an event that was not done at the fork: nothing will complete it.
  bool Wait(uint64_t timeout_ns);
  // A copy of the result; success while not done.
  Status Result() const { return IsDone() ? result_.Clone() : Status(); }

  // Has `callback` called exactly once: by Complete, or at once if done. Fails, and never calls it,
  // in a forked child for an event that was not done at the fork.
  Status OnDone(heddle_event_callback callback, void* context);

  // False in a forked child.
  bool Usable() const { return mark_.IsHere(); }

 private:
  struct Callback {
    heddle_event_callback function;
    void* context;
  };
  struct Waiting {
    std::mutex mutex;
    std::condition_variable done;
  };
  const ProcessMark mark_;
  ForkSafe<Waiting> waiting_;
  std::atomic<bool> done_{false};
  // Guarded by the mutex until done; then `result_` never changes and there are no callbacks.
  Status result_;
  std::vector<Callback> callbacks_;
};

}  // namespace heddle
