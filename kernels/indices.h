// SPDX-License-Identifier: Apache-2.0
// Indices that come as data: checked each time, before anything is moved by them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/dispatch.h"
#include "kernels/op_kernel.h"

namespace heddle::kernels {

// fn(TypeTag<T>()) for indices of int16, int32 or int64 in input i.
template <typename Fn>
heddle_status DispatchIndices(const OpContext& op, size_t i, const Fn& fn) {
  return DispatchInput<int32_t, int64_t, int16_t>(op, i, fn);
}

// Input i is of a type of indices; for infer.
inline heddle_status ExpectIndices(const OpContext& op, size_t i) {
  return DispatchIndices(op, i, [](auto) { return HEDDLE_OK; });
}

heddle_status IndexOutOfRange(const OpContext& op, size_t i, int64_t at, int64_t index,
                              int64_t limit);

// All of `count` indices are in [0, limit).
template <typename T>
heddle_status CheckIndices(const OpContext& op, size_t i, const T* indices, int64_t count,
                           int64_t limit) {
  for (int64_t k = 0; k < count; ++k) {
    if (indices[k] < 0 || int64_t{indices[k]} >= limit) {
      return IndexOutOfRange(op, i, k, indices[k], limit);
    }
  }
  return HEDDLE_OK;
}

// Rows of indices into the first dimensions of a shape, as GATHER_ND and SCATTER_ND have them.
struct IndexRows {
  int64_t count = 0;             // of rows
  std::vector<int64_t> limits;   // of each index in a row
  std::vector<int64_t> strides;  // elements that it stands for
  int64_t run = 0;               // elements that a row points at
};

// Input i has the rows in its last dimension; they point into `dims`. For prepare.
heddle_status MakeIndexRows(const OpContext& op, size_t i, std::span<const int32_t> dims,
                            IndexRows* rows);
// Checks every index of input i. For invoke.
heddle_status CheckIndexRows(const OpContext& op, size_t i, const IndexRows& rows);

template <typename T>
int64_t RowOffset(const IndexRows& rows, const T* indices, int64_t row) {
  int64_t offset = 0;
  for (size_t d = 0; d < rows.limits.size(); ++d) {
    offset += indices[row * static_cast<int64_t>(rows.limits.size()) + static_cast<int64_t>(d)] *
              rows.strides[d];
  }
  return offset;
}

}  // namespace heddle::kernels
