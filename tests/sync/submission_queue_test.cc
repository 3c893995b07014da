// SPDX-License-Identifier: Apache-2.0
#include "runtime/sync/submission_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/sync/event.h"
#include "tests/sync/fork_child.h"
#include "tests/sync/interpose.h"

namespace heddle {
namespace {

// Runs a function, then completes an event with how it went.
class Job : public Submission {
 public:
  Job(std::function<void()> run, std::shared_ptr<Event> done)
      : run_(std::move(run)), done_(std::move(done)) {}
  void Run() override {
    run_();
    done_->Complete(Status());
  }
  void Fail(Status status) noexcept override { done_->Complete(std::move(status)); }

 private:
  std::function<void()> run_;
  std::shared_ptr<Event> done_;
};

std::shared_ptr<Event> Submit(SubmissionQueue& queue, int32_t priority, std::function<void()> run) {
  auto done = std::make_shared<Event>();
  EXPECT_TRUE(queue.Submit(priority, std::make_unique<Job>(std::move(run), done)).ok());
  return done;
}

// Holds the submission thread until told.
struct Hold {
  std::atomic<bool> begun{false};
  std::atomic<bool> release{false};
  void operator()() {
    begun = true;
    while (!release) std::this_thread::yield();
  }
};

TEST(SubmissionQueue, RunsByPriorityThenOrder) {
  SubmissionQueue queue;
  Hold hold;
  Submit(queue, 0, std::ref(hold));
  while (!hold.begun) std::this_thread::yield();
  std::vector<std::pair<int, int>> order;
  std::shared_ptr<Event> last;
  for (int i = 0; i < 5; ++i) {
    for (const int priority : {0, 7, -3}) {
      auto done =
          Submit(queue, priority, [&order, priority, i] { order.emplace_back(priority, i); });
      if (priority == -3) last = done;
    }
  }
  hold.release = true;
  ASSERT_TRUE(last->Wait(UINT64_MAX));
  std::vector<std::pair<int, int>> expected;
  for (const int priority : {7, 0, -3}) {
    for (int i = 0; i < 5; ++i) expected.emplace_back(priority, i);
  }
  EXPECT_EQ(order, expected);
}

TEST(SubmissionQueue, OneThreadThatKnowsItself) {
  SubmissionQueue queue;
  EXPECT_FALSE(queue.IsSubmissionThread());
  std::thread::id ids[2];
  for (std::thread::id& id : ids) {
    Submit(queue, 0, [&] {
      id = std::this_thread::get_id();
      EXPECT_TRUE(queue.IsSubmissionThread());
    })->Wait(UINT64_MAX);
  }
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_NE(ids[0], std::this_thread::get_id());
}

TEST(SubmissionQueue, ManySubmitters) {
  std::atomic<int> ran{0};
  {
    SubmissionQueue queue;
    std::vector<std::thread> submitters;
    for (int t = 0; t < 4; ++t) {
      submitters.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) Submit(queue, t, [&] { ++ran; });
      });
    }
    for (std::thread& submitter : submitters) submitter.join();
  }
  // The destructor ran what was still queued.
  EXPECT_EQ(ran.load(), 800);
}

TEST(SubmissionQueue, SubmissionMaySubmit) {
  SubmissionQueue queue;
  std::shared_ptr<Event> inner;
  auto outer = Submit(queue, 0, [&] { inner = Submit(queue, 0, [] {}); });
  ASSERT_TRUE(outer->Wait(UINT64_MAX));
  EXPECT_TRUE(inner->Wait(UINT64_MAX));
}

TEST(SubmissionQueue, UnusedQueueEnds) { SubmissionQueue queue; }

TEST(SubmissionQueue, LastReferenceDroppedByASubmission) {
  for (int round = 0; round < 50; ++round) {
    auto queue = std::make_shared<SubmissionQueue>();
    auto holder = std::make_shared<std::shared_ptr<SubmissionQueue>>(queue);
    std::atomic<bool> dropped{false};
    auto done = Submit(*queue, 0, [holder, &dropped] {
      while (!dropped) std::this_thread::yield();
      std::weak_ptr<SubmissionQueue> gone = *holder;
      holder->reset();
      EXPECT_TRUE(gone.expired());
    });
    queue.reset();
    dropped = true;
    EXPECT_TRUE(done->Wait(UINT64_MAX));
    EXPECT_TRUE(done->Result().ok());
  }
}

TEST(SubmissionQueue, ExceptionsBecomeAStatus) {
  SubmissionQueue queue;
  auto short_of_memory = Submit(queue, 0, [] { throw std::bad_alloc(); });
  auto foreign = Submit(queue, 0, [] { throw std::runtime_error("plugin"); });
  ASSERT_TRUE(short_of_memory->Wait(UINT64_MAX));
  EXPECT_TRUE(short_of_memory->Result().is_out_of_memory());
  ASSERT_TRUE(foreign->Wait(UINT64_MAX));
  EXPECT_EQ(foreign->Result().code(), HEDDLE_INTERNAL);
}

TEST(SubmissionQueue, SaysWhenTheThreadCannotStart) {
  SubmissionQueue queue;
  auto done = std::make_shared<Event>();
  threads_allowed = 0;
  const Status status = queue.Submit(0, std::make_unique<Job>([] {}, done));
  threads_allowed = -1;
  EXPECT_EQ(status.code(), HEDDLE_RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.reason(), HEDDLE_REASON_THREAD_NOT_STARTED);
  EXPECT_EQ(done.use_count(), 1);
  EXPECT_FALSE(done->IsDone());
  // And the next one may.
  EXPECT_TRUE(Submit(queue, 0, [] {})->Wait(UINT64_MAX));
}

TEST(SubmissionQueue, EachAllocationMayFail) {
  int64_t successes = 0;
  for (bool failed = true; failed; ++successes) {
    ASSERT_LT(successes, 20);
    SubmissionQueue queue;
    auto done = std::make_shared<Event>();
    auto job = std::make_unique<Job>([] {}, done);
    FailAllocationAfter(successes);
    const Status status = queue.Submit(0, std::move(job));
    FailAllocationAfter(-1);
    failed = !status.ok();
    if (failed) {
      EXPECT_TRUE(status.is_out_of_memory());
      EXPECT_EQ(done.use_count(), 1);
    } else {
      EXPECT_TRUE(done->Wait(UINT64_MAX));
    }
  }
  EXPECT_GE(successes, 3);  // thread state and heap have failed
}

TEST(SubmissionQueue, ChildOfAForkRefusesAndEnds) {
  auto idle = std::make_unique<SubmissionQueue>();
  Submit(*idle, 0, [] {})->Wait(UINT64_MAX);
  auto unused = std::make_unique<SubmissionQueue>();
  auto busy = std::make_unique<SubmissionQueue>();
  Hold hold;
  Submit(*busy, 0, std::ref(hold));
  auto queued = Submit(*busy, 0, [] {});
  while (!hold.begun) std::this_thread::yield();
  EXPECT_EQ(ExitStatusOfChild([&] {
              for (auto* queue : {&idle, &unused, &busy}) {
                auto done = std::make_shared<Event>();
                const Status status = (*queue)->Submit(0, std::make_unique<Job>([] {}, done));
                if (status.reason() != HEDDLE_REASON_FORKED || done.use_count() != 1) return 1;
                queue->reset();
              }
              return 42;
            }),
            42);
  hold.release = true;
  EXPECT_TRUE(queued->Wait(UINT64_MAX));
}

}  // namespace
}  // namespace heddle
