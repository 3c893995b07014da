// SPDX-License-Identifier: Apache-2.0
// A tensor of strings: int32 count, int32 offset of each string and of the end, then the bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "kernels/op_kernel.h"

namespace heddle::kernels {

class StringTensor {
 public:
  // Checks all of input i: it may come from anywhere.
  static heddle_status Open(const OpContext& op, size_t i, StringTensor* strings);

  int64_t size() const { return size_; }
  std::string_view operator[](int64_t i) const;

 private:
  const char* data_ = nullptr;
  int64_t size_ = 0;
};

namespace internal {
// Gives the output memory for `count` strings of `bytes` together and writes the head.
class StringWriter {
 public:
  heddle_status Start(const OpContext& op, std::span<const int32_t> dims, int64_t count,
                      int64_t bytes);
  void Add(std::string_view text);

 private:
  char* data_ = nullptr;
  int64_t next_ = 0;
  int32_t offset_ = 0;
};
heddle_status CountStrings(const OpContext& op, std::span<const int32_t> dims, int64_t* count);
}  // namespace internal

// Output 0 of shape `dims`: element i is the string that pick(i) returns; asked twice.
template <typename Pick>
heddle_status WriteStrings(const OpContext& op, std::span<const int32_t> dims, const Pick& pick) {
  int64_t count = 0;
  HEDDLE_OP_RETURN_IF_ERROR(internal::CountStrings(op, dims, &count));
  int64_t bytes = 0;
  for (int64_t i = 0; i < count; ++i) bytes += static_cast<int64_t>(pick(i).size());
  internal::StringWriter writer;
  HEDDLE_OP_RETURN_IF_ERROR(writer.Start(op, dims, count, bytes));
  for (int64_t i = 0; i < count; ++i) writer.Add(pick(i));
  return HEDDLE_OK;
}

}  // namespace heddle::kernels
