// SPDX-License-Identifier: Apache-2.0
// 2-D convolution, NHWC by [out, h, w, in / groups], plain and by depth.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/ref/fixed_point.h"
#include "kernels/ref/window.h"

namespace heddle::kernels::ref {

struct ConvShape {
  Window window;
  int64_t batches = 0;
  int32_t in_channels = 0;
  int32_t out_channels = 0;
  int32_t filter_channels = 0;  // in_channels / groups; by depth: the multiplier

  int64_t rows() const { return batches * window.h.output; }
};

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
    return OffsetAndClamp<T>(Rescale(sum, multipliers[channel * channel_step]), output_zero_point,
                             min, max);
  }
  template <typename T, typename Sum>
  T FinishByFactor(Sum sum, int64_t channel) const {
    const double value = std::round(static_cast<double>(sum) * factors[channel * channel_step]);
    return static_cast<T>(std::clamp<double>(value + output_zero_point, min, max));
  }
};

struct FloatSum {
  float min = 0;
  float max = 0;

  float Finish(float sum) const { return std::min(std::max(sum, min), max); }
};

// For every tap of the window inside the input, in row-major order: visit(filter pixel, input
// pixel), both as offsets in pixels.
template <typename Visit>
void ForEachTap(const Window& window, int64_t batch, int64_t out_y, int64_t out_x,
                const Visit& visit) {
  const WindowAxis::Taps rows = window.h.TapsInside(out_y);
  const WindowAxis::Taps cols = window.w.TapsInside(out_x);
  for (int64_t fy = rows.begin; fy < rows.end; ++fy) {
    const int64_t in_y = window.h.Origin(out_y) + fy * window.h.dilation;
    for (int64_t fx = cols.begin; fx < cols.end; ++fx) {
      const int64_t in_x = window.w.Origin(out_x) + fx * window.w.dilation;
      visit(fy * window.w.filter + fx, (batch * window.h.input + in_y) * window.w.input + in_x);
    }
  }
}

// Computes rows [begin, end) of batches * height. dot(sum, input, filter, n) adds n products;
// finish(sum, channel) gives the output element.
template <typename Sum, typename In, typename Filter, typename Out, typename Dot, typename Finish>
void ConvRows(const ConvShape& shape, const In* input, const Filter* filter, Out* output,
              int64_t begin, int64_t end, const Dot& dot, const Finish& finish) {
  const Window& window = shape.window;
  const int64_t depth = shape.filter_channels;
  const int64_t filter_size = int64_t{window.h.filter} * window.w.filter * depth;
  const int64_t groups = depth == 0 ? 1 : shape.in_channels / depth;
  const int64_t group_outputs = std::max<int64_t>(1, shape.out_channels / groups);
  for (int64_t row = begin; row < end; ++row) {
    const int64_t batch = row / window.h.output;
    const int64_t out_y = row % window.h.output;
    for (int64_t out_x = 0; out_x < window.w.output; ++out_x) {
      Out* out = output + (row * window.w.output + out_x) * shape.out_channels;
      for (int64_t channel = 0; channel < shape.out_channels; ++channel) {
        const int64_t first = channel / group_outputs * depth;
        Sum sum = 0;
        ForEachTap(window, batch, out_y, out_x, [&](int64_t tap, int64_t pixel) {
          sum = dot(sum, input + pixel * shape.in_channels + first,
                    filter + channel * filter_size + tap * depth, depth);
        });
        out[channel] = finish(sum, channel);
      }
    }
  }
}

// The same with a filter of its own for each channel: [1, h, w, in * multiplier].
template <typename Sum, typename In, typename Filter, typename Out, typename Multiply,
          typename Finish>
void DepthwiseConvRows(const ConvShape& shape, const In* input, const Filter* filter, Out* output,
                       int64_t begin, int64_t end, const Multiply& multiply, const Finish& finish) {
  const Window& window = shape.window;
  const int64_t multiplier = shape.filter_channels;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t batch = row / window.h.output;
    const int64_t out_y = row % window.h.output;
    for (int64_t out_x = 0; out_x < window.w.output; ++out_x) {
      Out* out = output + (row * window.w.output + out_x) * shape.out_channels;
      for (int64_t channel = 0; channel < shape.out_channels; ++channel) {
        const int64_t in_channel = channel / multiplier;
        Sum sum = 0;
        ForEachTap(window, batch, out_y, out_x, [&](int64_t tap, int64_t pixel) {
          sum = multiply(sum, input[pixel * shape.in_channels + in_channel],
                         filter[tap * shape.out_channels + channel]);
        });
        out[channel] = finish(sum, channel);
      }
    }
  }
}

// Sums of n products, in order.
inline float Dot(float sum, const float* a, const float* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}
template <typename Sum, typename In, typename Filter>
Sum Dot(Sum sum, const In* a, int32_t a_zero, const Filter* b, int32_t b_zero, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    sum = WrappingAdd(sum, Sum{(int32_t{a[i]} - a_zero) * (int32_t{b[i]} - b_zero)});
  }
  return sum;
}

inline void Conv(const ConvShape& shape, const FloatSum& params, const float* input,
                 const float* filter, const float* bias, float* output, int64_t begin,
                 int64_t end) {
  ConvRows<float>(
      shape, input, filter, output, begin, end,
      [](float sum, const float* a, const float* b, int64_t n) { return Dot(sum, a, b, n); },
      [&](float sum, int64_t channel) {
        return params.Finish(sum + (bias != nullptr ? bias[channel] : 0.0f));
      });
}

// T: int8, uint8 or int16; Bias: int32, or int64 for sums in 64 bits.
template <typename T, typename Filter, typename Bias>
void Conv(const ConvShape& shape, const QuantizedSum& params, const T* input, const Filter* filter,
          const Bias* bias, T* output, int64_t begin, int64_t end) {
  ConvRows<Bias>(
      shape, input, filter, output, begin, end,
      [&](Bias sum, const T* a, const Filter* b, int64_t n) {
        return Dot(sum, a, params.input_zero_point, b, params.filter_zero_point, n);
      },
      [&](Bias sum, int64_t channel) {
        if (bias != nullptr) sum = WrappingAdd(sum, bias[channel]);
        return params.Finish<T>(sum, channel);
      });
}

inline void DepthwiseConv(const ConvShape& shape, const FloatSum& params, const float* input,
                          const float* filter, const float* bias, float* output, int64_t begin,
                          int64_t end) {
  DepthwiseConvRows<float>(
      shape, input, filter, output, begin, end,
      [](float sum, float a, float b) { return sum + a * b; },
      [&](float sum, int64_t channel) {
        return params.Finish(sum + (bias != nullptr ? bias[channel] : 0.0f));
      });
}

template <typename T, typename Filter, typename Bias>
void DepthwiseConv(const ConvShape& shape, const QuantizedSum& params, const T* input,
                   const Filter* filter, const Bias* bias, T* output, int64_t begin, int64_t end) {
  DepthwiseConvRows<Bias>(
      shape, input, filter, output, begin, end,
      [&](Bias sum, T a, Filter b) {
        return WrappingAdd(sum, Bias{(int32_t{a} - params.input_zero_point) *
                                     (int32_t{b} - params.filter_zero_point)});
      },
      [&](Bias sum, int64_t channel) {
        if (bias != nullptr) sum = WrappingAdd(sum, bias[channel]);
        return params.Finish<T>(sum, channel);
      });
}

}  // namespace heddle::kernels::ref
