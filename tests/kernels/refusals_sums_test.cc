// SPDX-License-Identifier: Apache-2.0
// What the ops that sum products, and those that resize, refuse, naming op, operand and reason;
// CONV_2D and FULLY_CONNECTED on floats are in refusals_network_test.cc.
#include "tests/kernels/op_tester.h"

namespace heddle::testing {
namespace {

using schema::Padding;

struct TransposeSpec {
  std::vector<int32_t> shape = {1, 4, 4, 3};
  std::vector<int32_t> filter = {3, 2, 2, 2};
  std::vector<int32_t> input = {1, 2, 2, 2};
  int32_t stride = 2;
  bool shape_is_constant = true;
};

size_t Count(const std::vector<int32_t>& dims) {
  size_t count = 1;
  for (const int32_t dim : dims) count *= static_cast<size_t>(dim);
  return count;
}

void ExpectTransposeRefused(const TransposeSpec& spec, heddle_reason reason,
                            const std::string& place, const std::string& words) {
  OpTester op(HEDDLE_BUILTIN_TRANSPOSE_CONV);
  const std::vector<int32_t> rank = {static_cast<int32_t>(spec.shape.size())};
  if (spec.shape_is_constant) {
    op.Constant<int32_t>(rank, spec.shape);
  } else {
    op.Input<int32_t>(rank, spec.shape);
  }
  op.Constant<float>(spec.filter, std::vector<float>(Count(spec.filter)));
  op.Input<float>(spec.input, std::vector<float>(Count(spec.input)));
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options([spec](FlatBufferBuilder& fbb) {
    return schema::CreateTransposeConvOptions(fbb, Padding::SAME, spec.stride, spec.stride);
  });
  op.ExpectRefused(reason, place, words);
}

TEST(RefuseTransposeConv, ShapesAndStrides) {
  ExpectTransposeRefused({.stride = 0}, HEDDLE_REASON_ATTRIBUTE_INVALID, "", "stride_h is 0");
  ExpectTransposeRefused({.shape = {4, 4, 3}}, HEDDLE_REASON_SHAPES_DIFFER, "inputs[0]",
                         "3 dimensions");
  ExpectTransposeRefused({.filter = {3, 2, 2, 1}}, HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]",
                         "[3,2,2,1]");
  for (const bool constant : {true, false}) {
    ExpectTransposeRefused({.shape = {1, 4, 4, 2}, .shape_is_constant = constant},
                           HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[0]", "[1,4,4,2]");
    ExpectTransposeRefused({.shape = {1, -4, 4, 3}, .shape_is_constant = constant},
                           HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[0]", "[1,-4,4,3]");
    ExpectTransposeRefused({.shape = {1, 4, 9, 3}, .shape_is_constant = constant},
                           HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[0]", "width 9");
  }
}

// Data by a filter of these types, both computed.
void ExpectFullyConnectedRefused(heddle_dtype data, heddle_dtype filter, heddle_reason reason,
                                 const std::string& words) {
  OpTester op(HEDDLE_BUILTIN_FULLY_CONNECTED, 9);
  size_t bytes = 0;
  EXPECT_TRUE(DenseBytes(data, std::vector<int32_t>{1, 4}, &bytes));
  op.InputBytes(data, {1, 4}, std::vector<uint8_t>(bytes)).Quantized(0.1f, 0);
  EXPECT_TRUE(DenseBytes(filter, std::vector<int32_t>{2, 4}, &bytes));
  op.InputBytes(filter, {2, 4}, std::vector<uint8_t>(bytes)).Quantized(0.1f, 0);
  op.Output(data).Quantized(0.1f, 0);
  op.Options([](FlatBufferBuilder& fbb) { return schema::CreateFullyConnectedOptions(fbb); });
  op.ExpectRefused(reason, "inputs[1]", words);
}

TEST(RefuseFullyConnected, Filters) {
  ExpectFullyConnectedRefused(HEDDLE_DTYPE_INT16, HEDDLE_DTYPE_INT16,
                              HEDDLE_REASON_TYPE_NOT_SUPPORTED, "INT16 with INT16 data");
  ExpectFullyConnectedRefused(HEDDLE_DTYPE_FLOAT32, HEDDLE_DTYPE_INT16,
                              HEDDLE_REASON_TYPE_NOT_SUPPORTED, "with FLOAT32 data");
  ExpectFullyConnectedRefused(HEDDLE_DTYPE_FLOAT32, HEDDLE_DTYPE_INT4, HEDDLE_REASON_NOT_CONSTANT,
                              "must be a constant");
  OpTester zero_point(HEDDLE_BUILTIN_FULLY_CONNECTED, 9);
  zero_point.Input<float>({1, 2}, {1, 2});
  zero_point.Constant<int8_t>({1, 2}, {1, 2}).Quantized(0.1f, 5);
  zero_point.Output(HEDDLE_DTYPE_FLOAT32);
  zero_point.Options(
      [](FlatBufferBuilder& fbb) { return schema::CreateFullyConnectedOptions(fbb); });
  zero_point.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[1]", "zero point 5");
}

TEST(RefuseDepthwiseConv2D, HybridUint8) {
  OpTester op(HEDDLE_BUILTIN_DEPTHWISE_CONV_2D, 6);
  op.Input<float>({1, 1, 1, 2}, {1, 2});
  op.Constant<uint8_t>({1, 1, 1, 2}, {1, 2}).Quantized(0.1f, 0);
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateDepthwiseConv2DOptions(fbb, Padding::SAME, 1, 1, 1);
  });
  op.ExpectRefused(HEDDLE_REASON_TYPE_NOT_SUPPORTED, "inputs[1]", "UINT8");
}

TEST(RefuseBatchMatMul, ShapesAndTypes) {
  const auto options = [](FlatBufferBuilder& fbb) { return schema::CreateBatchMatMulOptions(fbb); };
  OpTester depth(HEDDLE_BUILTIN_BATCH_MATMUL);
  depth.Input<float>({2, 3}, std::vector<float>(6));
  depth.Input<float>({2, 3}, std::vector<float>(6));
  depth.Output(HEDDLE_DTYPE_FLOAT32);
  depth.Options(options);
  depth.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", "[2,3] and [2,3]");
  OpTester batches(HEDDLE_BUILTIN_BATCH_MATMUL);
  batches.Input<float>({2, 1, 1}, {1, 2});
  batches.Input<float>({3, 1, 1}, {1, 2, 3});
  batches.Output(HEDDLE_DTYPE_FLOAT32);
  batches.Options(options);
  batches.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", "[3,1,1]");
  OpTester types(HEDDLE_BUILTIN_BATCH_MATMUL);
  types.Input<int8_t>({1, 1}, {1}).Quantized(0.1f, 0);
  types.Input<float>({1, 1}, {1});
  types.Output(HEDDLE_DTYPE_INT8).Quantized(0.1f, 0);
  types.Options(options);
  types.ExpectRefused(HEDDLE_REASON_TYPE_NOT_SUPPORTED, "inputs[1]", "FLOAT32 after one of INT8");
  OpTester offset(HEDDLE_BUILTIN_BATCH_MATMUL, 3);
  offset.Input<int16_t>({1, 1}, {1}).Quantized(0.1f, 0);
  offset.Input<int8_t>({1, 1}, {1}).Quantized(0.1f, 3);
  offset.Output(HEDDLE_DTYPE_INT16).Quantized(0.1f, 0);
  offset.Options(options);
  offset.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[1]", "zero point 3");
}

TEST(RefuseResize, SizesAndAttributes) {
  for (const bool constant : {true, false}) {
    OpTester size(HEDDLE_BUILTIN_RESIZE_BILINEAR);
    size.Input<float>({1, 1, 1, 1}, {1});
    if (constant) {
      size.Constant<int32_t>({2}, {3, 0});
    } else {
      size.Input<int32_t>({2}, {3, 0});
    }
    size.Output(HEDDLE_DTYPE_FLOAT32);
    size.Options([](FlatBufferBuilder& fbb) { return schema::CreateResizeBilinearOptions(fbb); });
    size.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", "3 by 0");
  }
  OpTester both(HEDDLE_BUILTIN_RESIZE_BILINEAR);
  both.Input<float>({1, 1, 1, 1}, {1});
  both.Constant<int32_t>({2}, {3, 3});
  both.Output(HEDDLE_DTYPE_FLOAT32);
  both.Options(
      [](FlatBufferBuilder& fbb) { return schema::CreateResizeBilinearOptions(fbb, true, true); });
  both.ExpectRefused(HEDDLE_REASON_ATTRIBUTE_INVALID, "", "exclude each other");
  OpTester empty(HEDDLE_BUILTIN_RESIZE_NEAREST_NEIGHBOR);
  empty.Input<float>({1, 0, 1, 1}, {});
  empty.Constant<int32_t>({2}, {3, 3});
  empty.Output(HEDDLE_DTYPE_FLOAT32);
  empty.Options(
      [](FlatBufferBuilder& fbb) { return schema::CreateResizeNearestNeighborOptions(fbb); });
  empty.ExpectRefused(HEDDLE_REASON_SHAPE_NOT_SUPPORTED, "inputs[0]", "[1,0,1,1]");
}

TEST(RefuseConv3D, ChannelsAndStrides) {
  for (const int32_t stride : {0, 1}) {
    OpTester op(HEDDLE_BUILTIN_CONV_3D);
    op.Input<float>({1, 1, 1, 1, 2}, {1, 2});
    op.Constant<float>({1, 1, 1, 3, 1}, {1, 2, 3});
    op.Output(HEDDLE_DTYPE_FLOAT32);
    op.Options([stride](FlatBufferBuilder& fbb) {
      return schema::CreateConv3DOptions(fbb, Padding::SAME, stride, stride, stride);
    });
    if (stride == 0) {
      op.ExpectRefused(HEDDLE_REASON_ATTRIBUTE_INVALID, "", "is 0");
    } else {
      op.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", "[1,1,1,3,1]");
    }
  }
}

TEST(RefuseDensify, ComputedInput) {
  OpTester op(HEDDLE_BUILTIN_DENSIFY);
  op.Input<float>({2}, {1, 2});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options([](FlatBufferBuilder& fbb) { return schema::CreateDensifyOptions(fbb); });
  op.ExpectRefused(HEDDLE_REASON_NOT_CONSTANT, "inputs[0]", "must be a constant");
}

}  // namespace
}  // namespace heddle::testing
