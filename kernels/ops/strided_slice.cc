// SPDX-License-Identifier: Apache-2.0
// STRIDED_SLICE: x[begin:end:stride, ...] with int32 lists of an entry for each index. Bit i of a
// mask speaks of entry i: begin and end left out, "..." (ellipsis), a new dimension of 1, or an
// index that drops its dimension (shrink). With `offset` ends count from their begins.
#include <algorithm>

#include "kernels/axes.h"
#include "kernels/late_shape.h"

namespace heddle::kernels {
namespace {

struct StridedSlice : ViewKernel {
  struct Node {
    int32_t begin_mask = 0;
    int32_t end_mask = 0;
    int32_t ellipsis_mask = 0;
    int32_t new_axis_mask = 0;
    int32_t shrink_axis_mask = 0;
    bool offset = false;
  };
  static constexpr size_t kShapeInputs[] = {1, 2, 3};
  static constexpr int64_t kMaxEntries = 31;  // bits of a mask

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_STRIDED_SLICE_BEGIN_MASK, &node.begin_mask));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_STRIDED_SLICE_END_MASK, &node.end_mask));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_STRIDED_SLICE_ELLIPSIS_MASK, &node.ellipsis_mask));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_STRIDED_SLICE_NEW_AXIS_MASK, &node.new_axis_mask));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_STRIDED_SLICE_SHRINK_AXIS_MASK, &node.shrink_axis_mask));
    return op.Get(HEDDLE_ATTR_STRIDED_SLICE_OFFSET, &node.offset);
  }

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectMovable(op, 4));
    for (size_t i = 1; i < 4; ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(i, HEDDLE_DTYPE_INT32));
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(i, 1, 1));
      const int32_t entries = op.input_dims(i)[0];
      if (entries == op.input_dims(1)[0] && entries <= kMaxEntries) continue;
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, static_cast<int32_t>(i),
                     "input ", i, " has ", entries, " entries, begin has ", op.input_dims(1)[0],
                     "; wanted is the same number, at most ", kMaxEntries);
    }
    return HEDDLE_OK;
  }

  static bool Has(int32_t mask, size_t entry) { return (mask >> entry & 1) != 0; }

  struct Range {
    int64_t begin = 0;
    int64_t count = 0;
  };

  // The elements that entry `i` takes of a dimension.
  static Range RangeOf(const Node& node, size_t i, int64_t dim, int64_t begin, int64_t end,
                       int64_t stride) {
    const int64_t low = stride > 0 ? 0 : -1;
    const int64_t high = stride > 0 ? dim : dim - 1;
    if (begin < 0) begin += dim;
    begin = std::max(low, std::min(begin, high));
    if (Has(node.begin_mask, i)) begin = stride > 0 ? 0 : dim - 1;
    if (node.offset) end += begin;
    if (end < 0) end += dim;
    end = std::max(low, std::min(end, high));
    if (Has(node.end_mask, i)) end = stride > 0 ? dim : -1;
    const int64_t span = stride > 0 ? end - begin : begin - end;
    const int64_t step = stride > 0 ? stride : -stride;
    return {begin, span <= 0 ? 0 : (span - 1) / step + 1};
  }

  static heddle_status Resolve(const OpContext& op, const Node& node, View* view) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    const auto input = op.input_dims(0);
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input, &elements));
    std::vector<int64_t> lists[3];
    for (size_t i = 0; i < 3; ++i) HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, i + 1, 1, &lists[i]));
    const auto& [begin, end, stride] = lists;
    const std::vector<int64_t> strides = DenseStrides(input);

    size_t taken = 0;  // dimensions that entries other than "..." take
    size_t ellipses = 0;
    for (size_t i = 0; i < begin.size(); ++i) {
      if (Has(node.ellipsis_mask, i)) {
        ++ellipses;
      } else if (!Has(node.new_axis_mask, i)) {
        ++taken;
      }
    }
    if (ellipses > 1 || taken > input.size()) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, begin.size(),
                     " entries, ", ellipses, " of them an ellipsis, do not fit shape ",
                     ShapeText(input));
    }
    size_t d = 0;
    const auto take_whole = [&](size_t dims) {
      for (; dims > 0; --dims, ++d) {
        view->dims.push_back(input[d]);
        view->source.Append(input[d], strides[d]);
      }
    };
    for (size_t i = 0; i < begin.size(); ++i) {
      if (Has(node.ellipsis_mask, i)) {
        take_whole(input.size() - taken);
        continue;
      }
      if (Has(node.new_axis_mask, i)) {
        view->dims.push_back(1);
        continue;
      }
      const int64_t step = stride[i];
      const bool shrink = Has(node.shrink_axis_mask, i);
      if (step == 0 || (shrink && step < 0)) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 3, "stride ", step,
                       " of entry ", i, shrink ? " is not positive" : " is zero");
      }
      Range range = RangeOf(node, i, input[d], begin[i], end[i], step);
      if (shrink) {
        // The clamp of ranges would turn an index out of range into one.
        const int64_t index = begin[i] < 0 ? begin[i] + input[d] : begin[i];
        const bool open = Has(node.begin_mask, i);
        if (input[d] == 0 || (!open && (index < 0 || index >= input[d]))) {
          return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "index ",
                         begin[i], " lies outside dimension ", d, " of ", input[d]);
        }
        range = {open ? 0 : index, 1};
      } else {
        if (node.offset && !Has(node.end_mask, i) && end[i] > input[d] - range.begin) {
          return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 2, end[i],
                         " elements from ", range.begin, " on lie outside dimension ", d, " of ",
                         input[d]);
        }
        view->dims.push_back(static_cast<int32_t>(range.count));
        view->source.Append(range.count, range.count > 1 ? step * strides[d] : 0);
      }
      if (range.count > 0) view->base += range.begin * strides[d];
      ++d;
    }
    take_whole(input.size() - d);
    if (view->dims.size() > ref::kMaxRank) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, OpContext::kOutput(0),
                     "an output of rank ", view->dims.size(), " is not supported");
    }
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(STRIDED_SLICE, 1, 8, LateShape<StridedSlice>);

}  // namespace heddle::kernels
