// SPDX-License-Identifier: Apache-2.0
// RELU, RELU6, LOGISTIC, TANH: float32, int8, uint8, int16. 8-bit functions are tables.
#include <cmath>

#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/ref/lookup.h"
#include "kernels/ref/quantize.h"
#include "kernels/ref/sigmoid16.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

struct UnaryPlan {
  uint8_t table8[256] = {};
  // int16:
  ref::SigmoidTable sigmoid = {};
  ref::SigmoidScale scale;
  ref::Multiplier multiplier;
  IntegerRange range;
};

// Each function: Of(float), Prepare for quantised numbers, Of16(plan, int16).

template <int32_t kActivation>
struct Rectified {
  static float Of(float x) {
    const FloatRange range = ActivationRange(kActivation);
    return std::min(std::max(x, range.min), range.max);
  }

  template <typename T>
  static heddle_status Prepare(const OpContext& op, Affine in, Affine out, UnaryPlan* plan) {
    // The models' definition divides in single precision.
    HEDDLE_OP_RETURN_IF_ERROR(MakeMultiplier(op, static_cast<double>(in.scale / out.scale),
                                             kMaxShift32, &plan->multiplier));
    HEDDLE_OP_RETURN_IF_ERROR(QuantizedActivationRange(op, kActivation, out, &plan->range));
    if constexpr (std::is_same_v<T, int16_t>) {
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, OpContext::kOutput(0), 0));
    } else {
      for (int32_t q = std::numeric_limits<T>::min(); q <= std::numeric_limits<T>::max(); ++q) {
        const int32_t value = ref::Rescale(q - in.zero_point, plan->multiplier);
        plan->table8[static_cast<uint8_t>(q)] = static_cast<uint8_t>(
            ref::OffsetAndClamp<T>(value, out.zero_point, plan->range.min, plan->range.max));
      }
    }
    return HEDDLE_OK;
  }

  static int16_t Of16(const UnaryPlan& plan, int16_t x) {
    return ref::OffsetAndClamp<int16_t>(ref::Rescale(int32_t{x}, plan.multiplier), 0,
                                        plan.range.min, plan.range.max);
  }
};

// Sigmoid and tanh share how they are prepared.
template <typename Function>
heddle_status PrepareSmooth16(const OpContext& op, Affine in, int max_exact_shift,
                              UnaryPlan* plan) {
  HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
  HEDDLE_OP_RETURN_IF_ERROR(ExpectFixedQuantization(op, {1.0f / 32768, 0}));
  ref::FillSigmoidTable(&plan->sigmoid);
  if (ref::MakeSigmoidScale(in.scale, max_exact_shift, &plan->scale)) return HEDDLE_OK;
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, 0, "scale ",
                 in.scale, " of the input is too small or too large");
}

template <typename T, typename Function>
void FillTable(Affine in, Affine out, UnaryPlan* plan, const Function& function) {
  ref::FillTable8(in.scale, in.zero_point, out.scale, out.zero_point, function,
                  reinterpret_cast<T*>(plan->table8));
}

struct Logistic {
  static float Of(float x) { return 1.0f / (1.0f + std::exp(-x)); }

  template <typename T>
  static heddle_status Prepare(const OpContext& op, Affine in, Affine out, UnaryPlan* plan) {
    if constexpr (std::is_same_v<T, int16_t>) {
      return PrepareSmooth16<Logistic>(op, in, 0, plan);
    } else {
      HEDDLE_OP_RETURN_IF_ERROR(ExpectFixedQuantization(op, {1.0f / 256, out.zero_point}));
      FillTable<T>(in, out, plan, Of);
      return HEDDLE_OK;
    }
  }
  static int16_t Of16(const UnaryPlan& plan, int16_t x) {
    return ref::Sigmoid16(plan.sigmoid, plan.scale, x);
  }
};

struct Tanh {
  static float Of(float x) { return std::tanh(x); }

  template <typename T>
  static heddle_status Prepare(const OpContext& op, Affine in, Affine out, UnaryPlan* plan) {
    if constexpr (std::is_same_v<T, int16_t>) {
      return PrepareSmooth16<Tanh>(op, in, 1, plan);
    } else {
      FillTable<T>(in, out, plan, Of);
      return HEDDLE_OK;
    }
  }
  static int16_t Of16(const UnaryPlan& plan, int16_t x) {
    return ref::Tanh16(plan.sigmoid, plan.scale, x);
  }
};

template <typename Function>
struct Unary {
  using Plan = UnaryPlan;
  static constexpr heddle_in_place_pair kInPlace[] = {{0, 0}};

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    return op.SetOutput(0, op.input(0).dtype, op.input_dims(0));
  }

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput<float, int8_t, uint8_t, int16_t>(op, 0, fn);
  }

  static heddle_status Prepare(OpContext& op, Plan& plan) {
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, float>) {
        return HEDDLE_OK;
      } else {
        Affine in;
        Affine out;
        HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &in));
        HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &out));
        return Function::template Prepare<T>(op, in, out, &plan);
      }
    });
  }

  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* input = op.InputData<T>(0);
      T* output = op.OutputData<T>(0);
      const auto count = static_cast<int64_t>(op.input(0).bytes / sizeof(T));
      return op.ParallelFor(count, GrainFor(8), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          if constexpr (std::is_same_v<T, float>) {
            output[i] = Function::Of(input[i]);
          } else if constexpr (std::is_same_v<T, int16_t>) {
            output[i] = Function::Of16(plan, input[i]);
          } else {
            output[i] = static_cast<T>(plan.table8[static_cast<uint8_t>(input[i])]);
          }
        }
      });
    });
  }
};

}  // namespace

HEDDLE_OP(LOGISTIC, 1, 3, Unary<Logistic>);
HEDDLE_OP(RELU, 1, 3, Unary<Rectified<HEDDLE_ACTIVATION_RELU>>);
HEDDLE_OP(RELU6, 1, 3, Unary<Rectified<HEDDLE_ACTIVATION_RELU6>>);
HEDDLE_OP(TANH, 1, 3, Unary<Tanh>);

}  // namespace heddle::kernels
