// SPDX-License-Identifier: Apache-2.0
// Products of matrices, batch by batch: [rows, depth] by [columns, depth], the second transposed.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/ref/fully_connected.h"

namespace heddle::kernels::ref {

struct BatchMatMulShape {
  static constexpr int kMaxBatchDims = 6;
  int batch_dims = 0;
  int64_t dims[kMaxBatchDims] = {};
  // In matrices; 0 where an operand is stretched.
  int64_t strides[2][kMaxBatchDims] = {};
  int64_t batches = 1;
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;

  // The matrix of an operand that a batch uses.
  int64_t Matrix(int operand, int64_t batch) const {
    int64_t matrix = 0;
    for (int d = batch_dims - 1; d >= 0; --d) {
      matrix += batch % dims[d] * strides[operand][d];
      batch /= dims[d];
    }
    return matrix;
  }
};

// Integers that mean themselves: sums without offset or scale.
struct PlainSum {};
template <typename T>
struct PlainSteps {
  using Sum = int32_t;
  int32_t operator()(int32_t sum, T a, T b) const {
    return WrappingAdd(sum, int32_t{a} * int32_t{b});
  }
  int32_t operator()(int32_t sum, int64_t /*channel*/) const { return sum; }
};
template <typename In, typename Filter, typename Bias>
PlainSteps<In> StepsOf(const PlainSum&, const Bias*) {
  return {};
}

// Elements [begin, end) of batches * rows * columns, all of one row of one batch.
template <typename Bias, typename Params, typename In, typename Filter, typename Out>
void RowByMatrix(const BatchMatMulShape& shape, const Params& params, const In* a, const Filter* b,
                 Out* output, int64_t begin, int64_t end) {
  const int64_t row = begin / shape.columns;
  const int64_t batch = row / shape.rows;
  const In* const a_row =
      a + (shape.Matrix(0, batch) * shape.rows + row % shape.rows) * shape.depth;
  const Filter* const matrix = b + shape.Matrix(1, batch) * shape.columns * shape.depth;
  FullyConnected(shape.depth, shape.columns, params, a_row, matrix,
                 static_cast<const Bias*>(nullptr), output + row * shape.columns,
                 begin - row * shape.columns, end - row * shape.columns);
}

// out [columns, rows] of in [rows, columns], for matrices [begin, end).
template <typename T>
void TransposeMatrices(int64_t rows, int64_t columns, const T* in, T* out, int64_t begin,
                       int64_t end) {
  for (int64_t m = begin; m < end; ++m) {
    const int64_t first = m * rows * columns;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) out[first + c * rows + r] = in[first + r * columns + c];
    }
  }
}

}  // namespace heddle::kernels::ref
