// SPDX-License-Identifier: Apache-2.0
// What ops with state share: activations of floats, and sums of float data by weights that are
// float or int8.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "heddle/heddle_attributes.h"
#include "kernels/ref/hybrid.h"

namespace heddle::kernels::ref {

inline float Sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

inline float Activate(int32_t activation, float x) {
  switch (activation) {
    case HEDDLE_ACTIVATION_RELU:
      return std::max(0.0f, x);
    case HEDDLE_ACTIVATION_RELU_N1_TO_1:
      return std::max(-1.0f, std::min(x, 1.0f));
    case HEDDLE_ACTIVATION_RELU6:
      return std::max(0.0f, std::min(x, 6.0f));
    case HEDDLE_ACTIVATION_TANH:
      return std::tanh(x);
    case HEDDLE_ACTIVATION_SIGN_BIT:
      return std::signbit(x) ? 1 : 0;
    default:
      return x;
  }
}

// A matrix [rows, columns].
struct Weights {
  const float* real = nullptr;
  const int8_t* quantized = nullptr;  // used if `is_quantized`
  bool is_quantized = false;
  float scale = 1;
  const int32_t* row_sums = nullptr;  // for data with a zero point; else may be null
};

// Data that meets such matrices: as it is, and quantised if any of them is int8.
struct DataRow {
  const float* real = nullptr;
  const int8_t* quantized = nullptr;
  RowQuantization quantization;
};

// `quantized`: memory for the row; used if `hybrid`. An empty row may be nowhere.
inline DataRow MakeRow(bool hybrid, bool asymmetric, const float* real, int64_t n,
                       int8_t* quantized) {
  if (!hybrid || real == nullptr || quantized == nullptr) return {real, nullptr, {}};
  return {real, quantized, QuantizeRow(asymmetric, real, n, quantized)};
}

inline float DotFloat(const float* a, const float* b, int64_t n) {
  float sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// Row r of the matrix times the data.
inline float Product(const Weights& weights, int64_t r, int64_t columns, const DataRow& data) {
  if (!weights.is_quantized) return DotFloat(weights.real + r * columns, data.real, columns);
  const int32_t sum = DotInt8(weights.quantized + r * columns, data.quantized, columns);
  return FromHybridSum(sum, weights.row_sums != nullptr ? weights.row_sums[r] : 0,
                       data.quantization, weights.scale);
}

// Weight i as a number.
inline float WeightAt(const Weights& weights, int64_t i) {
  return weights.is_quantized ? static_cast<float>(weights.quantized[i]) * weights.scale
                              : weights.real[i];
}

}  // namespace heddle::kernels::ref
