// SPDX-License-Identifier: Apache-2.0
// Means over some dimensions. `kept` walks over the outputs, `reduced` over the elements of one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/ref/fixed_point.h"
#include "kernels/ref/strided.h"

namespace heddle::kernels::ref {

// Outputs [begin, end). The mean of nothing is NaN, or 0 for integers.
template <typename T>
void Mean(const Strided& kept, const Strided& reduced, const T* input, T* output, int64_t begin,
          int64_t end) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
  for (int64_t i = begin; i < end; ++i) {
    const int64_t base = kept.Offset(i);
    Sum sum = 0;
    ForEachElement(reduced, [&](int64_t offset) {
      if constexpr (std::is_floating_point_v<T>) {
        sum += input[base + offset];
      } else {
        sum = WrappingAdd(sum, Sum{input[base + offset]});
      }
    });
    if (reduced.count == 0) {
      output[i] = std::numeric_limits<T>::quiet_NaN();
    } else {
      output[i] = static_cast<T>(sum / static_cast<Sum>(reduced.count));
    }
  }
}

struct QuantizedMean {
  int32_t input_zero_point = 0;
  int32_t output_zero_point = 0;
  Multiplier multiplier;  // of a sum, with the division in it
};

// The multiplier of a ratio of scales, divided by a count: as many bits as fit are kept.
inline Multiplier DivideMultiplier(Multiplier ratio, int64_t count) {
  const int log2 = 63 - __builtin_clzll(static_cast<uint64_t>(count));
  const int shift = std::min({log2, 32, 31 + ratio.shift});
  return {static_cast<int32_t>((int64_t{ratio.value} << shift) / count), ratio.shift - shift};
}

template <typename T>
void Mean(const Strided& kept, const Strided& reduced, const QuantizedMean& params, const T* input,
          T* output, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t base = kept.Offset(i);
    int32_t sum = 0;
    ForEachElement(reduced,
                   [&](int64_t offset) { sum = WrappingAdd(sum, int32_t{input[base + offset]}); });
    if (reduced.count == 0) {
      output[i] = 0;
      continue;
    }
    const auto zero = static_cast<int32_t>(static_cast<uint32_t>(params.input_zero_point) *
                                           static_cast<uint32_t>(reduced.count));
    output[i] = OffsetAndClamp<T>(
        Rescale(WrappingAdd(sum, WrappingNegate(zero)), params.multiplier),
        params.output_zero_point, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  }
}

}  // namespace heddle::kernels::ref
