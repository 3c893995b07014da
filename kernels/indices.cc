// SPDX-License-Identifier: Apache-2.0
#include "kernels/indices.h"

#include "kernels/copy.h"

namespace heddle::kernels {

heddle_status IndexOutOfRange(const OpContext& op, size_t i, int64_t at, int64_t index,
                              int64_t limit) {
  return op.Fail(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_DATA_OUT_OF_RANGE, static_cast<int32_t>(i),
                 "index ", index, " at element ", at, " is not in [0, ", limit, ")");
}

heddle_status MakeIndexRows(const OpContext& op, size_t i, std::span<const int32_t> dims,
                            IndexRows* rows) {
  const auto indices = op.input_dims(i);
  const auto operand = static_cast<int32_t>(i);
  if (indices.empty() || static_cast<size_t>(indices.back()) > dims.size()) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, operand, "indices of shape ",
                   ShapeText(indices), " do not fit shape ", ShapeText(dims));
  }
  const auto depth = static_cast<size_t>(indices.back());
  int64_t elements = 0;
  HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, operand, dims, &elements));
  HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, operand, dims.subspan(depth), &rows->run));
  HEDDLE_OP_RETURN_IF_ERROR(
      CountElements(op, operand, indices.first(indices.size() - 1), &rows->count));
  const std::vector<int64_t> strides = DenseStrides(dims);
  rows->limits.assign(dims.begin(), dims.begin() + static_cast<ptrdiff_t>(depth));
  rows->strides.assign(strides.begin(), strides.begin() + static_cast<ptrdiff_t>(depth));
  return HEDDLE_OK;
}

heddle_status CheckIndexRows(const OpContext& op, size_t i, const IndexRows& rows) {
  const auto depth = static_cast<int64_t>(rows.limits.size());
  return DispatchIndices(op, i, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* indices = op.InputData<T>(i);
    for (int64_t k = 0; depth > 0 && k < rows.count * depth; ++k) {
      const int64_t limit = rows.limits[static_cast<size_t>(k % depth)];
      if (indices[k] < 0 || int64_t{indices[k]} >= limit) {
        return IndexOutOfRange(op, i, k, indices[k], limit);
      }
    }
    return HEDDLE_OK;
  });
}

}  // namespace heddle::kernels
