// SPDX-License-Identifier: Apache-2.0
#include "tools/array.h"

#include <cstring>

#include "tools/numbers.h"

namespace heddle::tools {
namespace {

template <typename T>
std::string ListText(Span<const T> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(values[i]);
  }
  return text + "]";
}

heddle_dtype ArrayType(heddle_dtype dtype) {
  switch (dtype) {
    case HEDDLE_DTYPE_BFLOAT16:
    case HEDDLE_DTYPE_FLOAT8_E4M3FN:
    case HEDDLE_DTYPE_FLOAT8_E5M2:
      return HEDDLE_DTYPE_FLOAT32;
    case HEDDLE_DTYPE_INT2:
    case HEDDLE_DTYPE_INT4:
      return HEDDLE_DTYPE_INT8;
    case HEDDLE_DTYPE_UINT4:
      return HEDDLE_DTYPE_UINT8;
    default:
      return dtype;
  }
}

}  // namespace

size_t Array::count() const {
  size_t count = 1;
  for (const int64_t dim : shape) count *= static_cast<size_t>(dim);
  return count;
}

std::string ShapeText(Span<const int64_t> shape) { return ListText(shape); }
std::string ShapeText(Span<const int32_t> shape) { return ListText(shape); }

Bytes EncodeStrings(const std::vector<std::string>& strings) {
  std::vector<int32_t> head = {static_cast<int32_t>(strings.size())};
  size_t offset = (strings.size() + 2) * sizeof(int32_t);
  head.push_back(static_cast<int32_t>(offset));
  for (const std::string& text : strings) {
    offset += text.size();
    head.push_back(static_cast<int32_t>(offset));
  }
  Bytes bytes(head.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), head.data(), bytes.size());
  for (const std::string& text : strings) bytes.insert(bytes.end(), text.begin(), text.end());
  return bytes;
}

std::vector<std::string> DecodeStrings(const void* data) {
  const auto* bytes = static_cast<const char*>(data);
  const auto word = [&](size_t index) {
    int32_t value;
    std::memcpy(&value, bytes + index * sizeof(value), sizeof(value));
    return value;
  };
  std::vector<std::string> strings;
  for (int32_t i = 0; i < word(0); ++i) {
    const size_t position = static_cast<size_t>(i) + 1;
    strings.emplace_back(bytes + word(position), bytes + word(position + 1));
  }
  return strings;
}

std::optional<Array> ArrayOfTensor(const heddle_tensor_info& info, const void* data) {
  Array array;
  array.dtype = ArrayType(info.dtype);
  for (const int32_t dim : Dims(info)) array.shape.push_back(dim);
  if (info.dtype == HEDDLE_DTYPE_STRING) {
    if (data == nullptr) return std::nullopt;
    array.strings = DecodeStrings(data);
    if (array.strings.size() != array.count()) {
      array.shape = {static_cast<int64_t>(array.strings.size())};
    }
    return array;
  }
  const size_t count = array.count();
  if (heddle_dtype_get_bits(info.dtype) == 0 || (data == nullptr && count > 0)) {
    return std::nullopt;
  }
  array.data.resize(BytesOf(array.dtype, count));
  if (array.dtype == info.dtype) {
    if (data != nullptr) std::memcpy(array.data.data(), data, array.data.size());
    return array;
  }
  for (size_t i = 0; i < count; ++i) {
    WriteNumber(array.dtype, array.data.data(), i, ReadNumber(info.dtype, data, i));
  }
  return array;
}

}  // namespace heddle::tools
