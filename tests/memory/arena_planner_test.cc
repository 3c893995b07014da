// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/arena_planner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runtime/base/allocator.h"

namespace heddle {
namespace {

size_t Rounded(size_t bytes) {
  return (std::max<size_t>(bytes, 1) + kTensorAlignment - 1) / kTensorAlignment * kTensorAlignment;
}

// The lower bound by its definition: for every step, the sum of what is alive.
size_t MostAliveAtOnce(const std::vector<ArenaBuffer>& buffers) {
  size_t most = 0;
  for (const ArenaBuffer& at : buffers) {
    for (const int32_t step : {at.first, at.last}) {
      size_t sum = 0;
      for (const ArenaBuffer& buffer : buffers) {
        if (buffer.first <= step && step <= buffer.last) sum += Rounded(buffer.bytes);
      }
      most = std::max(most, sum);
    }
  }
  return most;
}

void CheckPlan(const std::vector<ArenaBuffer>& buffers, const ArenaPlan& plan) {
  ASSERT_FALSE(plan.overflow);
  ASSERT_EQ(plan.offsets.size(), buffers.size());
  EXPECT_EQ(plan.lower_bound, MostAliveAtOnce(buffers));
  EXPECT_GE(plan.bytes, plan.lower_bound);
  size_t end = 0;
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(plan.offsets[i] % kTensorAlignment, 0u);
    end = std::max(end, plan.offsets[i] + Rounded(buffers[i].bytes));
    for (size_t j = 0; j < i; ++j) {
      const bool together =
          buffers[i].first <= buffers[j].last && buffers[j].first <= buffers[i].last;
      const bool overlap = plan.offsets[i] < plan.offsets[j] + buffers[j].bytes &&
                           plan.offsets[j] < plan.offsets[i] + buffers[i].bytes;
      EXPECT_FALSE(together && overlap) << "buffers " << j << " and " << i;
    }
  }
  EXPECT_EQ(plan.bytes, end);
}

TEST(ArenaPlanner, NothingNeedsNothing) {
  const ArenaPlan plan = PlanArena({});
  EXPECT_EQ(plan.bytes, 0u);
  EXPECT_EQ(plan.lower_bound, 0u);
}

TEST(ArenaPlanner, RandomLifetimesNeverOverlap) {
  std::mt19937 random(20240607);
  size_t planned = 0;
  size_t bound = 0;
  for (int round = 0; round < 400; ++round) {
    const int32_t steps = 1 + static_cast<int32_t>(random() % 60);
    std::vector<ArenaBuffer> buffers(random() % 80);
    for (ArenaBuffer& buffer : buffers) {
      // Mostly small ones, some huge, some empty, as in models.
      const uint32_t kind = random() % 10;
      buffer.bytes = kind == 0 ? 0 : kind < 7 ? random() % 2000 : random() % (1u << 20);
      buffer.first = static_cast<int32_t>(random() % static_cast<uint32_t>(steps));
      const auto length =
          random() % 3 == 0 ? random() % static_cast<uint32_t>(steps) : random() % 3;
      buffer.last = std::min(steps - 1, buffer.first + static_cast<int32_t>(length));
    }
    const ArenaPlan plan = PlanArena(buffers);
    CheckPlan(buffers, plan);
    const ArenaPlan again = PlanArena(buffers);
    EXPECT_EQ(again.offsets, plan.offsets);
    EXPECT_EQ(again.bytes, plan.bytes);
    planned += plan.bytes;
    bound += plan.lower_bound;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_LE(planned, bound + bound / 10) << "on the whole within a tenth of the bound";
}

TEST(ArenaPlanner, ChainsReachTheBound) {
  // Tensor i lives from step i to i + 1: two at once.
  std::vector<ArenaBuffer> buffers;
  for (int32_t i = 0; i < 20; ++i)
    buffers.push_back({1000u + 64u * static_cast<size_t>(i), i, i + 1});
  const ArenaPlan plan = PlanArena(buffers);
  CheckPlan(buffers, plan);
  EXPECT_EQ(plan.bytes, plan.lower_bound);
}

TEST(ArenaPlanner, EqualSizesReachTheBound) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    std::vector<ArenaBuffer> buffers(40);
    for (ArenaBuffer& buffer : buffers) {
      buffer.bytes = 256;
      buffer.first = static_cast<int32_t>(random() % 30);
      buffer.last = buffer.first + static_cast<int32_t>(random() % 6);
    }
    const ArenaPlan plan = PlanArena(buffers);
    CheckPlan(buffers, plan);
    // Intervals of one size, in the order of their starts, always fit the bound.
    EXPECT_EQ(plan.bytes, plan.lower_bound);
  }
}

TEST(ArenaPlanner, SizesThatOverflowAreTold) {
  EXPECT_TRUE(PlanArena(std::vector<ArenaBuffer>{{SIZE_MAX, 0, 0}}).overflow);
  EXPECT_TRUE(
      PlanArena(std::vector<ArenaBuffer>{{SIZE_MAX / 2, 0, 1}, {SIZE_MAX / 2, 1, 2}}).overflow);
}

}  // namespace
}  // namespace heddle
