// SPDX-License-Identifier: Apache-2.0
// SOFTMAX over the last dimension: float32, int8, uint8, int16.
#include "kernels/ref/softmax.h"

#include <cmath>

#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

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
    int64_t rows = 0;
    int64_t depth = 0;
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
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    return op.SetOutput(0, op.input(0).dtype, op.input_dims(0));
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    const auto dims = op.input_dims(0);
    plan.depth = dims.back();
    if (!ElementCount(dims.first(dims.size() - 1), &plan.rows)) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, 0, "shape ", ShapeText(dims),
                     " is too large");
    }
    if (plan.depth == 0) plan.rows = 0;
    switch (op.input(0).dtype) {
      case HEDDLE_DTYPE_FLOAT32:
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
    HEDDLE_OP_RETURN_IF_ERROR(ExpectFixedQuantization(op, {1.0f / 256, zero_point}));
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
    const int64_t depth = plan.depth;
    const auto run = [&](auto tag, const auto& softmax) {
      using T = typename decltype(tag)::type;
      const T* input = op.InputData<T>(0);
      T* output = op.OutputData<T>(0);
      return op.ParallelFor(plan.rows, GrainFor(depth * 16), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          softmax(input + row * depth, output + row * depth);
        }
      });
    };
    return DispatchInput<float, int8_t, uint8_t, int16_t>(op, 0, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return run(tag, [&](const T* input, T* output) {
        if constexpr (std::is_same_v<T, float>) {
          ref::Softmax(node.beta, input, output, depth);
        } else if constexpr (std::is_same_v<T, int16_t>) {
          ref::Softmax(plan.multiplier16, *plan.tables16, input, output, depth);
        } else {
          ref::Softmax(plan.params8, input, output, depth);
        }
      });
    });
  }
};

}  // namespace

HEDDLE_OP(SOFTMAX, 1, 3, Softmax);

}  // namespace heddle::kernels
