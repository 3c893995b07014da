// SPDX-License-Identifier: Apache-2.0
// SPARSE_TO_DENSE: input 3 in the shape of input 1, but for the values of input 2 (one for each
// index, or one for all) where input 0 says: a row of coordinates for each, or in one dimension
// plain numbers. The last of equal indices counts.
#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/indices.h"
#include "kernels/late_shape.h"

namespace heddle::kernels {
namespace {

struct SparseToDense {
  struct Node {};
  struct Plan {
    std::vector<int32_t> dims;
    IndexRows rows;
    int64_t elements = 0;
  };
  static constexpr size_t kShapeInputs[] = {1};

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(4, 4, 1));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectIndices(op, 0));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, 2));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(2, 0, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(3, 0, 0));
    const heddle_dtype dtype = op.input(2).dtype;
    if (!DispatchWidth(dtype, [](auto) {})) return op.UnsupportedType(2);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(3, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    const int32_t count = op.input(0).rank == 0 ? 1 : op.input_dims(0)[0];
    if (op.input(2).rank == 0 || op.input_dims(2)[0] == count) return HEDDLE_OK;
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 2, op.input_dims(2)[0],
                   " values for ", count, " indices");
  }

  static heddle_status Resolve(const OpContext& op, const Node&, Plan* plan) {
    HEDDLE_OP_RETURN_IF_ERROR(ReadShape(op, 1, &plan->dims));
    HEDDLE_OP_RETURN_IF_ERROR(
        CountElements(op, OpContext::kOutput(0), plan->dims, &plan->elements));
    const auto indices = op.input_dims(0);
    const size_t depth = indices.size() == 2 ? static_cast<size_t>(indices[1]) : 1;
    if (depth != plan->dims.size()) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 0, "indices of shape ",
                     ShapeText(indices), " do not fit shape ", ShapeText(plan->dims));
    }
    plan->rows.count = indices.empty() ? 1 : indices[0];
    plan->rows.limits.assign(plan->dims.begin(), plan->dims.end());
    plan->rows.strides = DenseStrides(plan->dims);
    plan->rows.run = 1;
    return HEDDLE_OK;
  }

  static heddle_status Run(const OpContext& op, const Node&, const Plan& plan, void* data) {
    HEDDLE_OP_RETURN_IF_ERROR(CheckIndexRows(op, 0, plan.rows));
    const heddle_dtype dtype = op.input(2).dtype;
    HEDDLE_OP_RETURN_IF_ERROR(
        FillElements(op, dtype, ElementBits(op.input(3)), plan.elements, data));
    if (plan.elements == 0) return HEDDLE_OK;
    return DispatchIndices(op, 0, [&](auto index_tag) {
      using Index = typename decltype(index_tag)::type;
      const Index* indices = op.InputData<Index>(0);
      const int64_t step = op.input(2).rank == 0 ? 0 : 1;
      DispatchWidth(dtype, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T* values = op.InputData<T>(2);
        for (int64_t row = 0; row < plan.rows.count; ++row) {
          static_cast<T*>(data)[RowOffset(plan.rows, indices, row)] = values[row * step];
        }
      });
      return HEDDLE_OK;
    });
  }
};

}  // namespace

HEDDLE_OP(SPARSE_TO_DENSE, 1, 3, LateShape<SparseToDense>);

}  // namespace heddle::kernels
