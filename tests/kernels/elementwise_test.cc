// SPDX-License-Identifier: Apache-2.0
// What the data of elementwise ops may not hold, and results at the ends of types: LiteRT leaves
// those open, or stops the process.
#include "tests/kernels/op_tester.h"

namespace heddle::testing {
namespace {

template <typename T>
void ExpectDivisionByZeroRefused(int32_t code) {
  OpTester op(code);
  op.Input<T>({3}, {1, 2, 3});
  op.Input<T>({3}, {1, 0, 1});
  op.Output(DtypeOf<T>());
  op.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", "element 1 of the divisor is 0");
}

TEST(Division, ByZero) {
  ExpectDivisionByZeroRefused<int32_t>(HEDDLE_BUILTIN_DIV);
  ExpectDivisionByZeroRefused<int8_t>(HEDDLE_BUILTIN_FLOOR_DIV);
  ExpectDivisionByZeroRefused<int16_t>(HEDDLE_BUILTIN_FLOOR_DIV);
  ExpectDivisionByZeroRefused<float>(HEDDLE_BUILTIN_FLOOR_DIV);
  ExpectDivisionByZeroRefused<int32_t>(HEDDLE_BUILTIN_FLOOR_MOD);
  ExpectDivisionByZeroRefused<int64_t>(HEDDLE_BUILTIN_FLOOR_MOD);
  OpTester quantized(HEDDLE_BUILTIN_DIV, 2);
  quantized.Input<int8_t>({2}, {1, 2}).Quantized(0.1f, 0);
  quantized.Input<int8_t>({2}, {0, 7}).Quantized(0.1f, 7);
  quantized.Output(HEDDLE_DTYPE_INT8).Quantized(0.1f, 0);
  quantized.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", "element 1");
}

template <typename T>
void ExpectLeastByMinusOne(int32_t code, T expected) {
  OpTester op(code);
  op.Input<T>({1}, {std::numeric_limits<T>::min()});
  op.Input<T>({1}, {T{-1}});
  op.Output(DtypeOf<T>());
  op.Expect<T>({1}, {expected});
}

TEST(Division, OfTheLeastIntegerWraps) {
  ExpectLeastByMinusOne<int32_t>(HEDDLE_BUILTIN_DIV, INT32_MIN);
  ExpectLeastByMinusOne<int8_t>(HEDDLE_BUILTIN_FLOOR_DIV, -128);
  ExpectLeastByMinusOne<int32_t>(HEDDLE_BUILTIN_FLOOR_DIV, INT32_MIN);
  ExpectLeastByMinusOne<int32_t>(HEDDLE_BUILTIN_FLOOR_MOD, 0);
  ExpectLeastByMinusOne<int64_t>(HEDDLE_BUILTIN_FLOOR_MOD, 0);
}

// The factor of the quotient is so small that more than 31 bits are shifted out.
TEST(Division, OfTinyQuotients) {
  OpTester op(HEDDLE_BUILTIN_DIV, 2);
  op.Input<int8_t>({2}, {-5, 100}).Quantized(3.0f, 0);
  op.Input<int8_t>({2}, {101, -100}).Quantized(3.0f, 0);
  op.Output(HEDDLE_DTYPE_INT8).Quantized(1.0f, 0);
  op.Expect<int8_t>({2}, {0, -1});
}

TEST(Power, OfIntegers) {
  OpTester negative(HEDDLE_BUILTIN_POW);
  negative.Input<int32_t>({1}, {2});
  negative.Input<int32_t>({1}, {-1});
  negative.Output(HEDDLE_DTYPE_INT32);
  negative.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", "exponent -1");
  OpTester large(HEDDLE_BUILTIN_POW);
  large.Input<int32_t>({3}, {3, -2, 0});
  large.Input<int32_t>({3}, {21, 31, 0});
  large.Output(HEDDLE_DTYPE_INT32);
  large.Expect<int32_t>({3},
                        {static_cast<int32_t>(10460353203 % (int64_t{1} << 32)), INT32_MIN, 1});
}

TEST(Root, OfNegativeNumbers) {
  for (const int32_t code : {HEDDLE_BUILTIN_SQRT, HEDDLE_BUILTIN_RSQRT}) {
    OpTester op(code, 2);
    op.Input<int8_t>({2}, {3, 2}).Quantized(0.1f, 3);
    op.Output(HEDDLE_DTYPE_INT8).Quantized(0.1f, 3);
    op.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[0]", "element 1 is negative");
  }
}

TEST(Unary, EndsOfTypes) {
  OpTester absolute(HEDDLE_BUILTIN_ABS, 4);
  absolute.Input<int32_t>({2}, {INT32_MIN, -7});
  absolute.Output(HEDDLE_DTYPE_INT32);
  absolute.Expect<int32_t>({2}, {INT32_MIN, 7});
  OpTester negative(HEDDLE_BUILTIN_NEG);
  negative.Input<int64_t>({2}, {INT64_MIN, INT64_MAX});
  negative.Output(HEDDLE_DTYPE_INT64);
  negative.Expect<int64_t>({2}, {INT64_MIN, -INT64_MAX});
  // An exponential beyond all numbers is the greatest.
  OpTester exponential(HEDDLE_BUILTIN_EXP, 2);
  exponential.Input<int8_t>({2}, {127, -128}).Quantized(2.0f, 0);
  exponential.Output(HEDDLE_DTYPE_INT8).Quantized(1.0f, -128);
  exponential.Expect<int8_t>({2}, {127, -128});
}

TEST(Raw, ScalesMustBeTheSame) {
  OpTester maximum(HEDDLE_BUILTIN_MAXIMUM, 2);
  maximum.Input<int8_t>({1}, {1}).Quantized(0.1f, 0);
  maximum.Input<int8_t>({1}, {2}).Quantized(0.2f, 0);
  maximum.Output(HEDDLE_DTYPE_INT8).Quantized(0.1f, 0);
  maximum.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[1]",
                        "wanted is the same");
  OpTester negative(HEDDLE_BUILTIN_NEG);
  negative.Input<int8_t>({1}, {1}).Quantized(0.1f, 5);
  negative.Output(HEDDLE_DTYPE_INT8).Quantized(0.1f, 5);
  negative.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[0]", "zero point 5");
  OpTester modulo(HEDDLE_BUILTIN_FLOOR_MOD, 2);
  modulo.Input<int8_t>({1}, {1}).Quantized(0.1f, 0);
  modulo.Input<int8_t>({1}, {1});
  modulo.Output(HEDDLE_DTYPE_INT8);
  modulo.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[0]", "quantised");
  OpTester less(HEDDLE_BUILTIN_LESS, 3);
  less.Input<int16_t>({1}, {1}).Quantized(0.1f, 0);
  less.Input<int16_t>({1}, {1}).Quantized(0.2f, 0);
  less.Output(HEDDLE_DTYPE_BOOL);
  less.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[1]", "wants the same");
}

TEST(NotEqual, OfPlainInt16) {  // LiteRT writes nothing
  OpTester op(HEDDLE_BUILTIN_NOT_EQUAL, 4);
  op.Input<int16_t>({3}, {1, -2, 300});
  op.Input<int16_t>({3}, {1, 2, 301});
  op.Output(HEDDLE_DTYPE_BOOL);
  EXPECT_EQ(op.Result().bytes, (std::vector<uint8_t>{0, 1, 1}));
}

TEST(Equal, OfStrings) {
  for (const int32_t code : {HEDDLE_BUILTIN_EQUAL, HEDDLE_BUILTIN_NOT_EQUAL}) {
    OpTester op(code, 3);
    op.InputBytes(HEDDLE_DTYPE_STRING, {2, 2}, StringTensorBytes({"one", "", "two", "three"}));
    op.InputBytes(HEDDLE_DTYPE_STRING, {2}, StringTensorBytes({"two", "three"}));
    op.Output(HEDDLE_DTYPE_BOOL);
    const uint8_t equal = code == HEDDLE_BUILTIN_EQUAL ? 1 : 0;
    const auto differ = static_cast<uint8_t>(1 - equal);
    EXPECT_EQ(op.Result().bytes, (std::vector<uint8_t>{differ, differ, equal, equal}));
  }
}

TEST(Equal, OfBytesThatAreNoStrings) {
  const std::vector<uint8_t> good = StringTensorBytes({"ab", "cd"});
  for (const size_t cut : {good.size() - 1, size_t{12}, size_t{3}, size_t{0}}) {
    OpTester op(HEDDLE_BUILTIN_EQUAL, 3);
    op.InputBytes(HEDDLE_DTYPE_STRING, {2}, good);
    op.InputBytes(HEDDLE_DTYPE_STRING, {2}, {good.begin(), good.begin() + static_cast<int>(cut)});
    op.Output(HEDDLE_DTYPE_BOOL);
    op.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", "does not hold 2 strings");
  }
  OpTester count(HEDDLE_BUILTIN_EQUAL, 3);
  count.InputBytes(HEDDLE_DTYPE_STRING, {3}, good);
  count.InputBytes(HEDDLE_DTYPE_STRING, {3}, good);
  count.Output(HEDDLE_DTYPE_BOOL);
  count.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[0]", "does not hold 3 strings");
}

TEST(ArgMax, AxesAndNothing) {
  const auto int32_indices = [](FlatBufferBuilder& fbb) {
    return schema::CreateArgMaxOptions(fbb, schema::TensorType::INT32);
  };
  OpTester axis(HEDDLE_BUILTIN_ARG_MAX);
  axis.Input<float>({2}, {1, 2});
  axis.Constant<int32_t>({1}, {1});
  axis.Output(HEDDLE_DTYPE_INT32);
  axis.Options(int32_indices);
  axis.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", "axis 1");
  OpTester nothing(HEDDLE_BUILTIN_ARG_MAX);
  nothing.Input<float>({2, 0}, {});
  nothing.Constant<int32_t>({1}, {1});
  nothing.Output(HEDDLE_DTYPE_INT32);
  nothing.Options(int32_indices);
  nothing.ExpectRefused(HEDDLE_REASON_SHAPE_NOT_SUPPORTED, "inputs[0]", "no elements");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  OpTester numbers(HEDDLE_BUILTIN_ARG_MAX);
  numbers.Input<float>({2, 3}, {nan, -1, nan, nan, nan, nan});
  numbers.Constant<int32_t>({1}, {1});
  numbers.Output(HEDDLE_DTYPE_INT32);
  numbers.Options(int32_indices);
  numbers.Expect<int32_t>({2}, {1, 0});
}

TEST(PRelu, FactorsDoNotStretchTheInput) {
  OpTester op(HEDDLE_BUILTIN_PRELU);
  op.Input<float>({1}, {1});
  op.Input<float>({3}, {1, 2, 3});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", "[1] and [3]");
}

}  // namespace
}  // namespace heddle::testing
