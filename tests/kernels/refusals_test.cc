// SPDX-License-Identifier: Apache-2.0
// What ops cannot do or models must not say: refused before anything runs, naming op, operand and
// reason. Convolutions, matrix products, pools and softmax are in refusals_network_test.cc.
#include "tests/kernels/op_tester.h"

namespace heddle::testing {
namespace {

using schema::ActivationFunctionType;

void ExpectReshapeRefused(const std::vector<int32_t>& shape, heddle_reason reason,
                          const std::string& words) {
  OpTester op(HEDDLE_BUILTIN_RESHAPE);
  op.Input<float>({2, 3}, std::vector<float>(6));
  op.Constant<int32_t>({static_cast<int32_t>(shape.size())}, shape);
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.ExpectRefused(reason, "inputs[1]", words);
  // The same shape, known only while running.
  OpTester late(HEDDLE_BUILTIN_RESHAPE);
  late.Input<float>({2, 3}, std::vector<float>(6));
  late.Input<int32_t>({static_cast<int32_t>(shape.size())}, shape);
  late.Output(HEDDLE_DTYPE_FLOAT32);
  late.ExpectRefused(reason, "inputs[1]", words);
}

TEST(RefuseReshape, Shapes) {
  ExpectReshapeRefused({-1, -1}, HEDDLE_REASON_ATTRIBUTE_INVALID, "more than one dimension is -1");
  ExpectReshapeRefused({-2, -3}, HEDDLE_REASON_ATTRIBUTE_INVALID, "negative");
  ExpectReshapeRefused({5}, HEDDLE_REASON_SHAPES_DIFFER, "the sizes differ");
  ExpectReshapeRefused({4, -1}, HEDDLE_REASON_SHAPES_DIFFER, "-1");
  ExpectReshapeRefused({0, -1}, HEDDLE_REASON_SHAPES_DIFFER, "-1");
  ExpectReshapeRefused({INT32_MAX, INT32_MAX, INT32_MAX}, HEDDLE_REASON_SIZE_OVERFLOW, "too large");
  OpTester none(HEDDLE_BUILTIN_RESHAPE);
  none.Input<float>({1}, {1});
  none.Output(HEDDLE_DTYPE_FLOAT32);
  none.ExpectRefused(HEDDLE_REASON_ATTRIBUTE_INVALID, "", "neither");
}

TEST(RefuseBinary, ShapesAndTypes) {
  OpTester shapes(HEDDLE_BUILTIN_ADD);
  shapes.Input<float>({2, 3}, std::vector<float>(6));
  shapes.Input<float>({2}, std::vector<float>(2));
  shapes.Output(HEDDLE_DTYPE_FLOAT32);
  shapes.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", "[2,3] and [2]");
  OpTester rank(HEDDLE_BUILTIN_MUL);
  rank.Input<float>({1, 1, 1, 1, 1, 1, 2}, {1, 2});
  rank.Input<float>({}, {1});
  rank.Output(HEDDLE_DTYPE_FLOAT32);
  rank.ExpectRefused(HEDDLE_REASON_SHAPE_NOT_SUPPORTED, "inputs[0]", "rank 7");
  OpTester types(HEDDLE_BUILTIN_SUB);
  types.Input<float>({1}, {1});
  types.Input<int32_t>({1}, {1});
  types.Output(HEDDLE_DTYPE_FLOAT32);
  types.ExpectRefused(HEDDLE_REASON_TYPES_DIFFER, "inputs[1]", "INT32");
  OpTester unquantized(HEDDLE_BUILTIN_ADD, 2);
  unquantized.Input<int8_t>({1}, {1});
  unquantized.Input<int8_t>({1}, {1});
  unquantized.Output(HEDDLE_DTYPE_INT8);
  unquantized.ExpectRefused(HEDDLE_REASON_BAD_QUANTIZATION, "inputs[0]", "no quantisation");
  OpTester powers(HEDDLE_BUILTIN_ADD);
  powers.Input<int16_t>({1}, {1}).Quantized(0x1p-10f, 0);
  powers.Input<int16_t>({1}, {1}).Quantized(0x1p-12f, 0);
  powers.Output(HEDDLE_DTYPE_INT16).Quantized(0x1p-12f, 0);
  powers.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateAddOptions(fbb, ActivationFunctionType::NONE, true);
  });
  powers.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "outputs[0]", "2^-10");
}

TEST(RefuseConcatenation, AxisShapesScales) {
  const auto axis = [](int32_t value) {
    return [=](FlatBufferBuilder& fbb) { return schema::CreateConcatenationOptions(fbb, value); };
  };
  for (const int32_t bad : {2, -3, INT32_MIN}) {
    OpTester op(HEDDLE_BUILTIN_CONCATENATION);
    op.Input<float>({1, 1}, {1});
    op.Output(HEDDLE_DTYPE_FLOAT32);
    op.Options(axis(bad));
    op.ExpectRefused(HEDDLE_REASON_ATTRIBUTE_INVALID, "inputs[0]", StrCat("axis ", bad));
  }
  OpTester shapes(HEDDLE_BUILTIN_CONCATENATION);
  shapes.Input<float>({1, 2}, {1, 2});
  shapes.Input<float>({1, 3}, {1, 2, 3});
  shapes.Output(HEDDLE_DTYPE_FLOAT32);
  shapes.Options(axis(0));
  shapes.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", "[1,3]");
  OpTester scales(HEDDLE_BUILTIN_CONCATENATION, 2);
  scales.Input<int8_t>({1}, {1}).Quantized(0.1f, 0);
  scales.Input<int8_t>({1}, {1}).Quantized(0.2f, 0);
  scales.Output(HEDDLE_DTYPE_INT8).Quantized(0.1f, 0);
  scales.Options(axis(0));
  scales.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[1]", "0.2");
}

TEST(RefuseLists, ValuesOutOfRange) {
  OpTester axis(HEDDLE_BUILTIN_MEAN);
  axis.Input<float>({2}, {1, 2});
  axis.Constant<int32_t>({1}, {1});
  axis.Output(HEDDLE_DTYPE_FLOAT32);
  axis.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", "axis 1");
  OpTester late(HEDDLE_BUILTIN_MEAN);
  late.Input<float>({2}, {1, 2});
  late.Input<int32_t>({1}, {-2});
  late.Output(HEDDLE_DTYPE_FLOAT32);
  late.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", "axis -2");
  for (const std::vector<int32_t>& bad : {std::vector<int32_t>{0, 0}, {0, 2}, {-3, 0}}) {
    OpTester twice(HEDDLE_BUILTIN_TRANSPOSE);
    twice.Input<float>({1, 2}, {1, 2});
    twice.Constant<int32_t>({2}, bad);
    twice.Output(HEDDLE_DTYPE_FLOAT32);
    twice.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", "permutation");
  }
  OpTester short_list(HEDDLE_BUILTIN_TRANSPOSE);
  short_list.Input<float>({1, 2}, {1, 2});
  short_list.Constant<int32_t>({1}, {0});
  short_list.Output(HEDDLE_DTYPE_FLOAT32);
  short_list.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", "1 entries");
  for (const std::vector<int32_t>& bad : {std::vector<int32_t>{-1, 0}, {INT32_MAX, 1}}) {
    OpTester pad(HEDDLE_BUILTIN_PAD);
    pad.Input<float>({2}, {1, 2});
    pad.Constant<int32_t>({1, 2}, bad);
    pad.Output(HEDDLE_DTYPE_FLOAT32);
    pad.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", "paddings");
  }
}

TEST(RefuseShape, OutType) {
  OpTester op(HEDDLE_BUILTIN_SHAPE);
  op.Input<float>({1}, {1});
  op.Output(HEDDLE_DTYPE_INT16);
  op.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateShapeOptions(fbb, schema::TensorType::INT16);
  });
  op.ExpectRefused(HEDDLE_REASON_ATTRIBUTE_INVALID, "", "out_type");
}

TEST(RefuseQuantize, TypesAndAxes) {
  OpTester types(HEDDLE_BUILTIN_QUANTIZE);
  types.Input<int8_t>({1}, {1}).Quantized(0.1f, 0);
  types.Output(HEDDLE_DTYPE_INT16).Quantized(0.1f, 0);
  types.ExpectRefused(HEDDLE_REASON_TYPE_NOT_SUPPORTED, "outputs[0]", "INT8 to INT16");
  OpTester axis(HEDDLE_BUILTIN_DEQUANTIZE, 5);
  axis.Input<int8_t>({2}, {1, 2}).QuantizedPerAxis({0.1f, 0.2f}, {0, 0}, 1);
  axis.Output(HEDDLE_DTYPE_FLOAT32);
  axis.ExpectRefused(HEDDLE_REASON_BAD_QUANTIZATION, "inputs[0]", "dimension 1");
  OpTester count(HEDDLE_BUILTIN_DEQUANTIZE, 5);
  count.Input<int8_t>({3}, {1, 2, 3}).QuantizedPerAxis({0.1f, 0.2f}, {0, 0}, 0);
  count.Output(HEDDLE_DTYPE_FLOAT32);
  count.ExpectRefused(HEDDLE_REASON_BAD_QUANTIZATION, "inputs[0]", "3 elements");
}

TEST(RefuseUnary, Scales) {
  OpTester logistic(HEDDLE_BUILTIN_LOGISTIC, 2);
  logistic.Input<int8_t>({1}, {1}).Quantized(0.1f, 0);
  logistic.Output(HEDDLE_DTYPE_INT8).Quantized(0.1f, -128);
  logistic.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "outputs[0]", "wanted is");
  OpTester tanh(HEDDLE_BUILTIN_TANH, 3);
  tanh.Input<int16_t>({1}, {1}).Quantized(100.0f, 0);
  tanh.Output(HEDDLE_DTYPE_INT16).Quantized(1.0f / 32768, 0);
  tanh.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[0]", "scale 100");
}

}  // namespace
}  // namespace heddle::testing
