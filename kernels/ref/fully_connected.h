// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "kernels/ref/sum.h"

namespace heddle::kernels::ref {

// A hybrid product whose filter has a scale for each block of a row.
inline void BlockwiseFullyConnected(int64_t depth, int64_t units, const HybridSum& params,
                                    const int8_t* input, const int8_t* filter, const float* bias,
                                    float* output, int64_t begin, int64_t end) {
  const HybridSteps steps{params, nullptr};
  const int64_t blocks = depth / params.block;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t unit = i % units;
    const int8_t* const a = input + i / units * depth;
    const int8_t* const b = filter + unit * depth;
    float sum = 0;
    for (int64_t block = 0; block < blocks; ++block) {
      const int64_t first = block * params.block;
      int32_t products = 0;
      AddProducts<1>(&products, a + first, b + first, 0, params.block, steps);
      sum += static_cast<float>(products) * params.filter_scales[unit * blocks + block];
    }
    sum *= params.row.scale;
    output[i] = params.real.Finish(bias != nullptr ? sum + bias[unit] : sum);
  }
}

// output[row, unit] = dot(input[row], filter[unit]) + bias[unit], for elements [begin, end) of
// rows * units; input [rows, depth], filter [units, depth].
template <typename Params, typename In, typename Filter, typename Bias, typename Out>
void FullyConnected(int64_t depth, int64_t units, const Params& params, const In* input,
                    const Filter* filter, const Bias* bias, Out* output, int64_t begin,
                    int64_t end) {
  if constexpr (std::is_same_v<Params, HybridSum>) {
    if (params.block != 0) {
      BlockwiseFullyConnected(depth, units, params, input, filter, bias, output, begin, end);
      return;
    }
  }
  const auto steps = StepsOf<In, Filter>(params, bias);
  for (int64_t i = begin, count = 0; i < end; i += count) {
    const int64_t unit = i % units;
    count = std::min({int64_t{kSumBlock}, units - unit, end - i});
    typename decltype(steps)::Sum sums[kSumBlock] = {};
    AddProducts(count, sums, input + i / units * depth, filter + unit * depth, depth, depth, steps);
    for (int64_t c = 0; c < count; ++c) output[i + c] = steps(sums[c], unit + c);
  }
}

}  // namespace heddle::kernels::ref
