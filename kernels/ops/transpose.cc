// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE: dimension i of the output is dimension perm[i] of the input.
#include "kernels/axes.h"
#include "kernels/late_shape.h"

namespace heddle::kernels {
namespace {

struct Transpose : ViewKernel {
  static constexpr size_t kShapeInputs[] = {1};

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectMovable(op, 2));
    return op.ExpectType(1, HEDDLE_DTYPE_INT32);
  }

  static heddle_status Resolve(const OpContext& op, const Node&, View* view) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    const auto input = op.input_dims(0);
    const auto rank = static_cast<int64_t>(input.size());
    std::vector<int64_t> permutation;
    HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, 1, 1, &permutation));
    if (permutation.size() != input.size()) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "the permutation has ",
                     permutation.size(), " entries for shape ", ShapeText(input));
    }
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input, &elements));
    const std::vector<int64_t> strides = DenseStrides(input);
    std::vector<bool> seen(input.size());
    for (const int64_t entry : permutation) {
      const int64_t from = entry < 0 ? entry + rank : entry;
      if (from < 0 || from >= rank || seen[static_cast<size_t>(from)]) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "entry ", entry,
                       " of the permutation is not a dimension, or comes twice");
      }
      const auto d = static_cast<size_t>(from);
      seen[d] = true;
      view->source.Append(input[d], strides[d]);
      view->dims.push_back(input[d]);
    }
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(TRANSPOSE, 1, 6, LateShape<Transpose>);

}  // namespace heddle::kernels
