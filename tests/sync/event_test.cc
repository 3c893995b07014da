// SPDX-License-Identifier: Apache-2.0
#include "runtime/sync/event.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/sync/cancel_token.h"
#include "runtime/sync/deadline.h"
#include "tests/sync/fork_child.h"
#include "tests/sync/interpose.h"

namespace heddle {
namespace {

struct Call {
  std::atomic<int> count{0};
  heddle_status status = HEDDLE_OK;
  std::thread::id thread;
  static void Record(void* context, heddle_status status) {
    auto* call = static_cast<Call*>(context);
    call->status = status;
    call->thread = std::this_thread::get_id();
    call->count.fetch_add(1);
  }
};

Status SomeFault() {
  return Status(HEDDLE_KERNEL_FAILED, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_DATA_OUT_OF_RANGE,
                "index 9 of 5");
}

TEST(Event, KeepsTheFirstResultAndClonesIt) {
  Event event;
  EXPECT_FALSE(event.IsDone());
  EXPECT_TRUE(event.Complete(SomeFault()));
  EXPECT_FALSE(event.Complete(Status()));
  ASSERT_TRUE(event.IsDone());
  for (int i = 0; i < 2; ++i) {
    const Status result = event.Result();
    EXPECT_EQ(result.code(), HEDDLE_KERNEL_FAILED);
    EXPECT_EQ(result.message(), "index 9 of 5");
  }
}

TEST(Event, WaitTellsTimeoutFromCompletion) {
  Event event;
  EXPECT_FALSE(event.Wait(0));
  const uint64_t start = MonotonicNs();
  EXPECT_FALSE(event.Wait(20'000'000));
  EXPECT_GE(MonotonicNs() - start, 20'000'000u);
  event.Complete(Status());
  EXPECT_TRUE(event.Wait(0));
  EXPECT_TRUE(event.Wait(UINT64_MAX));
}

TEST(Event, WakesAllWaitersWithAnyTimeout) {
  for (const uint64_t timeout : {UINT64_MAX, UINT64_MAX - 1, uint64_t{60'000'000'000}}) {
    Event event;
    std::atomic<int> woken{0};
    std::vector<std::thread> waiters;
    for (int i = 0; i < 3; ++i) {
      waiters.emplace_back([&] { woken += event.Wait(timeout) ? 1 : 0; });
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    event.Complete(Status());
    for (std::thread& waiter : waiters) waiter.join();
    EXPECT_EQ(woken.load(), 3);
  }
}

TEST(Event, CallbacksRunOnceOnTheCompletingThreadOrAtOnce) {
  Event event;
  Call early[2];
  for (Call& call : early) ASSERT_TRUE(event.OnDone(&Call::Record, &call).ok());
  std::thread completer([&] {
    event.Complete(SomeFault());
    EXPECT_EQ(early[0].thread, std::this_thread::get_id());
    EXPECT_EQ(early[1].thread, std::this_thread::get_id());
  });
  completer.join();
  Call late;
  ASSERT_TRUE(event.OnDone(&Call::Record, &late).ok());
  EXPECT_EQ(late.thread, std::this_thread::get_id());
  event.Complete(Status());
  for (const Call* call : {&early[0], &early[1], &late}) {
    EXPECT_EQ(call->count.load(), 1);
    EXPECT_EQ(call->status, HEDDLE_KERNEL_FAILED);
  }
}

TEST(Event, CallbackMayUseAndDropTheEvent) {
  auto event = std::make_shared<Event>();
  struct Context {
    std::shared_ptr<Event> event;
    bool waited = false;
    Call nested;
  } context{event, false, {}};
  ASSERT_TRUE(event
                  ->OnDone(
                      [](void* pointer, heddle_status) {
                        auto* context = static_cast<Context*>(pointer);
                        context->waited = context->event->Wait(UINT64_MAX);
                        EXPECT_TRUE(context->event->OnDone(&Call::Record, &context->nested).ok());
                        context->event.reset();
                      },
                      &context)
                  .ok());
  event->Complete(Status());
  EXPECT_TRUE(context.waited);
  EXPECT_EQ(context.nested.count.load(), 1);
}

TEST(Event, CompletionAndWaitAndCallbackMeet) {
  for (int round = 0; round < 300; ++round) {
    auto event = std::make_shared<Event>();
    Call call;
    std::thread completer([event] { event->Complete(Status::OutOfMemory()); });
    std::thread watcher([event, &call] { EXPECT_TRUE(event->OnDone(&Call::Record, &call).ok()); });
    EXPECT_TRUE(event->Wait(UINT64_MAX));
    EXPECT_TRUE(event->Result().is_out_of_memory());
    event.reset();
    completer.join();
    watcher.join();
    EXPECT_EQ(call.count.load(), 1);
  }
}

TEST(Event, CompletingAllocatesNothing) {
  Event event;
  Call call;
  ASSERT_TRUE(event.OnDone(&Call::Record, &call).ok());
  const uint64_t before = AllocationCount();
  event.Complete(Status::OutOfMemory());
  EXPECT_TRUE(event.Result().is_out_of_memory());
  EXPECT_EQ(AllocationCount(), before);
  EXPECT_EQ(call.status, HEDDLE_RESOURCE_EXHAUSTED);
}

TEST(Event, ChildOfAForkNeitherHangsNorCompletes) {
  auto pending = std::make_unique<Event>();
  auto done = std::make_unique<Event>();
  done->Complete(Status());
  std::thread waiter([&] { pending->Wait(UINT64_MAX); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(ExitStatusOfChild([&] {
              Call call;
              if (pending->Usable() || pending->Wait(UINT64_MAX)) return 1;
              if (pending->OnDone(&Call::Record, &call).reason() != HEDDLE_REASON_FORKED) return 2;
              if (!done->Wait(UINT64_MAX) || !done->OnDone(&Call::Record, &call).ok()) return 3;
              if (call.count.load() != 1) return 4;
              pending.reset();
              done.reset();
              return 42;
            }),
            42);
  pending->Complete(Status());
  waiter.join();
}

TEST(CancelToken, StaysCancelledUntilReset) {
  CancelToken token;
  EXPECT_FALSE(token.Cancelled());
  std::thread([&] { token.Cancel(); }).join();
  EXPECT_TRUE(token.Cancelled());
  token.Reset();
  EXPECT_FALSE(token.Cancelled());
}

TEST(Deadline, SaturatesAndExpires) {
  EXPECT_FALSE(Deadline().Expired());
  EXPECT_FALSE(Deadline::FromTimeout(0).IsSet());
  EXPECT_FALSE(Deadline::FromTimeout(UINT64_MAX).IsSet());
  EXPECT_EQ(Deadline::At(5, 7).at_ns, 12u);
  EXPECT_EQ(Deadline::At(5, UINT64_MAX - 6).at_ns, UINT64_MAX - 1);
  EXPECT_FALSE(Deadline::At(5, UINT64_MAX - 5).IsSet());
  EXPECT_FALSE(Deadline::At(5, UINT64_MAX - 1).IsSet());
  EXPECT_FALSE(Deadline::FromTimeout(60'000'000'000).Expired());
  const Deadline soon = Deadline::FromTimeout(1'000'000);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  EXPECT_TRUE(soon.Expired());
}

}  // namespace
}  // namespace heddle
