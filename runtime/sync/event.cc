// SPDX-License-Identifier: Apache-2.0
#include "runtime/sync/event.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace heddle {

bool Event::Complete(Status result) {
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(waiting_->mutex);
    if (done_.load(std::memory_order_relaxed)) return false;
    result_ = std::move(result);
    callbacks.swap(callbacks_);
    done_.store(true, std::memory_order_release);
  }
  waiting_->done.notify_all();
  const heddle_status code = result_.code();
  for (const Callback& callback : callbacks) callback.function(callback.context, code);
  return true;
}

bool Event::Wait(uint64_t timeout_ns) {
  if (IsDone()) return true;
  if (timeout_ns == 0 || !Usable()) return false;
  const auto done = [this] { return done_.load(std::memory_order_relaxed); };
  std::unique_lock lock(waiting_->mutex);
  if (timeout_ns == UINT64_MAX) {
    waiting_->done.wait(lock, done);
    return true;
  }
  // A century is far enough, and no clock overflows.
  constexpr uint64_t kMostNs = uint64_t{100} * 365 * 24 * 3600 * 1'000'000'000;
  const auto until =
      std::chrono::steady_clock::now() + std::chrono::nanoseconds(std::min(timeout_ns, kMostNs));
  return waiting_->done.wait_until(lock, until, done);
}

Status Event::OnDone(heddle_event_callback callback, void* context) {
  if (!IsDone()) {
    if (!Usable()) {
      return Status(HEDDLE_FAILED_PRECONDITION, HEDDLE_PHASE_API, HEDDLE_REASON_FORKED,
                    "the event was made before fork() and will not complete in this process");
    }
    const std::lock_guard lock(waiting_->mutex);
    if (!done_.load(std::memory_order_relaxed)) {
      callbacks_.push_back({callback, context});
      return {};
    }
  }
  callback(context, result_.code());
  return {};
}

}  // namespace heddle
