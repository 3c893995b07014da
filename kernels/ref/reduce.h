// SPDX-License-Identifier: Apache-2.0
// Sums, products, extremes and means over some dimensions. `kept` walks over the outputs, `reduced`
// over the elements of one; outputs [begin, end) are computed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "kernels/ref/bool.h"
#include "kernels/ref/fixed_point.h"
#include "kernels/ref/strided.h"

namespace heddle::kernels::ref {

// A reduction has a value to start from and how an element joins.
struct SumOf {
  template <typename T>
  static T Start() {
    return T(0);
  }
  template <typename T>
  static T Join(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return WrappingAdd(a, b);
    } else if constexpr (std::is_same_v<T, Bool>) {
      return Bool(a || b);
    } else {
      return a + b;
    }
  }
};
struct ProductOf {
  template <typename T>
  static T Start() {
    return T(1);
  }
  template <typename T>
  static T Join(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      return WrappingMul(a, b);
    } else if constexpr (std::is_same_v<T, Bool>) {
      return Bool(a && b);
    } else {
      return a * b;
    }
  }
};
struct MaximumOf {
  template <typename T>
  static T Start() {
    if constexpr (std::is_floating_point_v<T>) {
      return -std::numeric_limits<T>::infinity();
    } else if constexpr (std::is_same_v<T, Bool>) {
      return Bool(false);
    } else {
      return std::numeric_limits<T>::lowest();
    }
  }
  template <typename T>
  static T Join(T a, T b) {
    return b > a ? b : a;
  }
};
struct MinimumOf {
  template <typename T>
  static T Start() {
    if constexpr (std::is_floating_point_v<T>) {
      return std::numeric_limits<T>::infinity();
    } else if constexpr (std::is_same_v<T, Bool>) {
      return Bool(true);
    } else {
      return std::numeric_limits<T>::max();
    }
  }
  template <typename T>
  static T Join(T a, T b) {
    return b < a ? b : a;
  }
};

template <typename Reduction, typename T>
void Reduce(const Strided& kept, const Strided& reduced, const T* input, T* output, int64_t begin,
            int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const T* const base = input + kept.Offset(i);
    T value = Reduction::template Start<T>();
    ForEachElement(reduced,
                   [&](int64_t offset) { value = Reduction::Join(value, T(base[offset])); });
    // The extreme of nothing is defined as a number, not infinity.
    if constexpr (std::is_floating_point_v<T>) {
      constexpr T kMax = std::numeric_limits<T>::max();
      if (reduced.count == 0) value = std::clamp(value, -kMax, kMax);
    }
    output[i] = value;
  }
}

// The mean of nothing is NaN, or 0 for integers.
template <typename T>
void Mean(const Strided& kept, const Strided& reduced, const T* input, T* output, int64_t begin,
          int64_t end) {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, T, int64_t>;
  for (int64_t i = begin; i < end; ++i) {
    const T* const base = input + kept.Offset(i);
    Sum sum = 0;
    ForEachElement(reduced, [&](int64_t offset) { sum = SumOf::Join(sum, Sum{base[offset]}); });
    if (reduced.count == 0) {
      output[i] = std::numeric_limits<T>::quiet_NaN();
    } else {
      output[i] = static_cast<T>(sum / static_cast<Sum>(reduced.count));
    }
  }
}

struct QuantizedReduction {
  int32_t input_zero_point = 0;
  int32_t output_zero_point = 0;
  // Of a sum, with a mean's division in it; or of each step of a product.
  Multiplier multiplier;
  int32_t one = 0;  // among the outputs' numbers: the product of nothing
};

// The multiplier of a ratio of scales, divided by a count: as many bits as fit are kept.
inline Multiplier DivideMultiplier(Multiplier ratio, int64_t count) {
  const int log2 = 63 - __builtin_clzll(static_cast<uint64_t>(count));
  const int shift = std::min({log2, 32, 31 + ratio.shift});
  return {static_cast<int32_t>((int64_t{ratio.value} << shift) / count), ratio.shift - shift};
}

// The sum of nothing has the raw value 0.
template <typename T>
void QuantizedSum(const Strided& kept, const Strided& reduced, const QuantizedReduction& params,
                  const T* input, T* output, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const T* const base = input + kept.Offset(i);
    int32_t sum = 0;
    ForEachElement(reduced, [&](int64_t offset) { sum = WrappingAdd(sum, int32_t{base[offset]}); });
    if (reduced.count == 0) {
      output[i] = 0;
      continue;
    }
    const int32_t zero = WrappingMul(params.input_zero_point, static_cast<int32_t>(reduced.count));
    output[i] = OffsetAndClamp<T>(
        Rescale(WrappingAdd(sum, WrappingNegate(zero)), params.multiplier),
        params.output_zero_point, std::numeric_limits<T>::min(), std::numeric_limits<T>::max());
  }
}

// Every factor is scaled, so that the product stays small.
template <typename T>
void QuantizedProduct(const Strided& kept, const Strided& reduced, const QuantizedReduction& params,
                      const T* input, T* output, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const T* const base = input + kept.Offset(i);
    int32_t product = 0;
    bool first = true;
    ForEachElement(reduced, [&](int64_t offset) {
      const int32_t value = int32_t{base[offset]} - params.input_zero_point;
      product = first ? value : Rescale(int64_t{product} * value, params.multiplier);
      first = false;
    });
    output[i] = first ? static_cast<T>(params.one)
                      : OffsetAndClamp<T>(Rescale(int64_t{product}, params.multiplier),
                                          params.output_zero_point, std::numeric_limits<T>::min(),
                                          std::numeric_limits<T>::max());
  }
}

}  // namespace heddle::kernels::ref
