// SPDX-License-Identifier: Apache-2.0
// Sums of int8 and int16, which LiteRT's reference kernel reads as uint8: there is nothing of its
// to compare with.
#include <cmath>

#include "tests/kernels/op_tester.h"

namespace heddle::testing {
namespace {

const std::vector<int32_t> kNumbers = {-128, 127, 18,  115, 36,  4,   86, 121, -3, 1,   -1, -110,
                                       -63,  -44, -61, -23, -25, -25, 48, -99, 7,  -78, 93, 17};

// Numbers of one type, and zero points moved by `offset`.
template <typename T>
std::vector<int32_t> Sums(int32_t offset, const std::vector<int32_t>& axes) {
  std::vector<T> values;
  for (const int32_t number : kNumbers) values.push_back(static_cast<T>(number + offset));
  OpTester op(HEDDLE_BUILTIN_SUM, 2);
  op.Input<T>({2, 3, 4}, values).Quantized(0.05f, -7 + offset);
  op.Constant<int32_t>({static_cast<int32_t>(axes.size())}, axes);
  op.Output(DtypeOf<T>()).Quantized(0.11f, 5 + offset);
  std::vector<int32_t> sums;
  for (const T sum : op.Result().template As<T>()) sums.push_back(sum - offset);
  return sums;
}

TEST(Sum, Int8IsUint8Moved) {
  for (const std::vector<int32_t>& axes :
       std::vector<std::vector<int32_t>>{{}, {0}, {1}, {2}, {0, 2}, {0, 1, 2}}) {
    const std::vector<int32_t> sums = Sums<int8_t>(0, axes);
    EXPECT_EQ(sums, Sums<uint8_t>(128, axes)) << ShapeText(axes);
    EXPECT_FALSE(sums.empty());
  }
}

TEST(Sum, Int16IsNearTheReals) {
  std::vector<int16_t> values;
  for (const int32_t number : kNumbers) values.push_back(static_cast<int16_t>(number * 255));
  OpTester op(HEDDLE_BUILTIN_SUM, 2);
  op.Input<int16_t>({2, 3, 4}, values).Quantized(0.0003f, 0);
  op.Constant<int32_t>({1}, {1});
  op.Output(HEDDLE_DTYPE_INT16).Quantized(0.0011f, 0);
  const std::vector<int16_t> sums = op.Result().As<int16_t>();
  ASSERT_EQ(sums.size(), 8u);
  for (size_t i = 0; i < sums.size(); ++i) {
    double sum = 0;
    for (size_t k = 0; k < 3; ++k) sum += values[i / 4 * 12 + k * 4 + i % 4];
    EXPECT_NEAR(sums[i], sum * 0.0003 / 0.0011, 1.0) << i;
  }
}

// LiteRT writes nothing then.
TEST(ReduceProduct, OfNothingIsOne) {
  OpTester op(HEDDLE_BUILTIN_REDUCE_PROD, 2);
  op.Input<int8_t>({2, 0}, {}).Quantized(0.5f, 3);
  op.Constant<int32_t>({1}, {1});
  op.Output(HEDDLE_DTYPE_INT8).Quantized(0.25f, -7);
  op.Expect<int8_t>({2}, {-3, -3});
}

TEST(ReduceMaximum, OfInfinities) {
  const float infinity = std::numeric_limits<float>::infinity();
  OpTester op(HEDDLE_BUILTIN_REDUCE_MAX);
  op.Input<float>({2, 2}, {-infinity, -infinity, -infinity, 1});
  op.Constant<int32_t>({1}, {1});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Expect<float>({2}, {-infinity, 1});
}

}  // namespace
}  // namespace heddle::testing
