// SPDX-License-Identifier: Apache-2.0
// SOFTMAX over the last dimension: float32, float16, int8, uint8, int16, and 8 bits to int16.
#include "kernels/ref/softmax.h"

#include <cmath>

#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/ref/half.h"
#include "kernels/rows.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

struct Softmax {
  struct Node {
    float beta = 1;
  };
  struct Plan {
    ref::SoftmaxParams8 params8 = {};
    ref::Multiplier multiplier16;
    std::unique_ptr<ref::SoftmaxTables16> tables16;
    Rows rows;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_SOFTMAX_BETA, &node.beta));
    if (std::isfinite(node.beta)) return HEDDLE_OK;
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                   "beta is ", node.beta);
  }

  static heddle_status Infer(OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 1, INT32_MAX));
    const heddle_dtype dtype = op.input(0).dtype;
    if (IsOneOf<int8_t, uint8_t>(dtype) && op.output(0).dtype == HEDDLE_DTYPE_INT16) {
      return op.SetOutput(0, HEDDLE_DTYPE_INT16, op.input_dims(0));
    }
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    return op.SetOutput(0, dtype, op.input_dims(0));
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(MakeRows(op, &plan.rows));
    switch (op.input(0).dtype) {
      case HEDDLE_DTYPE_FLOAT32:
      case HEDDLE_DTYPE_FLOAT16:
        return HEDDLE_OK;
      case HEDDLE_DTYPE_INT8:
        return Prepare8(op, node, -128, &plan);
      case HEDDLE_DTYPE_UINT8:
        return Prepare8(op, node, 0, &plan);
      case HEDDLE_DTYPE_INT16:
        return Prepare16(op, node, &plan);
      default:
        return op.UnsupportedType(0);
    }
  }

  static heddle_status Prepare8(const OpContext& op, const Node& node, int32_t zero_point,
                                Plan* plan) {
    Affine input;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &input));
    const bool to_int16 = op.output(0).dtype == HEDDLE_DTYPE_INT16;
    HEDDLE_OP_RETURN_IF_ERROR(ExpectFixedQuantization(
        op, to_int16 ? Affine{1.0f / 65536, -32768} : Affine{1.0f / 256, zero_point}));
    const double factor = static_cast<double>(node.beta) * static_cast<double>(input.scale);
    if (factor * (1 << 26) < 1) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, 0,
                     "beta times the scale is ", factor, ", wanted is at least 2^-26");
    }
    plan->params8 = ref::MakeSoftmaxParams8(factor);
    return HEDDLE_OK;
  }

  static heddle_status Prepare16(const OpContext& op, const Node& node, Plan* plan) {
    Affine input;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &input));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectFixedQuantization(op, {1.0f / 32768, 0}));
    // The product is one of floats in the models' definition.
    const double factor = static_cast<double>(input.scale * node.beta) / (10.0 / 65535.0);
    HEDDLE_OP_RETURN_IF_ERROR(MakeMultiplier(op, factor, kMaxShift32, &plan->multiplier16));
    plan->tables16 = std::make_unique<ref::SoftmaxTables16>();
    ref::FillSoftmaxTables16(plan->tables16.get());
    return HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    const int64_t depth = plan.rows.depth;
    const auto run = [&](auto in, auto out, const auto& softmax) {
      using In = typename decltype(in)::type;
      using Out = typename decltype(out)::type;
      const In* const input = op.InputData<In>(0);
      Out* const output = op.OutputData<Out>(0);
      return op.ParallelFor(plan.rows.count, GrainFor({depth, 16}),
                            [&](int64_t begin, int64_t end) {
                              for (int64_t row = begin; row < end; ++row) {
                                softmax(input + row * depth, output + row * depth);
                              }
                            });
    };
    return DispatchInput<float, ref::Half, int8_t, uint8_t, int16_t>(op, 0, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto quantized8 = [&](const auto* input, auto* output) {
        ref::Softmax(plan.params8, input, output, depth);
      };
      if constexpr (std::is_same_v<T, int16_t>) {
        return run(tag, tag, [&](const T* input, T* output) {
          ref::Softmax(plan.multiplier16, *plan.tables16, input, output, depth);
        });
      } else if constexpr (!std::is_integral_v<T>) {
        return run(tag, tag, [&](const T* input, T* output) {
          ref::Softmax(node.beta, input, output, depth);
        });
      } else if (op.output(0).dtype == HEDDLE_DTYPE_INT16) {
        return run(tag, TypeTag<int16_t>(), quantized8);
      } else {
        return run(tag, tag, quantized8);
      }
    });
  }
};

}  // namespace

HEDDLE_OP(SOFTMAX, 1, 4, Softmax);

}  // namespace heddle::kernels
