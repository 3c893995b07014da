// SPDX-License-Identifier: Apache-2.0
// What the cases of LiteRT cannot show: scalars, empty tensors, absent operands, ends of ranges.
// Values by reasoning.
#include <cmath>
#include <limits>

#include "tests/kernels/op_tester.h"

namespace heddle::testing {
namespace {

using schema::ActivationFunctionType;
using schema::Padding;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

auto Conv(Padding padding, int32_t stride = 1, int32_t dilation = 1,
          ActivationFunctionType activation = ActivationFunctionType::NONE) {
  return [=](FlatBufferBuilder& fbb) {
    return schema::CreateConv2DOptions(fbb, padding, stride, stride, activation, dilation,
                                       dilation);
  };
}

TEST(Conv2D, WithoutBias) {
  OpTester op(HEDDLE_BUILTIN_CONV_2D);
  op.Input<float>({1, 2, 2, 1}, {1, 2, 3, 4});
  op.Constant<float>({1, 2, 2, 1}, {1, 10, 100, 1000});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options(Conv(Padding::SAME));
  // The window hangs over the end: the last row and column see zeros.
  op.Expect<float>({1, 2, 2, 1}, {4321, 402, 43, 4});
}

TEST(Conv2D, AbsentBiasIsNoBias) {
  OpTester op(HEDDLE_BUILTIN_CONV_2D);
  op.Input<float>({1, 1, 1, 2}, {3, 4});
  op.Constant<float>({2, 1, 1, 2}, {1, 0, 0, 2});
  op.Absent();
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options(Conv(Padding::VALID));
  op.Expect<float>({1, 1, 1, 2}, {3, 8});
}

TEST(Conv2D, Int16WithoutBiasSumsIn64Bits) {
  // 40 products of 32767 * 127 pass 2^27 but a 32-bit sum only at 516 of them.
  const int32_t depth = 600;
  OpTester op(HEDDLE_BUILTIN_CONV_2D);
  op.Input<int16_t>({1, 1, 1, depth}, std::vector<int16_t>(depth, 32767)).Quantized(1.0f, 0);
  op.Constant<int8_t>({1, 1, 1, depth}, std::vector<int8_t>(depth, 127)).Quantized(1.0f, 0);
  op.Output(HEDDLE_DTYPE_INT16).Quantized(0x1p18f, 0);
  op.Options(Conv(Padding::VALID));
  // 600 * 32767 * 127 / 2^18 = 9524.6...
  op.Expect<int16_t>({1, 1, 1, 1}, {9525});
}

// As LiteRT's kernels define it: the range of no activation ends at the greatest finite number.
TEST(Conv2D, InfinityBecomesTheGreatestNumber) {
  constexpr float kMax = std::numeric_limits<float>::max();
  OpTester op(HEDDLE_BUILTIN_CONV_2D);
  op.Input<float>({1, 1, 2, 1}, {kInf, -kInf});
  op.Constant<float>({1, 1, 1, 1}, {1});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options(Conv(Padding::VALID));
  op.Expect<float>({1, 1, 2, 1}, {kMax, -kMax});
}

TEST(Conv2D, ValidWindowOneLargerThanTheInputGivesNothing) {
  OpTester op(HEDDLE_BUILTIN_CONV_2D);
  op.Input<float>({1, 1, 1, 1}, {1});
  op.Constant<float>({1, 2, 1, 1}, {1, 1});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options(Conv(Padding::VALID));
  op.Expect<float>({1, 0, 1, 1}, {});
}

TEST(DepthwiseConv2D, MultiplierComesFromTheShapes) {
  OpTester op(HEDDLE_BUILTIN_DEPTHWISE_CONV_2D);
  op.Input<float>({1, 1, 1, 2}, {2, 3});
  op.Constant<float>({1, 1, 1, 4}, {1, 10, 100, 1000});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateDepthwiseConv2DOptions(fbb, Padding::VALID, 1, 1, /*depth_multiplier=*/7);
  });
  op.Expect<float>({1, 1, 1, 4}, {2, 20, 300, 3000});
}

// The filter has no elements, and so any number of taps.
TEST(Conv3D, EmptyDepthIsTheBias) {
  OpTester op(HEDDLE_BUILTIN_CONV_3D);
  op.Input<float>({1, 1, 1, 1, 0}, {});
  op.Input<float>({1 << 20, 1 << 20, 1 << 20, 0, 2}, {});
  op.Constant<float>({2}, {3, 4});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateConv3DOptions(fbb, Padding::SAME, 1, 1, 1);
  });
  op.Expect<float>({1, 1, 1, 1, 2}, {3, 4});
}
TEST(Conv3D, TransposedEmptyDepthIsTheBias) {
  OpTester op(HEDDLE_BUILTIN_CONV_3D_TRANSPOSE);
  op.Constant<int32_t>({5}, {1, 1, 1, 1, 2});
  op.Input<float>({1 << 20, 1 << 20, 1 << 20, 2, 0}, {});
  op.Input<float>({1, 1, 1, 1, 0}, {});
  op.Constant<float>({2}, {3, 4});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateConv3DOptions(fbb, Padding::SAME, 1, 1, 1);
  });
  op.Expect<float>({1, 1, 1, 1, 2}, {3, 4});
}
TEST(TransposeConv, EmptyDepthIsTheBias) {
  OpTester op(HEDDLE_BUILTIN_TRANSPOSE_CONV, 3);
  op.Constant<int32_t>({4}, {1, 1 << 10, 1 << 10, 1});
  op.Input<float>({1, 1 << 20, 1 << 20, 0}, {});
  op.Input<float>({1, 1 << 10, 1 << 10, 0}, {});
  op.Constant<float>({1}, {3});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateTransposeConvOptions(fbb, Padding::SAME, 1, 1);
  });
  op.Expect<float>({1, 1 << 10, 1 << 10, 1}, std::vector<float>(1 << 20, 3));
}

TEST(FullyConnected, EmptyDepthIsTheBias) {
  OpTester op(HEDDLE_BUILTIN_FULLY_CONNECTED);
  op.Input<float>({2, 0}, {});
  op.Constant<float>({3, 0}, {});
  op.Constant<float>({3}, {1, 2, 3});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Expect<float>({2, 3}, {1, 2, 3, 1, 2, 3});
}

TEST(FullyConnected, NoUnits) {
  OpTester op(HEDDLE_BUILTIN_FULLY_CONNECTED);
  op.Input<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  op.Constant<float>({0, 3}, {});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Expect<float>({2, 0}, {});
}

TEST(Softmax, LargeLogitsDoNotOverflow) {
  OpTester op(HEDDLE_BUILTIN_SOFTMAX);
  op.Input<float>({1, 3}, {10000, 10000, -10000});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options([](FlatBufferBuilder& fbb) { return schema::CreateSoftmaxOptions(fbb, 1.0f); });
  op.ExpectNear({1, 3}, {0.5f, 0.5f, 0});
}

TEST(Softmax, Int8OfOneElementIsOne) {
  OpTester op(HEDDLE_BUILTIN_SOFTMAX, 2);
  op.Input<int8_t>({2, 1}, {-128, 127}).Quantized(0.25f, 0);
  op.Output(HEDDLE_DTYPE_INT8).Quantized(1.0f / 256, -128);
  op.Options([](FlatBufferBuilder& fbb) { return schema::CreateSoftmaxOptions(fbb, 1.0f); });
  op.Expect<int8_t>({2, 1}, {127, 127});
}

// Nothing to compute must take no time, however large the other dimensions are.
TEST(Empty, HugeDimensions) {
  constexpr int32_t kHuge = INT32_MAX;
  OpTester softmax(HEDDLE_BUILTIN_SOFTMAX);
  softmax.Input<float>({kHuge, kHuge, 0}, {});
  softmax.Output(HEDDLE_DTYPE_FLOAT32);
  softmax.Options([](FlatBufferBuilder& fbb) { return schema::CreateSoftmaxOptions(fbb, 1.0f); });
  softmax.Expect<float>({kHuge, kHuge, 0}, {});
  OpTester concatenation(HEDDLE_BUILTIN_CONCATENATION);
  concatenation.Input<int8_t>({kHuge, kHuge, 0}, {});
  concatenation.Input<int8_t>({kHuge, kHuge, 0}, {});
  concatenation.Output(HEDDLE_DTYPE_INT8);
  concatenation.Options(
      [](FlatBufferBuilder& fbb) { return schema::CreateConcatenationOptions(fbb, 2); });
  concatenation.Expect<int8_t>({kHuge, kHuge, 0}, {});
  OpTester pool(HEDDLE_BUILTIN_MAX_POOL_2D);
  pool.Input<float>({kHuge, 4096, 1, 0}, {});
  pool.Output(HEDDLE_DTYPE_FLOAT32);
  pool.Options([](FlatBufferBuilder& fbb) {
    return schema::CreatePool2DOptions(fbb, Padding::SAME, 1, 1, kHuge, kHuge);
  });
  pool.Expect<float>({kHuge, 4096, 1, 0}, {});
  OpTester conv(HEDDLE_BUILTIN_CONV_2D);
  conv.Input<float>({kHuge, 4096, 0, 1}, {});
  conv.Constant<float>({0, kHuge, 1, 1}, {});
  conv.Output(HEDDLE_DTYPE_FLOAT32);
  conv.Options(Conv(Padding::SAME));
  conv.Expect<float>({kHuge, 4096, 0, 0}, {});
  OpTester pad(HEDDLE_BUILTIN_PAD);
  pad.Input<float>({kHuge, kHuge, 0}, {});
  pad.Constant<int32_t>({3, 2}, {0, 0, 0, 0, 0, 0});
  pad.Output(HEDDLE_DTYPE_FLOAT32);
  pad.Expect<float>({kHuge, kHuge, 0}, {});
  OpTester transpose(HEDDLE_BUILTIN_TRANSPOSE);
  transpose.Input<float>({kHuge, 0, kHuge}, {});
  transpose.Constant<int32_t>({3}, {0, 2, 1});
  transpose.Output(HEDDLE_DTYPE_FLOAT32);
  transpose.Expect<float>({kHuge, kHuge, 0}, {});
}

TEST(Quantize, SaturatesAndTakesNanAsTheMinimum) {
  OpTester op(HEDDLE_BUILTIN_QUANTIZE);
  op.Input<float>({6}, {kInf, -kInf, kNan, 3e38f, -3e38f, 0.4999f});
  op.Output(HEDDLE_DTYPE_UINT8).Quantized(1e-3f, 10);
  op.Expect<uint8_t>({6}, {255, 0, 0, 255, 0, 255});
}

TEST(Binary, IntegersWrap) {
  OpTester add(HEDDLE_BUILTIN_ADD);
  add.Input<int32_t>({2}, {INT32_MAX, INT32_MIN});
  add.Input<int32_t>({}, {1});
  add.Output(HEDDLE_DTYPE_INT32);
  add.Expect<int32_t>({2}, {INT32_MIN, INT32_MIN + 1});

  OpTester sub(HEDDLE_BUILTIN_SUB, 4);
  sub.Input<int64_t>({1}, {0});
  sub.Input<int64_t>({1}, {INT64_MIN});
  sub.Output(HEDDLE_DTYPE_INT64);
  sub.Expect<int64_t>({1}, {INT64_MIN});

  OpTester mul(HEDDLE_BUILTIN_MUL);
  mul.Input<int32_t>({1}, {INT32_MIN});
  mul.Input<int32_t>({1}, {-1});
  mul.Output(HEDDLE_DTYPE_INT32);
  mul.Expect<int32_t>({1}, {INT32_MIN});
}

TEST(Binary, ActivationClampsIntegers) {
  OpTester op(HEDDLE_BUILTIN_ADD);
  op.Input<int32_t>({4}, {-5, 3, 6, 100});
  op.Input<int32_t>({}, {0});
  op.Output(HEDDLE_DTYPE_INT32);
  op.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateAddOptions(fbb, ActivationFunctionType::RELU6);
  });
  op.Expect<int32_t>({4}, {0, 3, 6, 6});
}

TEST(Binary, NanPasses) {
  OpTester op(HEDDLE_BUILTIN_MUL);
  op.Input<float>({2}, {kNan, 0});
  op.Input<float>({2}, {1, kInf});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  const std::vector<float> values = op.Result().As<float>();
  ASSERT_EQ(values.size(), 2u);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_TRUE(std::isnan(values[1]));
}

TEST(Binary, SixDifferentDimensions) {
  OpTester op(HEDDLE_BUILTIN_ADD);
  op.Input<float>({2, 1, 2, 1, 2, 1}, {0, 1, 2, 3, 4, 5, 6, 7});
  op.Input<float>({1, 2, 1, 2, 1, 2}, {0, 10, 20, 30, 40, 50, 60, 70});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  const Value value = op.Result();
  EXPECT_EQ(ShapeText(value.dims), "[2,2,2,2,2,2]");
  const std::vector<float> values = value.As<float>();
  ASSERT_EQ(values.size(), 64u);
  for (size_t i = 0; i < 64; ++i) {
    const size_t a = (i >> 5 & 1) * 4 + (i >> 3 & 1) * 2 + (i >> 1 & 1);
    const size_t b = (i >> 4 & 1) * 4 + (i >> 2 & 1) * 2 + (i & 1);
    EXPECT_EQ(values[i], static_cast<float>(a + 10 * b)) << i;
  }
}

TEST(Binary, EqualShapesMayHaveAnyRank) {
  OpTester op(HEDDLE_BUILTIN_ADD);
  op.Input<float>({1, 1, 1, 1, 1, 1, 1, 2}, {1, 2});
  op.Input<float>({1, 1, 1, 1, 1, 1, 1, 2}, {10, 20});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Expect<float>({1, 1, 1, 1, 1, 1, 1, 2}, {11, 22});
}

TEST(Compare, NanIsEqualToNothing) {
  OpTester equal(HEDDLE_BUILTIN_EQUAL);
  equal.Input<float>({2}, {kNan, 1});
  equal.Input<float>({2}, {kNan, 1});
  equal.Output(HEDDLE_DTYPE_BOOL);
  EXPECT_EQ(equal.Result().bytes, (std::vector<uint8_t>{0, 1}));
  OpTester differ(HEDDLE_BUILTIN_NOT_EQUAL);
  differ.Input<float>({1}, {kNan});
  differ.Input<float>({1}, {kNan});
  differ.Output(HEDDLE_DTYPE_BOOL);
  EXPECT_EQ(differ.Result().bytes, (std::vector<uint8_t>{1}));
}

TEST(Compare, BytesOtherThanZeroAreTrue) {
  OpTester equal(HEDDLE_BUILTIN_EQUAL);
  equal.InputBytes(HEDDLE_DTYPE_BOOL, {3}, {1, 2, 0});
  equal.InputBytes(HEDDLE_DTYPE_BOOL, {3}, {255, 0, 0});
  equal.Output(HEDDLE_DTYPE_BOOL);
  EXPECT_EQ(equal.Result().bytes, (std::vector<uint8_t>{1, 0, 1}));
  OpTester both(HEDDLE_BUILTIN_LOGICAL_AND);
  both.InputBytes(HEDDLE_DTYPE_BOOL, {2}, {4, 4});
  both.InputBytes(HEDDLE_DTYPE_BOOL, {2}, {2, 0});
  both.Output(HEDDLE_DTYPE_BOOL);
  EXPECT_EQ(both.Result().bytes, (std::vector<uint8_t>{1, 0}));
  OpTester cast(HEDDLE_BUILTIN_CAST);
  cast.InputBytes(HEDDLE_DTYPE_BOOL, {2}, {7, 0});
  cast.Output(HEDDLE_DTYPE_INT32);
  cast.Expect<int32_t>({2}, {1, 0});
}

TEST(Reshape, Strings) {
  const std::vector<uint8_t> strings = StringTensorBytes({"a", "bc"});
  OpTester op(HEDDLE_BUILTIN_RESHAPE);
  op.InputBytes(HEDDLE_DTYPE_STRING, {2}, strings);
  op.Constant<int32_t>({2}, {2, 1});
  op.Output(HEDDLE_DTYPE_STRING);
  const Value value = op.Result();
  EXPECT_EQ(ShapeText(value.dims), "[2,1]");
  EXPECT_EQ(value.bytes, strings);
}

TEST(Reshape, TheShapeInputWinsOverTheAttribute) {
  OpTester op(HEDDLE_BUILTIN_RESHAPE);
  op.Input<float>({4}, {1, 2, 3, 4});
  op.Constant<int32_t>({2}, {2, 2});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateReshapeOptions(fbb, fbb.CreateVector(std::vector<int32_t>{4, 1}));
  });
  op.Expect<float>({2, 2}, {1, 2, 3, 4});
}

TEST(Shape, OfAScalarIsEmpty) {
  OpTester op(HEDDLE_BUILTIN_SHAPE);
  op.Input<float>({}, {1});
  op.Output(HEDDLE_DTYPE_INT32);
  op.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateShapeOptions(fbb, schema::TensorType::INT32);
  });
  op.Expect<int32_t>({0}, {});
}

TEST(Where, ScalarsAndNothing) {
  OpTester scalar(HEDDLE_BUILTIN_WHERE);
  scalar.Input<int32_t>({}, {5});
  scalar.Output(HEDDLE_DTYPE_INT64);
  scalar.Expect<int64_t>({1, 0}, {});
  OpTester none(HEDDLE_BUILTIN_WHERE);
  none.Input<float>({2, 2}, {0, -0.0f, 0, 0});
  none.Output(HEDDLE_DTYPE_INT64);
  none.Expect<int64_t>({0, 2}, {});
}

TEST(Where, BytesOtherThanZeroAreTrue) {
  OpTester op(HEDDLE_BUILTIN_WHERE);
  op.InputBytes(HEDDLE_DTYPE_BOOL, {3}, {0, 44, 1});
  op.Output(HEDDLE_DTYPE_INT64);
  op.Expect<int64_t>({2, 1}, {1, 2});
}

TEST(Mean, OfNothing) {
  OpTester real(HEDDLE_BUILTIN_MEAN);
  real.Input<float>({2, 0}, {});
  real.Constant<int32_t>({}, {1});
  real.Output(HEDDLE_DTYPE_FLOAT32);
  for (const float value : real.Result().As<float>()) EXPECT_TRUE(std::isnan(value));
  OpTester whole(HEDDLE_BUILTIN_MEAN);
  whole.Input<int32_t>({0}, {});
  whole.Constant<int32_t>({1}, {0});
  whole.Output(HEDDLE_DTYPE_INT32);
  whole.Expect<int32_t>({}, {0});
}

TEST(Mean, OfAScalarIsItself) {
  OpTester op(HEDDLE_BUILTIN_MEAN);
  op.Input<float>({}, {3});
  op.Constant<int32_t>({1}, {0});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Expect<float>({}, {3});
}

TEST(Pad, ScalarsHaveNothingToPad) {
  OpTester op(HEDDLE_BUILTIN_PAD);
  op.Input<float>({}, {3});
  op.Constant<int32_t>({0, 2}, {});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Expect<float>({}, {3});
}

TEST(Transpose, NegativeDimensionsCountFromTheEnd) {
  OpTester op(HEDDLE_BUILTIN_TRANSPOSE);
  op.Input<int8_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  op.Constant<int32_t>({2}, {-1, 0});
  op.Output(HEDDLE_DTYPE_INT8);
  op.Expect<int8_t>({3, 2}, {1, 4, 2, 5, 3, 6});
}

TEST(Pool2D, AverageOfNegativesRoundsAwayFromZero) {
  OpTester op(HEDDLE_BUILTIN_AVERAGE_POOL_2D, 2);
  op.Input<int8_t>({1, 2, 1, 2}, {-1, 1, -2, 2}).Quantized(1.0f, 0);
  op.Output(HEDDLE_DTYPE_INT8).Quantized(1.0f, 0);
  op.Options([](FlatBufferBuilder& fbb) {
    return schema::CreatePool2DOptions(fbb, Padding::VALID, 1, 1, 1, 2);
  });
  op.Expect<int8_t>({1, 1, 1, 2}, {-2, 2});
}

TEST(Unary, NanAndInfinity) {
  OpTester logistic(HEDDLE_BUILTIN_LOGISTIC);
  logistic.Input<float>({3}, {kInf, -kInf, 0});
  logistic.Output(HEDDLE_DTYPE_FLOAT32);
  logistic.Expect<float>({3}, {1, 0, 0.5f});
  OpTester relu(HEDDLE_BUILTIN_RELU);
  relu.Input<float>({2}, {kInf, -kInf});
  relu.Output(HEDDLE_DTYPE_FLOAT32);
  relu.Expect<float>({2}, {kInf, 0});
}

}  // namespace
}  // namespace heddle::testing
