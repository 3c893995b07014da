// SPDX-License-Identifier: Apache-2.0
#include "kernels/string_tensor.h"

#include <cstring>

#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

int32_t LoadInt32(const char* data, int64_t i) {
  int32_t value = 0;
  std::memcpy(&value, data + i * 4, sizeof(value));
  return value;
}

void StoreInt32(char* data, int64_t i, int32_t value) {
  std::memcpy(data + i * 4, &value, sizeof(value));
}

}  // namespace

heddle_status StringTensor::Open(const OpContext& op, size_t i, StringTensor* strings) {
  const heddle_tensor& tensor = op.input(i);
  const auto fail = [&](const char* why) {
    return op.Fail(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_BAD_STRING_TENSOR,
                   static_cast<int32_t>(i), "input ", i, " is no tensor of strings: ", why);
  };
  int64_t count = 0;
  if (!ElementCount(op.input_dims(i), &count)) return fail("its shape is too large");
  const auto bytes = static_cast<int64_t>(tensor.bytes);
  if (bytes == 0 && count == 0) return HEDDLE_OK;
  const auto* data = static_cast<const char*>(tensor.data);
  if (bytes < 4 || LoadInt32(data, 0) != count) return fail("the count is not that of the shape");
  if (count > bytes / 4 - 2) return fail("the offsets are cut off");
  int64_t last = 4 * (count + 2);
  for (int64_t k = 1; k <= count + 1; ++k) {
    const int64_t offset = LoadInt32(data, k);
    if (offset < last || offset > bytes) return fail("an offset is out of range");
    last = offset;
  }
  strings->data_ = data;
  strings->size_ = count;
  return HEDDLE_OK;
}

std::string_view StringTensor::operator[](int64_t i) const {
  const int32_t begin = LoadInt32(data_, i + 1);
  return {data_ + begin, static_cast<size_t>(LoadInt32(data_, i + 2) - begin)};
}

namespace internal {

heddle_status CountStrings(const OpContext& op, std::span<const int32_t> dims, int64_t* count) {
  if (ElementCount(dims, count) && *count < INT32_MAX / 4) return HEDDLE_OK;
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, OpContext::kOutput(0), "shape ",
                 ShapeText(dims), " is too large");
}

heddle_status StringWriter::Start(const OpContext& op, std::span<const int32_t> dims, int64_t count,
                                  int64_t bytes) {
  const int64_t head = 4 * (count + 2);
  if (bytes > INT32_MAX - head) {
    return op.Fail(HEDDLE_RESOURCE_EXHAUSTED, HEDDLE_REASON_SIZE_OVERFLOW, OpContext::kOutput(0),
                   "the strings take more than 2 GiB");
  }
  void* data = nullptr;
  HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, dims, static_cast<size_t>(head + bytes), &data));
  data_ = static_cast<char*>(data);
  offset_ = static_cast<int32_t>(head);
  StoreInt32(data_, 0, static_cast<int32_t>(count));
  StoreInt32(data_, 1, offset_);
  next_ = 2;
  return HEDDLE_OK;
}

void StringWriter::Add(std::string_view text) {
  if (!text.empty()) std::memcpy(data_ + offset_, text.data(), text.size());
  offset_ += static_cast<int32_t>(text.size());
  StoreInt32(data_, next_++, offset_);
}

}  // namespace internal
}  // namespace heddle::kernels
