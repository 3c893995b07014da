// SPDX-License-Identifier: Apache-2.0
// SCATTER_ND: zeros of the shape in input 2, to which the slices of input 1 are added where the
// rows of input 0 point; slices that meet add up. Bools are joined by OR.
#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/indices.h"
#include "kernels/late_shape.h"

namespace heddle::kernels {
namespace {

// Integers wrap.
template <typename T>
T Sum(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using Wide = std::make_unsigned_t<std::conditional_t<sizeof(T) < 4, int32_t, T>>;
    return static_cast<T>(static_cast<Wide>(a) + static_cast<Wide>(b));
  } else {
    return a + b;
  }
}

struct ScatterNd {
  struct Node {};
  struct Plan {
    std::vector<int32_t> dims;
    IndexRows rows;
    int64_t elements = 0;
  };
  static constexpr size_t kShapeInputs[] = {2};

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput<float, int32_t, int64_t, int8_t, uint8_t, int16_t, bool>(op, 1, fn);
  }

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(3, 3, 1));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectIndices(op, 0));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(2, op.input(0).dtype));
    HEDDLE_OP_RETURN_IF_ERROR(Dispatch(op, [](auto) { return HEDDLE_OK; }));
    return op.ExpectOutputType(0, op.input(1).dtype);
  }

  static heddle_status Resolve(const OpContext& op, const Node&, Plan* plan) {
    HEDDLE_OP_RETURN_IF_ERROR(ReadShape(op, 2, &plan->dims));
    HEDDLE_OP_RETURN_IF_ERROR(MakeIndexRows(op, 0, plan->dims, &plan->rows));
    const auto indices = op.input_dims(0);
    const auto updates = op.input_dims(1);
    std::vector<int32_t> wanted(indices.begin(), indices.end() - 1);
    wanted.insert(wanted.end(), plan->dims.begin() + indices.back(), plan->dims.end());
    if (!std::equal(wanted.begin(), wanted.end(), updates.begin(), updates.end())) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1,
                     "the updates have shape ", ShapeText(updates), ", wanted is ",
                     ShapeText(wanted));
    }
    return CountElements(op, OpContext::kOutput(0), plan->dims, &plan->elements);
  }

  // In the order of the rows: sums of floats depend on it.
  static heddle_status Run(const OpContext& op, const Node&, const Plan& plan, void* data) {
    HEDDLE_OP_RETURN_IF_ERROR(CheckIndexRows(op, 0, plan.rows));
    return Dispatch(op, [&](auto tag) {
      using Type = typename decltype(tag)::type;
      // Bools of a model may hold any byte.
      constexpr bool kBool = std::is_same_v<Type, bool>;
      using T = std::conditional_t<kBool, uint8_t, Type>;
      const T* updates = op.InputData<T>(1);
      T* output = static_cast<T*>(data);
      if (plan.elements == 0) return HEDDLE_OK;
      std::fill_n(output, plan.elements, T{0});
      return DispatchIndices(op, 0, [&](auto index_tag) {
        using Index = typename decltype(index_tag)::type;
        const Index* indices = op.InputData<Index>(0);
        const int64_t run = plan.rows.run;
        for (int64_t row = 0; row < plan.rows.count; ++row) {
          T* to = output + RowOffset(plan.rows, indices, row);
          for (int64_t i = 0; i < run; ++i) {
            const T update = updates[row * run + i];
            to[i] = kBool ? static_cast<T>(to[i] != T{0} || update != T{0}) : Sum(to[i], update);
          }
        }
        return HEDDLE_OK;
      });
    });
  }
};

}  // namespace

HEDDLE_OP(SCATTER_ND, 1, 1, LateShape<ScatterNd>);

}  // namespace heddle::kernels
