// SPDX-License-Identifier: Apache-2.0
// Sums of products: 2-D convolution, NHWC by [out, h, w, in / groups], plain and by depth, and what
// it shares with matrix products.
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

  // Of the output; none if they would be empty.
  int64_t rows() const {
    return window.w.output == 0 || out_channels == 0 ? 0 : batches * window.h.output;
  }
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

// Sums of products go by blocks of output channels, so that the sums of a block do not wait for
// each other. Each sum adds its products in the order of the filter, whatever the block.
constexpr int kSumBlock = 4;

// sums[c] += a[i] * b[c * stride + i] for i in [0, n), by multiply_add.
template <int kCount, typename Sum, typename In, typename Filter, typename MultiplyAdd>
void AddProducts(Sum* sums, const In* a, const Filter* b, int64_t stride, int64_t n,
                 const MultiplyAdd& multiply_add) {
  Sum block[kCount];
  for (int c = 0; c < kCount; ++c) block[c] = sums[c];
  for (int64_t i = 0; i < n; ++i) {
    for (int c = 0; c < kCount; ++c) {
      block[c] = multiply_add(block[c], a[i], b[c * stride + i]);
    }
  }
  for (int c = 0; c < kCount; ++c) sums[c] = block[c];
}

template <typename Sum, typename In, typename Filter, typename MultiplyAdd>
void AddProducts(int64_t count, Sum* sums, const In* a, const Filter* b, int64_t stride, int64_t n,
                 const MultiplyAdd& multiply_add) {
  if (count == kSumBlock) {
    AddProducts<kSumBlock>(sums, a, b, stride, n, multiply_add);
    return;
  }
  for (int64_t c = 0; c < count; ++c) {
    AddProducts<1>(sums + c, a, b + c * stride, stride, n, multiply_add);
  }
}

// Computes rows [begin, end) of shape.rows(). finish(sum, channel) gives the output element.
template <typename Sum, typename In, typename Filter, typename Out, typename MultiplyAdd,
          typename Finish>
void ConvRows(const ConvShape& shape, const In* input, const Filter* filter, Out* output,
              int64_t begin, int64_t end, const MultiplyAdd& multiply_add, const Finish& finish) {
  const WindowAxis& h = shape.window.h;
  const WindowAxis& w = shape.window.w;
  const int64_t depth = shape.filter_channels;
  const int64_t filter_row = w.filter * depth;
  const int64_t filter_size = h.filter * filter_row;
  const int64_t groups = shape.in_channels / depth;
  const int64_t group_outputs = std::max<int64_t>(1, shape.out_channels / groups);
  // The taps of a row lie one behind another, in the input as in the filter.
  const bool whole_rows = groups == 1 && w.dilation == 1;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t first_y = row / h.output * h.input + h.Origin(row % h.output);
    const WindowAxis::Taps ys = h.TapsInside(row % h.output);
    for (int64_t out_x = 0; out_x < w.output; ++out_x) {
      const WindowAxis::Taps xs = w.TapsInside(out_x);
      const int64_t taps = whole_rows ? 1 : xs.end - xs.begin;
      const int64_t run = whole_rows ? (xs.end - xs.begin) * depth : depth;
      Out* out = output + (row * w.output + out_x) * shape.out_channels;
      for (int64_t channel = 0, count = 0; channel < shape.out_channels; channel += count) {
        const int64_t group = channel / group_outputs;
        count = std::min<int64_t>(kSumBlock, (group + 1) * group_outputs - channel);
        Sum sums[kSumBlock] = {};
        for (int64_t y = ys.begin; y < ys.end; ++y) {
          const int64_t in_y = first_y + y * h.dilation;
          for (int64_t x = 0; x < taps; ++x) {
            const int64_t in_x = w.Origin(out_x) + (xs.begin + x) * w.dilation;
            AddProducts(count, sums,
                        input + (in_y * w.input + in_x) * shape.in_channels + group * depth,
                        filter + channel * filter_size + y * filter_row + (xs.begin + x) * depth,
                        filter_size, run, multiply_add);
          }
        }
        for (int64_t c = 0; c < count; ++c) out[channel + c] = finish(sums[c], channel + c);
      }
    }
  }
}

// The same with a filter of its own for each channel: [1, h, w, in * multiplier].
template <typename Sum, typename In, typename Filter, typename Out, typename MultiplyAdd,
          typename Finish>
void DepthwiseConvRows(const ConvShape& shape, const In* input, const Filter* filter, Out* output,
                       int64_t begin, int64_t end, const MultiplyAdd& multiply_add,
                       const Finish& finish) {
  constexpr int64_t kBlock = 32;
  const WindowAxis& h = shape.window.h;
  const WindowAxis& w = shape.window.w;
  const int64_t multiplier = shape.filter_channels;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t first_y = row / h.output * h.input + h.Origin(row % h.output);
    const WindowAxis::Taps ys = h.TapsInside(row % h.output);
    for (int64_t out_x = 0; out_x < w.output; ++out_x) {
      const WindowAxis::Taps xs = w.TapsInside(out_x);
      Out* out = output + (row * w.output + out_x) * shape.out_channels;
      for (int64_t channel = 0; channel < shape.out_channels; channel += kBlock) {
        const int64_t count = std::min(kBlock, shape.out_channels - channel);
        Sum sums[kBlock] = {};
        for (int64_t y = ys.begin; y < ys.end; ++y) {
          for (int64_t x = xs.begin; x < xs.end; ++x) {
            const int64_t pixel =
                (first_y + y * h.dilation) * w.input + w.Origin(out_x) + x * w.dilation;
            const In* a = input + pixel * shape.in_channels;
            const Filter* b = filter + (y * w.filter + x) * shape.out_channels + channel;
            if (multiplier == 1) {
              for (int64_t c = 0; c < count; ++c) {
                sums[c] = multiply_add(sums[c], a[channel + c], b[c]);
              }
            } else {
              for (int64_t c = 0; c < count; ++c) {
                sums[c] = multiply_add(sums[c], a[(channel + c) / multiplier], b[c]);
              }
            }
          }
        }
        for (int64_t c = 0; c < count; ++c) out[channel + c] = finish(sums[c], channel + c);
      }
    }
  }
}

// output[row, unit] for elements [begin, end) of rows * units; input [row, depth] by filter
// [unit, depth].
template <typename Sum, typename In, typename Filter, typename Out, typename MultiplyAdd,
          typename Finish>
void MatrixProduct(int64_t depth, int64_t units, const In* input, const Filter* filter, Out* output,
                   int64_t begin, int64_t end, const MultiplyAdd& multiply_add,
                   const Finish& finish) {
  for (int64_t i = begin, count = 0; i < end; i += count) {
    const int64_t unit = i % units;
    count = std::min({int64_t{kSumBlock}, units - unit, end - i});
    Sum sums[kSumBlock] = {};
    AddProducts(count, sums, input + i / units * depth, filter + unit * depth, depth, depth,
                multiply_add);
    for (int64_t c = 0; c < count; ++c) output[i + c] = finish(sums[c], unit + c);
  }
}

// The steps of a sum: adding a product, and making an output of the sum.
struct FloatSteps {
  const FloatSum& params;
  const float* bias;

  float operator()(float sum, float a, float b) const { return sum + a * b; }
  float operator()(float sum, int64_t channel) const {
    return params.Finish(bias != nullptr ? sum + bias[channel] : sum);
  }
};

// Bias: int32, or int64 for sums in 64 bits.
template <typename T, typename Filter, typename Bias, bool kByFactor = false>
struct QuantizedSteps {
  const QuantizedSum& params;
  const Bias* bias;

  Bias operator()(Bias sum, T a, Filter b) const {
    return WrappingAdd(sum, Bias{(int32_t{a} - params.input_zero_point) *
                                 (int32_t{b} - params.filter_zero_point)});
  }
  T operator()(Bias sum, int64_t channel) const {
    if (bias != nullptr) sum = WrappingAdd(sum, bias[channel]);
    if constexpr (kByFactor) {
      return params.FinishByFactor<T>(sum, channel);
    } else {
      return params.Finish<T>(sum, channel);
    }
  }
};

inline void Conv(const ConvShape& shape, const FloatSum& params, const float* input,
                 const float* filter, const float* bias, float* output, int64_t begin,
                 int64_t end) {
  const FloatSteps steps{params, bias};
  ConvRows<float>(shape, input, filter, output, begin, end, steps, steps);
}

template <typename T, typename Filter, typename Bias>
void Conv(const ConvShape& shape, const QuantizedSum& params, const T* input, const Filter* filter,
          const Bias* bias, T* output, int64_t begin, int64_t end) {
  const QuantizedSteps<T, Filter, Bias> steps{params, bias};
  ConvRows<Bias>(shape, input, filter, output, begin, end, steps, steps);
}

inline void DepthwiseConv(const ConvShape& shape, const FloatSum& params, const float* input,
                          const float* filter, const float* bias, float* output, int64_t begin,
                          int64_t end) {
  const FloatSteps steps{params, bias};
  DepthwiseConvRows<float>(shape, input, filter, output, begin, end, steps, steps);
}

template <typename T, typename Filter, typename Bias>
void DepthwiseConv(const ConvShape& shape, const QuantizedSum& params, const T* input,
                   const Filter* filter, const Bias* bias, T* output, int64_t begin, int64_t end) {
  const QuantizedSteps<T, Filter, Bias> steps{params, bias};
  DepthwiseConvRows<Bias>(shape, input, filter, output, begin, end, steps, steps);
}

}  // namespace heddle::kernels::ref
