// SPDX-License-Identifier: Apache-2.0
#include "tools/numbers.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace heddle::tools {
namespace {

template <typename T>
T Load(const void* data, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const uint8_t*>(data) + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void Store(void* data, size_t index, T value) {
  std::memcpy(static_cast<uint8_t*>(data) + index * sizeof(T), &value, sizeof(T));
}

// Elements narrower than a byte lie from the low bits up.
uint8_t LoadBits(const void* data, size_t index, uint32_t bits) {
  const size_t bit = index * bits;
  const uint8_t byte = static_cast<const uint8_t*>(data)[bit / 8];
  return static_cast<uint8_t>((byte >> (bit % 8)) & ((1u << bits) - 1));
}

void StoreBits(void* data, size_t index, uint32_t bits, int64_t value) {
  const size_t bit = index * bits;
  uint8_t& byte = static_cast<uint8_t*>(data)[bit / 8];
  const auto mask = static_cast<uint8_t>(((1u << bits) - 1) << (bit % 8));
  byte =
      static_cast<uint8_t>((byte & ~mask) | ((static_cast<uint64_t>(value) << (bit % 8)) & mask));
}

int64_t SignExtend(uint8_t value, uint32_t bits) {
  const int sign = 1 << (bits - 1);
  return (value ^ sign) - sign;
}

float BitsToFloat(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint32_t FloatToBits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

uint16_t FloatToBfloat16(float value) {
  const uint32_t bits = FloatToBits(value);
  if (std::isnan(value)) return static_cast<uint16_t>((bits >> 16) | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);  // ties to even
}

// The two 8-bit floats: `e` exponent bits, 7 - e of mantissa. E4M3FN has no infinity.
float Float8ToFloat(uint8_t bits, int e) {
  const int m = 7 - e;
  const int exponent = (bits >> m) & ((1 << e) - 1);
  const int mantissa = bits & ((1 << m) - 1);
  const float sign = (bits & 0x80) != 0 ? -1.0f : 1.0f;
  const int bias = (1 << (e - 1)) - 1;
  const bool top = exponent == (1 << e) - 1;
  if (top && e == 5) return mantissa == 0 ? sign * INFINITY : NAN;
  if (top && mantissa == (1 << m) - 1) return NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), 1 - bias - m);
  return sign * std::ldexp(static_cast<float>(mantissa + (1 << m)), exponent - bias - m);
}

}  // namespace

float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000) << 16;
  const uint32_t exponent = (half >> 10) & 0x1f;
  const uint32_t mantissa = half & 0x3ff;
  if (exponent == 0x1f) return BitsToFloat(sign | 0x7f800000 | (mantissa << 13));
  if (exponent == 0) {
    const float value = std::ldexp(static_cast<float>(mantissa), -24);
    return sign != 0 ? -value : value;
  }
  return BitsToFloat(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

uint16_t FloatToHalf(float value) {
  const uint32_t bits = FloatToBits(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 65520.0f) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 6.103515625e-5f) {  // subnormal: count of 2^-24, ties to even
    return static_cast<uint16_t>(sign |
                                 static_cast<uint16_t>(std::nearbyint(std::ldexp(magnitude, 24))));
  }
  const uint32_t rounded = (bits & 0x7fffffff) + 0xfff + ((bits >> 13) & 1);
  return static_cast<uint16_t>(sign | ((rounded - (112u << 23)) >> 13));
}

bool IsFloat(heddle_dtype dtype) {
  switch (dtype) {
    case HEDDLE_DTYPE_FLOAT16:
    case HEDDLE_DTYPE_FLOAT32:
    case HEDDLE_DTYPE_FLOAT64:
    case HEDDLE_DTYPE_BFLOAT16:
    case HEDDLE_DTYPE_FLOAT8_E4M3FN:
    case HEDDLE_DTYPE_FLOAT8_E5M2:
      return true;
    default:
      return false;
  }
}

bool IsInteger(heddle_dtype dtype) {
  switch (dtype) {
    case HEDDLE_DTYPE_BOOL:
    case HEDDLE_DTYPE_INT2:
    case HEDDLE_DTYPE_INT4:
    case HEDDLE_DTYPE_INT8:
    case HEDDLE_DTYPE_INT16:
    case HEDDLE_DTYPE_INT32:
    case HEDDLE_DTYPE_INT64:
    case HEDDLE_DTYPE_UINT4:
    case HEDDLE_DTYPE_UINT8:
    case HEDDLE_DTYPE_UINT16:
    case HEDDLE_DTYPE_UINT32:
    case HEDDLE_DTYPE_UINT64:
      return true;
    default:
      return false;
  }
}

uint32_t NumberBits(heddle_dtype dtype) {
  return IsFloat(dtype) || IsInteger(dtype) ? heddle_dtype_get_bits(dtype) : 0;
}

size_t BytesOf(heddle_dtype dtype, size_t count) {
  const size_t bits = heddle_dtype_get_bits(dtype);
  return bits >= 8 ? count * (bits / 8) : (count * bits + 7) / 8;
}

int64_t MinOf(heddle_dtype dtype) {
  switch (dtype) {
    case HEDDLE_DTYPE_INT2:
    case HEDDLE_DTYPE_INT4:
    case HEDDLE_DTYPE_INT8:
    case HEDDLE_DTYPE_INT16:
    case HEDDLE_DTYPE_INT32:
    case HEDDLE_DTYPE_INT64:
      return -MaxOf(dtype) - 1;
    default:
      return 0;
  }
}

int64_t MaxOf(heddle_dtype dtype) {
  switch (dtype) {
    case HEDDLE_DTYPE_BOOL:
    case HEDDLE_DTYPE_INT2:
      return 1;
    case HEDDLE_DTYPE_INT4:
      return 7;
    case HEDDLE_DTYPE_INT8:
      return INT8_MAX;
    case HEDDLE_DTYPE_INT16:
      return INT16_MAX;
    case HEDDLE_DTYPE_INT32:
      return INT32_MAX;
    case HEDDLE_DTYPE_UINT4:
      return 15;
    case HEDDLE_DTYPE_UINT8:
      return UINT8_MAX;
    case HEDDLE_DTYPE_UINT16:
      return UINT16_MAX;
    case HEDDLE_DTYPE_UINT32:
      return UINT32_MAX;
    default:
      return INT64_MAX;
  }
}

Number ReadNumber(heddle_dtype dtype, const void* data, size_t index) {
  switch (dtype) {
    case HEDDLE_DTYPE_FLOAT16:
      return Number::Of(double{HalfToFloat(Load<uint16_t>(data, index))});
    case HEDDLE_DTYPE_BFLOAT16:
      return Number::Of(double{BitsToFloat(uint32_t{Load<uint16_t>(data, index)} << 16)});
    case HEDDLE_DTYPE_FLOAT32:
      return Number::Of(double{Load<float>(data, index)});
    case HEDDLE_DTYPE_FLOAT64:
      return Number::Of(Load<double>(data, index));
    case HEDDLE_DTYPE_FLOAT8_E4M3FN:
      return Number::Of(double{Float8ToFloat(Load<uint8_t>(data, index), 4)});
    case HEDDLE_DTYPE_FLOAT8_E5M2:
      return Number::Of(double{Float8ToFloat(Load<uint8_t>(data, index), 5)});
    case HEDDLE_DTYPE_BOOL:
      return Number::Of(int64_t{Load<uint8_t>(data, index) != 0});
    case HEDDLE_DTYPE_INT2:
      return Number::Of(SignExtend(LoadBits(data, index, 2), 2));
    case HEDDLE_DTYPE_INT4:
      return Number::Of(SignExtend(LoadBits(data, index, 4), 4));
    case HEDDLE_DTYPE_UINT4:
      return Number::Of(int64_t{LoadBits(data, index, 4)});
    case HEDDLE_DTYPE_INT8:
      return Number::Of(int64_t{Load<int8_t>(data, index)});
    case HEDDLE_DTYPE_UINT8:
      return Number::Of(int64_t{Load<uint8_t>(data, index)});
    case HEDDLE_DTYPE_INT16:
      return Number::Of(int64_t{Load<int16_t>(data, index)});
    case HEDDLE_DTYPE_UINT16:
      return Number::Of(int64_t{Load<uint16_t>(data, index)});
    case HEDDLE_DTYPE_INT32:
      return Number::Of(int64_t{Load<int32_t>(data, index)});
    case HEDDLE_DTYPE_UINT32:
      return Number::Of(int64_t{Load<uint32_t>(data, index)});
    case HEDDLE_DTYPE_INT64:
      return Number::Of(Load<int64_t>(data, index));
    case HEDDLE_DTYPE_UINT64: {
      const auto value = Load<uint64_t>(data, index);
      if (value <= INT64_MAX) return Number::Of(static_cast<int64_t>(value));
      return Number::Of(static_cast<double>(value));
    }
    default:
      return {};
  }
}

void WriteNumber(heddle_dtype dtype, void* data, size_t index, Number value) {
  switch (dtype) {
    case HEDDLE_DTYPE_FLOAT16:
      return Store(data, index, FloatToHalf(static_cast<float>(value.real)));
    case HEDDLE_DTYPE_BFLOAT16:
      return Store(data, index, FloatToBfloat16(static_cast<float>(value.real)));
    case HEDDLE_DTYPE_FLOAT32:
      return Store(data, index, static_cast<float>(value.real));
    case HEDDLE_DTYPE_FLOAT64:
      return Store(data, index, value.real);
    case HEDDLE_DTYPE_INT2:
      return StoreBits(data, index, 2, value.integer);
    case HEDDLE_DTYPE_INT4:
    case HEDDLE_DTYPE_UINT4:
      return StoreBits(data, index, 4, value.integer);
    case HEDDLE_DTYPE_BOOL:
    case HEDDLE_DTYPE_INT8:
    case HEDDLE_DTYPE_UINT8:
      return Store(data, index, static_cast<uint8_t>(value.integer));
    case HEDDLE_DTYPE_INT16:
    case HEDDLE_DTYPE_UINT16:
      return Store(data, index, static_cast<uint16_t>(value.integer));
    case HEDDLE_DTYPE_INT32:
    case HEDDLE_DTYPE_UINT32:
      return Store(data, index, static_cast<uint32_t>(value.integer));
    case HEDDLE_DTYPE_INT64:
    case HEDDLE_DTYPE_UINT64:
      return Store(data, index, value.integer);
    default:
      return;
  }
}

std::string NumberText(Number number) {
  if (number.is_integer) return std::to_string(number.integer);
  char text[32];
  std::snprintf(text, sizeof(text), "%.6g", number.real);
  return text;
}

}  // namespace heddle::tools
