// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ref/sum.h"

namespace heddle::kernels::ref {

// output[row, unit] = dot(input[row], filter[unit]) + bias[unit], for elements [begin, end) of
// rows * units; input [rows, depth], filter [units, depth].
template <typename Params, typename In, typename Filter, typename Bias, typename Out>
void FullyConnected(int64_t depth, int64_t units, const Params& params, const In* input,
                    const Filter* filter, const Bias* bias, Out* output, int64_t begin,
                    int64_t end) {
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
