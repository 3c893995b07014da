// SPDX-License-Identifier: Apache-2.0
// SLICE: size[d] elements of dimension d from begin[d] on; a size of -1 means all that are left.
#include "kernels/axes.h"
#include "kernels/late_shape.h"

namespace heddle::kernels {
namespace {

struct Slice : ViewKernel {
  static constexpr size_t kShapeInputs[] = {1, 2};

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectMovable(op, 3));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(2, 1, 1));
    return op.ExpectType(2, op.input(1).dtype);
  }

  static heddle_status Resolve(const OpContext& op, const Node&, View* view) {
    const auto input = op.input_dims(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input, &elements));
    std::vector<int64_t> begin;
    std::vector<int64_t> size;
    HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, 1, 1, &begin));
    HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, 2, 1, &size));
    for (const int32_t i : {1, 2}) {
      const size_t entries = (i == 1 ? begin : size).size();
      if (entries == input.size()) continue;
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, i, "input ", i, " has ",
                     entries, " entries for shape ", ShapeText(input));
    }
    const std::vector<int64_t> strides = DenseStrides(input);
    for (size_t d = 0; d < input.size(); ++d) {
      if (begin[d] < 0 || begin[d] > input[d] || size[d] < -1 || size[d] > input[d] - begin[d]) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "begin ", begin[d],
                       " and size ", size[d], " lie outside dimension ", d, " of ", input[d]);
      }
      const int64_t extent = size[d] < 0 ? input[d] - begin[d] : size[d];
      view->dims.push_back(static_cast<int32_t>(extent));
      view->source.Append(extent, strides[d]);
      view->base += begin[d] * strides[d];
    }
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(SLICE, 1, 8, LateShape<Slice>);

}  // namespace heddle::kernels
