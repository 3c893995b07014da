// SPDX-License-Identifier: Apache-2.0
// 2-D convolution, NHWC by [out, h, w, in / groups]: plain, by depth, and transposed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ref/sum.h"
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

// All of them compute rows [begin, end) of shape.rows().
template <typename Params, typename In, typename Filter, typename Bias, typename Out>
void Conv(const ConvShape& shape, const Params& params, const In* input, const Filter* filter,
          const Bias* bias, Out* output, int64_t begin, int64_t end) {
  const auto steps = StepsOf<In, Filter>(params, bias);
  using Sum = typename decltype(steps)::Sum;
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
                        filter_size, run, steps);
          }
        }
        for (int64_t c = 0; c < count; ++c) out[channel + c] = steps(sums[c], channel + c);
      }
    }
  }
}

// With a filter of its own for each channel: [1, h, w, in * multiplier].
template <typename Params, typename In, typename Filter, typename Bias, typename Out>
void DepthwiseConv(const ConvShape& shape, const Params& params, const In* input,
                   const Filter* filter, const Bias* bias, Out* output, int64_t begin,
                   int64_t end) {
  constexpr int64_t kBlock = 32;
  const auto steps = StepsOf<In, Filter>(params, bias);
  using Sum = typename decltype(steps)::Sum;
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
              for (int64_t c = 0; c < count; ++c) sums[c] = steps(sums[c], a[channel + c], b[c]);
            } else {
              for (int64_t c = 0; c < count; ++c) {
                sums[c] = steps(sums[c], a[(channel + c) / multiplier], b[c]);
              }
            }
          }
        }
        for (int64_t c = 0; c < count; ++c) out[channel + c] = steps(sums[c], channel + c);
      }
    }
  }
}

// Each input position adds its products around stride * position - pad: the output gathers what
// reaches it, in the order of the input. Dilations and groups do not occur.
template <typename Params, typename In, typename Filter, typename Bias, typename Out>
void TransposeConv(const ConvShape& shape, const Params& params, const In* input,
                   const Filter* filter, const Bias* bias, Out* output, int64_t begin,
                   int64_t end) {
  const auto steps = StepsOf<In, Filter>(params, bias);
  using Sum = typename decltype(steps)::Sum;
  const WindowAxis& h = shape.window.h;
  const WindowAxis& w = shape.window.w;
  const int64_t depth = shape.in_channels;
  const int64_t filter_size = int64_t{h.filter} * w.filter * depth;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t batch = row / h.output;
    const int64_t out_y = row % h.output;
    // Without channels input and filter may have any size.
    const WindowAxis::Taps ys = depth == 0 ? WindowAxis::Taps{0, 0} : h.InputsReaching(out_y);
    for (int64_t out_x = 0; out_x < w.output; ++out_x) {
      const WindowAxis::Taps xs = w.InputsReaching(out_x);
      Out* out = output + (row * w.output + out_x) * shape.out_channels;
      for (int64_t channel = 0; channel < shape.out_channels; channel += kSumBlock) {
        const int64_t count = std::min<int64_t>(kSumBlock, shape.out_channels - channel);
        Sum sums[kSumBlock] = {};
        for (int64_t y = ys.begin; y < ys.end; ++y) {
          for (int64_t x = xs.begin; x < xs.end; ++x) {
            const int64_t tap = (out_y - h.Origin(y)) * w.filter + out_x - w.Origin(x);
            AddProducts(count, sums, input + ((batch * h.input + y) * w.input + x) * depth,
                        filter + channel * filter_size + tap * depth, filter_size, depth, steps);
          }
        }
        for (int64_t c = 0; c < count; ++c) out[channel + c] = steps(sums[c], channel + c);
      }
    }
  }
}

}  // namespace heddle::kernels::ref
