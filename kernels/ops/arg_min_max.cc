// SPDX-License-Identifier: Apache-2.0
// ARG_MAX and ARG_MIN: where along the dimension that input 1 names the extreme is, the first of
// equal ones. float32, int32, int8, uint8, bool; NaN counts only if there is nothing else.
#include <cmath>

#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/ref/bool.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

struct Maximum {
  static constexpr uint32_t kOutputType = HEDDLE_ATTR_ARG_MAX_OUTPUT_TYPE;
  template <typename T>
  static bool Beats(T candidate, T best) {
    return candidate > best;
  }
};
struct Minimum {
  static constexpr uint32_t kOutputType = HEDDLE_ATTR_ARG_MIN_OUTPUT_TYPE;
  template <typename T>
  static bool Beats(T candidate, T best) {
    return candidate < best;
  }
};

template <typename Extreme>
struct ArgExtreme {
  struct Node {
    heddle_dtype index_type = HEDDLE_DTYPE_INT32;
  };
  struct Plan {
    int64_t outer = 1;
    int64_t count = 1;  // along the dimension
    int64_t inner = 1;
    std::vector<int32_t> dims;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    int32_t type = 0;
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(Extreme::kOutputType, &type));
    node.index_type = static_cast<heddle_dtype>(type);
    if (type == HEDDLE_DTYPE_INT32 || type == HEDDLE_DTYPE_INT64) return HEDDLE_OK;
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_ATTRIBUTE_NOT_SUPPORTED, HEDDLE_NO_OPERAND,
                   "output type ", type, " is not supported, wanted is INT32 or INT64");
  }

  // The geometry around the axis.
  static heddle_status Split(const OpContext& op, Plan* plan) {
    int64_t axis = 0;
    HEDDLE_OP_RETURN_IF_ERROR(ReadAxis(op, 1, &axis));
    const auto dims = op.input_dims(0);
    const auto at = static_cast<size_t>(axis);
    if (!ElementCount(dims.first(at), &plan->outer) ||
        !ElementCount(dims.subspan(at + 1), &plan->inner)) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, 0, "shape ", ShapeText(dims),
                     " is too large");
    }
    plan->count = dims[at];
    if (plan->count == 0) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0, "dimension ", axis,
                     " of shape ", ShapeText(dims), " has no elements to choose from");
    }
    plan->dims.assign(dims.begin(), dims.end());
    plan->dims.erase(plan->dims.begin() + axis);
    return HEDDLE_OK;
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 1, INT32_MAX));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, node.index_type));
    if (!op.IsConstant(1)) return op.SetOutputDataDependent(0, node.index_type);
    Plan plan;
    HEDDLE_OP_RETURN_IF_ERROR(Split(op, &plan));
    return op.SetOutput(0, node.index_type, plan.dims);
  }

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput<float, int32_t, int8_t, uint8_t, ref::Bool>(op, 0, fn);
  }

  static heddle_status Prepare(OpContext& op, const Node&, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(Dispatch(op, [](auto) { return HEDDLE_OK; }));
    return op.IsConstant(1) ? Split(op, &plan) : HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    if (op.IsConstant(1)) return Run(op, node, plan, op.output(0).data);
    Plan dynamic;
    HEDDLE_OP_RETURN_IF_ERROR(Split(op, &dynamic));
    void* data = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, dynamic.dims, 0, &data));
    return Run(op, node, dynamic, data);
  }

  static heddle_status Run(const OpContext& op, const Node& node, const Plan& plan, void* data) {
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* const input = op.InputData<T>(0);
      return op.ParallelFor(
          plan.outer * plan.inner, GrainFor(plan.count), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              const int64_t outer = i / plan.inner;
              const T* const first = input + outer * plan.count * plan.inner + i % plan.inner;
              const int64_t best = Find(first, plan.count, plan.inner);
              if (node.index_type == HEDDLE_DTYPE_INT64) {
                static_cast<int64_t*>(data)[i] = best;
              } else {
                static_cast<int32_t*>(data)[i] = static_cast<int32_t>(best);
              }
            }
          });
    });
  }

  template <typename T>
  static int64_t Find(const T* values, int64_t count, int64_t step) {
    int64_t best = 0;
    for (int64_t k = 1; k < count; ++k) {
      const T candidate = values[k * step];
      const T current = values[best * step];
      bool better = Extreme::Beats(candidate, current);
      if constexpr (std::is_floating_point_v<T>) {
        better = better || (std::isnan(current) && !std::isnan(candidate));
      }
      if (better) best = k;
    }
    return best;
  }
};

}  // namespace

HEDDLE_OP(ARG_MAX, 1, 3, ArgExtreme<Maximum>);
HEDDLE_OP(ARG_MIN, 1, 3, ArgExtreme<Minimum>);

}  // namespace heddle::kernels
