// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/dynamic_arena.h"

#include <algorithm>

#include "runtime/base/strings.h"

namespace heddle {

StatusOr<void*> DynamicArena::Acquire(size_t bytes) {
  Slot* best = nullptr;
  for (Slot& slot : slots_) {
    if (slot.in_use || slot.block.bytes() < bytes) continue;
    if (best == nullptr || slot.block.bytes() < best->block.bytes()) best = &slot;
  }
  // A far larger block is kept for a larger tensor.
  if (best != nullptr && best->block.bytes() / 4 <= std::max<size_t>(bytes, 4096)) {
    best->in_use = true;
    return static_cast<void*>(best->block.data());
  }
  if (bytes > limit_ || held_ > limit_ - bytes) Trim();
  if (bytes > limit_ || held_ > limit_ - bytes) {
    return Status(HEDDLE_RESOURCE_EXHAUSTED, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_LIMIT_EXCEEDED,
                  StrCat("a data-dependent tensor of ", bytes, " bytes passes the limit of ",
                         limit_, " bytes (max_dynamic_bytes), ", held_, " are in use"));
  }
  slots_.reserve(slots_.size() + 1);
  Slot slot;
  slot.block = Block::Make(allocator_, bytes);
  if (!slot.block) return Status::OutOfMemory();
  slot.in_use = true;
  held_ += bytes;
  slots_.push_back(std::move(slot));
  return static_cast<void*>(slots_.back().block.data());
}

void DynamicArena::Release(const void* data) {
  for (Slot& slot : slots_) {
    if (slot.block.data() == data) slot.in_use = false;
  }
}

void DynamicArena::ReleaseAll() {
  for (Slot& slot : slots_) slot.in_use = false;
}

void DynamicArena::Trim() {
  const auto unused =
      std::remove_if(slots_.begin(), slots_.end(), [&](const Slot& slot) { return !slot.in_use; });
  slots_.erase(unused, slots_.end());
  held_ = 0;
  for (const Slot& slot : slots_) held_ += slot.block.bytes();
}

bool DynamicArena::Owns(const void* data) const {
  const auto* byte = static_cast<const uint8_t*>(data);
  return std::any_of(slots_.begin(), slots_.end(), [&](const Slot& slot) {
    return byte >= slot.block.data() &&
           byte < slot.block.data() + std::max<size_t>(slot.block.bytes(), 1);
  });
}

}  // namespace heddle
