// SPDX-License-Identifier: Apache-2.0
// TOPK_V2: the k greatest elements of each row of the last dimension, in falling order, and where
// they stand; the first of equal ones comes first.
#include <algorithm>

#include "kernels/axes.h"
#include "kernels/copy.h"
#include "kernels/dispatch.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

struct TopK {
  struct Plan {
    std::vector<int32_t> dims;
    int64_t rows = 0;
  };

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput<float, int32_t, int64_t, int8_t, uint8_t, int16_t>(op, 0, fn);
  }

  static heddle_status Resolve(const OpContext& op, Plan* plan) {
    int64_t k = 0;
    HEDDLE_OP_RETURN_IF_ERROR(ReadInteger(op, 1, &k));
    const auto input = op.input_dims(0);
    if (k > input.back()) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "k is ", k,
                     ", more than the last dimension of shape ", ShapeText(input));
    }
    plan->dims.assign(input.begin(), input.end());
    plan->dims.back() = static_cast<int32_t>(std::max<int64_t>(k, 0));
    return CountElements(op, 0, input.first(input.size() - 1), &plan->rows);
  }

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 2));
    HEDDLE_OP_RETURN_IF_ERROR(Dispatch(op, [](auto) { return HEDDLE_OK; }));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 1, INT32_MAX));
    const heddle_dtype k_type = op.input(1).dtype;
    if (k_type != HEDDLE_DTYPE_INT32 && k_type != HEDDLE_DTYPE_INT16) return op.UnsupportedType(1);
    const heddle_dtype types[] = {op.input(0).dtype, op.output(1).dtype};
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, types[0]));
    if (types[1] != HEDDLE_DTYPE_INT16) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(1, HEDDLE_DTYPE_INT32));
    } else if (op.input_dims(0).back() > INT16_MAX) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0,
                     "indices of INT16 cannot count shape ", ShapeText(op.input_dims(0)));
    }
    Plan plan;
    const bool known = op.IsConstant(1);
    if (known) HEDDLE_OP_RETURN_IF_ERROR(Resolve(op, &plan));
    for (size_t i = 0; i < 2; ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(known ? op.SetOutput(i, types[i], plan.dims)
                                      : op.SetOutputDataDependent(i, types[i]));
    }
    return HEDDLE_OK;
  }

  static heddle_status Prepare(OpContext& op, Plan& plan) {
    return op.IsConstant(1) ? Resolve(op, &plan) : HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    if (op.IsConstant(1)) return Run(op, plan, op.output(0).data, op.output(1).data);
    Plan late;
    HEDDLE_OP_RETURN_IF_ERROR(Resolve(op, &late));
    void* data[2] = {};
    for (size_t i = 0; i < 2; ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(i, late.dims, 0, &data[i]));
    }
    return Run(op, late, data[0], data[1]);
  }

  static heddle_status Run(const OpContext& op, const Plan& plan, void* values, void* indices) {
    const int64_t k = plan.dims.back();
    if (k == 0) return HEDDLE_OK;
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const bool small = op.output(1).dtype == HEDDLE_DTYPE_INT16;
      const int64_t row = op.input_dims(0).back();
      return op.ParallelFor(plan.rows, GrainFor(row * 4), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T* from = static_cast<const T*>(op.input(0).data) + i * row;
          T* to = static_cast<T*>(values) + i * k;
          if (small) {
            TakeRow(from, row, k, to, static_cast<int16_t*>(indices) + i * k);
          } else {
            TakeRow(from, row, k, to, static_cast<int32_t*>(indices) + i * k);
          }
        }
      });
    });
  }

  // `best` holds the heap of candidates, the worst on top.
  template <typename T, typename Index>
  static void TakeRow(const T* row, int64_t size, int64_t k, T* values, Index* best) {
    const auto precedes = [row](Index a, Index b) {
      if (row[a] > row[b]) return true;
      return !(row[a] < row[b]) && a < b;
    };
    for (int64_t i = 0; i < k; ++i) best[i] = static_cast<Index>(i);
    std::make_heap(best, best + k, precedes);
    for (int64_t i = k; i < size; ++i) {
      const auto index = static_cast<Index>(i);
      if (!precedes(index, best[0])) continue;
      std::pop_heap(best, best + k, precedes);
      best[k - 1] = index;
      std::push_heap(best, best + k, precedes);
    }
    std::sort_heap(best, best + k, precedes);
    for (int64_t i = 0; i < k; ++i) values[i] = row[best[i]];
  }
};

}  // namespace

HEDDLE_OP(TOPK_V2, 1, 3, TopK);

}  // namespace heddle::kernels
