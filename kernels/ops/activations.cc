// SPDX-License-Identifier: Apache-2.0
// ELU, GELU, HARD_SWISH, LEAKY_RELU, LOGISTIC, RELU, RELU6, RELU_0_TO_1, RELU_N1_TO_1, TANH.
#include "kernels/ref/activations.h"

#include <cmath>

#include "kernels/ref/half.h"
#include "kernels/ref/sigmoid16.h"
#include "kernels/unary.h"

namespace heddle::kernels {
namespace {

// Least to Most; a Most of kUnlimited is infinity.
constexpr int kUnlimited = 1000;
template <int Least, int Most, typename... Ts>
struct Rectified : UnaryFunction {
  using Types = TypeList<float, int8_t, uint8_t, Ts...>;
  using Quantized = ref::QuantizedRectifier;

  static constexpr FloatRange Range() {
    return {Least, Most == kUnlimited ? std::numeric_limits<float>::infinity() : Most};
  }
  template <typename T>
  static heddle_status Prepare(const OpContext& op, Affine in, Affine out, Quantized* quantized) {
    const IntegerRange range = QuantizedRange(op, Range(), out);
    *quantized = {in.zero_point, out.zero_point, {}, false, range.min, range.max};
    // The models' definition divides in single precision.
    return MakeMultiplier(op, static_cast<double>(in.scale / out.scale), kMaxShift32,
                          &quantized->multiplier);
  }
  static float Of(float x) { return std::min(std::max(x, Range().min), Range().max); }
};

// 8 bits by a table of floats, 16 bits by the table of sigmoids.
template <typename Function, int MaxExactShift>
struct Smooth : UnaryFunction {
  using Types = TypeList<float, ref::Half, ref::BFloat16, int8_t, uint8_t, int16_t>;
  struct Quantized {
    ref::SigmoidTable table;
    ref::SigmoidScale scale;
    int16_t Of(int16_t x) const { return Function::Of16(table, scale, x); }
    template <typename T>
    void Of(T) const = delete;
  };

  template <typename T>
  static heddle_status Prepare(const OpContext& op, Affine in, Affine out, Quantized* quantized) {
    if constexpr (std::is_same_v<T, int16_t>) {
      HEDDLE_OP_RETURN_IF_ERROR(ExpectFixedQuantization(op, {1.0f / 32768, 0}));
      ref::FillSigmoidTable(&quantized->table);
      if (ref::MakeSigmoidScale(in.scale, MaxExactShift, &quantized->scale)) return HEDDLE_OK;
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, 0, "scale ",
                     in.scale, " of the input is too small or too large");
    } else if (Function::kOutputScale8 == 0) {
      return HEDDLE_OK;
    } else {
      return ExpectFixedQuantization(op, {Function::kOutputScale8, out.zero_point});
    }
  }

 private:
  friend Function;
  Smooth() = default;
};
struct Logistic : Smooth<Logistic, 0> {
  static constexpr float kOutputScale8 = 1.0f / 256;
  // Below -9 by the models' definition, which is 1e-4 off there and keeps denormal results.
  static float Of(float x) { return x < -9 ? std::exp(x) : 1.0f / (1.0f + std::exp(-x)); }
  static int16_t Of16(const ref::SigmoidTable& table, ref::SigmoidScale scale, int16_t x) {
    return ref::Sigmoid16(table, scale, x);
  }
};
struct Tanh : Smooth<Tanh, 1> {
  static constexpr float kOutputScale8 = 0;  // any
  static float Of(float x) { return std::tanh(x); }
  static int16_t Of16(const ref::SigmoidTable& table, ref::SigmoidScale scale, int16_t x) {
    return ref::Tanh16(table, scale, x);
  }
};

struct Elu : TabledFunction {
  using Types = TypeList<float, int8_t>;
  static float Of(float x) { return x < 0 ? std::expm1(x) : x; }
};

struct Gelu : TabledFunction {
  using Types = TypeList<float, ref::Half, int8_t, uint8_t, int16_t>;
  bool approximate = false;
  heddle_status Init(const OpContext& op) {
    return op.Get(HEDDLE_ATTR_GELU_APPROXIMATE, &approximate);
  }
  template <typename T>
  T Of(T x) const {
    return approximate ? ref::ApproximateGelu(x) : T(ref::Gelu(x));
  }
};

struct HardSwish : UnaryFunction {
  using Types = TypeList<float, int8_t, uint8_t>;
  using Quantized = ref::QuantizedHardSwish;

  template <typename T>
  static heddle_status Prepare(const OpContext& op, Affine in, Affine out, Quantized* quantized) {
    quantized->zero_point_in = in.zero_point;
    quantized->zero_point_out = out.zero_point;
    // In single precision, as the models' definition has it.
    const float fine_scale = (1.0f / 128) * in.scale;
    HEDDLE_OP_RETURN_IF_ERROR(
        MakeMultiplier(op, static_cast<double>(fine_scale / out.scale), 0, &quantized->out));
    return MakeMultiplier(op, static_cast<double>(fine_scale / (3.0f / 32768)), kMaxShift32,
                          &quantized->gate);
  }
  static float Of(float x) { return ref::HardSwish(x); }
};

struct LeakyRelu : UnaryFunction {
  using Types = TypeList<float, int8_t, uint8_t, int16_t>;
  using Quantized = ref::QuantizedLeakyRelu;
  float alpha = 0;

  heddle_status Init(const OpContext& op) { return op.Get(HEDDLE_ATTR_LEAKY_RELU_ALPHA, &alpha); }
  template <typename T>
  heddle_status Prepare(const OpContext& op, Affine in, Affine out, Quantized* quantized) const {
    quantized->zero_point_in = in.zero_point;
    quantized->zero_point_out = out.zero_point;
    quantized->alpha_is_negative = alpha < 0;
    // In single precision, as the models' definition has it.
    HEDDLE_OP_RETURN_IF_ERROR(
        MakeMultiplier(op, static_cast<double>(std::abs(in.scale * alpha / out.scale)), kMaxShift32,
                       &quantized->alpha));
    return MakeMultiplier(op, static_cast<double>(in.scale / out.scale), kMaxShift32,
                          &quantized->identity);
  }
  float Of(float x) const { return x > 0 ? x : x * alpha; }
};

}  // namespace

HEDDLE_OP(ELU, 1, 1, Unary<Elu>);
HEDDLE_OP(GELU, 1, 3, Unary<Gelu>);
HEDDLE_OP(HARD_SWISH, 1, 1, Unary<HardSwish>);
HEDDLE_OP(LEAKY_RELU, 1, 2, Unary<LeakyRelu>);
HEDDLE_OP(LOGISTIC, 1, 3, Unary<Logistic>);
HEDDLE_OP(RELU, 1, 3, Unary<Rectified<0, kUnlimited, int16_t>>);
HEDDLE_OP(RELU6, 1, 3, Unary<Rectified<0, 6, int16_t>>);
HEDDLE_OP(RELU_0_TO_1, 1, 1, Unary<Rectified<0, 1>>);
HEDDLE_OP(RELU_N1_TO_1, 1, 1, Unary<Rectified<-1, 1>>);
HEDDLE_OP(TANH, 1, 3, Unary<Tanh>);

}  // namespace heddle::kernels
