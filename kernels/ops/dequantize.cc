// SPDX-License-Identifier: Apache-2.0
// DEQUANTIZE: int8, uint8 or int16 to float32, by one scale or one for each channel; float16 to
// float32. Not yet: int4 and int2 (versions 6, 7).
#include "kernels/channel_loop.h"
#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/ref/half.h"
#include "kernels/ref/quantize.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

struct Dequantize {
  struct Plan {
    ChannelQuantization channels;
  };

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, HEDDLE_DTYPE_FLOAT32));
    return op.SetOutput(0, HEDDLE_DTYPE_FLOAT32, op.input_dims(0));
  }

  static heddle_status Prepare(OpContext& op, Plan& plan) {
    if (op.input(0).dtype == HEDDLE_DTYPE_FLOAT16) return HEDDLE_OK;
    return DispatchInput<int8_t, uint8_t, int16_t>(
        op, 0, [&](auto) { return GetChannelQuantization(op, 0, &plan.channels); });
  }

  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    float* output = op.OutputData<float>(0);
    if (op.input(0).dtype == HEDDLE_DTYPE_FLOAT16) {
      const auto* input = op.InputData<uint16_t>(0);
      const auto count = static_cast<int64_t>(op.input(0).bytes / sizeof(uint16_t));
      return op.ParallelFor(count, GrainFor(2), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) output[i] = ref::HalfToFloat(input[i]);
      });
    }
    return DispatchInput<int8_t, uint8_t, int16_t>(op, 0, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* input = op.InputData<T>(0);
      return ForEachChannelRun(op, plan.channels, [=](int64_t i, int64_t n, Affine affine) {
        for (const int64_t end = i + n; i < end; ++i) {
          output[i] = ref::Dequantize(input[i], affine.scale, affine.zero_point);
        }
      });
    });
  }
};

}  // namespace

HEDDLE_OP(DEQUANTIZE, 1, 5, Dequantize);

}  // namespace heddle::kernels
