// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/buffer.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace heddle {
namespace {

struct Released {
  int times = 0;
  void* data = nullptr;
  size_t bytes = 0;
  static void Callback(void* context, void* data, size_t bytes) {
    auto& released = *static_cast<Released*>(context);
    ++released.times;
    released.data = data;
    released.bytes = bytes;
  }
};

TEST(Buffer, OwnedMemoryIsZeroAlignedAndPadded) {
  auto allocator = std::make_shared<Allocator>();
  auto buffer = Buffer::Make(allocator, 100);
  ASSERT_TRUE(buffer.ok());
  const Buffer& made = **buffer;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(made.data()) % 64, 0u);
  EXPECT_EQ(made.bytes(), 100u);
  EXPECT_GE(made.padded_bytes(), 116u);
  EXPECT_TRUE(std::all_of(made.data(), made.data() + made.padded_bytes(),
                          [](uint8_t byte) { return byte == 0; }));
  buffer->reset();
  EXPECT_EQ(allocator->current_bytes(), 0u);
}

TEST(Buffer, BorrowedMemoryIsReleasedOnceAfterTheLastUse) {
  uint8_t memory[32];
  Released released;
  auto buffer = Buffer::Borrow(memory, 16, 32, Released::Callback, &released);
  ASSERT_TRUE(buffer.ok());
  std::shared_ptr<Buffer> user = *buffer;
  buffer->reset();
  EXPECT_EQ(released.times, 0);
  user.reset();
  EXPECT_EQ(released.times, 1);
  EXPECT_EQ(released.data, memory);
  EXPECT_EQ(released.bytes, 16u);
}

TEST(Buffer, RefusedMemoryIsNotReleased) {
  uint8_t memory[32];
  Released released;
  auto shrunk = Buffer::Borrow(memory, 16, 15, Released::Callback, &released);
  EXPECT_EQ(shrunk.status().reason(), HEDDLE_REASON_BAD_ARGUMENT);
  auto nothing = Buffer::Borrow(nullptr, 16, 16, Released::Callback, &released);
  EXPECT_EQ(nothing.status().reason(), HEDDLE_REASON_NULL_ARGUMENT);
  EXPECT_EQ(released.times, 0);
}

}  // namespace
}  // namespace heddle
