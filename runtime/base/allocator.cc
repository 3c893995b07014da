// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/allocator.h"

#include <cstring>
#include <new>

#include "runtime/base/checked_math.h"

namespace heddle {
namespace {

void* HeapAllocate(void*, size_t bytes, size_t alignment) {
  return ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
}

void HeapDeallocate(void*, void* pointer, size_t, size_t alignment) {
  ::operator delete(pointer, std::align_val_t(alignment));
}

}  // namespace

Allocator::Allocator()
    : functions_{sizeof(heddle_allocator), nullptr, HeapAllocate, HeapDeallocate} {}

void* Allocator::Allocate(size_t bytes, size_t alignment) {
  if (bytes == 0) bytes = 1;
  if (bytes > SIZE_MAX / 4) return nullptr;
  void* pointer = functions_.allocate(functions_.context, bytes, alignment);
  if (pointer == nullptr) return nullptr;
  const uint64_t now = current_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  uint64_t peak = peak_.load(std::memory_order_relaxed);
  while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
  }
  count_.fetch_add(1, std::memory_order_relaxed);
  return pointer;
}

void Allocator::Deallocate(void* pointer, size_t bytes, size_t alignment) {
  if (pointer == nullptr) return;
  if (bytes == 0) bytes = 1;
  current_.fetch_sub(bytes, std::memory_order_relaxed);
  functions_.deallocate(functions_.context, pointer, bytes, alignment);
}

Block Block::Make(std::shared_ptr<Allocator> allocator, size_t bytes) {
  Block block;
  size_t padded;
  if (!CheckedAdd(bytes, kTensorPadding, &padded)) return block;
  auto* data = static_cast<uint8_t*>(allocator->Allocate(padded));
  if (data == nullptr) return block;
  std::memset(data + bytes, 0, kTensorPadding);
  block.allocator_ = std::move(allocator);
  block.data_ = data;
  block.bytes_ = bytes;
  return block;
}

void Block::Reset() {
  if (data_ != nullptr) allocator_->Deallocate(data_, bytes_ + kTensorPadding);
  data_ = nullptr;
  bytes_ = 0;
  allocator_.reset();
}

}  // namespace heddle
