// SPDX-License-Identifier: Apache-2.0
// Memory for tensors whose size is known only while running: blocks that are reused from run to
// run, within a limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/base/allocator.h"
#include "runtime/base/status.h"

namespace heddle {

// Not thread-safe. Once sizes repeat from run to run, nothing is allocated.
class DynamicArena {
 public:
  DynamicArena(std::shared_ptr<Allocator> allocator, uint64_t limit)
      : allocator_(std::move(allocator)), limit_(limit) {}

  // Memory for `bytes`, padded; contents are undefined.
  StatusOr<void*> Acquire(size_t bytes);
  // Takes back what Acquire gave; other pointers are ignored.
  void Release(const void* data);
  void ReleaseAll();
  // Returns all memory that is not in use.
  void Trim();
  bool Owns(const void* data) const;
  uint64_t held_bytes() const { return held_; }

 private:
  struct Slot {
    Block block;
    bool in_use = false;
  };
  std::shared_ptr<Allocator> allocator_;
  uint64_t limit_;
  uint64_t held_ = 0;
  std::vector<Slot> slots_;
};

}  // namespace heddle
