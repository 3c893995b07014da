// SPDX-License-Identifier: Apache-2.0
// What the ops that sum products share: types of data, filter and bias, the numbers of a quantised
// sum, and hybrid sums, whose float data is quantised when it comes because the filter is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/op_kernel.h"
#include "kernels/quantization.h"
#include "kernels/ref/sum.h"

namespace heddle::kernels {

enum class SumKind : uint8_t {
  kFloat,
  kHybrid,
  kUint8,
  kInt8,
  kInt16Bias32,  // int16 by int8, summed in 32 bits
  kInt16Bias64,  // int16 by int8, summed in 64 bits
};

using TypeSet = uint32_t;
constexpr TypeSet Types(std::initializer_list<heddle_dtype> dtypes) {
  TypeSet set = 0;
  for (const heddle_dtype dtype : dtypes) set |= TypeSet{1} << dtype;
  return set;
}

// Types that the filter may have beside those that every op has: FLOAT32 for FLOAT32, UINT8 for
// UINT8, INT8 for INT8 and INT16.
struct FilterTypes {
  TypeSet with_float = 0;
  TypeSet with_int8 = 0;
  TypeSet with_int16 = 0;
};

// Whether the rows of hybrid data get a zero point.
enum class HybridZeroPoint : uint8_t { kNever, kAlways, kIfScalesDiffer };

struct SumOperands {
  size_t data = 0;
  size_t filter = 1;
  size_t bias = 2;  // may be absent
};

struct SumAttributes {
  SumOperands operands;
  FilterTypes filters;
  HybridZeroPoint hybrid_zero_point = HybridZeroPoint::kAlways;
  int32_t activation = HEDDLE_ACTIVATION_NONE;
  int32_t bias_type = HEDDLE_DTYPE_FLOAT32;  // of an int16 op without bias; FLOAT32: not said
  int32_t filter_channel_dim = 0;
  bool rescale_by_factor = false;           // see ref::QuantizedSum
  bool scales_in_turn = false;              // see ref::HybridSum; where rows have a zero point
  bool filter_may_have_zero_point = false;  // int8: FULLY_CONNECTED only
  bool filter_may_have_blocks = false;      // hybrid INT4, [channels, depth]: FULLY_CONNECTED only
};

struct SumPlan {
  SumOperands operands;
  SumKind kind = SumKind::kFloat;
  ref::FloatSum real;
  ref::QuantizedSum quantized;
  std::vector<ref::Multiplier> multipliers;
  std::vector<double> factors;
  std::vector<int8_t> unpacked_filter;  // of a filter whose elements are smaller than a byte
  // Hybrid only: the data as `rows` rows of `row_size`.
  std::vector<float> filter_scales;
  int64_t block = 0;  // see ref::HybridSum
  bool asymmetric = false;
  bool scales_in_turn = false;
  int64_t rows = 0;
  int64_t row_size = 0;
  int32_t quantized_data = 0;     // scratch
  int32_t row_quantizations = 0;  // scratch
};

// Checks types, bias and quantisation of the operands for `channels` outputs. Hybrid data is
// quantised by `rows` equal parts. For prepare; `plan` must stay where it is.
heddle_status PrepareSum(const OpContext& op, const SumAttributes& attributes, int32_t channels,
                         int64_t rows, SumPlan* plan);

namespace internal {

// What a range of items of one row is computed with.
template <typename Params, typename In, typename Filter, typename Bias, typename Out>
struct SumCall {
  const Params& params;
  const In* input;
  const Filter* filter;
  const Bias* bias;
  Out* output;
};

template <typename In, typename Filter, typename Bias, typename Out, typename Params>
SumCall<Params, In, Filter, Bias, Out> MakeSumCall(const OpContext& op, const SumPlan& plan,
                                                   const Params& params, const void* filter,
                                                   void* output) {
  return {params, op.InputData<In>(plan.operands.data), static_cast<const Filter*>(filter),
          op.InputData<Bias>(plan.operands.bias), static_cast<Out*>(output)};
}

heddle_status QuantizeRows(const OpContext& op, const SumPlan& plan);

}  // namespace internal

// Computes `items` outputs, `items_per_row` for each row of hybrid data, in parallel: calls
// fn(params, input, filter, bias, output, begin, end) with the types of the plan.
template <typename Fn>
heddle_status RunSum(const OpContext& op, const SumPlan& plan, int64_t items, int64_t items_per_row,
                     int64_t grain, void* output, const Fn& fn) {
  if (plan.kind == SumKind::kHybrid) HEDDLE_OP_RETURN_IF_ERROR(internal::QuantizeRows(op, plan));
  const void* const filter = plan.unpacked_filter.empty() ? op.input(plan.operands.filter).data
                                                          : plan.unpacked_filter.data();
  const auto run = [&](const auto& call) {
    return op.ParallelFor(items, grain, [&](int64_t begin, int64_t end) {
      fn(call.params, call.input, call.filter, call.bias, call.output, begin, end);
    });
  };
  switch (plan.kind) {
    case SumKind::kFloat:
      return run(
          internal::MakeSumCall<float, float, float, float>(op, plan, plan.real, filter, output));
    case SumKind::kUint8:
      return run(internal::MakeSumCall<uint8_t, uint8_t, int32_t, uint8_t>(op, plan, plan.quantized,
                                                                           filter, output));
    case SumKind::kInt8:
      return run(internal::MakeSumCall<int8_t, int8_t, int32_t, int8_t>(op, plan, plan.quantized,
                                                                        filter, output));
    case SumKind::kInt16Bias32:
      return run(internal::MakeSumCall<int16_t, int8_t, int32_t, int16_t>(op, plan, plan.quantized,
                                                                          filter, output));
    case SumKind::kInt16Bias64:
      return run(internal::MakeSumCall<int16_t, int8_t, int64_t, int16_t>(op, plan, plan.quantized,
                                                                          filter, output));
    case SumKind::kHybrid:
      break;
  }
  const auto* const data = op.Scratch<int8_t>(plan.quantized_data);
  const auto* const rows = op.Scratch<ref::RowQuantization>(plan.row_quantizations);
  return op.ParallelFor(items, grain, [&](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t row = begin / items_per_row;
      const int64_t stop = std::min(end, (row + 1) * items_per_row);
      const ref::HybridSum params = {plan.real,
                                     rows[row],
                                     plan.filter_scales.data(),
                                     plan.filter_scales.size() > 1 ? 1 : 0,
                                     plan.block,
                                     plan.scales_in_turn};
      fn(params, data, static_cast<const int8_t*>(filter), op.InputData<float>(plan.operands.bias),
         static_cast<float*>(output), begin, stop);
      begin = stop;
    }
  });
}

}  // namespace heddle::kernels
