// SPDX-License-Identifier: Apache-2.0
// REVERSE_V2: the dimensions that input 1 lists run backwards. REVERSE_SEQUENCE: the first
// lengths[b] elements of seq_dim do, for each index b of batch_dim.
#include "kernels/axes.h"
#include "kernels/copy.h"

namespace heddle::kernels {
namespace {

struct Reverse {
  using Plan = View;  // nothing reversed yet

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    const heddle_dtype dtype = op.input(0).dtype;
    if (!IsMovable(dtype)) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_INT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    if (op.IsConstant(1)) {
      std::vector<bool> reversed;
      HEDDLE_OP_RETURN_IF_ERROR(ReadAxes(op, 1, &reversed));
    }
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, op.input_dims(0), &elements));
    return op.SetOutput(0, dtype, op.input_dims(0));
  }

  static heddle_status Prepare(OpContext& op, View& view) {
    const auto dims = op.input_dims(0);
    const std::vector<int64_t> strides = DenseStrides(dims);
    for (size_t d = 0; d < dims.size(); ++d) view.source.Append(dims[d], strides[d]);
    return HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const View& forward) {
    View view = forward;
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 0, 1));
    const size_t count = op.input(0).rank == 0 ? 0 : op.input(1).bytes / sizeof(int32_t);
    for (size_t i = 0; i < count; ++i) {
      size_t d = 0;
      HEDDLE_OP_RETURN_IF_ERROR(AxisFromData(op, 1, op.InputData<int32_t>(1)[i], &d));
      int64_t& stride = view.source.strides[d];
      if (stride < 0) continue;  // named before
      view.base += (view.source.dims[d] - 1) * stride;
      stride = -stride;
    }
    return CopyView(op, view, op.output(0).data);
  }
};

struct ReverseSequence {
  struct Node {
    int32_t seq_dim = 0;
    int32_t batch_dim = 0;
  };
  struct Plan {
    std::vector<int64_t> strides;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_REVERSE_SEQUENCE_SEQ_DIM, &node.seq_dim));
    return op.Get(HEDDLE_ATTR_REVERSE_SEQUENCE_BATCH_DIM, &node.batch_dim);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    const heddle_dtype dtype = op.input(0).dtype;
    if (!IsMovable(dtype)) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    const heddle_dtype lengths = op.input(1).dtype;
    if (lengths != HEDDLE_DTYPE_INT32 && lengths != HEDDLE_DTYPE_INT64) {
      return op.UnsupportedType(1);
    }
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 1, 1));
    const int32_t rank = op.input(0).rank;
    if (node.seq_dim < 0 || node.seq_dim >= rank || node.batch_dim < 0 || node.batch_dim >= rank ||
        node.seq_dim == node.batch_dim) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, 0, "seq_dim ",
                     node.seq_dim, " and batch_dim ", node.batch_dim,
                     " are not two dimensions of shape ", ShapeText(op.input_dims(0)));
    }
    const int32_t batch = op.input_dims(0)[static_cast<size_t>(node.batch_dim)];
    if (op.input_dims(1)[0] != batch) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, op.input_dims(1)[0],
                     " lengths for a batch of ", batch);
    }
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, op.input_dims(0), &elements));
    return op.SetOutput(0, dtype, op.input_dims(0));
  }

  static heddle_status Prepare(OpContext& op, const Node&, Plan& plan) {
    plan.strides = DenseStrides(op.input_dims(0));
    return HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    const auto dims = op.input_dims(0);
    const auto seq_dim = static_cast<size_t>(node.seq_dim);
    const auto batch_dim = static_cast<size_t>(node.batch_dim);
    const std::vector<int64_t>& strides = plan.strides;
    const heddle_dtype dtype = op.input(0).dtype;
    for (int32_t b = 0; b < dims[batch_dim]; ++b) {
      const int64_t length = op.input(1).dtype == HEDDLE_DTYPE_INT32 ? op.InputData<int32_t>(1)[b]
                                                                     : op.InputData<int64_t>(1)[b];
      if (length < 0 || length > dims[seq_dim]) {
        return op.Fail(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "length ",
                       length, " is not in [0, ", dims[seq_dim], "]");
      }
      for (const bool reversed : {true, false}) {
        const int64_t start = b * strides[batch_dim] + (reversed ? 0 : length * strides[seq_dim]);
        CopyPlan box;
        box.base = {start, start};
        if (reversed) box.base[0] += (length - 1) * strides[seq_dim];
        for (size_t d = 0; d < dims.size(); ++d) {
          if (d == batch_dim) continue;
          const bool runs = d == seq_dim;
          const int64_t extent = !runs ? dims[d] : reversed ? length : dims[d] - length;
          box.Append(extent, {runs && reversed ? -strides[d] : strides[d], strides[d]});
        }
        HEDDLE_OP_RETURN_IF_ERROR(CopyBox(op, box, dtype, op.input(0).data, op.output(0).data));
      }
    }
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(REVERSE_V2, 1, 4, Reverse);
HEDDLE_OP(REVERSE_SEQUENCE, 1, 1, ReverseSequence);

}  // namespace heddle::kernels
