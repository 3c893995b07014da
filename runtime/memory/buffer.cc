// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/buffer.h"

#include <cstring>

#include "runtime/base/strings.h"

namespace heddle {

StatusOr<std::shared_ptr<Buffer>> Buffer::Make(std::shared_ptr<Allocator> allocator, size_t bytes) {
  std::shared_ptr<Buffer> buffer(new Buffer);
  buffer->block_ = Block::Make(std::move(allocator), bytes);
  if (!buffer->block_) return Status::OutOfMemory();
  buffer->data_ = buffer->block_.data();
  buffer->bytes_ = bytes;
  buffer->padded_bytes_ = bytes + kTensorPadding;
  std::memset(buffer->data_, 0, bytes);
  return buffer;
}

StatusOr<std::shared_ptr<Buffer>> Buffer::Borrow(void* data, size_t bytes, size_t padded_bytes,
                                                 heddle_release_callback release, void* context) {
  if (data == nullptr && bytes != 0) {
    return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_NULL_ARGUMENT,
                  StrCat("a buffer of ", bytes, " bytes has no data"));
  }
  if (padded_bytes < bytes) {
    return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_BAD_ARGUMENT,
                  StrCat("padded_bytes ", padded_bytes, " is less than bytes ", bytes));
  }
  std::shared_ptr<Buffer> buffer(new Buffer);
  buffer->data_ = static_cast<uint8_t*>(data);
  buffer->bytes_ = bytes;
  buffer->padded_bytes_ = padded_bytes;
  buffer->release_ = release;
  buffer->context_ = context;
  return buffer;
}

Buffer::~Buffer() {
  if (release_ != nullptr) release_(context_, data_, bytes_);
}

}  // namespace heddle
