// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/weight_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace heddle {
namespace {

std::atomic<int> destroyed{0};

Status MakeInt(WeightStore::Made* made, int value) {
  made->object = new int(value);
  made->destroy = [](void* object) {
    delete static_cast<int*>(object);
    ++destroyed;
  };
  made->bytes = 100;
  return {};
}

TEST(WeightStore, OneObjectAKeyUntilTheLastUserGoes) {
  destroyed = 0;
  WeightStore store;
  int made = 0;
  const auto make = [&](WeightStore::Made* m) { return MakeInt(m, ++made); };
  {
    auto a = store.GetOrMake("a", make);
    auto again = store.GetOrMake("a", make);
    auto b = store.GetOrMake("b", make);
    ASSERT_TRUE(a.ok() && again.ok() && b.ok());
    EXPECT_EQ((*a)->object(), (*again)->object());
    EXPECT_NE((*a)->object(), (*b)->object());
    EXPECT_EQ(made, 2);
    EXPECT_EQ(store.bytes(), 200u);
  }
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(store.bytes(), 0u);
  auto a = store.GetOrMake("a", make);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(made, 3);
}

TEST(WeightStore, AFailedMakeLeavesNothingBehind) {
  WeightStore store;
  auto failed = store.GetOrMake("a", [](WeightStore::Made*) { return Status::OutOfMemory(); });
  EXPECT_TRUE(failed.status().is_out_of_memory());
  EXPECT_EQ(store.bytes(), 0u);
  auto made = store.GetOrMake("a", [](WeightStore::Made* m) { return MakeInt(m, 7); });
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(*static_cast<int*>((*made)->object()), 7);
}

TEST(WeightStore, ReferencesOutliveTheStore) {
  destroyed = 0;
  WeightStore::Ref ref;
  {
    WeightStore store;
    auto made = store.GetOrMake("a", [](WeightStore::Made* m) { return MakeInt(m, 7); });
    ref = *made;
  }
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(*static_cast<int*>(ref->object()), 7);
  ref.reset();
  EXPECT_EQ(destroyed, 1);
}

TEST(WeightStore, ThreadsThatAskTogetherGetOneObject) {
  for (int round = 0; round < 50; ++round) {
    WeightStore store;
    std::atomic<int> made{0};
    std::atomic<int> ready{0};
    std::vector<WeightStore::Ref> refs(4);
    std::vector<std::thread> threads;
    for (size_t t = 0; t < refs.size(); ++t) {
      threads.emplace_back([&, t] {
        ++ready;
        while (ready < 4) std::this_thread::yield();
        auto ref = store.GetOrMake("a", [&](WeightStore::Made* m) { return MakeInt(m, ++made); });
        if (ref.ok()) refs[t] = *ref;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(made, 1);
    for (const auto& ref : refs) {
      ASSERT_NE(ref, nullptr);
      EXPECT_EQ(ref->object(), refs[0]->object());
    }
  }
}

}  // namespace
}  // namespace heddle
