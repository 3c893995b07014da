// SPDX-License-Identifier: Apache-2.0
// What the ops of networks refuse before anything runs, naming op, operand and reason. The others'
// refusals are in refusals_test.cc.
#include <limits>

#include "tests/kernels/op_tester.h"

namespace heddle::testing {
namespace {

using schema::ActivationFunctionType;
using schema::Padding;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

struct ConvSpec {
  std::vector<int32_t> input = {1, 3, 3, 2};
  std::vector<int32_t> filter = {4, 2, 2, 2};
  std::vector<int32_t> bias = {4};
  Padding padding = Padding::SAME;
  int32_t stride_h = 1;
  int32_t stride_w = 1;
  int32_t dilation_h = 1;
  int32_t dilation_w = 1;
  ActivationFunctionType activation = ActivationFunctionType::NONE;
};

size_t Count(const std::vector<int32_t>& dims) {
  size_t count = 1;
  for (const int32_t dim : dims) count *= static_cast<size_t>(dim);
  return count;
}

void AddConv(OpTester& op, const ConvSpec& spec) {
  op.Input<float>(spec.input, std::vector<float>(Count(spec.input)));
  op.Constant<float>(spec.filter, std::vector<float>(Count(spec.filter)));
  op.Constant<float>(spec.bias, std::vector<float>(Count(spec.bias)));
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options([spec](FlatBufferBuilder& fbb) {
    return schema::CreateConv2DOptions(fbb, spec.padding, spec.stride_w, spec.stride_h,
                                       spec.activation, spec.dilation_w, spec.dilation_h);
  });
}

void ExpectConvRefused(const ConvSpec& spec, heddle_reason reason, const std::string& place,
                       const std::string& words) {
  OpTester op(HEDDLE_BUILTIN_CONV_2D);
  AddConv(op, spec);
  op.ExpectRefused(reason, place, words);
}

TEST(RefuseConv2D, Attributes) {
  ExpectConvRefused({.stride_h = 0}, HEDDLE_REASON_ATTRIBUTE_INVALID, "", "stride_h is 0");
  ExpectConvRefused({.stride_w = -2}, HEDDLE_REASON_ATTRIBUTE_INVALID, "", "stride_w is -2");
  ExpectConvRefused({.dilation_h = 0}, HEDDLE_REASON_ATTRIBUTE_INVALID, "", "dilation_h_factor");
  ExpectConvRefused({.dilation_w = -1}, HEDDLE_REASON_ATTRIBUTE_INVALID, "", "dilation_w_factor");
  ExpectConvRefused({.padding = static_cast<Padding>(9)}, HEDDLE_REASON_ATTRIBUTE_INVALID, "",
                    "padding 9");
  ExpectConvRefused({.activation = ActivationFunctionType::TANH},
                    HEDDLE_REASON_ATTRIBUTE_NOT_SUPPORTED, "", "TANH");
  ExpectConvRefused({.activation = static_cast<ActivationFunctionType>(17)},
                    HEDDLE_REASON_ATTRIBUTE_INVALID, "", "activation 17");
}

TEST(RefuseConv2D, Shapes) {
  ExpectConvRefused({.input = {3, 3, 2}}, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, "inputs[0]",
                    "[3,3,2]");
  ExpectConvRefused({.filter = {4, 2, 2}}, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, "inputs[1]",
                    "[4,2,2]");
  ExpectConvRefused({.filter = {4, 0, 2, 2}}, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, "", "height 0");
  ExpectConvRefused({.filter = {4, 2, 2, 3}}, HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]",
                    "2 channels");
  ExpectConvRefused({.filter = {3, 2, 2, 1}, .bias = {3}}, HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]",
                    "groups");
  ExpectConvRefused({.input = {1, 3, 3, 0}}, HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]",
                    "0 channels");
  ExpectConvRefused({.filter = {4, 2, 2, 0}}, HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", "groups");
  ExpectConvRefused({.filter = {4, 9, 2, 2}, .padding = Padding::VALID},
                    HEDDLE_REASON_SHAPE_NOT_SUPPORTED, "inputs[0]", "covers 9 of height");
  ExpectConvRefused({.bias = {3}}, HEDDLE_REASON_SHAPES_DIFFER, "inputs[2]", "4 elements");
  ExpectConvRefused({.padding = Padding::VALID, .dilation_h = INT32_MAX, .dilation_w = INT32_MAX},
                    HEDDLE_REASON_SHAPE_NOT_SUPPORTED, "inputs[0]", "2147483648");
}

TEST(RefuseConv2D, Operands) {
  OpTester few(HEDDLE_BUILTIN_CONV_2D);
  few.Input<float>({1, 1, 1, 1}, {1});
  few.Output(HEDDLE_DTYPE_FLOAT32);
  few.Options(
      [](FlatBufferBuilder& fbb) { return schema::CreateConv2DOptions(fbb, Padding::SAME, 1, 1); });
  few.ExpectRefused(HEDDLE_REASON_WRONG_OPERAND_COUNT, "", "1 inputs");
  OpTester absent(HEDDLE_BUILTIN_CONV_2D);
  absent.Input<float>({1, 1, 1, 1}, {1});
  absent.Absent();
  absent.Output(HEDDLE_DTYPE_FLOAT32);
  absent.Options(
      [](FlatBufferBuilder& fbb) { return schema::CreateConv2DOptions(fbb, Padding::SAME, 1, 1); });
  absent.ExpectRefused(HEDDLE_REASON_MISSING_OPERAND, "inputs[1]", "absent");
}

// int8 [1,1,1,2] by [2,1,1,2] with the quantisations of a case.
struct QuantizedConv {
  std::vector<float> input_scales = {0.1f};
  std::vector<float> filter_scales = {0.1f, 0.2f};
  std::vector<int64_t> filter_zero_points = {0, 0};
  std::vector<float> output_scales = {0.1f};
  int64_t input_zero_point = 0;
  int32_t filter_axis = 0;
  bool bias_is_float = false;
};

void ExpectQuantizedConvRefused(const QuantizedConv& spec, heddle_reason reason,
                                const std::string& place, const std::string& words) {
  OpTester op(HEDDLE_BUILTIN_CONV_2D, 3);
  TensorSpec& input = op.Input<int8_t>({1, 1, 1, 2}, {1, 2});
  if (!spec.input_scales.empty()) {
    input.QuantizedPerAxis(spec.input_scales, {spec.input_zero_point}, 0);
  }
  op.Constant<int8_t>({2, 1, 1, 2}, {1, 2, 3, 4})
      .QuantizedPerAxis(spec.filter_scales, spec.filter_zero_points, spec.filter_axis);
  if (spec.bias_is_float) {
    op.Constant<float>({2}, {0, 0});
  } else {
    op.Constant<int32_t>({2}, {0, 0});
  }
  op.Output(HEDDLE_DTYPE_INT8).QuantizedPerAxis(spec.output_scales, {0}, 0);
  op.Options(
      [](FlatBufferBuilder& fbb) { return schema::CreateConv2DOptions(fbb, Padding::SAME, 1, 1); });
  op.ExpectRefused(reason, place, words);
}

TEST(RefuseConv2D, Quantisation) {
  ExpectQuantizedConvRefused({.input_scales = {}}, HEDDLE_REASON_BAD_QUANTIZATION, "inputs[0]",
                             "no quantisation");
  ExpectQuantizedConvRefused({.input_scales = {0}}, HEDDLE_REASON_BAD_QUANTIZATION, "inputs[0]",
                             "scale 0");
  ExpectQuantizedConvRefused({.input_scales = {kNan}}, HEDDLE_REASON_BAD_QUANTIZATION, "inputs[0]",
                             "scale");
  ExpectQuantizedConvRefused({.input_scales = {0.1f, 0.2f}},
                             HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[0]", "2 scales");
  ExpectQuantizedConvRefused({.input_zero_point = 128}, HEDDLE_REASON_BAD_QUANTIZATION, "inputs[0]",
                             "zero point 128");
  ExpectQuantizedConvRefused({.output_scales = {-1}}, HEDDLE_REASON_BAD_QUANTIZATION, "outputs[0]",
                             "scale -1");
  ExpectQuantizedConvRefused({.filter_scales = {0.1f, -0.2f}}, HEDDLE_REASON_BAD_QUANTIZATION,
                             "inputs[1]", "scale -0.2");
  ExpectQuantizedConvRefused({.filter_scales = {0.1f, 0.2f, 0.3f}, .filter_zero_points = {0, 0, 0}},
                             HEDDLE_REASON_BAD_QUANTIZATION, "inputs[1]", "3 scales");
  ExpectQuantizedConvRefused({.filter_axis = 3}, HEDDLE_REASON_BAD_QUANTIZATION, "inputs[1]",
                             "dimension 3");
  ExpectQuantizedConvRefused({.filter_zero_points = {0, 5}},
                             HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[1]", "zero point 5");
  ExpectQuantizedConvRefused({.filter_zero_points = {0, 0, 0}}, HEDDLE_REASON_BAD_QUANTIZATION,
                             "inputs[1]", "3 zero points");
  ExpectQuantizedConvRefused({.output_scales = {1e-30f}}, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED,
                             "", "too large for a multiplier");
  ExpectQuantizedConvRefused({.bias_is_float = true}, HEDDLE_REASON_TYPES_DIFFER, "inputs[2]",
                             "the bias is FLOAT32");
}

TEST(RefuseConv2D, Types) {
  OpTester filter(HEDDLE_BUILTIN_CONV_2D, 2);
  filter.Input<float>({1, 1, 1, 1}, {1});
  filter.Constant<int16_t>({1, 1, 1, 1}, {1}).Quantized(0.1f, 0);
  filter.Output(HEDDLE_DTYPE_FLOAT32);
  filter.Options(
      [](FlatBufferBuilder& fbb) { return schema::CreateConv2DOptions(fbb, Padding::SAME, 1, 1); });
  filter.ExpectRefused(HEDDLE_REASON_TYPE_NOT_SUPPORTED, "inputs[1]", "INT16");
  OpTester output(HEDDLE_BUILTIN_CONV_2D);
  output.Input<float>({1, 1, 1, 1}, {1});
  output.Constant<float>({1, 1, 1, 1}, {1});
  output.Output(HEDDLE_DTYPE_INT8);
  output.Options(
      [](FlatBufferBuilder& fbb) { return schema::CreateConv2DOptions(fbb, Padding::SAME, 1, 1); });
  output.ExpectRefused(HEDDLE_REASON_TYPES_DIFFER, "outputs[0]", "output 0 is INT8");
}

TEST(RefuseDepthwiseConv2D, Filter) {
  for (const std::vector<int32_t>& filter :
       {std::vector<int32_t>{2, 1, 1, 2}, {1, 1, 1, 3}, {1, 1, 1, 0}}) {
    OpTester op(HEDDLE_BUILTIN_DEPTHWISE_CONV_2D);
    op.Input<float>({1, 1, 1, 2}, {1, 2});
    op.Constant<float>(filter, std::vector<float>(Count(filter)));
    op.Output(HEDDLE_DTYPE_FLOAT32);
    op.Options([](FlatBufferBuilder& fbb) {
      return schema::CreateDepthwiseConv2DOptions(fbb, Padding::SAME, 1, 1, 1);
    });
    op.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", ShapeText(filter));
  }
}

TEST(RefuseFullyConnected, ShapesAndFormats) {
  OpTester depth(HEDDLE_BUILTIN_FULLY_CONNECTED);
  depth.Input<float>({2, 3}, std::vector<float>(6));
  depth.Constant<float>({2, 4}, std::vector<float>(8));
  depth.Output(HEDDLE_DTYPE_FLOAT32);
  depth.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[0]", "depth of 4");
  OpTester keep(HEDDLE_BUILTIN_FULLY_CONNECTED, 5);
  keep.Input<float>({2, 4}, std::vector<float>(8));
  keep.Constant<float>({1, 8}, std::vector<float>(8));
  keep.Output(HEDDLE_DTYPE_FLOAT32);
  keep.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateFullyConnectedOptions(fbb, ActivationFunctionType::NONE,
                                               schema::FullyConnectedOptionsWeightsFormat::DEFAULT,
                                               /*keep_num_dims=*/true);
  });
  keep.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[0]", "[2,4]");
  OpTester shuffled(HEDDLE_BUILTIN_FULLY_CONNECTED, 2);
  shuffled.Input<float>({1, 4}, std::vector<float>(4));
  shuffled.Constant<float>({1, 4}, std::vector<float>(4));
  shuffled.Output(HEDDLE_DTYPE_FLOAT32);
  shuffled.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateFullyConnectedOptions(
        fbb, ActivationFunctionType::NONE,
        schema::FullyConnectedOptionsWeightsFormat::SHUFFLED4x16INT8);
  });
  shuffled.ExpectRefused(HEDDLE_REASON_ATTRIBUTE_NOT_SUPPORTED, "", "weights_format 1");
}

TEST(RefusePool2D, FilterAndScale) {
  const auto pool = [](int32_t height) {
    return [=](FlatBufferBuilder& fbb) {
      return schema::CreatePool2DOptions(fbb, Padding::SAME, 1, 1, 1, height);
    };
  };
  OpTester empty(HEDDLE_BUILTIN_MAX_POOL_2D);
  empty.Input<float>({1, 1, 1, 1}, {1});
  empty.Output(HEDDLE_DTYPE_FLOAT32);
  empty.Options(pool(0));
  empty.ExpectRefused(HEDDLE_REASON_SHAPE_NOT_SUPPORTED, "", "height 0");
  OpTester scale(HEDDLE_BUILTIN_AVERAGE_POOL_2D, 2);
  scale.Input<int8_t>({1, 1, 1, 1}, {1}).Quantized(0.1f, 0);
  scale.Output(HEDDLE_DTYPE_INT8).Quantized(0.2f, 0);
  scale.Options(pool(1));
  scale.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "outputs[0]", "the same");
  OpTester type(HEDDLE_BUILTIN_MAX_POOL_2D);
  type.Input<int32_t>({1, 1, 1, 1}, {1});
  type.Output(HEDDLE_DTYPE_INT32);
  type.Options(pool(1));
  type.ExpectRefused(HEDDLE_REASON_TYPE_NOT_SUPPORTED, "inputs[0]", "INT32");
}

TEST(RefuseSoftmax, RankBetaAndScale) {
  const auto beta = [](float value) {
    return [=](FlatBufferBuilder& fbb) { return schema::CreateSoftmaxOptions(fbb, value); };
  };
  OpTester scalar(HEDDLE_BUILTIN_SOFTMAX);
  scalar.Input<float>({}, {1});
  scalar.Output(HEDDLE_DTYPE_FLOAT32);
  scalar.Options(beta(1));
  scalar.ExpectRefused(HEDDLE_REASON_SHAPE_NOT_SUPPORTED, "inputs[0]", "[]");
  OpTester nan(HEDDLE_BUILTIN_SOFTMAX);
  nan.Input<float>({1}, {1});
  nan.Output(HEDDLE_DTYPE_FLOAT32);
  nan.Options(beta(kNan));
  nan.ExpectRefused(HEDDLE_REASON_ATTRIBUTE_INVALID, "", "beta");
  OpTester scale(HEDDLE_BUILTIN_SOFTMAX, 2);
  scale.Input<int8_t>({1}, {1}).Quantized(0.1f, 0);
  scale.Output(HEDDLE_DTYPE_INT8).Quantized(1.0f / 128, -128);
  scale.Options(beta(1));
  scale.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "outputs[0]", "wanted is");
  OpTester negative(HEDDLE_BUILTIN_SOFTMAX, 2);
  negative.Input<int8_t>({1}, {1}).Quantized(0.1f, 0);
  negative.Output(HEDDLE_DTYPE_INT8).Quantized(1.0f / 256, -128);
  negative.Options(beta(-1));
  negative.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[0]", "beta");
}

}  // namespace
}  // namespace heddle::testing
