// SPDX-License-Identifier: Apache-2.0
// UNIQUE: the different values of a list in the order in which they first come, and for each
// element the number of its value.
#include <algorithm>
#include <cmath>

#include "kernels/dispatch.h"

namespace heddle::kernels {
namespace {

struct Unique {
  struct Node {
    int32_t index_type = HEDDLE_DTYPE_INT32;
  };
  struct Plan {
    int32_t order = -1;  // scratch: an int32 for each element
  };

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput<float, int32_t, int64_t, int8_t, uint8_t, int16_t, uint16_t>(op, 0, fn);
  }

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_UNIQUE_IDX_OUT_TYPE, &node.index_type));
    if (node.index_type == HEDDLE_DTYPE_INT32 || node.index_type == HEDDLE_DTYPE_INT64) {
      return HEDDLE_OK;
    }
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                   "idx_out_type ", node.index_type, " is neither INT32 nor INT64");
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 2));
    HEDDLE_OP_RETURN_IF_ERROR(Dispatch(op, [](auto) { return HEDDLE_OK; }));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 1, 1));
    const heddle_dtype dtype = op.input(0).dtype;
    const auto index_type = static_cast<heddle_dtype>(node.index_type);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(1, index_type));
    HEDDLE_OP_RETURN_IF_ERROR(op.SetOutputDataDependent(0, dtype));
    return op.SetOutput(1, index_type, op.input_dims(0));
  }

  static heddle_status Prepare(OpContext& op, const Node&, Plan& plan) {
    return op.RequestScratch(static_cast<size_t>(op.input_dims(0)[0]) * sizeof(int32_t),
                             &plan.order);
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    auto* order = op.Scratch<int32_t>(plan.order);
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return node.index_type == HEDDLE_DTYPE_INT32 ? Run<T>(op, order, op.OutputData<int32_t>(1))
                                                   : Run<T>(op, order, op.OutputData<int64_t>(1));
    });
  }

  // NaNs equal each other and come last, so that there is an order.
  template <typename T>
  static bool Less(T a, T b) {
    if constexpr (std::is_same_v<T, float>) return a < b || (!std::isnan(a) && std::isnan(b));
    return a < b;
  }

  template <typename T, typename Index>
  static heddle_status Run(const OpContext& op, int32_t* order, Index* numbers) {
    const T* input = op.InputData<T>(0);
    const int32_t count = op.input_dims(0)[0];
    for (int32_t i = 0; i < count; ++i) order[i] = i;
    std::sort(order, order + count, [input](int32_t a, int32_t b) {
      if (Less(input[a], input[b])) return true;
      return !Less(input[b], input[a]) && a < b;
    });
    // First the place where an element's value first comes, then, in order, the value's number.
    int32_t first = 0;
    for (int32_t i = 0; i < count; ++i) {
      if (i == 0 || Less(input[first], input[order[i]])) first = order[i];
      numbers[order[i]] = first;
    }
    int32_t found = 0;
    for (int32_t i = 0; i < count; ++i) {
      if (numbers[i] == i) {
        order[found] = i;
        numbers[i] = found++;
      } else {
        numbers[i] = numbers[numbers[i]];
      }
    }
    void* data = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, {&found, 1}, 0, &data));
    for (int32_t i = 0; i < found; ++i) static_cast<T*>(data)[i] = input[order[i]];
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(UNIQUE, 1, 1, Unique);

}  // namespace heddle::kernels
