// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include "runtime/base/status.h"
#include "runtime/sync/fork_safe.h"

namespace heddle {

// Work for the submission thread. Of Run and Fail one is called and finishes normally, once, unless
// Submit failed or the process forked; then the object is destroyed, on the same thread.
class Submission {
 public:
  virtual ~Submission() = default;
  // Does the work and tells its result (usually through an Event).
  virtual void Run() = 0;
  // Called when Run was left by an exception: tells `status` in its place.
  virtual void Fail(Status status) noexcept = 0;
};

// One thread, started with the first submission, that runs submissions in the order of priority
// (higher first), then of submission. One that has started is never interrupted. Owned by an
// environment.
class SubmissionQueue {
 public:
  SubmissionQueue();
  SubmissionQueue(const SubmissionQueue&) = delete;
  SubmissionQueue& operator=(const SubmissionQueue&) = delete;
  // Whoever submits keeps the environment alive until its work is done, so the queue is empty here;
  // work that a broken caller left is run all the same, and waited for. On the submission thread
  // itself, where a submission may drop the environment's last reference, it returns at once and
  // the thread ends by itself. In a forked child it gives nothing back of what was queued, since
  // the fork may have come in the middle of a change.
  ~SubmissionQueue();

  // Takes the submission over. On failure it is destroyed without a call: in a forked child, when
  // the thread cannot be started, or when memory is short.
  Status Submit(int32_t priority, std::unique_ptr<Submission> submission);

  // To refuse waiting for queued work where that would wait for itself.
  bool IsSubmissionThread() const;

 private:
  struct State;
  static void ThreadMain(std::shared_ptr<State> state);

  const ProcessMark mark_;
  // Shared with the thread, which may outlive the queue.
  std::shared_ptr<State> state_;
  // Guarded by the state's mutex.
  ForkSafe<std::thread> thread_;
};

}  // namespace heddle
