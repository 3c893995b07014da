// SPDX-License-Identifier: Apache-2.0
#include "kernels/broadcast.h"

#include "runtime/base/checked_math.h"

namespace heddle::kernels {

heddle_status BroadcastShape(const OpContext& op, std::vector<int32_t>* dims) {
  const auto a = op.input_dims(0);
  const auto b = op.input_dims(1);
  const size_t rank = std::max(a.size(), b.size());
  dims->resize(rank);
  for (size_t i = 0; i < rank; ++i) {
    // Counted from the last dimension.
    const int32_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int32_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "shapes ", ShapeText(a),
                     " and ", ShapeText(b), " cannot be stretched to a common one");
    }
    (*dims)[rank - 1 - i] = x == 1 ? y : x;
  }
  if (rank > kMaxBroadcastRank && !std::equal(a.begin(), a.end(), b.begin(), b.end())) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0,
                   "different shapes of rank ", rank, " are not supported, at most is ",
                   kMaxBroadcastRank);
  }
  return HEDDLE_OK;
}

heddle_status MakeBroadcast(const OpContext& op, Broadcast* broadcast) {
  std::vector<int32_t> dims;
  HEDDLE_OP_RETURN_IF_ERROR(BroadcastShape(op, &dims));
  if (!ElementCount(dims, &broadcast->count)) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, OpContext::kOutput(0), "shape ",
                   ShapeText(dims), " is too large");
  }
  // From the last dimension on: a dimension joins its neighbour if the same operands are stretched.
  const std::span<const int32_t> operands[2] = {op.input_dims(0), op.input_dims(1)};
  int64_t reversed[kMaxBroadcastRank] = {};
  bool stretched[kMaxBroadcastRank][2] = {};
  int rank = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int32_t dim = dims[dims.size() - 1 - i];
    if (dim == 1) continue;
    bool stretch[2];
    for (int k = 0; k < 2; ++k) {
      const auto& operand = operands[k];
      stretch[k] = i >= operand.size() || operand[operand.size() - 1 - i] == 1;
    }
    if (rank > 0 && stretched[rank - 1][0] == stretch[0] && stretched[rank - 1][1] == stretch[1]) {
      reversed[rank - 1] *= dim;
      continue;
    }
    reversed[rank] = dim;
    stretched[rank][0] = stretch[0];
    stretched[rank][1] = stretch[1];
    ++rank;
  }
  if (rank == 0) reversed[rank++] = 1;
  broadcast->rank = rank;
  int64_t stride[2] = {1, 1};
  for (int i = 0; i < rank; ++i) {
    const int d = rank - 1 - i;
    broadcast->dims[d] = reversed[i];
    for (int k = 0; k < 2; ++k) {
      broadcast->strides[k][d] = stretched[i][k] ? 0 : stride[k];
      if (!stretched[i][k]) stride[k] *= reversed[i];
    }
  }
  return HEDDLE_OK;
}

}  // namespace heddle::kernels
