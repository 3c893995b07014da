// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/dynamic_arena.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace heddle {
namespace {

TEST(DynamicArena, RepeatedSizesAllocateNothing) {
  auto allocator = std::make_shared<Allocator>();
  DynamicArena arena(allocator, uint64_t{1} << 30);
  std::mt19937 random(3);
  std::vector<size_t> sizes(30);
  for (size_t& size : sizes) size = random() % 100'000;
  uint64_t after_first = 0;
  for (int run = 0; run < 20; ++run) {
    arena.ReleaseAll();
    for (const size_t size : sizes) {
      auto memory = arena.Acquire(size);
      ASSERT_TRUE(memory.ok());
      std::memset(*memory, 1, size + kTensorPadding);
    }
    if (run == 0) after_first = allocator->allocation_count();
  }
  EXPECT_EQ(allocator->allocation_count(), after_first);
}

// Tensors die in different orders, too: after a few runs nothing is allocated any more.
TEST(DynamicArena, RepeatedLifetimesSettle) {
  auto allocator = std::make_shared<Allocator>();
  DynamicArena arena(allocator, uint64_t{1} << 30);
  std::mt19937 random(5);
  struct Action {
    size_t bytes;
    int release;  // which of those alive, -1: none
  };
  std::vector<Action> actions(200);
  int alive = 0;
  for (Action& action : actions) {
    action.bytes = random() % 50'000;
    action.release = ++alive > 4 ? static_cast<int>(random() % static_cast<uint32_t>(alive)) : -1;
    if (action.release >= 0) --alive;
  }
  uint64_t settled = 0;
  for (int run = 0; run < 30; ++run) {
    arena.ReleaseAll();
    std::vector<void*> held;
    for (const Action& action : actions) {
      auto memory = arena.Acquire(action.bytes);
      ASSERT_TRUE(memory.ok());
      for (const void* other : held) ASSERT_NE(other, *memory) << "given twice";
      held.push_back(*memory);
      if (action.release < 0) continue;
      arena.Release(held[static_cast<size_t>(action.release)]);
      held.erase(held.begin() + action.release);
    }
    if (run == 9) settled = allocator->allocation_count();
  }
  EXPECT_EQ(allocator->allocation_count(), settled);
}

TEST(DynamicArena, TheLimitHoldsAndUnusedMemoryMakesRoom) {
  DynamicArena arena(std::make_shared<Allocator>(), 1000);
  auto first = arena.Acquire(600);
  ASSERT_TRUE(first.ok());
  auto refused = arena.Acquire(500);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().reason(), HEDDLE_REASON_LIMIT_EXCEEDED);
  EXPECT_EQ(refused.status().code(), HEDDLE_RESOURCE_EXHAUSTED);
  arena.Release(*first);
  EXPECT_TRUE(arena.Acquire(700).ok()) << "the unused block is given back";
  EXPECT_LE(arena.held_bytes(), 1000u);
}

TEST(DynamicArena, KnowsItsMemory) {
  auto allocator = std::make_shared<Allocator>();
  {
    DynamicArena arena(allocator, 1000);
    auto memory = arena.Acquire(100);
    ASSERT_TRUE(memory.ok());
    EXPECT_TRUE(arena.Owns(*memory));
    EXPECT_TRUE(arena.Owns(static_cast<uint8_t*>(*memory) + 99));
    int outside = 0;
    EXPECT_FALSE(arena.Owns(&outside));
    auto empty = arena.Acquire(0);
    ASSERT_TRUE(empty.ok());
    EXPECT_TRUE(arena.Owns(*empty)) << "an empty tensor has an address of its own";
    arena.Trim();
    EXPECT_EQ(arena.held_bytes(), 100u) << "what is in use stays";
    arena.ReleaseAll();
    arena.Trim();
    EXPECT_EQ(arena.held_bytes(), 0u);
    EXPECT_EQ(allocator->current_bytes(), 0u);
  }
  EXPECT_EQ(allocator->current_bytes(), 0u);
}

}  // namespace
}  // namespace heddle
