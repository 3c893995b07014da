// SPDX-License-Identifier: Apache-2.0
// Sums of products: what convolutions and matrix products share.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/ref/fixed_point.h"
#include "kernels/ref/hybrid.h"

namespace heddle::kernels::ref {

// Parameters of an integer convolution or matrix product.
struct QuantizedSum {
  int32_t input_zero_point = 0;
  int32_t filter_zero_point = 0;
  int32_t output_zero_point = 0;
  int32_t min = 0;
  int32_t max = 0;
  // One, or one for each output channel: convolutions rescale in fixed point, matrix products in
  // double precision.
  const Multiplier* multipliers = nullptr;
  const double* factors = nullptr;
  int64_t channel_step = 0;  // 0 or 1

  template <typename T, typename Sum>
  T Finish(Sum sum, int64_t channel) const {
    if (factors != nullptr) {
      const double value = std::round(static_cast<double>(sum) * factors[channel * channel_step]);
      return static_cast<T>(std::clamp<double>(value + output_zero_point, min, max));
    }
    return OffsetAndClamp<T>(Rescale(sum, multipliers[channel * channel_step]), output_zero_point,
                             min, max);
  }
};

struct FloatSum {
  float min = 0;
  float max = 0;

  float Finish(float sum) const { return std::min(std::max(sum, min), max); }
};

// Float data quantised when it comes, by an int8 filter.
struct HybridSum {
  FloatSum real;
  RowQuantization row;
  const float* filter_scales = nullptr;
  int64_t channel_step = 0;  // 0 or 1
  // Elements of a filter's row that share a scale: filter_scales is [channels, depth / block]. 0: a
  // row has one scale.
  int64_t block = 0;
  // Whether a sum is multiplied by the filter's scale and then by the row's, not by their product.
  // The last bit of a value decides how the next layer rounds it.
  bool scales_in_turn = false;
};

// The steps of a sum: adding a product, and making an output of the sum. StepsOf chooses them.
struct FloatSteps {
  using Sum = float;
  const FloatSum& params;
  const float* bias;

  float operator()(float sum, float a, float b) const { return sum + a * b; }
  float operator()(float sum, int64_t channel) const {
    return params.Finish(bias != nullptr ? sum + bias[channel] : sum);
  }
};

// Bias: int32, or int64 for sums in 64 bits.
template <typename T, typename Filter, typename Bias>
struct QuantizedSteps {
  using Sum = Bias;
  const QuantizedSum& params;
  const Bias* bias;

  Bias operator()(Bias sum, T a, Filter b) const {
    return WrappingAdd(sum, Bias{(int32_t{a} - params.input_zero_point) *
                                 (int32_t{b} - params.filter_zero_point)});
  }
  T operator()(Bias sum, int64_t channel) const {
    if (bias != nullptr) sum = WrappingAdd(sum, bias[channel]);
    return params.Finish<T>(sum, channel);
  }
};

struct HybridSteps {
  using Sum = int32_t;
  const HybridSum& params;
  const float* bias;

  int32_t operator()(int32_t sum, int8_t a, int8_t b) const {
    return WrappingAdd(sum, (int32_t{a} - params.row.zero_point) * int32_t{b});
  }
  float operator()(int32_t sum, int64_t channel) const {
    const float scale = params.filter_scales[channel * params.channel_step];
    const auto real = static_cast<float>(sum);
    const float value =
        params.scales_in_turn ? real * scale * params.row.scale : real * (scale * params.row.scale);
    return params.real.Finish(bias != nullptr ? value + bias[channel] : value);
  }
};

template <typename In, typename Filter>
FloatSteps StepsOf(const FloatSum& params, const float* bias) {
  return {params, bias};
}
template <typename In, typename Filter, typename Bias>
QuantizedSteps<In, Filter, Bias> StepsOf(const QuantizedSum& params, const Bias* bias) {
  return {params, bias};
}
template <typename In, typename Filter>
HybridSteps StepsOf(const HybridSum& params, const float* bias) {
  return {params, bias};
}

// Sums of products go by blocks of output channels, so that the sums of a block do not wait for
// each other. Each sum adds its products in the order of the filter, whatever the block.
constexpr int kSumBlock = 4;

// sums[c] += a[i] * b[c * stride + i] for i in [0, n), by the steps.
template <int kCount, typename Sum, typename In, typename Filter, typename Steps>
void AddProducts(Sum* sums, const In* a, const Filter* b, int64_t stride, int64_t n,
                 const Steps& steps) {
  Sum block[kCount];
  for (int c = 0; c < kCount; ++c) block[c] = sums[c];
  for (int64_t i = 0; i < n; ++i) {
    for (int c = 0; c < kCount; ++c) block[c] = steps(block[c], a[i], b[c * stride + i]);
  }
  for (int c = 0; c < kCount; ++c) sums[c] = block[c];
}

template <typename Sum, typename In, typename Filter, typename Steps>
void AddProducts(int64_t count, Sum* sums, const In* a, const Filter* b, int64_t stride, int64_t n,
                 const Steps& steps) {
  if (count == kSumBlock) {
    AddProducts<kSumBlock>(sums, a, b, stride, n, steps);
    return;
  }
  for (int64_t c = 0; c < count; ++c) {
    AddProducts<1>(sums + c, a, b + c * stride, stride, n, steps);
  }
}

}  // namespace heddle::kernels::ref
