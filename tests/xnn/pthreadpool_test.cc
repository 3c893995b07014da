// SPDX-License-Identifier: Apache-2.0
// Each function that XNNPACK calls visits each cell of its grid once, with the right extents.
#include <gtest/gtest.h>
#include <pthreadpool.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "kernels/opt/xnn/xnn_runtime.h"

namespace heddle {
namespace {

constexpr std::array<size_t, 6> kRange = {3, 2, 5, 4, 7, 6};
constexpr std::array<size_t, 2> kTile = {3, 4};  // of the last two dimensions; divides none of them
constexpr uint32_t kCore = 2;

// What the tasks were called with: per call the indices, then the extents.
struct Calls {
  std::mutex mutex;
  std::vector<std::vector<size_t>> seen;
  size_t threads = 1;
};

// A task function of any type: a core for tasks `kWithCore`, a thread if one more number is left
// than indices and extents, then those.
template <typename Task>
struct Noter;
template <typename... Rest>
struct Noter<void (*)(void*, Rest...)> {
  template <size_t kNumbers, bool kWithCore>
  static void Note(void* context, Rest... rest) {
    auto* calls = static_cast<Calls*>(context);
    std::vector<size_t> call = {static_cast<size_t>(rest)...};
    if (kWithCore) {
      EXPECT_EQ(call.front(), kCore);
      call.erase(call.begin());
    }
    if (call.size() > kNumbers) {
      EXPECT_LT(call.front(), calls->threads);
      call.erase(call.begin());
    }
    EXPECT_EQ(call.size(), kNumbers);
    const std::lock_guard lock(calls->mutex);
    calls->seen.push_back(std::move(call));
  }
};

// The type of the function that runs tasks of type Task.
template <size_t>
using Size = size_t;
template <typename Task, bool kWithCore, typename Numbers>
struct Parallelize;
template <typename Task, size_t... kI>
struct Parallelize<Task, false, std::index_sequence<kI...>> {
  using Function = void (*)(pthreadpool_t, Task, void*, Size<kI>..., uint32_t);
};
template <typename Task, size_t... kI>
struct Parallelize<Task, true, std::index_sequence<kI...>> {
  using Function = void (*)(pthreadpool_t, Task, void*, uint32_t, uint32_t, Size<kI>..., uint32_t);
};

// The grid by nested counting, the oracle.
std::vector<std::vector<size_t>> Cells(size_t dims, size_t tiles) {
  std::vector<std::vector<size_t>> cells = {{}};
  std::vector<std::vector<size_t>> extents = {{}};
  for (size_t d = 0; d < dims; ++d) {
    const bool tiled = d >= dims - tiles;
    const size_t step = tiled ? kTile[d - (dims - tiles)] : 1;
    std::vector<std::vector<size_t>> next;
    std::vector<std::vector<size_t>> next_extents;
    for (size_t c = 0; c < cells.size(); ++c) {
      for (size_t i = 0; i < kRange[d]; i += step) {
        next.push_back(cells[c]);
        next.back().push_back(i);
        next_extents.push_back(extents[c]);
        if (tiled) next_extents.back().push_back(std::min(step, kRange[d] - i));
      }
    }
    cells = std::move(next);
    extents = std::move(next_extents);
  }
  for (size_t c = 0; c < cells.size(); ++c) {
    cells[c].insert(cells[c].end(), extents[c].begin(), extents[c].end());
  }
  return cells;
}

template <typename Task, size_t kDims, size_t kTiles, bool kWithCore = false>
void ExpectGrid(typename Parallelize<Task, kWithCore,
                                     std::make_index_sequence<kDims + kTiles>>::Function function) {
  ThreadPool pool(3);
  auto expected = Cells(kDims, kTiles);
  std::sort(expected.begin(), expected.end());
  for (const int32_t threads : {1, 2, 3}) {
    XnnThreads xnn_threads(&pool, threads);
    Calls calls;
    calls.threads = pthreadpool_get_threads_count(xnn_threads.get());
    EXPECT_EQ(calls.threads, static_cast<size_t>(threads));
    const auto numbers = [](size_t i) { return i < kDims ? kRange[i] : kTile[i - kDims]; };
    const Task task = &Noter<Task>::template Note<kDims + kTiles, kWithCore>;
    const auto run = [&]<size_t... kI>(std::index_sequence<kI...>) {
      if constexpr (kWithCore) {
        function(xnn_threads.get(), task, &calls, kCore, kCore, numbers(kI)..., 0);
      } else {
        function(xnn_threads.get(), task, &calls, numbers(kI)..., 0);
      }
    };
    run(std::make_index_sequence<kDims + kTiles>());
    std::sort(calls.seen.begin(), calls.seen.end());
    EXPECT_EQ(calls.seen, expected) << "on " << threads << " threads";
  }
}

TEST(Pthreadpool, PlainGrids) {
  ExpectGrid<pthreadpool_task_1d_t, 1, 0>(&pthreadpool_parallelize_1d);
  ExpectGrid<pthreadpool_task_2d_t, 2, 0>(&pthreadpool_parallelize_2d);
  ExpectGrid<pthreadpool_task_3d_t, 3, 0>(&pthreadpool_parallelize_3d);
  ExpectGrid<pthreadpool_task_4d_t, 4, 0>(&pthreadpool_parallelize_4d);
  ExpectGrid<pthreadpool_task_5d_t, 5, 0>(&pthreadpool_parallelize_5d);
}

TEST(Pthreadpool, TiledGrids) {
  ExpectGrid<pthreadpool_task_1d_tile_1d_t, 1, 1>(&pthreadpool_parallelize_1d_tile_1d);
  ExpectGrid<pthreadpool_task_2d_tile_1d_t, 2, 1>(&pthreadpool_parallelize_2d_tile_1d);
  ExpectGrid<pthreadpool_task_2d_tile_2d_t, 2, 2>(&pthreadpool_parallelize_2d_tile_2d);
  ExpectGrid<pthreadpool_task_3d_tile_1d_t, 3, 1>(&pthreadpool_parallelize_3d_tile_1d);
  ExpectGrid<pthreadpool_task_3d_tile_2d_t, 3, 2>(&pthreadpool_parallelize_3d_tile_2d);
  ExpectGrid<pthreadpool_task_4d_tile_2d_t, 4, 2>(&pthreadpool_parallelize_4d_tile_2d);
  ExpectGrid<pthreadpool_task_5d_tile_2d_t, 5, 2>(&pthreadpool_parallelize_5d_tile_2d);
  ExpectGrid<pthreadpool_task_6d_tile_2d_t, 6, 2>(&pthreadpool_parallelize_6d_tile_2d);
}

TEST(Pthreadpool, GridsWithThread) {
  ExpectGrid<pthreadpool_task_1d_with_thread_t, 1, 0>(&pthreadpool_parallelize_1d_with_thread);
  ExpectGrid<pthreadpool_task_2d_with_thread_t, 2, 0>(&pthreadpool_parallelize_2d_with_thread);
  ExpectGrid<pthreadpool_task_3d_tile_1d_with_thread_t, 3, 1>(
      &pthreadpool_parallelize_3d_tile_1d_with_thread);
}

TEST(Pthreadpool, GridsWithCore) {
  ExpectGrid<pthreadpool_task_2d_tile_1d_with_id_t, 2, 1, true>(
      &pthreadpool_parallelize_2d_tile_1d_with_uarch);
  ExpectGrid<pthreadpool_task_2d_tile_2d_with_id_t, 2, 2, true>(
      &pthreadpool_parallelize_2d_tile_2d_with_uarch);
  ExpectGrid<pthreadpool_task_3d_tile_1d_with_id_t, 3, 1, true>(
      &pthreadpool_parallelize_3d_tile_1d_with_uarch);
  ExpectGrid<pthreadpool_task_3d_tile_1d_with_id_with_thread_t, 3, 1, true>(
      &pthreadpool_parallelize_3d_tile_1d_with_uarch_with_thread);
  ExpectGrid<pthreadpool_task_3d_tile_2d_with_id_t, 3, 2, true>(
      &pthreadpool_parallelize_3d_tile_2d_with_uarch);
  ExpectGrid<pthreadpool_task_4d_tile_2d_with_id_t, 4, 2, true>(
      &pthreadpool_parallelize_4d_tile_2d_with_uarch);
}

TEST(XnnThreads, LimitsAndSerial) {
  ThreadPool pool(3);
  const auto count = [](XnnThreads threads) {
    return pthreadpool_get_threads_count(threads.get());
  };
  EXPECT_EQ(count(XnnThreads(&pool, 0)), 3u);
  EXPECT_EQ(count(XnnThreads(&pool, 2)), 2u);
  EXPECT_EQ(count(XnnThreads(&pool, 9)), 3u);
  EXPECT_EQ(XnnThreads(&pool, 1).get(), nullptr);
  EXPECT_EQ(XnnThreads(nullptr, 4).get(), nullptr);
}

}  // namespace
}  // namespace heddle
