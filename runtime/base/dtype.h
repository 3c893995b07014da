// SPDX-License-Identifier: Apache-2.0
// Element types: one list of name, number and size in bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "heddle/heddle.h"

namespace heddle {

// X(NAME, number in the file, bits); 0 bits: no fixed size.
#define HEDDLE_DTYPE_LIST(X) \
  X(FLOAT32, 0, 32)          \
  X(FLOAT16, 1, 16)          \
  X(INT32, 2, 32)            \
  X(UINT8, 3, 8)             \
  X(INT64, 4, 64)            \
  X(STRING, 5, 0)            \
  X(BOOL, 6, 8)              \
  X(INT16, 7, 16)            \
  X(COMPLEX64, 8, 64)        \
  X(INT8, 9, 8)              \
  X(FLOAT64, 10, 64)         \
  X(COMPLEX128, 11, 128)     \
  X(UINT64, 12, 64)          \
  X(RESOURCE, 13, 0)         \
  X(VARIANT, 14, 0)          \
  X(UINT32, 15, 32)          \
  X(UINT16, 16, 16)          \
  X(INT4, 17, 4)             \
  X(BFLOAT16, 18, 16)        \
  X(INT2, 19, 2)             \
  X(UINT4, 20, 4)            \
  X(FLOAT8_E4M3FN, 21, 8)    \
  X(FLOAT8_E5M2, 22, 8)

bool IsKnownDtype(int32_t number);
const char* DtypeName(heddle_dtype dtype);
uint32_t DtypeBits(heddle_dtype dtype);

// Bytes of a dense tensor; sub-byte types are packed, the last byte padded. False when the type has
// no fixed size or the result overflows. RESOURCE and VARIANT handles take 4 bytes (an int32 id).
[[nodiscard]] bool DenseBytes(heddle_dtype dtype, std::span<const int32_t> dims, size_t* bytes);

// A tensor's quantisation when it has none.
inline heddle_quantization NoQuantization() {
  heddle_quantization none = {};
  none.struct_size = sizeof(none);
  none.scales_tensor = none.zero_points_tensor = -1;
  return none;
}

// C++ type -> dtype, for the types that kernels compute in.
template <typename T>
constexpr heddle_dtype DtypeOf() {
  if constexpr (std::is_same_v<T, float>)
    return HEDDLE_DTYPE_FLOAT32;
  else if constexpr (std::is_same_v<T, double>)
    return HEDDLE_DTYPE_FLOAT64;
  else if constexpr (std::is_same_v<T, int8_t>)
    return HEDDLE_DTYPE_INT8;
  else if constexpr (std::is_same_v<T, uint8_t>)
    return HEDDLE_DTYPE_UINT8;
  else if constexpr (std::is_same_v<T, int16_t>)
    return HEDDLE_DTYPE_INT16;
  else if constexpr (std::is_same_v<T, uint16_t>)
    return HEDDLE_DTYPE_UINT16;
  else if constexpr (std::is_same_v<T, int32_t>)
    return HEDDLE_DTYPE_INT32;
  else if constexpr (std::is_same_v<T, uint32_t>)
    return HEDDLE_DTYPE_UINT32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return HEDDLE_DTYPE_INT64;
  else if constexpr (std::is_same_v<T, uint64_t>)
    return HEDDLE_DTYPE_UINT64;
  else if constexpr (std::is_same_v<T, bool>)
    return HEDDLE_DTYPE_BOOL;
  else
    static_assert(sizeof(T) == 0, "no dtype for this type");
}

}  // namespace heddle
