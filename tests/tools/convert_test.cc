// SPDX-License-Identifier: Apache-2.0
#include "tools/convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>

namespace heddle::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A vector tensor, with a scale if it is not 0.
struct TensorInfo : heddle_tensor_info {
  TensorInfo(heddle_dtype type, int32_t count, float scale = 0, int64_t zero = 0)
      : heddle_tensor_info{}, dim(count), scale_value(scale), zero_value(zero) {
    name = "t";
    dtype = type;
    rank = 1;
    dims = &dim;
    quantization = &quantization_value;
    if (scale == 0) return;
    quantization_value.kind = HEDDLE_QUANTIZATION_AFFINE;
    quantization_value.count = 1;
    quantization_value.scales = &scale_value;
    quantization_value.zero_points = &zero_value;
    quantization_value.zero_point_count = 1;
  }
  TensorInfo(const TensorInfo&) = delete;

  int32_t dim;
  float scale_value;
  int64_t zero_value;
  heddle_quantization quantization_value = {};
};

template <typename T>
Array ArrayOf(std::initializer_list<T> values) {
  Array array;
  array.dtype = DTypeOf<T>::value;
  array.shape = {static_cast<int64_t>(values.size())};
  array.data.resize(values.size() * sizeof(T));
  std::memcpy(array.data.data(), values.begin(), array.data.size());
  return array;
}

template <typename T, typename From>
std::vector<T> Convert(const TensorInfo& info, std::initializer_list<From> values) {
  const Result<Bytes> bytes = ConvertArray(ArrayOf(values), info, "x.npy");
  if (!bytes) {
    ADD_FAILURE() << bytes.error().message();
    return {};
  }
  std::vector<T> result(bytes->size() / sizeof(T));
  std::memcpy(result.data(), bytes->data(), bytes->size());
  return result;
}

template <typename From>
std::string ErrorOf(const TensorInfo& info, std::initializer_list<From> values) {
  const Result<Bytes> bytes = ConvertArray(ArrayOf(values), info, "x.npy");
  return bytes ? "" : bytes.error().message();
}

TEST(Convert, FloatsAreQuantised) {
  const TensorInfo info(HEDDLE_DTYPE_INT8, 6, 0.5f, 10);
  // Halves round away from zero; what lies outside is held to the range.
  EXPECT_THAT((Convert<int8_t, float>(info, {0, 1, 0.25f, -0.25f, 1000, -1000})),
              ElementsAre(10, 12, 11, 9, 127, -128));
  EXPECT_THAT((Convert<int8_t, float>(info, {NAN})), ElementsAre(10));
}

TEST(Convert, IntegersAreTakenAsTheyAre) {
  const TensorInfo info(HEDDLE_DTYPE_UINT8, 2, 0.5f, 10);
  EXPECT_THAT((Convert<uint8_t, int64_t>(info, {0, 255})), ElementsAre(0, 255));
  EXPECT_THAT(ErrorOf<int64_t>(info, {0, 256}), HasSubstr("the value 256 at position 1"));
  EXPECT_THAT(ErrorOf<int64_t>(info, {-1}), HasSubstr("x.npy is INT64, the tensor 't' is UINT8"));
}

TEST(Convert, TypesChangeOnlyWithoutLoss) {
  const TensorInfo int32(HEDDLE_DTYPE_INT32, 2);
  EXPECT_THAT((Convert<int32_t, double>(int32, {3, -4})), ElementsAre(3, -4));
  EXPECT_THAT(ErrorOf<double>(int32, {3.5}), HasSubstr("the value 3.5 at position 0"));
  EXPECT_THAT(ErrorOf<int64_t>(int32, {int64_t{1} << 31}), HasSubstr("cannot hold"));
  const TensorInfo float32(HEDDLE_DTYPE_FLOAT32, 2);
  EXPECT_THAT((Convert<float, double>(float32, {0.1, 2})), ElementsAre(0.1f, 2.0f));
  EXPECT_THAT((Convert<float, uint8_t>(float32, {7, 255})), ElementsAre(7.0f, 255.0f));
  const TensorInfo boolean(HEDDLE_DTYPE_BOOL, 2);
  EXPECT_THAT((Convert<uint8_t, int32_t>(boolean, {0, 1})), ElementsAre(0, 1));
  EXPECT_THAT(ErrorOf<int32_t>(boolean, {2}), HasSubstr("cannot hold"));
  const TensorInfo text(HEDDLE_DTYPE_STRING, 1);
  EXPECT_THAT(ErrorOf<float>(text, {1}), HasSubstr("is STRING"));
}

TEST(Convert, RandomValuesDependOnTheSeedOnly) {
  const TensorInfo floats(HEDDLE_DTYPE_FLOAT32, 1000);
  const Result<Bytes> a = RandomBytes(floats, 1, "x");
  const Result<Bytes> b = RandomBytes(floats, 1, "x");
  const Result<Bytes> c = RandomBytes(floats, 2, "x");
  ASSERT_TRUE(a && b && c);
  EXPECT_EQ(*a, *b);
  EXPECT_NE(*a, *c);
  double low = 0;
  double high = 0;
  for (size_t i = 0; i < 1000; ++i) {
    const double value = ReadNumber(HEDDLE_DTYPE_FLOAT32, a->data(), i).real;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_GE(low, -1);
  EXPECT_LT(low, -0.9);
  EXPECT_LT(high, 1);
  EXPECT_GT(high, 0.9);
}

TEST(Convert, RandomIntegersFitTheirUse) {
  const TensorInfo bytes(HEDDLE_DTYPE_INT8, 2000);
  const TensorInfo indices(HEDDLE_DTYPE_INT32, 2000);
  const Result<Bytes> a = RandomBytes(bytes, 1, "x");
  const Result<Bytes> b = RandomBytes(indices, 1, "x");
  ASSERT_TRUE(a && b);
  int64_t low = 0;
  int64_t high = 0;
  for (size_t i = 0; i < 2000; ++i) {
    low = std::min(low, ReadNumber(HEDDLE_DTYPE_INT8, a->data(), i).integer);
    high = std::max(high, ReadNumber(HEDDLE_DTYPE_INT8, a->data(), i).integer);
    const int64_t index = ReadNumber(HEDDLE_DTYPE_INT32, b->data(), i).integer;
    EXPECT_TRUE(index == 0 || index == 1);
  }
  EXPECT_EQ(low, -128);
  EXPECT_EQ(high, 127);
}

TEST(Convert, StringsGoThereAndBack) {
  const std::vector<std::string> strings = {"", "abc", std::string("\0x", 2)};
  const Bytes encoded = EncodeStrings(strings);
  // count, four offsets, five characters
  EXPECT_EQ(encoded.size(), 4u + 4 * 4 + 5);
  EXPECT_EQ(DecodeStrings(encoded.data()), strings);
}

}  // namespace
}  // namespace heddle::tools
