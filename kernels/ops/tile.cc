// SPDX-License-Identifier: Apache-2.0
// TILE: the input repeated multiples[d] times along dimension d.
// BROADCAST_TO: the input repeated to a shape, aligned at the last dimension.
#include "kernels/axes.h"
#include "kernels/late_shape.h"

namespace heddle::kernels {
namespace {

struct Tile : ViewKernel {
  static constexpr size_t kShapeInputs[] = {1};

  static heddle_status Check(const OpContext& op, const Node&) { return ExpectMovable(op, 2); }

  static heddle_status Resolve(const OpContext& op, const Node&, View* view) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    const auto input = op.input_dims(0);
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input, &elements));
    std::vector<int64_t> multiples;
    HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, 1, 1, &multiples));
    if (multiples.size() != input.size()) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, multiples.size(),
                     " multiples for shape ", ShapeText(input));
    }
    for (size_t d = 0; d < input.size(); ++d) {
      if (multiples[d] < 0 || multiples[d] > INT32_MAX || multiples[d] * input[d] > INT32_MAX) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "multiple ",
                       multiples[d], " of dimension ", d, " of ", input[d], " is out of range");
      }
      view->dims.push_back(static_cast<int32_t>(multiples[d] * input[d]));
    }
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, OpContext::kOutput(0), view->dims, &elements));
    if (elements == 0) {
      view->source.Append(0, 0);
      return HEDDLE_OK;
    }
    const std::vector<int64_t> strides = DenseStrides(input);
    for (size_t d = 0; d < input.size(); ++d) {
      view->source.Append(multiples[d], 0);
      view->source.Append(input[d], strides[d]);
    }
    return HEDDLE_OK;
  }
};

struct BroadcastTo : ViewKernel {
  static constexpr size_t kShapeInputs[] = {1};

  static heddle_status Check(const OpContext& op, const Node&) { return ExpectMovable(op, 2); }

  static heddle_status Resolve(const OpContext& op, const Node&, View* view) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    const auto input = op.input_dims(0);
    HEDDLE_OP_RETURN_IF_ERROR(ReadShape(op, 1, &view->dims));
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input, &elements));
    const auto added = static_cast<int64_t>(view->dims.size()) - op.input(0).rank;
    bool fits = added >= 0;
    for (size_t d = 0; fits && d < input.size(); ++d) {
      fits = input[d] == 1 || input[d] == view->dims[d + static_cast<size_t>(added)];
    }
    if (!fits) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "shape ",
                     ShapeText(input), " cannot be repeated to ", ShapeText(view->dims));
    }
    const std::vector<int64_t> strides = DenseStrides(input);
    for (size_t d = 0; d < view->dims.size(); ++d) {
      const auto from = static_cast<int64_t>(d) - added;
      const bool repeat = from < 0 || input[static_cast<size_t>(from)] == 1;
      view->source.Append(view->dims[d], repeat ? 0 : strides[static_cast<size_t>(from)]);
    }
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(TILE, 1, 3, LateShape<Tile>);
HEDDLE_OP(BROADCAST_TO, 2, 4, LateShape<BroadcastTo>);

}  // namespace heddle::kernels
