// SPDX-License-Identifier: Apache-2.0
// output[row, unit] = dot(input[row], filter[unit]) + bias[unit].
#pragma once

#include "kernels/ref/conv.h"

namespace heddle::kernels::ref {

inline void FullyConnected(int64_t depth, int64_t units, const FloatSum& params, const float* input,
                           const float* filter, const float* bias, float* output, int64_t begin,
                           int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t unit = i % units;
    const float sum = Dot(0.0f, input + i / units * depth, filter + unit * depth, depth);
    output[i] = params.Finish(sum + (bias != nullptr ? bias[unit] : 0.0f));
  }
}

template <typename T, typename Filter, typename Bias>
void FullyConnected(int64_t depth, int64_t units, const QuantizedSum& params, const T* input,
                    const Filter* filter, const Bias* bias, T* output, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t unit = i % units;
    Bias sum = Dot(Bias{0}, input + i / units * depth, params.input_zero_point,
                   filter + unit * depth, params.filter_zero_point, depth);
    if (bias != nullptr) sum = WrappingAdd(sum, bias[unit]);
    output[i] = params.FinishByFactor<T>(sum, unit);
  }
}

}  // namespace heddle::kernels::ref
