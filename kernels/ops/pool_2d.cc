// SPDX-License-Identifier: Apache-2.0
// AVERAGE_POOL_2D and MAX_POOL_2D: float32, int8, uint8, int16. Integer pools keep the scale.
#include <cmath>

#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/ref/pool.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

template <typename Kind>
struct Pool2D {
  struct Node {
    WindowAttributes window;
    int32_t filter_h = 0;
    int32_t filter_w = 0;
    int32_t activation = HEDDLE_ACTIVATION_NONE;
  };
  struct Plan {
    ref::Window window;
    FloatRange real = {};
    IntegerRange integer;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_POOL_2D_PADDING, &node.window.padding));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_POOL_2D_STRIDE_H, &node.window.stride_h));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_POOL_2D_STRIDE_W, &node.window.stride_w));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_POOL_2D_FILTER_HEIGHT, &node.filter_h));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_POOL_2D_FILTER_WIDTH, &node.filter_w));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_POOL_2D_FUSED_ACTIVATION_FUNCTION, &node.activation));
    HEDDLE_OP_RETURN_IF_ERROR(CheckWindowAttributes(op, node.window));
    return CheckActivation(op, node.activation);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    ref::Window window;
    HEDDLE_OP_RETURN_IF_ERROR(MakeWindow(op, node.window, node.filter_h, node.filter_w, &window));
    const auto input = op.input_dims(0);
    const int32_t dims[] = {input[0], window.h.output, window.w.output, input[3]};
    return op.SetOutput(0, op.input(0).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(
        MakeWindow(op, node.window, node.filter_h, node.filter_w, &plan.window));
    plan.real = ActivationRange(node.activation);
    return DispatchInput<float, int8_t, uint8_t, int16_t>(op, 0, [&](auto tag) {
      if constexpr (std::is_same_v<typename decltype(tag)::type, float>) {
        return HEDDLE_OK;
      } else {
        return PrepareQuantized(op, node, plan);
      }
    });
  }

  static heddle_status PrepareQuantized(const OpContext& op, const Node& node, Plan& plan) {
    Affine output;
    HEDDLE_OP_RETURN_IF_ERROR(ExpectSameQuantization(op, &output));
    return QuantizedActivationRange(op, node.activation, output, &plan.integer);
  }

  static heddle_status Invoke(OpContext& op, const Node&, const Plan& plan) {
    const auto input = op.input_dims(0);
    const bool empty = plan.window.w.output == 0 || input[3] == 0;
    const int64_t rows = empty ? 0 : int64_t{input[0]} * plan.window.h.output;
    const int64_t grain =
        GrainFor({plan.window.w.output, input[3], plan.window.h.filter, plan.window.w.filter});
    return DispatchInput<float, int8_t, uint8_t, int16_t>(op, 0, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return op.ParallelFor(rows, grain, [&](int64_t begin, int64_t end) {
        ref::PoolLimit<T> min;
        ref::PoolLimit<T> max;
        if constexpr (std::is_same_v<T, float>) {
          min = plan.real.min;
          max = plan.real.max;
        } else {
          min = plan.integer.min;
          max = plan.integer.max;
        }
        ref::Pool<Kind>(plan.window, input[3], min, max, op.InputData<T>(0), op.OutputData<T>(0),
                        begin, end);
      });
    });
  }
};

}  // namespace

HEDDLE_OP(AVERAGE_POOL_2D, 1, 3, Pool2D<ref::AveragePool>);
HEDDLE_OP(MAX_POOL_2D, 1, 3, Pool2D<ref::MaxPool>);

}  // namespace heddle::kernels
