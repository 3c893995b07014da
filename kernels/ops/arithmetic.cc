// SPDX-License-Identifier: Apache-2.0
// ADD, SUB, MUL with stretching and a fused activation: float32, int32, int64, quantised int8,
// uint8 and int16; ADD and MUL float16 and plain int16; MUL uint32 and complex64.
#include "kernels/ref/arithmetic.h"

#include <cmath>

#include "kernels/broadcast.h"
#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/ref/half.h"

namespace heddle::kernels {
namespace {

// 8- and 16-bit sums and differences.
struct SumPlan {
  bool power_of_two = false;
  ref::QuantizedAdd general;
  ref::PowerOfTwoAdd shifted;
};

// log2 of a scale that is a power of two (but for a rounding in the file).
bool PowerOfTwo(float scale, int* log2) {
  const double exact = std::log2(static_cast<double>(scale));
  const double rounded = std::round(exact);
  *log2 = static_cast<int>(rounded);
  return std::abs(exact - rounded) < 1e-3;
}

heddle_status PrepareShifted(const OpContext& op, int a, int b, int out, ref::PowerOfTwoAdd* sum) {
  sum->shift_a = out - a;
  sum->shift_b = out - b;
  if ((a == out || b == out) && a <= out && b <= out && out - std::min(a, b) <= 31) {
    return HEDDLE_OK;
  }
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED,
                 OpContext::kOutput(0), "scales are 2^", a, ", 2^", b, " and 2^", out,
                 " for the output, which must equal one and not be below the other");
}

// `may_shift`: int16 with scales that are powers of two takes the shorter way.
heddle_status PrepareSum(const OpContext& op, bool subtract, bool may_shift, int32_t activation,
                         SumPlan* plan) {
  Affine a;
  Affine b;
  Affine out;
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &a));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 1, &b));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &out));
  IntegerRange range;
  HEDDLE_OP_RETURN_IF_ERROR(QuantizedActivationRange(op, activation, out, &range));
  const bool is_int16 = op.input(0).dtype == HEDDLE_DTYPE_INT16;
  if (is_int16) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 1, 0));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, OpContext::kOutput(0), 0));
    int log_a = 0;
    int log_b = 0;
    int log_out = 0;
    const bool powers = PowerOfTwo(a.scale, &log_a) && PowerOfTwo(b.scale, &log_b) &&
                        PowerOfTwo(out.scale, &log_out);
    if (may_shift && powers) {
      plan->power_of_two = true;
      plan->shifted.subtract = subtract;
      plan->shifted.min = range.min;
      plan->shifted.max = range.max;
      return PrepareShifted(op, log_a, log_b, log_out, &plan->shifted);
    }
  }
  ref::QuantizedAdd& sum = plan->general;
  sum.zero_point_a = a.zero_point;
  sum.zero_point_b = b.zero_point;
  sum.zero_point_out = out.zero_point;
  sum.min = range.min;
  sum.max = range.max;
  // As many bits as leave room for the sum.
  sum.left_shift = is_int16 ? 15 : 20;
  const double unit = 2 * static_cast<double>(std::max(a.scale, b.scale));
  HEDDLE_OP_RETURN_IF_ERROR(MakeMultiplier(op, static_cast<double>(a.scale) / unit, 0, &sum.a));
  HEDDLE_OP_RETURN_IF_ERROR(MakeMultiplier(op, static_cast<double>(b.scale) / unit, 0, &sum.b));
  sum.subtract = subtract;
  const double out_unit = static_cast<double>(1 << sum.left_shift) * static_cast<double>(out.scale);
  return MakeMultiplier(op, unit / out_unit, kMaxShift32, &sum.out);
}

heddle_status PrepareProduct(const OpContext& op, int32_t activation, ref::QuantizedMul* product) {
  Affine a;
  Affine b;
  Affine out;
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &a));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 1, &b));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &out));
  if (op.input(0).dtype == HEDDLE_DTYPE_INT16) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 1, 0));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, OpContext::kOutput(0), 0));
  }
  IntegerRange range;
  HEDDLE_OP_RETURN_IF_ERROR(QuantizedActivationRange(op, activation, out, &range));
  product->zero_point_a = a.zero_point;
  product->zero_point_b = b.zero_point;
  product->zero_point_out = out.zero_point;
  product->min = range.min;
  product->max = range.max;
  // The models' definition computes this factor in single precision.
  return MakeMultiplier(op, static_cast<double>(a.scale * b.scale / out.scale), kMaxShift32,
                        &product->out);
}

struct AddTraits : ref::Add {
  using Types = TypeList<float, ref::Half, int32_t, int64_t, int8_t, uint8_t, int16_t>;
  static constexpr bool kPlainInt16 = true;
  static constexpr uint32_t kActivation = HEDDLE_ATTR_ADD_FUSED_ACTIVATION_FUNCTION;
  static constexpr uint32_t kPowerOfTwo = HEDDLE_ATTR_ADD_POT_SCALE_INT16;
  static constexpr bool kSubtract = false;
  using Quantized = SumPlan;
};
struct SubTraits : ref::Sub {
  using Types = TypeList<float, int32_t, int64_t, int8_t, uint8_t, int16_t>;
  static constexpr bool kPlainInt16 = false;
  static constexpr uint32_t kActivation = HEDDLE_ATTR_SUB_FUSED_ACTIVATION_FUNCTION;
  static constexpr uint32_t kPowerOfTwo = HEDDLE_ATTR_SUB_POT_SCALE_INT16;
  static constexpr bool kSubtract = true;
  using Quantized = SumPlan;
};
struct MulTraits : ref::Mul {
  using Types = TypeList<float, ref::Half, ref::Complex, int32_t, uint32_t, int64_t, int8_t,
                         uint8_t, int16_t>;
  static constexpr bool kPlainInt16 = true;
  static constexpr uint32_t kActivation = HEDDLE_ATTR_MUL_FUSED_ACTIVATION_FUNCTION;
  static constexpr uint32_t kPowerOfTwo = 0;
  using Quantized = ref::QuantizedMul;
};

template <typename Traits>
struct Binary {
  struct Node {
    int32_t activation = HEDDLE_ACTIVATION_NONE;
    bool power_of_two = false;
  };
  struct Plan {
    Broadcast broadcast;
    bool is_quantized = false;
    typename Traits::Quantized quantized;
  };
  static constexpr heddle_in_place_pair kInPlace[] = {{0, 0}, {1, 0}};

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(Traits::kActivation, &node.activation));
    if constexpr (Traits::kPowerOfTwo != 0) {
      HEDDLE_OP_RETURN_IF_ERROR(op.Get(Traits::kPowerOfTwo, &node.power_of_two));
    }
    return CheckActivation(op, node.activation);
  }

  static heddle_status Infer(OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, op.input(0).dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    std::vector<int32_t> dims;
    HEDDLE_OP_RETURN_IF_ERROR(BroadcastShape(op, &dims));
    return op.SetOutput(0, op.input(0).dtype, dims);
  }

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput(typename Traits::Types(), op, 0, fn);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(MakeBroadcast(op, &plan.broadcast));
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, ref::Complex>) {
        if (node.activation == HEDDLE_ACTIVATION_NONE) return HEDDLE_OK;
        return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_ATTRIBUTE_NOT_SUPPORTED, HEDDLE_NO_OPERAND,
                       "complex numbers have no activation");
      } else if constexpr (!std::is_integral_v<T> || sizeof(T) > 2) {
        return HEDDLE_OK;
      } else {
        if constexpr (std::is_same_v<T, int16_t> && Traits::kPlainInt16) {
          if (!IsQuantized(op.input(0))) return ExpectNoQuantization(op);
        }
        plan.is_quantized = true;
        if constexpr (std::is_same_v<typename Traits::Quantized, SumPlan>) {
          return PrepareSum(op, Traits::kSubtract, node.power_of_two, node.activation,
                            &plan.quantized);
        } else {
          return PrepareProduct(op, node.activation, &plan.quantized);
        }
      }
    });
  }

  template <typename T>
  static heddle_status InvokePlain(const OpContext& op, const Node& node, const Plan& plan) {
    const auto run = [&](const auto& fn) { return ForEachPair<T, T>(op, plan.broadcast, fn); };
    if constexpr (std::is_same_v<T, ref::Complex>) {
      return run([](T a, T b) { return Traits::Of(a, b); });
    } else if constexpr (std::is_integral_v<T>) {
      ref::Clamp<T> clamp = {};
      IntegerActivationRange(node.activation, &clamp.min, &clamp.max);
      return run([=](T a, T b) { return clamp(Traits::Of(a, b)); });
    } else {
      const FloatRange range = ActivationRange(node.activation);
      const ref::Clamp<float> clamp = {range.min, range.max};
      return run([=](float a, float b) { return T(clamp(Traits::Of(a, b))); });
    }
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
        const auto run = [&](const auto& fn) { return ForEachPair<T, T>(op, plan.broadcast, fn); };
        const auto& quantized = plan.quantized;
        if (!plan.is_quantized) return InvokePlain<T>(op, node, plan);
        if constexpr (!std::is_same_v<typename Traits::Quantized, SumPlan>) {
          return run([&](T a, T b) { return quantized.Of(a, b); });
        } else {
          if constexpr (std::is_same_v<T, int16_t>) {
            if (quantized.power_of_two) {
              return run([&](T a, T b) { return quantized.shifted.Of(a, b); });
            }
          }
          return run([&](T a, T b) { return quantized.general.Of(a, b); });
        }
      } else {
        return InvokePlain<T>(op, node, plan);
      }
    });
  }
};

}  // namespace

HEDDLE_OP(ADD, 1, 6, Binary<AddTraits>);
HEDDLE_OP(SUB, 1, 5, Binary<SubTraits>);
HEDDLE_OP(MUL, 1, 8, Binary<MulTraits>);

}  // namespace heddle::kernels
