// SPDX-License-Identifier: Apache-2.0
// Random operators: types, shapes, attributes, quantisations and values, half of them plausible but
// for one thing. Nothing may crash, and what is refused must say why. HEDDLE_FUZZ_SECONDS sets the
// time, HEDDLE_FUZZ_SEED repeats a run.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>

#include "kernels/builtin_ops.h"
#include "runtime/model/builtin_names.h"
#include "tests/kernels/op_tester.h"

namespace heddle::testing {
namespace {

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int32_t Between(int32_t low, int32_t high) {
    return std::uniform_int_distribution<int32_t>(low, high)(engine_);
  }
  bool OneIn(int32_t n) { return Between(1, n) == 1; }
  template <typename T>
  T Pick(std::initializer_list<T> values) {
    return values.begin()[Between(0, static_cast<int32_t>(values.size()) - 1)];
  }
  // Small numbers mostly, now and then a hostile one.
  int32_t Attribute() {
    if (OneIn(12)) return Pick({0, -1, -2, INT32_MIN, INT32_MAX, 1 << 30, 65536});
    return Between(1, 3);
  }
  float Real() {
    constexpr float kInf = std::numeric_limits<float>::infinity();
    if (OneIn(8)) {
      return Pick({0.0f, -0.0f, kInf, -kInf, std::numeric_limits<float>::quiet_NaN(), 1e38f, -1e38f,
                   1e-40f});
    }
    return std::normal_distribution<float>(0, 3)(engine_);
  }

 private:
  std::mt19937_64 engine_;
};

using Dims = std::vector<int32_t>;

// Ops that cannot run alone.
bool NeedsASubgraphOrResource(int32_t code) {
  for (const int32_t other :
       {HEDDLE_BUILTIN_IF, HEDDLE_BUILTIN_WHILE, HEDDLE_BUILTIN_CALL_ONCE,
        HEDDLE_BUILTIN_VAR_HANDLE, HEDDLE_BUILTIN_READ_VARIABLE, HEDDLE_BUILTIN_ASSIGN_VARIABLE}) {
    if (code == other) return true;
  }
  return false;
}

class Fuzzer {
 public:
  explicit Fuzzer(uint64_t seed) : dice_(seed) {}

  void RunOne(int32_t code, int32_t version) {
    OpTester op(code, version);
    const heddle_dtype dtype =
        dice_.Pick({HEDDLE_DTYPE_FLOAT32, HEDDLE_DTYPE_FLOAT32, HEDDLE_DTYPE_INT8,
                    HEDDLE_DTYPE_INT8, HEDDLE_DTYPE_UINT8, HEDDLE_DTYPE_INT16, HEDDLE_DTYPE_INT32,
                    HEDDLE_DTYPE_INT64, HEDDLE_DTYPE_BOOL, HEDDLE_DTYPE_FLOAT16, HEDDLE_DTYPE_INT4,
                    HEDDLE_DTYPE_STRING, HEDDLE_DTYPE_COMPLEX64});
    AddOptions(op, code);
    switch (code) {
      case HEDDLE_BUILTIN_CONV_2D:
      case HEDDLE_BUILTIN_DEPTHWISE_CONV_2D:
        AddConvolution(op, code, dtype);
        break;
      case HEDDLE_BUILTIN_FULLY_CONNECTED: {
        const int32_t depth = dice_.Between(0, 5);
        AddSum(op, dtype, {dice_.Between(0, 4), depth}, {dice_.Between(0, 4), depth}, 0);
        break;
      }
      case HEDDLE_BUILTIN_AVERAGE_POOL_2D:
      case HEDDLE_BUILTIN_MAX_POOL_2D:
        Add(op, dtype, Shape(4), scale_);
        break;
      case HEDDLE_BUILTIN_RESHAPE:
      case HEDDLE_BUILTIN_MEAN:
      case HEDDLE_BUILTIN_TRANSPOSE:
      case HEDDLE_BUILTIN_PAD:
        AddWithList(op, code, dtype);
        break;
      default:
        AddElementwise(op, dtype);
    }
    const heddle_dtype out =
        dice_.OneIn(6) ? dice_.Pick({HEDDLE_DTYPE_FLOAT32, HEDDLE_DTYPE_BOOL, HEDDLE_DTYPE_INT8,
                                     HEDDLE_DTYPE_INT32, HEDDLE_DTYPE_UINT8, HEDDLE_DTYPE_INT64})
                       : OutputType(code, dtype);
    Quantize(op.Output(out, Shape(dice_.Between(0, 4))), OutputScale(code));
    auto result = op.Run({.split = dice_.OneIn(2),
                          .constant_inputs = dice_.OneIn(3),
                          .memory_limit = size_t{1} << 24});
    ++(result.ok() ? ran_ : refused_)[code];
    if (!result.ok()) {
      ASSERT_FALSE(result.status().message().empty());
      ASSERT_NE(result.status().reason(), HEDDLE_REASON_NONE) << result.status().message();
      ASSERT_NE(result.status().code(), HEDDLE_INTERNAL) << result.status().message();
    }
  }

  const std::map<int32_t, int>& ran() const { return ran_; }

 private:
  Dims Shape(int32_t rank) {
    if (dice_.OneIn(10)) rank = dice_.Between(0, 7);
    Dims dims;
    for (int32_t i = 0; i < rank; ++i) dims.push_back(dice_.OneIn(10) ? 0 : dice_.Between(1, 5));
    // An empty tensor may have any other dimensions.
    Dims huge = dims;
    for (int32_t& dim : huge) {
      if (dim != 0 && dice_.OneIn(2)) dim = dice_.Pick({INT32_MAX, 1 << 20, 65536});
    }
    size_t size = 1;
    return dice_.OneIn(3) && DenseBytes(HEDDLE_DTYPE_INT64, huge, &size) && size == 0 ? huge : dims;
  }

  std::vector<uint8_t> Bytes(heddle_dtype dtype, const Dims& dims) {
    if (dtype == HEDDLE_DTYPE_STRING) return StringTensorBytes({});
    size_t size = 0;
    EXPECT_TRUE(DenseBytes(dtype, dims, &size));
    std::vector<uint8_t> bytes(size);
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(dice_.Between(0, 255));
    if (dtype == HEDDLE_DTYPE_FLOAT32) {
      std::vector<float> values(size / sizeof(float));
      for (float& value : values) value = dice_.Real();
      return BytesOf(values);
    }
    return bytes;
  }

  // A quantisation around `scale`, or something hostile.
  void Quantize(TensorSpec& tensor, float scale) {
    if (dice_.OneIn(12)) {
      scale = dice_.Pick({0.0f, -1.0f, 1e-38f, 1e38f, 1e-8f, 1e8f,
                          std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity()});
    }
    int64_t zero_point = tensor.dtype == HEDDLE_DTYPE_INT8    ? dice_.Pick({-128, 0, 3})
                         : tensor.dtype == HEDDLE_DTYPE_UINT8 ? dice_.Pick({0, 128})
                                                              : 0;
    if (dice_.OneIn(20)) zero_point = dice_.Pick({INT64_MIN, INT64_MAX, int64_t{1000}});
    if (dice_.OneIn(20)) return;
    if (!dice_.OneIn(6)) {
      tensor.Quantized(scale, zero_point);
      return;
    }
    const auto axis = dice_.Between(-1, 4);
    size_t count = static_cast<size_t>(dice_.Between(1, 4));
    if (axis >= 0 && static_cast<size_t>(axis) < tensor.dims.size() && !dice_.OneIn(4)) {
      count = static_cast<size_t>(std::min(8, tensor.dims[static_cast<size_t>(axis)]));
    }
    const size_t zero_points = dice_.OneIn(5) ? 1 : count;
    tensor.QuantizedPerAxis(std::vector<float>(count, scale),
                            std::vector<int64_t>(zero_points, zero_point), axis);
  }

  void Add(OpTester& op, heddle_dtype dtype, Dims dims, float scale) {
    size_t size = 0;  // what was made of huge dimensions may not be empty any more
    if (!DenseBytes(HEDDLE_DTYPE_INT64, dims, &size) || size > 1 << 20) {
      for (int32_t& dim : dims) dim = std::min(dim, 5);
    }
    if (dice_.OneIn(50)) {
      op.Absent();
      return;
    }
    Quantize(op.InputBytes(dtype, dims, Bytes(dtype, dims)), scale);
  }

  // Data, filter and bias.
  void AddSum(OpTester& op, heddle_dtype dtype, const Dims& input, const Dims& filter,
              size_t channel_dim) {
    const heddle_dtype filter_type =
        dtype == HEDDLE_DTYPE_INT16 || dice_.OneIn(12) ? HEDDLE_DTYPE_INT8 : dtype;
    const heddle_dtype bias_type = dtype == HEDDLE_DTYPE_FLOAT32 ? dtype
                                   : dtype == HEDDLE_DTYPE_INT16 && dice_.OneIn(2)
                                       ? HEDDLE_DTYPE_INT64
                                       : HEDDLE_DTYPE_INT32;
    Add(op, dtype, input, scale_);
    Add(op, filter_type, filter, 0.02f);
    const int32_t channels = channel_dim < filter.size() ? std::min(8, filter[channel_dim]) : 1;
    if (!dice_.OneIn(5)) Add(op, bias_type, {dice_.OneIn(15) ? channels + 1 : channels}, 0.001f);
  }

  void AddConvolution(OpTester& op, int32_t code, heddle_dtype dtype) {
    const bool depthwise = code == HEDDLE_BUILTIN_DEPTHWISE_CONV_2D;
    Dims input = Shape(4);
    const int32_t channels = input.empty() ? 1 : std::min(8, input.back());
    Dims filter = Shape(4);
    if (filter.size() == 4 && !dice_.OneIn(10)) {
      if (depthwise) {
        filter[0] = 1;
        filter[3] = channels * dice_.Between(1, 2);
      } else {
        filter[3] = channels;
      }
    }
    AddSum(op, dtype, input, filter, depthwise ? 3 : 0);
  }

  void AddWithList(OpTester& op, int32_t code, heddle_dtype dtype) {
    const Dims dims = Shape(dice_.Between(0, 5));
    const auto rank = static_cast<int32_t>(dims.size());
    Add(op, dtype, dims, scale_);
    std::vector<int32_t> list;
    Dims list_dims;
    switch (code) {
      case HEDDLE_BUILTIN_RESHAPE:
        list = dims;
        if (!list.empty() && dice_.OneIn(2)) list[0] = -1;
        break;
      case HEDDLE_BUILTIN_MEAN:
        for (int32_t i = dice_.Between(0, 2); i > 0; --i) {
          list.push_back(dice_.Between(-rank, std::max(rank - 1, -rank)));
        }
        break;
      case HEDDLE_BUILTIN_TRANSPOSE:
        for (int32_t i = rank; i-- > 0;) list.push_back(i);
        break;
      default:
        for (int32_t i = 0; i < 2 * rank; ++i) list.push_back(dice_.Between(0, 2));
    }
    list_dims = {static_cast<int32_t>(list.size())};
    if (code == HEDDLE_BUILTIN_PAD) list_dims = {rank, 2};
    if (!list.empty() && dice_.OneIn(6)) {
      list[static_cast<size_t>(dice_.Between(0, static_cast<int32_t>(list.size()) - 1))] =
          dice_.Pick({-1, INT32_MIN, INT32_MAX, 7, 1 << 20});
    }
    if (dice_.OneIn(20)) return;
    if (dice_.OneIn(3)) {
      op.Input<int32_t>(list_dims, list);
    } else {
      op.Constant<int32_t>(list_dims, list);
    }
  }

  void AddElementwise(OpTester& op, heddle_dtype dtype) {
    const Dims dims = Shape(dice_.Between(0, 5));
    for (int32_t i = dice_.OneIn(2) ? 1 : dice_.Between(0, 3); i > 0; --i) {
      Dims other = dims;
      for (int32_t& dim : other) {
        if (dice_.OneIn(4)) dim = 1;
      }
      if (!other.empty() && dice_.OneIn(6)) other.erase(other.begin());
      const heddle_dtype type = dice_.OneIn(15) ? HEDDLE_DTYPE_INT32 : dtype;
      Add(op, type, dice_.OneIn(15) ? Shape(2) : other, scale_);
    }
    // Most take two.
    if (dice_.OneIn(2)) Add(op, dtype, dims, scale_);
  }

  static heddle_dtype OutputType(int32_t code, heddle_dtype input) {
    switch (code) {
      case HEDDLE_BUILTIN_EQUAL:
      case HEDDLE_BUILTIN_NOT_EQUAL:
      case HEDDLE_BUILTIN_LESS:
      case HEDDLE_BUILTIN_LESS_EQUAL:
      case HEDDLE_BUILTIN_GREATER:
      case HEDDLE_BUILTIN_GREATER_EQUAL:
        return HEDDLE_DTYPE_BOOL;
      case HEDDLE_BUILTIN_WHERE:
        return HEDDLE_DTYPE_INT64;
      case HEDDLE_BUILTIN_SHAPE:
        return HEDDLE_DTYPE_INT32;
      case HEDDLE_BUILTIN_DEQUANTIZE:
        return HEDDLE_DTYPE_FLOAT32;
      case HEDDLE_BUILTIN_QUANTIZE:
        return HEDDLE_DTYPE_INT8;
      default:
        return input;
    }
  }

  float OutputScale(int32_t code) {
    if (code == HEDDLE_BUILTIN_SOFTMAX || code == HEDDLE_BUILTIN_LOGISTIC) {
      return dice_.OneIn(2) ? 1.0f / 256 : 1.0f / 32768;
    }
    return scale_;
  }

  void AddOptions(OpTester& op, int32_t code) {
    using schema::ActivationFunctionType;
    const auto activation = static_cast<ActivationFunctionType>(
        dice_.OneIn(15) ? dice_.Between(-128, 127) : dice_.Between(0, 3));
    const auto padding = static_cast<schema::Padding>(dice_.OneIn(20) ? 5 : dice_.Between(0, 1));
    int32_t a[6];
    for (int32_t& value : a) value = dice_.Attribute();
    const bool flag = dice_.OneIn(2);
    const int32_t axis = dice_.OneIn(12) ? a[0] : dice_.Between(-2, 2);
    const float real = dice_.OneIn(2) ? 1.0f : dice_.Real();
    if (dice_.OneIn(30)) return;
    switch (code) {
      case HEDDLE_BUILTIN_CONV_2D:
        op.Options([=](FlatBufferBuilder& fbb) {
          return schema::CreateConv2DOptions(
              fbb, padding, a[0], a[1], activation, a[2], a[3],
              flag ? schema::TensorType::INT32 : schema::TensorType::FLOAT32);
        });
        break;
      case HEDDLE_BUILTIN_DEPTHWISE_CONV_2D:
        op.Options([=](FlatBufferBuilder& fbb) {
          return schema::CreateDepthwiseConv2DOptions(fbb, padding, a[0], a[1], a[4], activation,
                                                      a[2], a[3]);
        });
        break;
      case HEDDLE_BUILTIN_FULLY_CONNECTED:
        op.Options([=](FlatBufferBuilder& fbb) {
          return schema::CreateFullyConnectedOptions(
              fbb, activation, schema::FullyConnectedOptionsWeightsFormat::DEFAULT, flag);
        });
        break;
      case HEDDLE_BUILTIN_AVERAGE_POOL_2D:
      case HEDDLE_BUILTIN_MAX_POOL_2D:
        op.Options([=](FlatBufferBuilder& fbb) {
          return schema::CreatePool2DOptions(fbb, padding, a[0], a[1], a[2], a[3], activation);
        });
        break;
      case HEDDLE_BUILTIN_SOFTMAX:
        op.Options([=](FlatBufferBuilder& fbb) { return schema::CreateSoftmaxOptions(fbb, real); });
        break;
      case HEDDLE_BUILTIN_ADD:
        op.Options([=](FlatBufferBuilder& fbb) {
          return schema::CreateAddOptions(fbb, activation, flag);
        });
        break;
      case HEDDLE_BUILTIN_SUB:
        op.Options([=](FlatBufferBuilder& fbb) {
          return schema::CreateSubOptions(fbb, activation, flag);
        });
        break;
      case HEDDLE_BUILTIN_MUL:
        op.Options(
            [=](FlatBufferBuilder& fbb) { return schema::CreateMulOptions(fbb, activation); });
        break;
      case HEDDLE_BUILTIN_CONCATENATION:
        op.Options(
            [=](FlatBufferBuilder& fbb) { return schema::CreateConcatenationOptions(fbb, axis); });
        break;
      case HEDDLE_BUILTIN_MEAN:
        op.Options([=](FlatBufferBuilder& fbb) { return schema::CreateReducerOptions(fbb, flag); });
        break;
      default:
        break;
    }
  }

  Dice dice_;
  const float scale_ = 0.05f;
  std::map<int32_t, int> ran_;
  std::map<int32_t, int> refused_;
};

uint64_t NumberFrom(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

TEST(Fuzz, RandomOperators) {
  const uint64_t seed = NumberFrom("HEDDLE_FUZZ_SEED", std::random_device()());
  const auto limit = std::chrono::seconds(NumberFrom("HEDDLE_FUZZ_SECONDS", 2));
  std::printf("HEDDLE_FUZZ_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::vector<std::pair<int32_t, int32_t>> ops;  // code, first version
#define HEDDLE_BUILTIN_OP(CODE) \
  ops.emplace_back(heddle_op_##CODE()->builtin_code, heddle_op_##CODE()->min_version);
#include "kernels/builtin_ops.inc"
#undef HEDDLE_BUILTIN_OP
  Fuzzer fuzzer(seed);
  const auto start = std::chrono::steady_clock::now();
  int rounds = 0;
  for (; std::chrono::steady_clock::now() - start < limit; ++rounds) {
    for (const auto& [code, version] : ops) {
      SCOPED_TRACE(BuiltinName(code));
      fuzzer.RunOne(code, version);
      if (HasFatalFailure()) return;
    }
  }
  std::printf("%d rounds of %zu ops\n", rounds, ops.size());
  // The plausible half must be so: else nothing but refusals would be tested.
  if (rounds < 500) return;
  for (const auto& [code, version] : ops) {
    if (!NeedsASubgraphOrResource(code)) {
      EXPECT_GT(fuzzer.ran().count(code), 0u) << BuiltinName(code) << " never ran";
    }
  }
}

}  // namespace
}  // namespace heddle::testing
