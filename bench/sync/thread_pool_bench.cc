// SPDX-License-Identifier: Apache-2.0
// What a parallel region costs beyond its work.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>

#include "runtime/base/clock.h"
#include "runtime/sync/event.h"
#include "runtime/sync/submission_queue.h"
#include "runtime/sync/thread_pool.h"

namespace heddle {
namespace {

// One region of as many trivial indices as threads, right after another: workers spin.
void EmptyRegion(benchmark::State& state) {
  ThreadPool pool(static_cast<int32_t>(state.range(0)));
  for (auto _ : state) {
    benchmark::DoNotOptimize(pool.ParallelFor(state.range(0), 1, 0, [](int64_t, int64_t) {}).ok());
  }
}
BENCHMARK(EmptyRegion)->Arg(1)->Arg(2)->Arg(4)->UseRealTime();

// Each index keeps a thread busy for a while, so that the other thread's help is seen.
void TwoIndicesOfWork(benchmark::State& state) {
  ThreadPool pool(static_cast<int32_t>(state.range(0)));
  const auto busy_ns = static_cast<uint64_t>(state.range(1));
  for (auto _ : state) {
    benchmark::DoNotOptimize(pool.ParallelFor(2, 1, 0,
                                              [busy_ns](int64_t begin, int64_t end) {
                                                for (int64_t i = begin; i < end; ++i) {
                                                  const uint64_t start = MonotonicNs();
                                                  while (MonotonicNs() - start < busy_ns) {
                                                  }
                                                }
                                              })
                                 .ok());
  }
}
BENCHMARK(TwoIndicesOfWork)
    ->Args({1, 5'000})
    ->Args({2, 5'000})
    ->Args({1, 50'000})
    ->Args({2, 50'000})
    ->UseRealTime();

// After a pause that sends the workers to sleep: what the caller pays to wake one.
void RegionAfterSleep(benchmark::State& state) {
  ThreadPool pool(2);
  for (auto _ : state) {
    std::this_thread::sleep_for(std::chrono::microseconds(300));
    const uint64_t start = MonotonicNs();
    benchmark::DoNotOptimize(pool.ParallelFor(2, 1, 0, [](int64_t, int64_t) {}).ok());
    state.SetIterationTime(static_cast<double>(MonotonicNs() - start) * 1e-9);
  }
}
BENCHMARK(RegionAfterSleep)->UseManualTime()->Iterations(2000);

class CompleteOnly : public Submission {
 public:
  explicit CompleteOnly(std::shared_ptr<Event> done) : done_(std::move(done)) {}
  void Run() override { done_->Complete(Status()); }
  void Fail(Status status) noexcept override { done_->Complete(std::move(status)); }

 private:
  std::shared_ptr<Event> done_;
};

void SubmitAndWait(benchmark::State& state) {
  SubmissionQueue queue;
  for (auto _ : state) {
    auto done = std::make_shared<Event>();
    if (!queue.Submit(0, std::make_unique<CompleteOnly>(done)).ok()) std::abort();
    done->Wait(UINT64_MAX);
  }
}
BENCHMARK(SubmitAndWait)->UseRealTime();

}  // namespace
}  // namespace heddle
