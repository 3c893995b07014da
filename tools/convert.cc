// SPDX-License-Identifier: Apache-2.0
#include "tools/convert.h"

#include <cmath>

namespace heddle::tools {
namespace {

// splitmix64: a small generator whose values do not depend on the standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // In [0, 1), a multiple of 2^-24: exact as a float.
  double Unit() { return static_cast<double>(Next() >> 40) * 0x1p-24; }

 private:
  uint64_t state_;
};

bool IsEightBitFloat(heddle_dtype dtype) { return IsFloat(dtype) && NumberBits(dtype) == 8; }

size_t CountOf(const heddle_tensor_info& info) {
  size_t count = 1;
  for (const int32_t dim : Dims(info)) count *= static_cast<size_t>(dim);
  return count;
}

std::string TypeText(heddle_dtype dtype) { return heddle_dtype_get_name(dtype); }

}  // namespace

Affine AffineOf(const heddle_tensor_info& info) {
  const heddle_quantization& quantization = *info.quantization;
  if (quantization.kind != HEDDLE_QUANTIZATION_AFFINE || quantization.count != 1) return {};
  const int64_t zero = quantization.zero_point_count > 0 ? quantization.zero_points[0] : 0;
  return {true, quantization.scales[0], zero};
}

double RealValue(const heddle_tensor_info& info, const Affine& affine, const void* data,
                 size_t index) {
  const Number number = ReadNumber(info.dtype, data, index);
  if (!affine.is_set || !number.is_integer) return number.real;
  return affine.scale * static_cast<double>(number.integer - affine.zero_point);
}

Number ElementOf(heddle_dtype dtype, const Affine& affine, double real) {
  if (!IsInteger(dtype)) return Number::Of(real);
  double value = real;
  if (affine.is_set) {
    value = std::round(real / affine.scale) + static_cast<double>(affine.zero_point);
  }
  if (std::isnan(value)) return Number::Of(affine.zero_point);
  const auto low = static_cast<double>(MinOf(dtype));
  if (value <= low) return Number::Of(MinOf(dtype));
  if (value >= static_cast<double>(MaxOf(dtype))) return Number::Of(MaxOf(dtype));
  return Number::Of(static_cast<int64_t>(std::llround(value)));
}

Result<Bytes> ConvertArray(const Array& array, const heddle_tensor_info& info,
                           const std::string& what) {
  if (array.dtype == HEDDLE_DTYPE_STRING && info.dtype == HEDDLE_DTYPE_STRING) {
    return EncodeStrings(array.strings);
  }
  if (array.dtype == info.dtype) return array.data;
  const auto mismatch = [&](const std::string& why) {
    return BadArgument(what + " is " + TypeText(array.dtype) + ", the tensor '" + info.name +
                           "' is " + TypeText(info.dtype) + why,
                       HEDDLE_REASON_DTYPE_MISMATCH);
  };
  if (NumberBits(array.dtype) == 0 || NumberBits(info.dtype) == 0 || IsEightBitFloat(info.dtype)) {
    return mismatch("");
  }
  const Affine affine = AffineOf(info);
  const bool quantise = affine.is_set && IsFloat(array.dtype);
  const size_t count = array.count();
  Bytes bytes(BytesOf(info.dtype, count));
  for (size_t i = 0; i < count; ++i) {
    Number number = ReadNumber(array.dtype, array.data.data(), i);
    if (IsInteger(info.dtype)) {
      if (quantise) {
        number = ElementOf(info.dtype, affine, number.real);
      } else if (!number.is_integer && std::trunc(number.real) == number.real &&
                 std::fabs(number.real) < 0x1p53) {
        number = Number::Of(static_cast<int64_t>(number.real));
      }
      if (!number.is_integer || number.integer < MinOf(info.dtype) ||
          number.integer > MaxOf(info.dtype)) {
        return mismatch(", which cannot hold the value " + NumberText(number) + " at position " +
                        std::to_string(i));
      }
    }
    WriteNumber(info.dtype, bytes.data(), i, number);
  }
  return bytes;
}

Result<Bytes> RandomBytes(const heddle_tensor_info& info, uint64_t seed, const std::string& what) {
  Random random(seed);
  const size_t count = CountOf(info);
  if (info.dtype == HEDDLE_DTYPE_STRING) {
    std::vector<std::string> words(count);
    for (std::string& word : words) {
      const size_t length = 1 + random.Next() % 8;
      for (size_t i = 0; i < length; ++i) word += static_cast<char>('a' + random.Next() % 26);
    }
    return EncodeStrings(words);
  }
  const bool is_complex =
      info.dtype == HEDDLE_DTYPE_COMPLEX64 || info.dtype == HEDDLE_DTYPE_COMPLEX128;
  const heddle_dtype part = info.dtype == HEDDLE_DTYPE_COMPLEX64    ? HEDDLE_DTYPE_FLOAT32
                            : info.dtype == HEDDLE_DTYPE_COMPLEX128 ? HEDDLE_DTYPE_FLOAT64
                                                                    : info.dtype;
  if (NumberBits(part) == 0 || IsEightBitFloat(part)) {
    return Status(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPE_NOT_SUPPORTED,
                  what + " is " + TypeText(info.dtype) + ": no random values of this type");
  }
  const size_t parts = is_complex ? 2 * count : count;
  const bool whole_range = AffineOf(info).is_set || NumberBits(part) <= 8;
  const int64_t low = whole_range ? MinOf(part) : 0;
  const int64_t high = whole_range ? MaxOf(part) : 1;
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  Bytes bytes(BytesOf(part, parts));
  for (size_t i = 0; i < parts; ++i) {
    if (IsFloat(part)) {
      WriteNumber(part, bytes.data(), i, Number::Of(random.Unit() * 2 - 1));
    } else {
      const auto value = static_cast<int64_t>(static_cast<uint64_t>(low) +
                                              (span == 0 ? random.Next() : random.Next() % span));
      WriteNumber(part, bytes.data(), i, Number::Of(value));
    }
  }
  return bytes;
}

}  // namespace heddle::tools
