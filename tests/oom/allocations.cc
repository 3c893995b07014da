// SPDX-License-Identifier: Apache-2.0
#include "tests/oom/allocations.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace heddle::testing {
namespace {

std::atomic<int64_t> g_live{0};
std::atomic<int64_t> g_count{0};
std::atomic<int64_t> g_failed{0};
std::atomic<int64_t> g_nth{0};
std::atomic<Failing> g_failing{Failing::kNone};
std::atomic<bool> g_counting{false};

bool MustFail() {
  if (!g_counting.load(std::memory_order_relaxed)) return false;
  const int64_t number = g_count.fetch_add(1, std::memory_order_relaxed) + 1;
  const int64_t nth = g_nth.load(std::memory_order_relaxed);
  const Failing failing = g_failing.load(std::memory_order_relaxed);
  const bool fails =
      (failing == Failing::kOnce && number == nth) || (failing == Failing::kFrom && number >= nth);
  if (fails) g_failed.fetch_add(1, std::memory_order_relaxed);
  return fails;
}

void* Take(size_t bytes, size_t alignment) {
  if (MustFail()) return nullptr;
  if (bytes == 0) bytes = 1;
  void* pointer = nullptr;
  if (alignment <= alignof(std::max_align_t)) {
    pointer = std::malloc(bytes);
  } else {
    pointer = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  }
  if (pointer != nullptr) g_live.fetch_add(1, std::memory_order_relaxed);
  return pointer;
}

void Give(void* pointer) {
  if (pointer == nullptr) return;
  g_live.fetch_sub(1, std::memory_order_relaxed);
  std::free(pointer);
}

}  // namespace

void StartCounting(Failing failing, int64_t nth) {
  g_count = 0;
  g_failed = 0;
  g_nth = nth;
  g_failing = failing;
  g_counting = true;
}

int64_t StopCounting(int64_t* failed) {
  g_counting = false;
  if (failed != nullptr) *failed = g_failed;
  return g_count;
}

int64_t LiveBlocks() { return g_live; }

heddle_allocator CountedAllocator() {
  heddle_allocator allocator = {};
  allocator.struct_size = sizeof(allocator);
  allocator.allocate = [](void*, size_t bytes, size_t alignment) { return Take(bytes, alignment); };
  allocator.deallocate = [](void*, void* pointer, size_t, size_t) { Give(pointer); };
  return allocator;
}

}  // namespace heddle::testing

using heddle::testing::Give;
using heddle::testing::Take;

void* operator new(size_t bytes) {
  void* pointer = Take(bytes, 1);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}
void* operator new[](size_t bytes) { return operator new(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return Take(bytes, 1); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return Take(bytes, 1); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  void* pointer = Take(bytes, static_cast<size_t>(alignment));
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Take(bytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return Take(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* pointer) noexcept { Give(pointer); }
void operator delete[](void* pointer) noexcept { Give(pointer); }
void operator delete(void* pointer, size_t) noexcept { Give(pointer); }
void operator delete[](void* pointer, size_t) noexcept { Give(pointer); }
void operator delete(void* pointer, const std::nothrow_t&) noexcept { Give(pointer); }
void operator delete[](void* pointer, const std::nothrow_t&) noexcept { Give(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { Give(pointer); }
void operator delete[](void* pointer, std::align_val_t) noexcept { Give(pointer); }
void operator delete(void* pointer, size_t, std::align_val_t) noexcept { Give(pointer); }
void operator delete[](void* pointer, size_t, std::align_val_t) noexcept { Give(pointer); }
void operator delete(void* pointer, std::align_val_t, const std::nothrow_t&) noexcept {
  Give(pointer);
}
void operator delete[](void* pointer, std::align_val_t, const std::nothrow_t&) noexcept {
  Give(pointer);
}
