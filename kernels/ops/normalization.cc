// SPDX-License-Identifier: Apache-2.0
// L2_NORMALIZATION over the last dimension: float32, int8, uint8. LOCAL_RESPONSE_NORMALIZATION of
// an image's channels: float32. LOG_SOFTMAX over the last dimension: float32, int8, uint8.
#include "kernels/ref/normalization.h"

#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/ref/log_softmax.h"
#include "kernels/rows.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

// Each function: the types, the least and greatest rank, Init, Prepare of quantised numbers, and
// Run of one row.
template <typename Function>
struct RowOp {
  using Node = Function;
  struct Plan {
    Rows rows;
    typename Function::Quantized quantized;
  };

  static heddle_status Init(OpContext& op, Node& node) { return node.Init(op); }

  static heddle_status Infer(OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, Function::kMinRank, Function::kMaxRank));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    return op.SetOutput(0, op.input(0).dtype, op.input_dims(0));
  }

  static heddle_status Prepare(OpContext& op, const Node&, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(MakeRows(op, &plan.rows));
    return DispatchInput(typename Function::Types(), op, 0, [&](auto tag) {
      return PrepareAs<typename decltype(tag)::type>(op, &plan.quantized);
    });
  }
  template <typename T>
  static heddle_status PrepareAs(const OpContext& op, typename Function::Quantized* quantized) {
    if constexpr (std::is_integral_v<T>) {
      Affine in;
      HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &in));
      return Function::template Prepare<T>(op, in, quantized);
    } else {
      return HEDDLE_OK;
    }
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    return DispatchInput(typename Function::Types(), op, 0, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const int64_t depth = plan.rows.depth;
      const T* const input = op.InputData<T>(0);
      T* const output = op.OutputData<T>(0);
      return op.ParallelFor(
          plan.rows.count, GrainFor({depth, 16}), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
              node.Run(plan.quantized, input + row * depth, output + row * depth, depth);
            }
          });
    });
  }
};

struct L2Normalization {
  using Types = TypeList<float, int8_t, uint8_t>;
  static constexpr int32_t kMinRank = 1;
  static constexpr int32_t kMaxRank = INT32_MAX;
  using Quantized = Affine;

  static heddle_status Init(const OpContext& op) {
    int32_t activation = HEDDLE_ACTIVATION_NONE;
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_L2NORM_FUSED_ACTIVATION_FUNCTION, &activation));
    if (activation == HEDDLE_ACTIVATION_NONE) return HEDDLE_OK;
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_ATTRIBUTE_NOT_SUPPORTED, HEDDLE_NO_OPERAND,
                   "fused activation ", activation, " is not supported, wanted is none");
  }
  template <typename T>
  static heddle_status Prepare(const OpContext& op, Affine in, Affine* affine) {
    *affine = in;
    return ExpectFixedQuantization(op, {1.0f / 128, std::numeric_limits<T>::min() + 128});
  }
  static void Run(const Affine&, const float* input, float* output, int64_t depth) {
    ref::L2Normalize(input, output, depth);
  }
  template <typename T>
  static void Run(const Affine& in, const T* input, T* output, int64_t depth) {
    ref::L2Normalize(in.zero_point, input, output, depth);
  }
};

struct LogSoftmax {
  using Types = TypeList<float, int8_t, uint8_t>;
  static constexpr int32_t kMinRank = 1;
  static constexpr int32_t kMaxRank = INT32_MAX;
  using Quantized = ref::QuantizedLogSoftmax;

  static heddle_status Init(const OpContext&) { return HEDDLE_OK; }
  template <typename T>
  static heddle_status Prepare(const OpContext& op, Affine in, Quantized* quantized) {
    HEDDLE_OP_RETURN_IF_ERROR(
        ExpectFixedQuantization(op, {16.0f / 256, std::numeric_limits<T>::max()}));
    const auto scale = static_cast<double>(in.scale);
    if (scale * (1 << 26) <= 1) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, 0, "scale ",
                     in.scale, " is too small, wanted is more than 2^-26");
    }
    quantized->softmax = ref::MakeSoftmaxParams8(scale);
    const ref::Multiplier& forward = quantized->softmax.multiplier;
    return MakeMultiplier(op, std::ldexp(1.0, 31 - forward.shift) / forward.value, 1,
                          &quantized->reverse);
  }
  static void Run(const Quantized&, const float* input, float* output, int64_t depth) {
    ref::LogSoftmax(input, output, depth);
  }
  template <typename T>
  static void Run(const Quantized& quantized, const T* input, T* output, int64_t depth) {
    ref::LogSoftmax(quantized, input, output, depth);
  }
};

struct LocalResponseNormalization {
  using Types = TypeList<float>;
  static constexpr int32_t kMinRank = 4;
  static constexpr int32_t kMaxRank = 4;
  struct Quantized {};
  ref::LocalResponse params;

  heddle_status Init(const OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_LOCAL_RESPONSE_NORMALIZATION_RADIUS, &params.radius));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_LOCAL_RESPONSE_NORMALIZATION_BIAS, &params.bias));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_LOCAL_RESPONSE_NORMALIZATION_ALPHA, &params.alpha));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_LOCAL_RESPONSE_NORMALIZATION_BETA, &params.beta));
    if (params.radius >= 0) return HEDDLE_OK;
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                   "radius ", params.radius, " is negative");
  }
  void Run(const Quantized&, const float* input, float* output, int64_t depth) const {
    ref::NormalizeLocalResponse(params, input, output, depth);
  }
};

}  // namespace

HEDDLE_OP(L2_NORMALIZATION, 1, 2, RowOp<L2Normalization>);
HEDDLE_OP(LOCAL_RESPONSE_NORMALIZATION, 1, 1, RowOp<LocalResponseNormalization>);
HEDDLE_OP(LOG_SOFTMAX, 1, 2, RowOp<LogSoftmax>);

}  // namespace heddle::kernels
