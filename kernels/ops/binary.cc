// SPDX-License-Identifier: Apache-2.0
// DIV, MAXIMUM, MINIMUM, SQUARED_DIFFERENCE, POW, FLOOR_DIV, FLOOR_MOD with stretching, PRELU whose
// second operand may be stretched, ATAN2 without.
#include "kernels/ref/binary.h"

#include "kernels/broadcast.h"
#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/ref/arithmetic.h"
#include "kernels/ref/half.h"

namespace heddle::kernels {
namespace {

// The zero point counts as 0.
template <typename T>
heddle_status ExpectNoZeros(const OpContext& op, int32_t zero_point = 0) {
  const T* const divisor = op.InputData<T>(1);
  const size_t count = op.input(1).bytes / sizeof(T);
  const T* const found = std::find(divisor, divisor + count, static_cast<T>(zero_point));
  if (found == divisor + count) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "element ",
                 found - divisor, " of the divisor is 0");
}

// What a function may have. Quantised integers are refused, unless it takes them as they are when
// all scales are the same (kSameScales), or its Quantized computes with those of type T.
enum class Shapes { kStretched, kSecondStretched, kSame };
struct Function {
  static constexpr bool kSameScales = false;
  static constexpr Shapes kShapes = Shapes::kStretched;
  struct Quantized {};
  template <typename T>
  static constexpr bool kIsQuantized = false;
  template <typename T>
  using Second = T;  // the type of input 1
  static heddle_status Init(const OpContext&) { return HEDDLE_OK; }
  // Of the data, at invoke.
  template <typename T>
  static heddle_status Check(const OpContext&, const auto&) {
    return HEDDLE_OK;
  }
};

struct Division : Function {
  using Types = TypeList<float, int32_t, int8_t, uint8_t, int16_t>;
  using Quantized = ref::QuantizedQuotient;
  template <typename T>
  static constexpr bool kIsQuantized = std::is_integral_v<T> && sizeof(T) <= 2;
  int32_t activation = HEDDLE_ACTIVATION_NONE;

  heddle_status Init(const OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_DIV_FUSED_ACTIVATION_FUNCTION, &activation));
    return CheckActivation(op, activation);
  }
  heddle_status Prepare(const OpContext& op, Affine a, Affine b, Affine out,
                        Quantized* quotient) const {
    IntegerRange range;
    HEDDLE_OP_RETURN_IF_ERROR(QuantizedActivationRange(op, activation, out, &range));
    *quotient = {a.zero_point, b.zero_point, out.zero_point, {}, range.min, range.max};
    // The models' definition computes this factor in single precision.
    return MakeMultiplier(op, static_cast<double>(a.scale / (b.scale * out.scale)), kMaxShift32,
                          &quotient->out);
  }
  template <typename T>
  static heddle_status Check(const OpContext& op, const Quantized& quotient) {
    if constexpr (std::is_integral_v<T>) {
      return ExpectNoZeros<T>(op, quotient.zero_point_b);
    } else {
      return HEDDLE_OK;
    }
  }
  template <typename T>
  T Of(T a, T b) const {
    if constexpr (std::is_integral_v<T>) {
      ref::Clamp<T> clamp = {};
      IntegerActivationRange(activation, &clamp.min, &clamp.max);
      return clamp(ref::Quotient(a, b));
    } else {
      const FloatRange range = ActivationRange(activation);
      return ref::Clamp<float>{range.min, range.max}(a / b);
    }
  }
};

using Ordered =
    TypeList<float, ref::Half, ref::BFloat16, int8_t, uint8_t, int16_t, int32_t, int64_t>;
struct Maximum : Function {
  using Types = Ordered;
  static constexpr bool kSameScales = true;
  template <typename T>
  static T Of(T a, T b) {
    return a > b ? a : b;
  }
};
struct Minimum : Function {
  using Types = Ordered;
  static constexpr bool kSameScales = true;
  template <typename T>
  static T Of(T a, T b) {
    return a < b ? a : b;
  }
};

struct SquaredDifference : Function {
  using Types = TypeList<float, int32_t, int8_t>;
  using Quantized = ref::QuantizedSquaredDifference;
  template <typename T>
  static constexpr bool kIsQuantized = std::is_same_v<T, int8_t>;

  static heddle_status Prepare(const OpContext& op, Affine a, Affine b, Affine out,
                               Quantized* square) {
    square->zero_point_a = a.zero_point;
    square->zero_point_b = b.zero_point;
    square->zero_point_out = out.zero_point;
    const double unit = 2 * static_cast<double>(std::max(a.scale, b.scale));
    HEDDLE_OP_RETURN_IF_ERROR(
        MakeMultiplier(op, static_cast<double>(a.scale) / unit, 0, &square->a));
    HEDDLE_OP_RETURN_IF_ERROR(
        MakeMultiplier(op, static_cast<double>(b.scale) / unit, 0, &square->b));
    const double out_unit = (1 << 2 * Quantized::kShift) * static_cast<double>(out.scale);
    return MakeMultiplier(op, unit * unit / out_unit, kMaxShift32, &square->out);
  }
  template <typename T>
  static T Of(T a, T b) {
    const T difference = ref::Sub::Of(a, b);
    return ref::Mul::Of(difference, difference);
  }
};

struct Power : Function {
  using Types = TypeList<float, int32_t>;
  template <typename T>
  static heddle_status Check(const OpContext& op, const Quantized&) {
    if constexpr (std::is_integral_v<T>) {
      const T* const exponent = op.InputData<T>(1);
      const size_t count = op.input(1).bytes / sizeof(T);
      const T* const found =
          std::find_if(exponent, exponent + count, [](T value) { return value < 0; });
      if (found != exponent + count) {
        return op.Fail(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "exponent ",
                       *found, " of an integer is negative");
      }
    }
    return HEDDLE_OK;
  }
  template <typename T>
  static T Of(T a, T b) {
    return ref::Power(a, b);
  }
};

struct FloorDivision : Function {
  using Types = TypeList<float, int8_t, int16_t, int32_t>;
  template <typename T>
  static heddle_status Check(const OpContext& op, const Quantized&) {
    return ExpectNoZeros<T>(op);
  }
  template <typename T>
  static T Of(T a, T b) {
    return ref::FloorQuotient(a, b);
  }
};

struct FloorModulo : Function {
  using Types = TypeList<float, int8_t, int16_t, int32_t, int64_t>;
  template <typename T>
  static heddle_status Check(const OpContext& op, const Quantized&) {
    return std::is_integral_v<T> ? ExpectNoZeros<T>(op) : HEDDLE_OK;
  }
  template <typename T>
  static T Of(T a, T b) {
    return ref::FloorRemainder(a, b);
  }
};

struct Angle : Function {
  using Types = TypeList<float, ref::Half, ref::BFloat16, double>;
  static constexpr Shapes kShapes = Shapes::kSame;
  template <typename T>
  static T Of(T y, T x) {
    return T(std::atan2(y, x));
  }
};

struct ParametricRelu : Function {
  using Types = TypeList<float, int8_t, uint8_t, int16_t>;
  using Quantized = ref::QuantizedPRelu;
  static constexpr Shapes kShapes = Shapes::kSecondStretched;
  template <typename T>
  using Second = std::conditional_t<std::is_same_v<T, int16_t>, int8_t, T>;
  template <typename T>
  static constexpr bool kIsQuantized = std::is_integral_v<T>;

  static heddle_status Prepare(const OpContext& op, Affine x, Affine alpha, Affine out,
                               Quantized* relu) {
    relu->zero_point_x = x.zero_point;
    relu->zero_point_y = alpha.zero_point;
    relu->zero_point_out = out.zero_point;
    // In single precision, as the models' definition has it.
    HEDDLE_OP_RETURN_IF_ERROR(
        MakeMultiplier(op, static_cast<double>(x.scale / out.scale), kMaxShift32, &relu->identity));
    return MakeMultiplier(op, static_cast<double>(x.scale * alpha.scale / out.scale), kMaxShift32,
                          &relu->product);
  }
  static float Of(float x, float alpha) { return x >= 0 ? x : x * alpha; }
};

template <typename Function>
struct Binary {
  using Node = Function;
  struct Plan {
    Broadcast broadcast;
    typename Function::Quantized quantized;
  };
  static constexpr heddle_in_place_pair kInPlace[] = {{0, 0}, {1, 0}};

  static heddle_status Init(OpContext& op, Node& node) { return node.Init(op); }

  static heddle_status Infer(OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(Dispatch(op, [&](auto tag) {
      using Second = typename Function::template Second<typename decltype(tag)::type>;
      return op.ExpectType(1, ElementDtype<Second>());
    }));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    std::vector<int32_t> dims;
    HEDDLE_OP_RETURN_IF_ERROR(BroadcastShape(op, &dims));
    const auto a = op.input_dims(0);
    const auto b = op.input_dims(1);
    const bool keeps_first = std::equal(a.begin(), a.end(), dims.begin(), dims.end());
    if ((Function::kShapes == Shapes::kSame &&
         !std::equal(a.begin(), a.end(), b.begin(), b.end())) ||
        (Function::kShapes == Shapes::kSecondStretched && !keeps_first)) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "shapes ", ShapeText(a),
                     " and ", ShapeText(b), " differ");
    }
    return op.SetOutput(0, op.input(0).dtype, dims);
  }

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput(typename Function::Types(), op, 0, fn);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(MakeBroadcast(op, &plan.broadcast));
    return Dispatch(
        op, [&](auto tag) { return PrepareAs<typename decltype(tag)::type>(op, node, plan); });
  }
  template <typename T>
  static heddle_status PrepareAs(const OpContext& op, const Node& node, Plan& plan) {
    if constexpr (Function::template kIsQuantized<T>) {
      Affine a;
      Affine b;
      Affine out;
      HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &a));
      HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 1, &b));
      HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &out));
      return node.Prepare(op, a, b, out, &plan.quantized);
    } else if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
      return Function::kSameScales ? ExpectAllSameQuantization(op) : ExpectNoQuantization(op);
    } else {
      return HEDDLE_OK;
    }
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    return Dispatch(
        op, [&](auto tag) { return InvokeAs<typename decltype(tag)::type>(op, node, plan); });
  }
  template <typename T>
  static heddle_status InvokeAs(const OpContext& op, const Node& node, const Plan& plan) {
    using Second = typename Function::template Second<T>;
    HEDDLE_OP_RETURN_IF_ERROR(Function::template Check<T>(op, plan.quantized));
    if constexpr (Function::template kIsQuantized<T>) {
      return ForEachPair<T, T, Second>(op, plan.broadcast,
                                       [&](T a, Second b) { return plan.quantized.Of(a, b); });
    } else {
      return ForEachPair<T, T>(op, plan.broadcast, [&](T a, T b) { return T(node.Of(a, b)); });
    }
  }
};

}  // namespace

HEDDLE_OP(ATAN2, 1, 1, Binary<Angle>);
HEDDLE_OP(DIV, 1, 2, Binary<Division>);
HEDDLE_OP(FLOOR_DIV, 1, 3, Binary<FloorDivision>);
HEDDLE_OP(FLOOR_MOD, 1, 2, Binary<FloorModulo>);
HEDDLE_OP(MAXIMUM, 1, 4, Binary<Maximum>);
HEDDLE_OP(MINIMUM, 1, 4, Binary<Minimum>);
HEDDLE_OP(POW, 1, 1, Binary<Power>);
HEDDLE_OP(PRELU, 1, 1, Binary<ParametricRelu>);
HEDDLE_OP(SQUARED_DIFFERENCE, 1, 2, Binary<SquaredDifference>);

}  // namespace heddle::kernels
