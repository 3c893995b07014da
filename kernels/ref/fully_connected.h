// SPDX-License-Identifier: Apache-2.0
// output[row, unit] = dot(input[row], filter[unit]) + bias[unit].
#pragma once

#include "kernels/ref/conv.h"

namespace heddle::kernels::ref {

inline void FullyConnected(int64_t depth, int64_t units, const FloatSum& params, const float* input,
                           const float* filter, const float* bias, float* output, int64_t begin,
                           int64_t end) {
  const FloatSteps steps{params, bias};
  MatrixProduct<float>(depth, units, input, filter, output, begin, end, steps, steps);
}

template <typename T, typename Filter, typename Bias>
void FullyConnected(int64_t depth, int64_t units, const QuantizedSum& params, const T* input,
                    const Filter* filter, const Bias* bias, T* output, int64_t begin, int64_t end) {
  const QuantizedSteps<T, Filter, Bias, /*kByFactor=*/true> steps{params, bias};
  MatrixProduct<Bias>(depth, units, input, filter, output, begin, end, steps, steps);
}

}  // namespace heddle::kernels::ref
