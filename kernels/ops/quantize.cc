// SPDX-License-Identifier: Apache-2.0
// QUANTIZE: float32 to int8, uint8 or int16, by one scale or one for each channel; and from one
// quantisation to another. Not yet: int4 (version 4).
#include "kernels/ref/quantize.h"

#include "kernels/channel_loop.h"
#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

struct Quantize {
  struct Plan {
    ChannelQuantization channels;  // of the output, for float input
    ref::Multiplier multiplier;    // for integer input
    int32_t input_zero_point = 0;
    int32_t output_zero_point = 0;
  };

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    return op.SetOutput(0, op.output(0).dtype, op.input_dims(0));
  }

  // Calls fn(tag of input, tag of output) for the pairs that exist.
  template <typename Fn>
  static bool Dispatch(heddle_dtype in, heddle_dtype out, const Fn& fn) {
    bool found = false;
    DispatchDtype<float, int8_t, uint8_t, int16_t, int32_t>(in, [&](auto in_tag) {
      using In = typename decltype(in_tag)::type;
      const auto call = [&](auto out_tag) { fn(in_tag, out_tag); };
      if constexpr (std::is_same_v<In, float>) {
        found = DispatchDtype<int8_t, uint8_t, int16_t>(out, call);
      } else if constexpr (std::is_same_v<In, int16_t>) {
        found = DispatchDtype<int8_t, int16_t, int32_t>(out, call);
      } else if constexpr (std::is_same_v<In, int32_t>) {
        found = DispatchDtype<int8_t, int16_t>(out, call);
      } else {
        found = DispatchDtype<int8_t, uint8_t>(out, call);
      }
    });
    return found;
  }

  static heddle_status Prepare(OpContext& op, Plan& plan) {
    const heddle_dtype in = op.input(0).dtype;
    const heddle_dtype out = op.output(0).dtype;
    if (!Dispatch(in, out, [](auto, auto) {})) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPE_NOT_SUPPORTED, OpContext::kOutput(0),
                     DtypeName(in), " to ", DtypeName(out), " is not supported");
    }
    if (in == HEDDLE_DTYPE_FLOAT32) {
      return GetChannelQuantization(op, OpContext::kOutput(0), &plan.channels);
    }
    Affine input;
    Affine output;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &input));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &output));
    if (in == HEDDLE_DTYPE_INT16 && out == HEDDLE_DTYPE_INT16) {
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, OpContext::kOutput(0), 0));
    }
    plan.input_zero_point = input.zero_point;
    plan.output_zero_point = output.zero_point;
    return MakeMultiplier(op, static_cast<double>(input.scale) / static_cast<double>(output.scale),
                          kMaxShift32, &plan.multiplier);
  }

  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    heddle_status status = HEDDLE_OK;
    Dispatch(op.input(0).dtype, op.output(0).dtype, [&](auto in_tag, auto out_tag) {
      using In = typename decltype(in_tag)::type;
      using Out = typename decltype(out_tag)::type;
      const In* input = op.InputData<In>(0);
      Out* output = op.OutputData<Out>(0);
      if constexpr (std::is_same_v<In, float>) {
        status = ForEachChannelRun(op, plan.channels, [=](int64_t i, int64_t n, Affine affine) {
          for (const int64_t end = i + n; i < end; ++i) {
            output[i] = ref::Quantize<Out>(input[i], affine.scale, affine.zero_point);
          }
        });
      } else {
        const auto count = static_cast<int64_t>(op.input(0).bytes / sizeof(In));
        status = op.ParallelFor(count, GrainFor(8), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            output[i] = ref::Requantize<Out>(input[i], plan.input_zero_point, plan.multiplier,
                                             plan.output_zero_point);
          }
        });
      }
    });
    return status;
  }
};

}  // namespace

HEDDLE_OP(QUANTIZE, 1, 3, Quantize);

}  // namespace heddle::kernels
