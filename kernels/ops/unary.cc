// SPDX-License-Identifier: Apache-2.0
// Functions of one number: ABS, CEIL, COS, EXP, FLOOR, LOG, NEG, ROUND, RSQRT, SIGN, SIN, SQRT,
// SQUARE. Activations are in activations.cc.
#include "kernels/unary.h"

#include <cmath>

#include "kernels/ref/activations.h"
#include "kernels/ref/half.h"
#include "kernels/ref/inverse_sqrt.h"

namespace heddle::kernels {
namespace {

struct Absolute : UnaryFunction {
  using Types = TypeList<float, int32_t, int8_t, int16_t>;
  using Quantized = ref::QuantizedRectifier;
  static constexpr bool kPlainInt16 = true;

  template <typename T>
  static heddle_status Prepare(const OpContext& op, Affine in, Affine out, Quantized* quantized) {
    const IntegerRange range = RangeOf(op.output(0).dtype);
    *quantized = {in.zero_point, out.zero_point, {}, true, range.min, range.max};
    // The models' definition divides in single precision.
    return MakeMultiplier(op, static_cast<double>(in.scale / out.scale), kMaxShift32,
                          &quantized->multiplier);
  }
  static float Of(float x) { return std::abs(x); }
  template <typename T>
  static T Of(T x) {
    return x < 0 ? ref::WrappingNegate(x) : x;
  }
};

struct Negative : UnaryFunction {
  using Types = TypeList<float, ref::Half, ref::BFloat16, int8_t, int16_t, int32_t, int64_t>;
  struct Quantized {};
  static constexpr bool kPlain = true;
  static float Of(float x) { return -x; }
  template <typename T>
    requires std::is_integral_v<T>
  static T Of(T x) {
    return ref::WrappingNegate(x);
  }
};

// Of floats alone.
template <typename... Ts>
struct FloatFunction : UnaryFunction {
  using Types = TypeList<Ts...>;
  struct Quantized {};
};
struct Ceiling : FloatFunction<float> {
  static float Of(float x) { return std::ceil(x); }
};
struct Floor : FloatFunction<float, ref::Half, ref::BFloat16> {
  static float Of(float x) { return std::floor(x); }
};
// Halves go to the even neighbour.
struct Round : FloatFunction<float, ref::Half, ref::BFloat16> {
  static float Of(float x) { return std::nearbyint(x); }
};
struct Sine : FloatFunction<float, ref::Half> {
  static float Of(float x) { return std::sin(x); }
};
struct Cosine : FloatFunction<float, ref::Half> {
  static float Of(float x) { return std::cos(x); }
};
struct Square : FloatFunction<float> {
  static float Of(float x) { return x * x; }
};
struct Sign : FloatFunction<float, double, int32_t> {
  template <typename T>
  static T Of(T x) {
    return x > 0 ? T{1} : x < 0 ? T{-1} : x;  // 0 and NaN are themselves
  }
};

struct Exponential : TabledFunction {
  using Types = TypeList<float, int8_t, int16_t>;
  static float Of(float x) { return std::exp(x); }
};

struct Logarithm : TabledFunction {
  using Types = TypeList<float, int8_t, int16_t>;
  static float Of(float x) { return std::log(x); }
  static float OfReal(float x, float min, float) { return x <= 0 ? min : std::log(x); }
};

// Quantised numbers that are cut, not rounded.
struct QuantizedSquareRoot {
  Affine in;
  Affine out;
  template <typename T>
  T Of(T x) const {
    const float real = in.scale * static_cast<float>(int32_t{x} - in.zero_point);
    // Below 0 is refused before.
    const float root = std::sqrt(std::max(real, 0.0f)) / out.scale;
    return ref::OffsetAndClamp<T>(static_cast<int32_t>(std::min(root, 1e6f)), out.zero_point,
                                  std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  }
};
struct SquareRoot : UnaryFunction {
  using Types = TypeList<float, int8_t, int16_t>;
  using Quantized = QuantizedSquareRoot;
  static constexpr bool kNotNegative = true;

  template <typename T>
  static heddle_status Prepare(const OpContext&, Affine in, Affine out, Quantized* quantized) {
    *quantized = {in, out};
    return HEDDLE_OK;
  }
  static float Of(float x) { return std::sqrt(x); }
};

// int8 in fixed point, int16 by a table.
struct QuantizedInverseRoot : ref::Table16 {
  static constexpr int kShift = 20;  // keeps a fraction of the root
  Affine in;
  Affine out;
  ref::Multiplier multiplier;

  using ref::Table16::Of;
  int8_t Of(int8_t x) const {
    const int32_t value = x - in.zero_point;
    if (value <= 0) return 127;
    ref::Multiplier root = ref::InverseSquareRoot(value);
    root.shift += kShift;
    ref::Multiplier scale = multiplier;
    scale.shift -= kShift;
    if (scale.shift < -31) scale = {};
    return ref::OffsetAndClamp<int8_t>(ref::Rescale(ref::Rescale(1, root), scale), out.zero_point,
                                       -128, 127);
  }
};
struct InverseRoot : UnaryFunction {
  using Types = TypeList<float, int8_t, int16_t>;
  using Quantized = QuantizedInverseRoot;
  static constexpr bool kNotNegative = true;

  template <typename T>
  static heddle_status Prepare(const OpContext& op, Affine in, Affine out, Quantized* quantized) {
    quantized->in = in;
    quantized->out = out;
    if constexpr (std::is_same_v<T, int16_t>) {
      const float max = 32767 * out.scale;
      ref::FillTable16(
          in.scale, 0, out.scale, [=](float x) { return x <= 0 ? max : Of(x); },
          quantized->samples);
      return HEDDLE_OK;
    } else {
      return MakeMultiplier(op, 1.0 / static_cast<double>(std::sqrt(in.scale) * out.scale),
                            kMaxShift32, &quantized->multiplier);
    }
  }
  static float Of(float x) { return 1.0f / std::sqrt(x); }
};

}  // namespace

HEDDLE_OP(ABS, 1, 5, Unary<Absolute>);
HEDDLE_OP(CEIL, 1, 1, Unary<Ceiling>);
HEDDLE_OP(COS, 1, 2, Unary<Cosine>);
HEDDLE_OP(EXP, 1, 2, Unary<Exponential>);
HEDDLE_OP(FLOOR, 1, 1, Unary<Floor>);
HEDDLE_OP(LOG, 1, 2, Unary<Logarithm>);
HEDDLE_OP(NEG, 1, 1, Unary<Negative>);
HEDDLE_OP(ROUND, 1, 1, Unary<Round>);
HEDDLE_OP(RSQRT, 1, 3, Unary<InverseRoot>);
HEDDLE_OP(SIGN, 1, 2, Unary<Sign>);
HEDDLE_OP(SIN, 1, 2, Unary<Sine>);
HEDDLE_OP(SQRT, 1, 2, Unary<SquareRoot>);
HEDDLE_OP(SQUARE, 1, 1, Unary<Square>);

}  // namespace heddle::kernels
