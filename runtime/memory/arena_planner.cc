// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/arena_planner.h"

#include <algorithm>
#include <numeric>

#include "runtime/base/allocator.h"
#include "runtime/base/checked_math.h"

namespace heddle {
namespace {

struct Rounded {
  size_t bytes;
  int32_t first;
  int32_t last;
};

bool Overlap(const Rounded& a, const Rounded& b) { return a.first <= b.last && b.first <= a.last; }

// Places buffers in `order`, each at the lowest gap that fits best among those alive at the same
// time.
size_t Place(const std::vector<Rounded>& buffers, const std::vector<size_t>& order,
             std::vector<size_t>* offsets) {
  std::vector<size_t> placed;  // sorted by offset
  placed.reserve(buffers.size());
  size_t total = 0;
  for (const size_t index : order) {
    const Rounded& buffer = buffers[index];
    size_t best_offset = 0;
    size_t best_gap = SIZE_MAX;
    size_t end = 0;  // end of the conflicting buffers so far
    bool found = false;
    for (const size_t other : placed) {
      if (!Overlap(buffer, buffers[other])) continue;
      const size_t start = (*offsets)[other];
      if (start >= end) {
        const size_t gap = start - end;
        if (gap >= buffer.bytes && gap < best_gap) {
          best_gap = gap;
          best_offset = end;
          found = true;
        }
      }
      end = std::max(end, start + buffers[other].bytes);
    }
    const size_t offset = found ? best_offset : end;
    (*offsets)[index] = offset;
    total = std::max(total, offset + buffer.bytes);
    const auto position =
        std::upper_bound(placed.begin(), placed.end(), offset,
                         [&](size_t value, size_t other) { return value < (*offsets)[other]; });
    placed.insert(position, index);
  }
  return total;
}

size_t LowerBound(const std::vector<Rounded>& buffers) {
  // Sum of sizes changes only at starts and behind ends.
  std::vector<std::pair<int64_t, int64_t>> changes;
  changes.reserve(buffers.size() * 2);
  for (const Rounded& buffer : buffers) {
    changes.emplace_back(int64_t{buffer.first}, static_cast<int64_t>(buffer.bytes));
    changes.emplace_back(int64_t{buffer.last} + 1, -static_cast<int64_t>(buffer.bytes));
  }
  std::sort(changes.begin(), changes.end());
  int64_t now = 0;
  int64_t most = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    now += changes[i].second;
    if (i + 1 == changes.size() || changes[i + 1].first != changes[i].first)
      most = std::max(most, now);
  }
  return static_cast<size_t>(most);
}

}  // namespace

ArenaPlan PlanArena(std::span<const ArenaBuffer> given) {
  ArenaPlan plan;
  plan.offsets.assign(given.size(), 0);
  std::vector<Rounded> buffers;
  buffers.reserve(given.size());
  size_t sum = 0;
  for (const ArenaBuffer& buffer : given) {
    size_t bytes;
    if (!AlignUp(std::max<size_t>(buffer.bytes, 1), kTensorAlignment, &bytes) ||
        !CheckedAdd(sum, bytes, &sum) || sum > SIZE_MAX / 4) {
      plan.overflow = true;
      return plan;
    }
    buffers.push_back({bytes, buffer.first, buffer.last});
  }
  if (buffers.empty()) return plan;
  plan.lower_bound = LowerBound(buffers);

  std::vector<size_t> order(buffers.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto length = [&](size_t i) { return buffers[i].last - buffers[i].first; };
  const auto by_size = [&](size_t a, size_t b) {
    if (buffers[a].bytes != buffers[b].bytes) return buffers[a].bytes > buffers[b].bytes;
    if (length(a) != length(b)) return length(a) > length(b);
    return a < b;
  };
  const auto by_length = [&](size_t a, size_t b) {
    if (length(a) != length(b)) return length(a) > length(b);
    if (buffers[a].bytes != buffers[b].bytes) return buffers[a].bytes > buffers[b].bytes;
    return a < b;
  };
  const auto by_start = [&](size_t a, size_t b) {
    if (buffers[a].first != buffers[b].first) return buffers[a].first < buffers[b].first;
    return by_size(a, b);
  };
  std::vector<size_t> offsets(buffers.size());
  plan.bytes = SIZE_MAX;
  const auto attempt = [&](const auto& compare) {
    if (plan.bytes == plan.lower_bound) return;
    std::sort(order.begin(), order.end(), compare);
    const size_t total = Place(buffers, order, &offsets);
    if (total < plan.bytes) {
      plan.bytes = total;
      plan.offsets = offsets;
    }
  };
  attempt(by_size);
  attempt(by_length);
  attempt(by_start);
  return plan;
}

}  // namespace heddle
