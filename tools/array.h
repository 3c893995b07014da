// SPDX-License-Identifier: Apache-2.0
// An array as it lies in a .npy file, and the making of one from a tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/heddle.hpp"
#include "tools/files.h"

namespace heddle::tools {

// Row-major, in this machine's byte order. A STRING array has its elements in `strings`.
struct Array {
  heddle_dtype dtype = HEDDLE_DTYPE_FLOAT32;
  std::vector<int64_t> shape;
  Bytes data;
  std::vector<std::string> strings;

  size_t count() const;
};

// "[1,8,8,1]"
std::string ShapeText(Span<const int64_t> shape);
std::string ShapeText(Span<const int32_t> shape);

// TFLite's form of string tensors: int32 count, count + 1 offsets, characters.
Bytes EncodeStrings(const std::vector<std::string>& strings);
std::vector<std::string> DecodeStrings(const void* data);

// A tensor's data as an array. Types that .npy lacks are widened: bfloat16 and 8-bit floats to
// float32, 2- and 4-bit integers to 8 bits. Nothing for resources and variants.
std::optional<Array> ArrayOfTensor(const heddle_tensor_info& info, const void* data);

}  // namespace heddle::tools
