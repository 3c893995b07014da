// SPDX-License-Identifier: Apache-2.0
#include "tests/sync/interpose.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <new>
#include <system_error>
#include <thread>

namespace heddle {
namespace {
std::atomic<uint64_t> allocations{0};
thread_local int64_t successes_left = -1;
}  // namespace

std::atomic<int32_t> threads_allowed{-1};

uint64_t AllocationCount() { return allocations.load(); }
void FailAllocationAfter(int64_t successes) { successes_left = successes; }

namespace {

void* CountedAllocate(size_t bytes, size_t alignment) {
  allocations.fetch_add(1);
  if (successes_left == 0) {
    successes_left = -1;
    throw std::bad_alloc();
  }
  if (successes_left > 0) --successes_left;
  const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* pointer = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}

TEST(Interpose, CountsAndFails) {
  const uint64_t before = AllocationCount();
  delete new std::unique_ptr<int>(new int(7));
  EXPECT_GE(AllocationCount(), before + 1);

  FailAllocationAfter(0);
  EXPECT_THROW(::operator delete(::operator new(8)), std::bad_alloc);

  threads_allowed = 0;
  EXPECT_THROW(std::thread([] {}).join(), std::system_error);
  threads_allowed = -1;
  std::thread([] {}).join();
}

}  // namespace
}  // namespace heddle

void* operator new(size_t bytes) {
  return heddle::CountedAllocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new[](size_t bytes) {
  return heddle::CountedAllocate(bytes, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return heddle::CountedAllocate(bytes, static_cast<size_t>(alignment));
}
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return heddle::CountedAllocate(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* pointer) noexcept { std::free(pointer); }
void operator delete[](void* pointer) noexcept { std::free(pointer); }
void operator delete(void* pointer, size_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, size_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, std::align_val_t) noexcept { std::free(pointer); }
void operator delete(void* pointer, size_t, std::align_val_t) noexcept { std::free(pointer); }
void operator delete[](void* pointer, size_t, std::align_val_t) noexcept { std::free(pointer); }

// Takes the place of the C library's, for the thread library's calls too.
extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  int32_t allowed = heddle::threads_allowed.load();
  if (allowed == 0) return EAGAIN;
  if (allowed > 0) heddle::threads_allowed.fetch_sub(1);
  return create(thread, attributes, start, argument);
}
