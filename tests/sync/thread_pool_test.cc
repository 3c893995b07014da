// SPDX-License-Identifier: Apache-2.0
#include "runtime/sync/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "runtime/base/platform.h"
#include "runtime/sync/fp_state.h"
#include "tests/sync/fork_child.h"
#include "tests/sync/interpose.h"

namespace heddle {
namespace {

using std::chrono::milliseconds;

// Runs fn(0) and fn(1) on two threads at once: each waits until the other has begun.
Status Meet(ThreadPool& pool, FunctionRef<void(int64_t)> fn) {
  std::atomic<int> begun{0};
  return pool.ParallelFor(2, 1, 2, [&](int64_t begin, int64_t end) {
    ASSERT_EQ(end, begin + 1);
    begun.fetch_add(1);
    while (begun.load() < 2) std::this_thread::yield();
    fn(begin);
  });
}

TEST(ThreadPool, CoversEveryIndexOnce) {
  ThreadPool pool(4);
  for (const int64_t count : {1, 2, 3, 7, 16, 17, 100, 1001}) {
    for (const int64_t grain : {0, 1, 2, 5, 64, 5000}) {
      for (const int32_t threads : {0, 1, 2, 3, 4, 9}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
        ASSERT_TRUE(pool.ParallelFor(count, grain, threads,
                                     [&](int64_t begin, int64_t end) {
                                       ASSERT_LT(begin, end);
                                       for (int64_t i = begin; i < end; ++i) seen[i].fetch_add(1);
                                     })
                        .ok());
        for (int64_t i = 0; i < count; ++i) {
          ASSERT_EQ(seen[i].load(), 1) << i << " of " << count << " by " << grain;
        }
      }
    }
  }
}

TEST(ThreadPool, CoversTheLongestRange) {
  ThreadPool pool(3);
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  std::atomic<uint64_t> sum{0};
  ASSERT_TRUE(pool.ParallelFor(kMost, 1, 3,
                               [&](int64_t begin, int64_t end) {
                                 ASSERT_LE(0, begin);
                                 ASSERT_LT(begin, end);
                                 sum.fetch_add(static_cast<uint64_t>(end - begin));
                               })
                  .ok());
  EXPECT_EQ(sum.load(), static_cast<uint64_t>(kMost));
}

TEST(ThreadPool, NothingToDoCallsNothing) {
  ThreadPool pool(2);
  int calls = 0;
  EXPECT_TRUE(pool.ParallelFor(0, 1, 0, [&](int64_t, int64_t) { ++calls; }).ok());
  EXPECT_TRUE(pool.ParallelFor(-5, 1, 0, [&](int64_t, int64_t) { ++calls; }).ok());
  EXPECT_EQ(calls, 0);
}

TEST(ThreadPool, TwoThreadsComputeAtOnce) {
  ThreadPool pool(2);
  std::thread::id ids[2];
  ASSERT_TRUE(Meet(pool, [&](int64_t i) { ids[i] = std::this_thread::get_id(); }).ok());
  EXPECT_EQ(ids[0], std::this_thread::get_id());
  EXPECT_NE(ids[1], std::this_thread::get_id());
}

TEST(ThreadPool, ThreadNumbersAreBelowTheLimitAndOneCallHasOne) {
  ThreadPool pool(4);
  std::atomic<int> inside[3] = {};
  for (int round = 0; round < 200; ++round) {
    ASSERT_TRUE(pool.ParallelForThreads(64, 1, 3,
                                        [&](int32_t thread, int64_t, int64_t) {
                                          ASSERT_GE(thread, 0);
                                          ASSERT_LT(thread, 3);
                                          ASSERT_EQ(inside[thread].fetch_add(1), 0);
                                          inside[thread].fetch_sub(1);
                                        })
                    .ok());
  }
  EXPECT_LE(pool.worker_count(), 2);
}

TEST(ThreadPool, LittleWorkStaysOnTheCaller) {
  ThreadPool pool(4);
  int calls = 0;
  ASSERT_TRUE(pool.ParallelFor(199, 100, 0,
                               [&](int64_t begin, int64_t end) {
                                 ++calls;
                                 EXPECT_EQ(begin, 0);
                                 EXPECT_EQ(end, 199);
                               })
                  .ok());
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(pool.worker_count(), 0);
}

TEST(ThreadPool, NestedRegionRunsOnItsCaller) {
  ThreadPool pool(2);
  ASSERT_TRUE(Meet(pool, [&](int64_t) {
                const auto self = std::this_thread::get_id();
                int calls = 0;
                ASSERT_TRUE(pool.ParallelFor(1000, 1, 0,
                                             [&](int64_t begin, int64_t end) {
                                               ++calls;
                                               EXPECT_EQ(std::this_thread::get_id(), self);
                                               EXPECT_EQ(end - begin, 1000);
                                             })
                                .ok());
                EXPECT_EQ(calls, 1);
              }).ok());
}

TEST(ThreadPool, SecondCallerDoesNotWaitForTheFirst) {
  ThreadPool pool(2);
  std::atomic<bool> release{false};
  std::atomic<bool> held{false};
  std::thread first([&] {
    ASSERT_TRUE(Meet(pool, [&](int64_t) {
                  held = true;
                  while (!release) std::this_thread::yield();
                }).ok());
  });
  while (!held) std::this_thread::yield();
  int calls = 0;
  ASSERT_TRUE(pool.ParallelFor(1000, 1, 0, [&](int64_t, int64_t) { ++calls; }).ok());
  EXPECT_EQ(calls, 1);
  release = true;
  first.join();
}

TEST(ThreadPool, ManyCallersAndMoreThreadsThanCores) {
  ThreadPool pool(UsableCores() + 6);
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      std::vector<int64_t> out(257);
      for (int round = 0; round < 300; ++round) {
        ASSERT_TRUE(pool.ParallelFor(257, 1, 0,
                                     [&](int64_t begin, int64_t end) {
                                       for (int64_t i = begin; i < end; ++i) out[i] = i * i + round;
                                     })
                        .ok());
        for (int64_t i = 0; i < 257; ++i) ASSERT_EQ(out[i], i * i + round);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(ThreadPool, WakesSleepingWorkers) {
  ThreadPool pool(2);
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(Meet(pool, [](int64_t) {}).ok());
    // Around and beyond the time that workers spin.
    std::this_thread::sleep_for(std::chrono::microseconds(20 * round));
  }
}

TEST(ThreadPool, EndsAtAnyMoment) {
  for (int round = 0; round < 100; ++round) {
    ThreadPool pool(3);
    if (round % 4 == 0) continue;
    ASSERT_TRUE(pool.ParallelFor(3, 1, 0, [](int64_t, int64_t) {}).ok());
    if (round % 4 == 2) std::this_thread::sleep_for(std::chrono::microseconds(10 * round));
  }
}

TEST(ThreadPool, SteadyStateAllocatesNothing) {
  ThreadPool pool(3);
  const auto region = [&] {
    ASSERT_TRUE(pool.ParallelFor(64, 1, 0, [](int64_t, int64_t) {}).ok());
  };
  region();
  ASSERT_EQ(pool.worker_count(), 2);
  const uint64_t before = AllocationCount();
  for (int round = 0; round < 100; ++round) region();
  EXPECT_EQ(AllocationCount(), before);
}

TEST(ThreadPool, ExceptionsBecomeAStatus) {
  ThreadPool pool(2);
  for (const int64_t thrower : {0, 1}) {
    const Status status = Meet(pool, [&](int64_t i) {
      if (i == thrower) throw std::bad_alloc();
    });
    EXPECT_TRUE(status.is_out_of_memory()) << thrower;
  }
  const Status foreign = Meet(pool, [](int64_t) { throw std::runtime_error("plugin"); });
  EXPECT_EQ(foreign.code(), HEDDLE_INTERNAL);
  EXPECT_TRUE(pool.ParallelFor(1, 1, 0, [](int64_t, int64_t) { throw std::bad_alloc(); })
                  .is_out_of_memory());
  EXPECT_TRUE(Meet(pool, [](int64_t) {}).ok());
}

TEST(ThreadPool, GoesOnWithFewerThreads) {
  for (const int32_t allowed : {0, 1}) {
    ThreadPool pool(4);
    threads_allowed = allowed;
    std::atomic<int64_t> sum{0};
    const Status status = pool.ParallelFor(100, 1, 0, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) sum.fetch_add(i);
    });
    threads_allowed = -1;
    EXPECT_TRUE(status.ok());
    EXPECT_EQ(sum.load(), 4950);
    EXPECT_EQ(pool.worker_count(), allowed);
    // Not tried again at once, but after a while.
    ASSERT_TRUE(pool.ParallelFor(100, 1, 0, [](int64_t, int64_t) {}).ok());
    EXPECT_EQ(pool.worker_count(), allowed);
  }
}

TEST(ThreadPool, TriesAgainToStartThreads) {
  ThreadPool pool(2);
  threads_allowed = 0;
  ASSERT_TRUE(pool.ParallelFor(2, 1, 0, [](int64_t, int64_t) {}).ok());
  threads_allowed = -1;
  ASSERT_EQ(pool.worker_count(), 0);
  std::this_thread::sleep_for(milliseconds(1100));
  ASSERT_TRUE(pool.ParallelFor(2, 1, 0, [](int64_t, int64_t) {}).ok());
  EXPECT_EQ(pool.worker_count(), 1);
}

TEST(ThreadPool, ShortMemoryWhileStartingThreadsIsNoFailure) {
  for (int64_t successes = 0; successes < 4; ++successes) {
    ThreadPool pool(3);
    int64_t sum = 0;
    std::mutex mutex;
    FailAllocationAfter(successes);
    const Status status = pool.ParallelFor(10, 1, 0, [&](int64_t begin, int64_t end) {
      const std::lock_guard lock(mutex);
      sum += end - begin;
    });
    FailAllocationAfter(-1);
    EXPECT_TRUE(status.ok());
    EXPECT_EQ(sum, 10);
  }
}

// Half the smallest normal number: zero where denormals are flushed.
__attribute__((noinline)) float Halve(volatile float* value) { return *value * 0.5f; }

float SmallestHalved() {
  volatile float smallest = std::numeric_limits<float>::min();
  return Halve(&smallest);
}

TEST(ThreadPool, WorkersTakeTheCallersFloatingPointState) {
  ThreadPool pool(2);
  for (const bool flush : {true, false, true}) {
    const ScopedFlushDenormals scope(flush);
    float halved[2] = {-1, -1};
    ASSERT_TRUE(Meet(pool, [&](int64_t i) { halved[i] = SmallestHalved(); }).ok());
    EXPECT_EQ(halved[0] == 0, flush);
    EXPECT_EQ(halved[1] == 0, flush);
  }
}

// In a forked child: right results, on the caller alone, and an end without a hang.
int UseInChild(ThreadPool* pool, bool destroy) {
  if (pool->Usable()) return 2;
  const auto self = std::this_thread::get_id();
  std::vector<int> seen(1000);
  bool alone = true;
  for (int round = 0; round < 3; ++round) {
    const Status status = pool->ParallelFor(1000, 1, 0, [&](int64_t begin, int64_t end) {
      alone = alone && std::this_thread::get_id() == self;
      for (int64_t i = begin; i < end; ++i) ++seen[i];
    });
    if (!status.ok()) return 3;
  }
  for (const int count : seen) {
    if (count != 3) return 4;
  }
  if (!alone) return 5;
  if (destroy) delete pool;
  return 42;
}

TEST(ThreadPoolFork, UnusedPool) {
  auto* pool = new ThreadPool(3);
  EXPECT_EQ(ExitStatusOfChild([&] { return UseInChild(pool, true); }), 42);
  EXPECT_EQ(pool->worker_count(), 0);
  delete pool;
}

TEST(ThreadPoolFork, WorkersAsleepOrSpinningOrOnTheWay) {
  auto* pool = new ThreadPool(2);
  for (int round = 0; round < 12; ++round) {
    ASSERT_TRUE(Meet(*pool, [](int64_t) {}).ok());
    std::this_thread::sleep_for(std::chrono::microseconds(30 * round));
    EXPECT_EQ(ExitStatusOfChild([&] { return UseInChild(pool, true); }), 42);
  }
  ASSERT_TRUE(Meet(*pool, [](int64_t) {}).ok());
  delete pool;
}

TEST(ThreadPoolFork, WhileAnotherThreadsRegionRuns) {
  auto* pool = new ThreadPool(2);
  std::atomic<bool> release{false};
  std::atomic<bool> held{false};
  std::thread other([&] {
    ASSERT_TRUE(Meet(*pool, [&](int64_t) {
                  held = true;
                  while (!release) std::this_thread::yield();
                }).ok());
  });
  while (!held) std::this_thread::yield();
  EXPECT_EQ(ExitStatusOfChild([&] { return UseInChild(pool, true); }), 42);
  release = true;
  other.join();
  delete pool;
}

#if !defined(__SANITIZE_THREAD__)  // which forbids threads in a child of a process with threads
TEST(ThreadPoolFork, PoolMadeInTheChildHasThreads) {
  ThreadPool pool(2);
  ASSERT_TRUE(Meet(pool, [](int64_t) {}).ok());
  EXPECT_EQ(ExitStatusOfChild([] {
              ThreadPool own(2);
              return Meet(own, [](int64_t) {}).ok() && own.worker_count() == 1 ? 42 : 1;
            }),
            42);
}
#endif

TEST(ScopedFlushDenormals, SwitchesAndRestoresExactly) {
  const uint64_t before = ReadFpState();
  {
    const ScopedFlushDenormals outer(true);
    EXPECT_EQ(SmallestHalved(), 0);
    {
      const ScopedFlushDenormals inner(false);
      EXPECT_GT(SmallestHalved(), 0);
    }
    EXPECT_EQ(SmallestHalved(), 0);
    // Sets sticky flags that must not leak out.
    volatile float zero = 0;
    EXPECT_TRUE(std::isinf(1.0f / zero));
  }
  EXPECT_EQ(ReadFpState(), before);
  EXPECT_GT(SmallestHalved(), 0);
}

}  // namespace
}  // namespace heddle
