// SPDX-License-Identifier: Apache-2.0
// The functions of libpthreadpool that XNNPACK calls, over our pool; libpthreadpool itself is not
// linked. 17 serve every processor, 6 more (with_uarch) only ARM, where XNNPACK asks on what kind
// of core a task runs. The symbols are hidden, so that a real libpthreadpool in the process does
// not meet them.
// No core is asked: XNNPACK's default, the first kind, serves all.
//
// Flags are left aside on purpose. DISABLE_DENORMALS comes with every call, but the run has set
// what it wants, and the workers take that over; YIELD_WORKERS would shorten the pool's spinning.
#include <pthreadpool.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "kernels/opt/xnn/xnn_runtime.h"

namespace heddle {
namespace {

// What a task function is given between its context and its indices.
enum class Lead { kNothing, kThread, kCore, kCoreAndThread };

// Counts through a grid: the last index runs fastest.
template <size_t kDims>
void Advance(std::array<size_t, kDims>& cell, const std::array<size_t, kDims>& cells) {
  for (size_t d = kDims; d-- > 0;) {
    if (++cell[d] < cells[d]) return;
    cell[d] = 0;
  }
}

// Calls task(context, lead..., index of each dimension, extent of each tiled dimension) for
// every cell of the grid. The last dimensions are tiled: there a cell is a tile, cut off at the
// grid's end.
template <Lead kLead, typename Task, size_t kDims, size_t kTiles>
void RunGrid(pthreadpool_t threads, Task task, void* context,
             const std::array<size_t, kDims>& range, const std::array<size_t, kTiles>& tile,
             uint32_t core = 0) {
  constexpr size_t kFirstTiled = kDims - kTiles;
  std::array<size_t, kDims> step;
  step.fill(1);
  std::copy(tile.begin(), tile.end(), step.begin() + kFirstTiled);
  std::array<size_t, kDims> cells;
  for (size_t d = 0; d < kDims; ++d) {
    cells[d] = range[d] / step[d] + (range[d] % step[d] != 0 ? 1 : 0);
  }
  size_t count = 1;
  for (const size_t n : cells) count *= n;

  const auto run_range = [&]<size_t... kD, size_t... kT>(
                             [[maybe_unused]] int32_t thread, int64_t begin, int64_t end,
                             std::index_sequence<kD...>, std::index_sequence<kT...>) {
    std::array<size_t, kDims> cell;
    auto rest = static_cast<size_t>(begin);
    for (size_t d = kDims; d-- > 0;) {
      cell[d] = rest % cells[d];
      rest /= cells[d];
    }
    for (; begin < end; ++begin, Advance(cell, cells)) {
      std::array<size_t, kDims> index;
      for (size_t d = 0; d < kDims; ++d) index[d] = cell[d] * step[d];
      const auto call = [&](auto... lead) {
        task(context, lead..., index[kD]...,
             std::min(tile[kT], range[kFirstTiled + kT] - index[kFirstTiled + kT])...);
      };
      if constexpr (kLead == Lead::kNothing) call();
      if constexpr (kLead == Lead::kThread) call(static_cast<size_t>(thread));
      if constexpr (kLead == Lead::kCore) call(core);
      if constexpr (kLead == Lead::kCoreAndThread) call(core, static_cast<size_t>(thread));
    }
  };
  const auto on_thread = [&]([[maybe_unused]] int32_t thread, int64_t begin, int64_t end) {
    run_range(thread, begin, end, std::make_index_sequence<kDims>(),
              std::make_index_sequence<kTiles>());
  };
  if (threads == nullptr) {
    on_thread(0, 0, static_cast<int64_t>(count));
    return;
  }
  // XNNPACK's tasks are C functions: nothing is thrown, so this cannot fail.
  [[maybe_unused]] const Status status = threads->pool->ParallelForThreads(
      static_cast<int64_t>(count), 1, threads->max_threads, on_thread);
}

using NoTiles = std::array<size_t, 0>;

}  // namespace
}  // namespace heddle

using heddle::Lead;
using heddle::NoTiles;
using heddle::RunGrid;

extern "C" {

size_t pthreadpool_get_threads_count(pthreadpool_t threads) {
  return threads == nullptr ? 1 : static_cast<size_t>(threads->max_threads);
}

void pthreadpool_parallelize_1d(pthreadpool_t threads, pthreadpool_task_1d_t task, void* context,
                                size_t i, uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i}, NoTiles{});
}

void pthreadpool_parallelize_1d_tile_1d(pthreadpool_t threads, pthreadpool_task_1d_tile_1d_t task,
                                        void* context, size_t i, size_t tile_i,
                                        uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i}, std::array{tile_i});
}

void pthreadpool_parallelize_1d_with_thread(pthreadpool_t threads,
                                            pthreadpool_task_1d_with_thread_t task, void* context,
                                            size_t i, uint32_t /*flags*/) {
  RunGrid<Lead::kThread>(threads, task, context, std::array{i}, NoTiles{});
}

void pthreadpool_parallelize_2d(pthreadpool_t threads, pthreadpool_task_2d_t task, void* context,
                                size_t i, size_t j, uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i, j}, NoTiles{});
}

void pthreadpool_parallelize_2d_tile_1d(pthreadpool_t threads, pthreadpool_task_2d_tile_1d_t task,
                                        void* context, size_t i, size_t j, size_t tile_j,
                                        uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i, j}, std::array{tile_j});
}

void pthreadpool_parallelize_2d_tile_2d(pthreadpool_t threads, pthreadpool_task_2d_tile_2d_t task,
                                        void* context, size_t i, size_t j, size_t tile_i,
                                        size_t tile_j, uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i, j}, std::array{tile_i, tile_j});
}

void pthreadpool_parallelize_2d_with_thread(pthreadpool_t threads,
                                            pthreadpool_task_2d_with_thread_t task, void* context,
                                            size_t i, size_t j, uint32_t /*flags*/) {
  RunGrid<Lead::kThread>(threads, task, context, std::array{i, j}, NoTiles{});
}

void pthreadpool_parallelize_3d(pthreadpool_t threads, pthreadpool_task_3d_t task, void* context,
                                size_t i, size_t j, size_t k, uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i, j, k}, NoTiles{});
}

void pthreadpool_parallelize_3d_tile_1d(pthreadpool_t threads, pthreadpool_task_3d_tile_1d_t task,
                                        void* context, size_t i, size_t j, size_t k, size_t tile_k,
                                        uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i, j, k}, std::array{tile_k});
}

void pthreadpool_parallelize_3d_tile_1d_with_thread(pthreadpool_t threads,
                                                    pthreadpool_task_3d_tile_1d_with_thread_t task,
                                                    void* context, size_t i, size_t j, size_t k,
                                                    size_t tile_k, uint32_t /*flags*/) {
  RunGrid<Lead::kThread>(threads, task, context, std::array{i, j, k}, std::array{tile_k});
}

void pthreadpool_parallelize_3d_tile_2d(pthreadpool_t threads, pthreadpool_task_3d_tile_2d_t task,
                                        void* context, size_t i, size_t j, size_t k, size_t tile_j,
                                        size_t tile_k, uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i, j, k}, std::array{tile_j, tile_k});
}

void pthreadpool_parallelize_4d(pthreadpool_t threads, pthreadpool_task_4d_t task, void* context,
                                size_t i, size_t j, size_t k, size_t l, uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i, j, k, l}, NoTiles{});
}

void pthreadpool_parallelize_4d_tile_2d(pthreadpool_t threads, pthreadpool_task_4d_tile_2d_t task,
                                        void* context, size_t i, size_t j, size_t k, size_t l,
                                        size_t tile_k, size_t tile_l, uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i, j, k, l},
                          std::array{tile_k, tile_l});
}

void pthreadpool_parallelize_5d(pthreadpool_t threads, pthreadpool_task_5d_t task, void* context,
                                size_t i, size_t j, size_t k, size_t l, size_t m,
                                uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i, j, k, l, m}, NoTiles{});
}

void pthreadpool_parallelize_5d_tile_2d(pthreadpool_t threads, pthreadpool_task_5d_tile_2d_t task,
                                        void* context, size_t i, size_t j, size_t k, size_t l,
                                        size_t m, size_t tile_l, size_t tile_m,
                                        uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i, j, k, l, m},
                          std::array{tile_l, tile_m});
}

void pthreadpool_parallelize_6d_tile_2d(pthreadpool_t threads, pthreadpool_task_6d_tile_2d_t task,
                                        void* context, size_t i, size_t j, size_t k, size_t l,
                                        size_t m, size_t n, size_t tile_m, size_t tile_n,
                                        uint32_t /*flags*/) {
  RunGrid<Lead::kNothing>(threads, task, context, std::array{i, j, k, l, m, n},
                          std::array{tile_m, tile_n});
}

void pthreadpool_parallelize_2d_tile_1d_with_uarch(pthreadpool_t threads,
                                                   pthreadpool_task_2d_tile_1d_with_id_t task,
                                                   void* context, uint32_t core, uint32_t /*max*/,
                                                   size_t i, size_t j, size_t tile_j,
                                                   uint32_t /*flags*/) {
  RunGrid<Lead::kCore>(threads, task, context, std::array{i, j}, std::array{tile_j}, core);
}

void pthreadpool_parallelize_2d_tile_2d_with_uarch(pthreadpool_t threads,
                                                   pthreadpool_task_2d_tile_2d_with_id_t task,
                                                   void* context, uint32_t core, uint32_t /*max*/,
                                                   size_t i, size_t j, size_t tile_i, size_t tile_j,
                                                   uint32_t /*flags*/) {
  RunGrid<Lead::kCore>(threads, task, context, std::array{i, j}, std::array{tile_i, tile_j}, core);
}

void pthreadpool_parallelize_3d_tile_1d_with_uarch(pthreadpool_t threads,
                                                   pthreadpool_task_3d_tile_1d_with_id_t task,
                                                   void* context, uint32_t core, uint32_t /*max*/,
                                                   size_t i, size_t j, size_t k, size_t tile_k,
                                                   uint32_t /*flags*/) {
  RunGrid<Lead::kCore>(threads, task, context, std::array{i, j, k}, std::array{tile_k}, core);
}

void pthreadpool_parallelize_3d_tile_1d_with_uarch_with_thread(
    pthreadpool_t threads, pthreadpool_task_3d_tile_1d_with_id_with_thread_t task, void* context,
    uint32_t core, uint32_t /*max*/, size_t i, size_t j, size_t k, size_t tile_k,
    uint32_t /*flags*/) {
  RunGrid<Lead::kCoreAndThread>(threads, task, context, std::array{i, j, k}, std::array{tile_k},
                                core);
}

void pthreadpool_parallelize_3d_tile_2d_with_uarch(pthreadpool_t threads,
                                                   pthreadpool_task_3d_tile_2d_with_id_t task,
                                                   void* context, uint32_t core, uint32_t /*max*/,
                                                   size_t i, size_t j, size_t k, size_t tile_j,
                                                   size_t tile_k, uint32_t /*flags*/) {
  RunGrid<Lead::kCore>(threads, task, context, std::array{i, j, k}, std::array{tile_j, tile_k},
                       core);
}

void pthreadpool_parallelize_4d_tile_2d_with_uarch(pthreadpool_t threads,
                                                   pthreadpool_task_4d_tile_2d_with_id_t task,
                                                   void* context, uint32_t core, uint32_t /*max*/,
                                                   size_t i, size_t j, size_t k, size_t l,
                                                   size_t tile_k, size_t tile_l,
                                                   uint32_t /*flags*/) {
  RunGrid<Lead::kCore>(threads, task, context, std::array{i, j, k, l}, std::array{tile_k, tile_l},
                       core);
}

}  // extern "C"
