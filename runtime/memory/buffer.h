// SPDX-License-Identifier: Apache-2.0
// What stands behind heddle_buffer: host memory, owned or borrowed, whose release callback fires
// once after the last use.
#pragma once

#include <cstddef>
#include <memory>

#include "heddle/heddle.h"
#include "runtime/base/allocator.h"
#include "runtime/base/status.h"

namespace heddle {

class Buffer {
 public:
  // Zeroed, aligned to kTensorAlignment, padded by kTensorPadding.
  static StatusOr<std::shared_ptr<Buffer>> Make(std::shared_ptr<Allocator> allocator, size_t bytes);
  static StatusOr<std::shared_ptr<Buffer>> Borrow(void* data, size_t bytes, size_t padded_bytes,
                                                  heddle_release_callback release, void* context);
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer();

  uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  size_t padded_bytes() const { return padded_bytes_; }

 private:
  Buffer() = default;
  Block block_;
  uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
  size_t padded_bytes_ = 0;
  heddle_release_callback release_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace heddle
