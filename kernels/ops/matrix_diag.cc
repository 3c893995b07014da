// SPDX-License-Identifier: Apache-2.0
// MATRIX_DIAG: square matrices of zeros with the input's rows on their diagonals. MATRIX_SET_DIAG:
// the matrices of input 0 with their diagonals replaced by the rows of input 1.
#include <algorithm>
#include <cstring>

#include "kernels/copy.h"
#include "kernels/dispatch.h"

namespace heddle::kernels {
namespace {

// Rows of `length` diagonal elements go into matrices of `rows` x `columns`.
CopyPlan DiagonalBox(int64_t batch, int64_t length, int64_t rows, int64_t columns) {
  CopyPlan box;
  box.Append(batch, {length, rows * columns});
  box.Append(length, {1, columns + 1});
  return box;
}

struct MatrixDiag {
  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    const heddle_dtype dtype = op.input(0).dtype;
    if (!DispatchWidth(dtype, [](auto) {})) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 1, ref::kMaxRank - 1));
    const auto input = op.input_dims(0);
    std::vector<int32_t> dims(input.begin(), input.end());
    dims.push_back(input.back());
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, OpContext::kOutput(0), dims, &elements));
    return op.SetOutput(0, dtype, dims);
  }

  static heddle_status Invoke(OpContext& op) {
    const auto input = op.input_dims(0);
    if (op.output(0).bytes == 0) return HEDDLE_OK;
    std::memset(op.output(0).data, 0, op.output(0).bytes);
    int64_t batch = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input.first(input.size() - 1), &batch));
    return CopyBox(op, DiagonalBox(batch, input.back(), input.back(), input.back()),
                   op.input(0).dtype, op.input(0).data, op.output(0).data);
  }
};

struct MatrixSetDiag {
  static constexpr heddle_in_place_pair kInPlace[] = {{0, 0}};

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    const heddle_dtype dtype = op.input(0).dtype;
    if (!DispatchWidth(dtype, [](auto) {})) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 2, ref::kMaxRank));
    const auto input = op.input_dims(0);
    const auto diagonal = op.input_dims(1);
    std::vector<int32_t> wanted(input.begin(), input.end() - 1);
    wanted.back() = std::min(wanted.back(), input.back());
    if (!std::equal(wanted.begin(), wanted.end(), diagonal.begin(), diagonal.end())) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1,
                     "the diagonals have shape ", ShapeText(diagonal), ", wanted is ",
                     ShapeText(wanted));
    }
    return op.SetOutput(0, dtype, input);
  }

  static heddle_status Invoke(OpContext& op) {
    const auto input = op.input_dims(0);
    if (op.output(0).bytes == 0) return HEDDLE_OK;
    if (op.output(0).data != op.input(0).data) {
      std::memcpy(op.output(0).data, op.input(0).data, op.output(0).bytes);
    }
    int64_t batch = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input.first(input.size() - 2), &batch));
    const int64_t rows = input[input.size() - 2];
    return CopyBox(op,
                   DiagonalBox(batch, std::min<int64_t>(rows, input.back()), rows, input.back()),
                   op.input(0).dtype, op.input(1).data, op.output(0).data);
  }
};

}  // namespace

HEDDLE_OP(MATRIX_DIAG, 1, 1, MatrixDiag);
HEDDLE_OP(MATRIX_SET_DIAG, 1, 1, MatrixSetDiag);

}  // namespace heddle::kernels
