// SPDX-License-Identifier: Apache-2.0
// Boxes of a detector: decoding them from offsets to anchors, and dropping those that a better one
// covers (non-maximum suppression).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

namespace heddle::kernels::ref {

struct Box {
  float ymin, xmin, ymax, xmax;
};

// y, x, height, width: of an anchor, of the offsets to it, and what the offsets are scaled by.
struct CenteredBox {
  float y, x, h, w;
};

inline Box DecodeBox(CenteredBox offset, CenteredBox anchor, CenteredBox scale) {
  const auto center = [](double offset, double scale, double size, double origin) {
    return static_cast<float>(offset / scale * size + origin);
  };
  const auto half = [](double offset, double scale, double size) {
    return static_cast<float>(0.5 * std::exp(offset / scale) * size);
  };
  const float y = center(offset.y, scale.y, anchor.h, anchor.y);
  const float x = center(offset.x, scale.x, anchor.w, anchor.x);
  const float h = half(offset.h, scale.h, anchor.h);
  const float w = half(offset.w, scale.w, anchor.w);
  return {y - h, x - w, y + h, x + w};
}

inline float BoxArea(const Box& box) { return (box.ymax - box.ymin) * (box.xmax - box.xmin); }

// 0 for boxes without an area.
inline float IntersectionOverUnion(const Box& a, const Box& b) {
  const float area_a = BoxArea(a);
  const float area_b = BoxArea(b);
  if (area_a <= 0 || area_b <= 0) return 0;
  const float height = std::min(a.ymax, b.ymax) - std::max(a.ymin, b.ymin);
  const float width = std::min(a.xmax, b.xmax) - std::max(a.xmin, b.xmin);
  const float common = std::max(height, 0.0f) * std::max(width, 0.0f);
  return common / (area_a + area_b - common);
}

// The indices of the `wanted` greatest of `count` values come first, in falling order. Among equal
// values the order is that of std::partial_sort, as in LiteRT, or of one value the first of them.
// NaN counts as the least.
inline void GreatestFirst(const float* values, int32_t count, int32_t wanted, int32_t* indices) {
  const auto rank = [values](int32_t i) {
    return std::isnan(values[i]) ? -std::numeric_limits<float>::infinity() : values[i];
  };
  const auto greater = [&](int32_t i, int32_t j) { return rank(i) > rank(j); };
  std::iota(indices, indices + count, 0);
  if (wanted == 1) {
    indices[0] = *std::min_element(indices, indices + count, greater);
  } else {
    std::partial_sort(indices, indices + wanted, indices + count, greater);
  }
}

struct NmsParams {
  float score_threshold = 0;
  float overlap_threshold = 0;
};

// Indices of the best boxes, in falling order of their scores and at most `wanted`, none of which
// covers another by more than the threshold. `order` and `dropped` hold `count` elements; the
// result stands at the front of `order`.
inline int32_t SuppressNonMaxima(const NmsParams& params, const Box* boxes, const float* scores,
                                 int32_t count, int32_t wanted, int32_t* order, uint8_t* dropped) {
  int32_t kept = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (scores[i] >= params.score_threshold) order[kept++] = i;
  }
  std::sort(order, order + kept, [scores](int32_t i, int32_t j) {
    return scores[i] != scores[j] ? scores[i] > scores[j] : i < j;
  });
  std::fill_n(dropped, kept, uint8_t{0});
  int32_t selected = 0;
  for (int32_t i = 0; i < kept && selected < wanted; ++i) {
    if (dropped[i] != 0) continue;
    const Box& best = boxes[order[i]];
    for (int32_t j = i + 1; j < kept; ++j) {
      if (dropped[j] == 0 &&
          IntersectionOverUnion(best, boxes[order[j]]) > params.overlap_threshold) {
        dropped[j] = 1;
      }
    }
    order[selected++] = order[i];  // selected <= i: those behind i stay
  }
  return selected;
}

}  // namespace heddle::kernels::ref
