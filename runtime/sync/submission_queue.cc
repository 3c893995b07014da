// SPDX-License-Identifier: Apache-2.0
#include "runtime/sync/submission_queue.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/base/strings.h"

namespace heddle {
namespace {

Status ForeignException() noexcept {
  try {
    return Status(HEDDLE_INTERNAL, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_INTERNAL,
                  "a queued run was left by an exception");
  } catch (const std::bad_alloc&) {
    return Status::OutOfMemory();
  }
}

}  // namespace

struct SubmissionQueue::State {
  struct Entry {
    int32_t priority = 0;
    uint64_t sequence = 0;
    std::unique_ptr<Submission> submission;
  };
  // For a heap whose top runs first.
  static bool RunsLater(const Entry& a, const Entry& b) {
    return a.priority != b.priority ? a.priority < b.priority : a.sequence > b.sequence;
  }

  std::mutex mutex;
  std::condition_variable wake;
  std::vector<Entry> heap;
  uint64_t next_sequence = 0;
  bool stop = false;
  std::atomic<std::thread::id> thread_id{};
};

SubmissionQueue::SubmissionQueue() : state_(std::make_shared<State>()) {}

SubmissionQueue::~SubmissionQueue() {
  // In a forked child the vanished thread's reference keeps the state for ever.
  if (!mark_.IsHere()) return;
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
    state_->wake.notify_one();
  }
  if (!thread_->joinable()) return;
  if (IsSubmissionThread())
    thread_->detach();
  else
    thread_->join();
}

Status SubmissionQueue::Submit(int32_t priority, std::unique_ptr<Submission> submission) {
  if (!mark_.IsHere()) {
    return Status(HEDDLE_FAILED_PRECONDITION, HEDDLE_PHASE_API, HEDDLE_REASON_FORKED,
                  "the environment was made before fork() and its submission thread does not exist "
                  "in this process");
  }
  State& state = *state_;
  try {
    const std::lock_guard lock(state.mutex);
    if (!thread_->joinable()) *thread_ = std::thread(&ThreadMain, state_);
    // Grown first: should that throw, the submission must not die under the lock.
    state.heap.emplace_back();
    state.heap.back() = {priority, state.next_sequence++, std::move(submission)};
    std::push_heap(state.heap.begin(), state.heap.end(), State::RunsLater);
    state.wake.notify_one();
  } catch (const std::bad_alloc&) {
    return Status::OutOfMemory();
  } catch (const std::system_error& error) {
    return Status(HEDDLE_RESOURCE_EXHAUSTED, HEDDLE_PHASE_API, HEDDLE_REASON_THREAD_NOT_STARTED,
                  StrCat("the submission thread cannot be started: ", error.what()));
  }
  return {};
}

bool SubmissionQueue::IsSubmissionThread() const {
  return state_->thread_id.load(std::memory_order_relaxed) == std::this_thread::get_id();
}

void SubmissionQueue::ThreadMain(std::shared_ptr<State> state) {
  state->thread_id.store(std::this_thread::get_id(), std::memory_order_relaxed);
  std::unique_lock lock(state->mutex);
  for (;;) {
    state->wake.wait(lock, [&] { return state->stop || !state->heap.empty(); });
    if (state->heap.empty()) return;
    std::pop_heap(state->heap.begin(), state->heap.end(), State::RunsLater);
    std::unique_ptr<Submission> submission = std::move(state->heap.back().submission);
    state->heap.pop_back();
    lock.unlock();
    try {
      submission->Run();
    } catch (const std::bad_alloc&) {
      submission->Fail(Status::OutOfMemory());
    } catch (...) {
      submission->Fail(ForeignException());
    }
    submission.reset();
    lock.lock();
  }
}

}  // namespace heddle
