// SPDX-License-Identifier: Apache-2.0
// SELECT_V2: elements of input 1 where input 0 is true, else of input 2; all three stretched to a
// common shape. SELECT: the same for equal shapes, or with a condition for each slice of the first
// dimension, or one for all.
#include <algorithm>

#include "kernels/copy.h"
#include "kernels/dispatch.h"
#include "kernels/ref/box.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

// Offsets of condition, both sources and output.
using SelectPlan = ref::Box<4>;

heddle_status ExpectSelectOperands(const OpContext& op) {
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(3, 3, 1));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(0, HEDDLE_DTYPE_BOOL));
  const heddle_dtype dtype = op.input(1).dtype;
  if (!DispatchWidth(dtype, [](auto) {})) return op.UnsupportedType(1);
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(2, dtype));
  return op.ExpectOutputType(0, dtype);
}

heddle_status RunSelect(const OpContext& op, const SelectPlan& plan) {
  if (plan.count == 0) return HEDDLE_OK;
  heddle_status status = HEDDLE_OK;
  DispatchWidth(op.input(1).dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto* condition = op.InputData<uint8_t>(0);  // bools of a model may hold any byte
    const T* a = op.InputData<T>(1);
    const T* b = op.InputData<T>(2);
    T* out = op.OutputData<T>(0);
    const int64_t run = plan.row();
    status = op.ParallelFor(plan.rows(), GrainFor(run), [&](int64_t begin, int64_t end) {
      ref::ForEachRow(plan, begin, end, [&](const std::array<int64_t, 4>& at) {
        for (int64_t i = 0; i < run; ++i) {
          out[at[3] + i] = condition[at[0] + i * plan.step(0)] != 0 ? a[at[1] + i * plan.step(1)]
                                                                    : b[at[2] + i * plan.step(2)];
        }
      });
    });
  });
  return status;
}

struct SelectV2 {
  using Plan = SelectPlan;

  static heddle_status CommonShape(const OpContext& op, std::vector<int32_t>* dims) {
    size_t rank = 0;
    for (size_t i = 0; i < 3; ++i) rank = std::max(rank, op.input_dims(i).size());
    dims->assign(rank, 1);
    for (size_t i = 0; i < 3; ++i) {
      const auto input = op.input_dims(i);
      for (size_t d = 0; d < input.size(); ++d) {
        int32_t& dim = (*dims)[rank - input.size() + d];
        if (dim == 1) dim = input[d];
        if (input[d] == 1 || input[d] == dim) continue;
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, static_cast<int32_t>(i),
                       "shapes ", ShapeText(op.input_dims(0)), ", ", ShapeText(op.input_dims(1)),
                       " and ", ShapeText(op.input_dims(2)),
                       " cannot be stretched to a common one");
      }
    }
    if (rank <= ref::kMaxRank) return HEDDLE_OK;
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0, "rank ", rank,
                   " is not supported, at most is ", ref::kMaxRank);
  }

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectSelectOperands(op));
    std::vector<int32_t> dims;
    HEDDLE_OP_RETURN_IF_ERROR(CommonShape(op, &dims));
    return op.SetOutput(0, op.input(1).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, SelectPlan& plan) {
    std::vector<int32_t> dims;
    HEDDLE_OP_RETURN_IF_ERROR(CommonShape(op, &dims));
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, OpContext::kOutput(0), dims, &elements));
    const std::vector<int64_t> out = DenseStrides(dims);
    std::vector<int64_t> strides[3];
    for (size_t i = 0; i < 3; ++i) {
      const auto input = op.input_dims(i);
      strides[i] = DenseStrides(input);
      for (size_t d = 0; d < input.size(); ++d) {
        if (input[d] == 1) strides[i][d] = 0;
      }
      strides[i].insert(strides[i].begin(), dims.size() - input.size(), 0);
    }
    for (size_t d = 0; d < dims.size(); ++d) {
      plan.Append(dims[d], {strides[0][d], strides[1][d], strides[2][d], out[d]});
    }
    return HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const SelectPlan& plan) { return RunSelect(op, plan); }
};

struct Select {
  using Plan = SelectPlan;

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectSelectOperands(op));
    const auto condition = op.input_dims(0);
    const auto a = op.input_dims(1);
    const auto b = op.input_dims(2);
    const bool equal = std::equal(a.begin(), a.end(), b.begin(), b.end());
    const bool same = std::equal(a.begin(), a.end(), condition.begin(), condition.end());
    const bool slices = condition.size() == 1 && !a.empty() && condition[0] == a[0];
    int64_t conditions = 0;
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, condition, &conditions));
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 1, a, &elements));
    const bool one = condition.empty() || (conditions == 1 && elements == 1);
    if (!equal || !(same || slices || one)) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, equal ? 0 : 2, "shapes ",
                     ShapeText(condition), ", ", ShapeText(a), " and ", ShapeText(b),
                     " do not fit together");
    }
    return op.SetOutput(0, op.input(1).dtype, a);
  }

  static heddle_status Prepare(OpContext& op, SelectPlan& plan) {
    const auto dims = op.input_dims(1);
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 1, dims, &elements));
    if (op.input_dims(0).size() == dims.size() || op.input_dims(0).empty()) {
      plan.Append(elements, {op.input_dims(0).size() == dims.size() ? 1 : 0, 1, 1, 1});
      return HEDDLE_OK;
    }
    const int64_t slices = dims.empty() ? 1 : dims[0];
    const int64_t run = slices == 0 ? 0 : elements / slices;
    plan.Append(slices, {1, run, run, run});
    plan.Append(run, {0, 1, 1, 1});
    return HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const SelectPlan& plan) { return RunSelect(op, plan); }
};

}  // namespace

HEDDLE_OP(SELECT, 1, 4, Select);
HEDDLE_OP(SELECT_V2, 1, 2, SelectV2);

}  // namespace heddle::kernels
