// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace heddle::kernels::ref {

// One dimension of a sliding window.
struct WindowAxis {
  int32_t input = 0;
  int32_t output = 0;
  int32_t filter = 1;
  int32_t stride = 1;
  int32_t dilation = 1;
  int32_t pad = 0;  // before the first element

  // Input position of the first tap of an output position; may be negative.
  int64_t Origin(int64_t out) const { return out * stride - pad; }
  // Taps [begin, end) of an output position that lie inside the input.
  struct Taps {
    int64_t begin;
    int64_t end;
  };
  Taps TapsInside(int64_t out) const {
    const int64_t origin = Origin(out);
    const int64_t begin = origin < 0 ? (-origin + dilation - 1) / dilation : 0;
    const int64_t left = int64_t{input} - origin;  // positions up to the end
    const int64_t end = left <= 0 ? 0 : (left + dilation - 1) / dilation;
    return {begin, std::max(begin, std::min<int64_t>(filter, end))};
  }
  // The other way round, for transposed windows without dilation: the inputs [begin, end) whose
  // filter, laid at Origin(position), covers an output position.
  Taps InputsReaching(int64_t out) const {
    const int64_t last = out + pad;  // covered by inputs at positions in (last - filter, last]
    const int64_t begin = last < filter ? 0 : (last - filter) / stride + 1;
    const int64_t end = std::min<int64_t>(input, last / stride + 1);
    return {begin, std::max(begin, end)};
  }
};

struct Window {
  WindowAxis h;
  WindowAxis w;
};

}  // namespace heddle::kernels::ref
