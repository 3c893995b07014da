// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace heddle {

// Set from any thread, read between nodes. Shared by std::shared_ptr: a run keeps its token alive.
class CancelToken {
 public:
  void Cancel() { cancelled_.store(true, std::memory_order_release); }
  void Reset() { cancelled_.store(false, std::memory_order_release); }
  bool Cancelled() const { return cancelled_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> cancelled_{false};
};

}  // namespace heddle
