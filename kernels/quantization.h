// SPDX-License-Identifier: Apache-2.0
// A tensor's quantisation and attributes of fused activations, checked and turned into the numbers
// that integer kernels use. Everything here runs in prepare.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/op_kernel.h"
#include "kernels/ref/fixed_point.h"

namespace heddle::kernels {

// real = scale * (quantised - zero_point)
struct Affine {
  float scale = 1;
  int32_t zero_point = 0;
};

// `operand` as in OpContext::Fail: an input's position or kOutput(i).
const heddle_tensor& OperandTensor(const OpContext& op, int32_t operand);

// "input 1" or "output 0", for messages.
std::string OperandName(int32_t operand);

bool IsQuantized(const heddle_tensor& tensor);

// The only scale of the operand: finite and positive, its zero point within the type.
heddle_status GetAffine(const OpContext& op, int32_t operand, Affine* affine);

// One scale, or one for each of `channels` along dimension `channel_dim`; all finite and positive.
// `zero_point` null: zero points must be 0. Otherwise it receives the one zero point, which only a
// tensor with one scale may have.
heddle_status GetChannelScales(const OpContext& op, int32_t operand, int32_t channel_dim,
                               int32_t channels, std::vector<float>* scales, int32_t* zero_point);

// Scale and zero point for each of `channels` along the quantised dimension.
heddle_status GetAffines(const OpContext& op, int32_t operand, int32_t channels,
                         std::vector<Affine>* affines);

heddle_status ExpectZeroPoint(const OpContext& op, int32_t operand, int32_t zero_point);
// The op only moves or selects values: input 0 and output 0 must mean the same numbers.
heddle_status ExpectSameQuantization(const OpContext& op, Affine* affine);
// The op treats integers as they are: all operands must mean the same numbers, or have no
// quantisation.
heddle_status ExpectAllSameQuantization(const OpContext& op);
heddle_status ExpectNoQuantization(const OpContext& op);
// Output 0 must have this quantisation, as ops whose results lie in a known range want it.
heddle_status ExpectFixedQuantization(const OpContext& op, Affine wanted);

// Refuses ratios of scales that have no multiplier. `max_shift`: 30 for 32-bit sums, 14 for 64-bit.
heddle_status MakeMultiplier(const OpContext& op, double real, int max_shift,
                             ref::Multiplier* multiplier);
constexpr int kMaxShift32 = 30;
constexpr int kMaxShift64 = 14;

// Least and greatest value of an integer type that kernels clamp to.
struct IntegerRange {
  int32_t min = 0;
  int32_t max = 0;
};
IntegerRange RangeOf(heddle_dtype dtype);

// Fused activations. Init: refuse those that no kernel fuses.
heddle_status CheckActivation(const OpContext& op, int32_t activation);
struct FloatRange {
  float min;
  float max;
};
FloatRange ActivationRange(int32_t activation);
// A range of reals in the quantised numbers of output 0, within its type's.
IntegerRange QuantizedRange(const OpContext& op, FloatRange real, Affine output);
heddle_status QuantizedActivationRange(const OpContext& op, int32_t activation, Affine output,
                                       IntegerRange* range);
// For integers that are not quantised.
template <typename T>
void IntegerActivationRange(int32_t activation, T* min, T* max) {
  const FloatRange range = ActivationRange(activation);
  *min = range.min < -1 || (range.min < 0 && std::is_unsigned_v<T>)
             ? std::numeric_limits<T>::lowest()
             : static_cast<T>(range.min);
  *max = range.max > 6 ? std::numeric_limits<T>::max() : static_cast<T>(range.max);
}

}  // namespace heddle::kernels
