// SPDX-License-Identifier: Apache-2.0
// 3-D convolution, N, depth, height, width, channels; and transposed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ref/sum.h"
#include "kernels/ref/window.h"

namespace heddle::kernels::ref {

struct Conv3DShape {
  WindowAxis d;
  WindowAxis h;
  WindowAxis w;
  int64_t batches = 0;
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  bool transposed = false;

  // Rows along the output's width.
  int64_t rows() const {
    return w.output == 0 || out_channels == 0 ? 0 : batches * d.output * h.output;
  }
  // The input position that a tap of an output position reads; -1 if none.
  int64_t Source(const WindowAxis& axis, int64_t out, int64_t tap) const {
    int64_t in = axis.Origin(out) + tap * axis.dilation;
    if (transposed) {
      in = out + axis.pad - tap * axis.dilation;
      if (in % axis.stride != 0) return -1;
      in /= axis.stride;
    }
    return in < 0 || in >= axis.input ? -1 : in;
  }
};

// Rows [begin, end). Filter [d, h, w, in, out]; transposed [d, h, w, out, in].
inline void Conv3D(const Conv3DShape& shape, const FloatSum& params, const float* input,
                   const float* filter, const float* bias, float* output, int64_t begin,
                   int64_t end) {
  constexpr int64_t kBlock = 32;
  const FloatSteps steps{params, bias};
  const WindowAxis& d = shape.d;
  const WindowAxis& h = shape.h;
  const WindowAxis& w = shape.w;
  const int64_t in_step = shape.transposed ? 1 : shape.out_channels;
  const int64_t out_step = shape.transposed ? shape.in_channels : 1;
  // Without channels a filter may have any size.
  const int64_t taps = shape.in_channels == 0 ? 0 : int64_t{d.filter} * h.filter * w.filter;
  // Adds the products of one tap to the sums of a block of channels.
  const auto add_tap = [&](const float* a, const float* b, int64_t count, float* sums) {
    for (int64_t i = 0; i < shape.in_channels; ++i) {
      for (int64_t c = 0; c < count; ++c) {
        sums[c] = steps(sums[c], a[i], b[i * in_step + c * out_step]);
      }
    }
  };
  for (int64_t row = begin; row < end; ++row) {
    const int64_t out_y = row % h.output;
    const int64_t out_d = row / h.output % d.output;
    const int64_t batch = row / h.output / d.output;
    for (int64_t out_x = 0; out_x < w.output; ++out_x) {
      float* const out = output + (row * w.output + out_x) * shape.out_channels;
      for (int64_t channel = 0; channel < shape.out_channels; channel += kBlock) {
        const int64_t count = std::min(kBlock, shape.out_channels - channel);
        float sums[kBlock] = {};
        for (int64_t tap = 0; tap < taps; ++tap) {
          const int64_t in_x = shape.Source(w, out_x, tap % w.filter);
          const int64_t in_y = shape.Source(h, out_y, tap / w.filter % h.filter);
          const int64_t in_d = shape.Source(d, out_d, tap / w.filter / h.filter);
          if (in_x < 0 || in_y < 0 || in_d < 0) continue;
          const int64_t pixel = ((batch * d.input + in_d) * h.input + in_y) * w.input + in_x;
          add_tap(input + pixel * shape.in_channels,
                  filter + tap * shape.in_channels * shape.out_channels + channel * out_step, count,
                  sums);
        }
        for (int64_t c = 0; c < count; ++c) out[channel + c] = steps(sums[c], channel + c);
      }
    }
  }
}

}  // namespace heddle::kernels::ref
