// SPDX-License-Identifier: Apache-2.0
// An op that waits until the test lets it go.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "tests/support/rig.h"

namespace heddle::testing {

// y = x, once the gate is open. Notes each visitor's x[0].
class Gate {
 public:
  void Make(TestOp& op) {
    op.on_invoke = [this](heddle_op_call* call) { return Enter(call); };
  }
  void Open() {
    const std::lock_guard<std::mutex> lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  // Visitors fail from now on.
  void Fail() {
    const std::lock_guard<std::mutex> lock(mutex_);
    fail_ = true;
  }
  void WaitForVisitors(size_t count) {
    std::unique_lock<std::mutex> lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(30), [&] {
      return visitors_.size() >= count;
    })) << "nobody came";
  }
  std::vector<float> Visitors() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return visitors_;
  }

 private:
  heddle_status Enter(heddle_op_call* call) {
    std::unique_lock<std::mutex> lock(mutex_);
    visitors_.push_back(In<float>(call, 0)[0]);
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    if (fail_) {
      return call->host->report(call, HEDDLE_KERNEL_FAILED, HEDDLE_REASON_DATA_OUT_OF_RANGE,
                                HEDDLE_NO_OPERAND, "on purpose");
    }
    if (call->host->is_cancelled(call) != 0) return HEDDLE_CANCELLED;
    return CopyInput(call);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  bool fail_ = false;
  std::vector<float> visitors_;
};

}  // namespace heddle::testing
