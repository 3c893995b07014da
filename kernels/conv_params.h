// SPDX-License-Identifier: Apache-2.0
// What CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED share: types of input, filter and bias, and
// the numbers of a quantised sum.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/op_kernel.h"
#include "kernels/quantization.h"
#include "kernels/ref/conv.h"

namespace heddle::kernels {

enum class SumKind : uint8_t {
  kFloat,
  kUint8,
  kInt8,
  kInt16Bias32,  // int16 by int8, summed in 32 bits
  kInt16Bias64,  // int16 by int8, summed in 64 bits
};

struct SumPlan {
  SumKind kind = SumKind::kFloat;
  ref::FloatSum real;
  ref::QuantizedSum quantized;
  std::vector<ref::Multiplier> multipliers;
  std::vector<double> factors;
};

struct SumAttributes {
  int32_t activation = HEDDLE_ACTIVATION_NONE;
  int32_t bias_type = HEDDLE_DTYPE_FLOAT32;  // of an int16 op without bias; FLOAT32: not said
  int32_t filter_channel_dim = 0;
  bool rescale_by_factor = false;           // see ref::QuantizedSum
  bool filter_may_have_zero_point = false;  // int8: FULLY_CONNECTED only
};

// Checks types, bias and quantisation of inputs 0 (data), 1 (filter) and 2 (bias, may be absent)
// for `channels` outputs. For prepare; `plan` must stay where it is.
heddle_status PrepareSum(const OpContext& op, const SumAttributes& attributes, int32_t channels,
                         SumPlan* plan);

// Calls fn(params, input, filter, bias, output) with the types of the plan.
template <typename Fn>
void RunSum(const OpContext& op, const SumPlan& plan, const Fn& fn) {
  switch (plan.kind) {
    case SumKind::kFloat:
      return fn(plan.real, op.InputData<float>(0), op.InputData<float>(1), op.InputData<float>(2),
                op.OutputData<float>(0));
    case SumKind::kUint8:
      return fn(plan.quantized, op.InputData<uint8_t>(0), op.InputData<uint8_t>(1),
                op.InputData<int32_t>(2), op.OutputData<uint8_t>(0));
    case SumKind::kInt8:
      return fn(plan.quantized, op.InputData<int8_t>(0), op.InputData<int8_t>(1),
                op.InputData<int32_t>(2), op.OutputData<int8_t>(0));
    case SumKind::kInt16Bias32:
      return fn(plan.quantized, op.InputData<int16_t>(0), op.InputData<int8_t>(1),
                op.InputData<int32_t>(2), op.OutputData<int16_t>(0));
    case SumKind::kInt16Bias64:
      return fn(plan.quantized, op.InputData<int16_t>(0), op.InputData<int8_t>(1),
                op.InputData<int64_t>(2), op.OutputData<int16_t>(0));
  }
}

}  // namespace heddle::kernels
