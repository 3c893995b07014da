// SPDX-License-Identifier: Apache-2.0
// Memory for tensors, arenas and weights: the caller's fallible allocator, counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "heddle/heddle.h"

namespace heddle {

// Every tensor starts on a cache line, and vector kernels may read this many bytes behind its end.
inline constexpr size_t kTensorAlignment = 64;
inline constexpr size_t kTensorPadding = 16;

// Thread-safe. Shared by all that allocate from it, so that memory can always be given back.
class Allocator {
 public:
  Allocator();  // the C++ heap
  explicit Allocator(const heddle_allocator& functions) : functions_(functions) {}
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  // Null on failure, also when the size is unreasonable.
  void* Allocate(size_t bytes, size_t alignment = kTensorAlignment);
  void Deallocate(void* pointer, size_t bytes, size_t alignment = kTensorAlignment);

  uint64_t current_bytes() const { return current_.load(std::memory_order_relaxed); }
  uint64_t peak_bytes() const { return peak_.load(std::memory_order_relaxed); }
  uint64_t allocation_count() const { return count_.load(std::memory_order_relaxed); }

 private:
  heddle_allocator functions_;
  std::atomic<uint64_t> current_{0};
  std::atomic<uint64_t> peak_{0};
  std::atomic<uint64_t> count_{0};
};

// A piece of memory that knows where it came from. Movable; empty after a failed allocation.
class Block {
 public:
  Block() = default;
  // `bytes` usable bytes with kTensorPadding zeroed bytes behind them. Null data() on failure.
  static Block Make(std::shared_ptr<Allocator> allocator, size_t bytes);
  Block(Block&& other) noexcept
      : allocator_(std::move(other.allocator_)),
        data_(std::exchange(other.data_, nullptr)),
        bytes_(std::exchange(other.bytes_, 0)) {}
  Block& operator=(Block&& other) noexcept {
    if (this != &other) {
      Reset();
      allocator_ = std::move(other.allocator_);
      data_ = std::exchange(other.data_, nullptr);
      bytes_ = std::exchange(other.bytes_, 0);
    }
    return *this;
  }
  ~Block() { Reset(); }

  void Reset();
  uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  explicit operator bool() const { return data_ != nullptr; }

 private:
  std::shared_ptr<Allocator> allocator_;
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace heddle
