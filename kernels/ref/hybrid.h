// SPDX-License-Identifier: Apache-2.0
// Hybrid arithmetic: float data by int8 weights. Each row of data is quantised when it comes, the
// products are summed in integers, and the sum is scaled back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "kernels/ref/fixed_point.h"

namespace heddle::kernels::ref {

// real = scale * (quantised - zero_point)
struct RowQuantization {
  float scale = 1;
  int32_t zero_point = 0;
};

// The least and the greatest of n > 0 numbers; NaN never wins.
inline std::pair<float, float> MinMax(const float* row, int64_t n) {
  float min = row[0];
  float max = row[0];
  for (int64_t i = 1; i < n; ++i) {
    min = row[i] < min ? row[i] : min;
    max = row[i] > max ? row[i] : max;
  }
  return {min, max};
}

// The nearest integer, halves away from zero, within [min, max]; NaN is the minimum.
inline int8_t RoundToInt8(float value, float min, float max) {
  const float rounded = std::round(value);
  return static_cast<int8_t>(rounded >= min ? std::min(rounded, max) : min);
}

// [-127, 127] for [-max |x|, max |x|].
inline RowQuantization QuantizeRowSymmetric(const float* row, int64_t n, int8_t* quantized) {
  const auto [min, max] = n > 0 ? MinMax(row, n) : std::pair<float, float>();
  const float range = std::max(std::abs(min), std::abs(max));
  if (range == 0) {
    std::fill_n(quantized, n, int8_t{0});
    return {};
  }
  const float inverse = 127 / range;
  for (int64_t i = 0; i < n; ++i) quantized[i] = RoundToInt8(row[i] * inverse, -127, 127);
  return {range / 127, 0};
}

// [-128, 127] for [min(0, x), max(0, x)], with 0 on a step.
inline RowQuantization QuantizeRowAsymmetric(const float* row, int64_t n, int8_t* quantized) {
  const auto [least, greatest] = n > 0 ? MinMax(row, n) : std::pair<float, float>();
  const double min = std::min(0.0f, least);
  const double max = std::max(0.0f, greatest);
  if (min == max) {
    std::fill_n(quantized, n, int8_t{0});
    return {};
  }
  const double scale = (max - min) / 255;
  // Of the two ends, the one that gives the zero point with the smaller error decides.
  const double from_min = -128 - min / scale;
  const double from_max = 127 - max / scale;
  const bool min_is_better = 128 + std::abs(min / scale) < 127 + std::abs(max / scale);
  const double zero_point = std::round(min_is_better ? from_min : from_max);
  const RowQuantization result = {
      static_cast<float>(scale),
      static_cast<int32_t>(zero_point >= -128 ? std::min(zero_point, 127.0) : -128.0)};
  const float inverse = 1.0f / result.scale;
  // Rounded before the zero point is added: a half goes away from 0, not from the zero point.
  const auto offset = static_cast<float>(result.zero_point);
  for (int64_t i = 0; i < n; ++i) {
    quantized[i] = RoundToInt8(std::round(row[i] * inverse) + offset, -128, 127);
  }
  return result;
}

inline RowQuantization QuantizeRow(bool asymmetric, const float* row, int64_t n,
                                   int8_t* quantized) {
  return asymmetric ? QuantizeRowAsymmetric(row, n, quantized)
                    : QuantizeRowSymmetric(row, n, quantized);
}

// sums[r] = sum of matrix[r]; [rows, columns].
inline void SumRows(const int8_t* matrix, int64_t rows, int64_t columns, int32_t* sums) {
  for (int64_t r = 0; r < rows; ++r, matrix += columns) {
    int32_t sum = 0;
    for (int64_t c = 0; c < columns; ++c) sum = WrappingAdd(sum, int32_t{matrix[c]});
    sums[r] = sum;
  }
}

inline int32_t DotInt8(const int8_t* a, const int8_t* b, int64_t n) {
  uint32_t sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<uint32_t>(int32_t{a[i]} * int32_t{b[i]});
  return static_cast<int32_t>(sum);
}

// What quantising the row took from a sum of products, given back: the sum in real numbers.
// `weights_sum`: of the weights of this sum; needed only for rows with a zero point.
inline float FromHybridSum(int32_t sum, int32_t weights_sum, RowQuantization row,
                           float weights_scale) {
  const int32_t offset = WrappingMul(weights_sum, row.zero_point);
  const int32_t exact =
      static_cast<int32_t>(static_cast<uint32_t>(sum) - static_cast<uint32_t>(offset));
  return static_cast<float>(exact) * (row.scale * weights_scale);
}

// result[r] += matrix[r] * row, for r in [0, rows). `weights_scales`: one, or one a matrix row
// (scale_step 1). `row_sums`: of SumRows; may be null for rows quantised symmetrically.
inline void AccumulateHybrid(const int8_t* matrix, int64_t rows, int64_t columns,
                             const int8_t* quantized, RowQuantization row,
                             const float* weights_scales, int64_t scale_step,
                             const int32_t* row_sums, float* result) {
  for (int64_t r = 0; r < rows; ++r, matrix += columns) {
    result[r] +=
        FromHybridSum(DotInt8(matrix, quantized, columns), row_sums != nullptr ? row_sums[r] : 0,
                      row, weights_scales[r * scale_step]);
  }
}

}  // namespace heddle::kernels::ref
