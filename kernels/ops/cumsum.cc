// SPDX-License-Identifier: Apache-2.0
// CUMSUM along the dimension that input 1 names: float32, int32, int64.
#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/ref/reduce.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

struct CumulativeSum {
  struct Node {
    bool exclusive = false;  // a sum without the element at its place
    bool reverse = false;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_CUMSUM_EXCLUSIVE, &node.exclusive));
    return op.Get(HEDDLE_ATTR_CUMSUM_REVERSE, &node.reverse);
  }

  static heddle_status Infer(OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 1, INT32_MAX));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_INT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    return op.SetOutput(0, op.input(0).dtype, op.input_dims(0));
  }

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput<float, int32_t, int64_t>(op, 0, fn);
  }

  static heddle_status Prepare(OpContext& op, const Node&) {
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(Dispatch(op, [](auto) { return HEDDLE_OK; }));
    if (!ElementCount(op.input_dims(0), &elements)) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, 0, "shape ",
                     ShapeText(op.input_dims(0)), " is too large");
    }
    int64_t axis = 0;
    return op.IsConstant(1) ? ReadAxis(op, 1, &axis) : HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Node& node) {
    int64_t axis = 0;
    HEDDLE_OP_RETURN_IF_ERROR(ReadAxis(op, 1, &axis));
    int64_t outer = 1;
    int64_t inner = 1;
    const auto dims = op.input_dims(0);
    for (size_t d = 0; d < dims.size(); ++d) {
      if (d == static_cast<size_t>(axis)) continue;
      (d < static_cast<size_t>(axis) ? outer : inner) *= dims[d];
    }
    const int64_t count = dims[static_cast<size_t>(axis)];
    if (count == 0) return HEDDLE_OK;
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* const input = op.InputData<T>(0);
      T* const output = op.OutputData<T>(0);
      return op.ParallelFor(outer * inner, GrainFor(count), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const int64_t base = i / inner * count * inner + i % inner;
          T sum = 0;
          for (int64_t k = 0; k < count; ++k) {
            const int64_t at = base + (node.reverse ? count - 1 - k : k) * inner;
            const T value = input[at];
            if (node.exclusive) output[at] = sum;
            sum = ref::SumOf::Join(sum, value);
            if (!node.exclusive) output[at] = sum;
          }
        }
      });
    });
  }
};

}  // namespace

HEDDLE_OP(CUMSUM, 1, 1, CumulativeSum);

}  // namespace heddle::kernels
