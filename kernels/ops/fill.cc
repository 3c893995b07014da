// SPDX-License-Identifier: Apache-2.0
// FILL: the value of input 1 in the shape of input 0. ONE_HOT: for each index a new dimension of
// `depth` values, off but for the one at the index. ZEROS_LIKE: zeros in the input's shape.
#include <cstring>

#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/indices.h"
#include "kernels/late_shape.h"
#include "kernels/string_tensor.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

heddle_status ExpectOneElement(const OpContext& op, size_t i) {
  int64_t count = 0;
  HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, static_cast<int32_t>(i), op.input_dims(i), &count));
  if (count == 1) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, static_cast<int32_t>(i),
                 "input ", i, " has shape ", ShapeText(op.input_dims(i)),
                 ", wanted is one element");
}

struct Fill {
  struct Node {};
  struct Plan {
    std::vector<int32_t> dims;
    int64_t elements = 0;
  };
  static constexpr size_t kShapeInputs[] = {0};

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 0, 0));
    const heddle_dtype dtype = op.input(1).dtype;
    if (dtype != HEDDLE_DTYPE_STRING && !IsMovable(dtype)) return op.UnsupportedType(1);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    return ExpectEqualQuantization(op, 1, OpContext::kOutput(0));
  }

  static heddle_status Resolve(const OpContext& op, const Node&, Plan* plan) {
    HEDDLE_OP_RETURN_IF_ERROR(ReadShape(op, 0, &plan->dims));
    return CountElements(op, OpContext::kOutput(0), plan->dims, &plan->elements);
  }

  static heddle_status Run(const OpContext& op, const Node&, const Plan& plan, void* data) {
    if (op.input(1).dtype == HEDDLE_DTYPE_STRING) {
      StringTensor value;
      HEDDLE_OP_RETURN_IF_ERROR(StringTensor::Open(op, 1, &value));
      return WriteStrings(op, plan.dims, [&](int64_t) { return value[0]; });
    }
    return FillElements(op, op.input(1).dtype, ElementBits(op.input(1)), plan.elements, data);
  }
};

struct OneHot {
  struct Node {
    int32_t axis = -1;
  };
  struct Plan {
    std::vector<int32_t> dims;
    int64_t outer = 0;  // indices before the new dimension
    int64_t depth = 0;
    int64_t inner = 0;  // and after it
  };
  static constexpr size_t kShapeInputs[] = {1};

  static heddle_status Init(OpContext& op, Node& node) {
    return op.Get(HEDDLE_ATTR_ONE_HOT_AXIS, &node.axis);
  }

  static heddle_status Check(const OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(4, 4, 1));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectIndices(op, 0));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_INT32));
    const heddle_dtype dtype = op.input(2).dtype;
    if (!DispatchWidth(dtype, [](auto) {})) return op.UnsupportedType(2);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(3, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    for (size_t i = 1; i < 4; ++i) HEDDLE_OP_RETURN_IF_ERROR(ExpectOneElement(op, i));
    if (node.axis >= -1 && node.axis <= op.input(0).rank) return HEDDLE_OK;
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                   "axis ", node.axis, " is no place in shape ", ShapeText(op.input_dims(0)));
  }

  static heddle_status Resolve(const OpContext& op, const Node& node, Plan* plan) {
    const auto indices = op.input_dims(0);
    HEDDLE_OP_RETURN_IF_ERROR(ReadInteger(op, 1, &plan->depth));
    if (plan->depth < 0) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "depth ",
                     plan->depth, " is negative");
    }
    const auto axis = node.axis < 0 ? indices.size() : static_cast<size_t>(node.axis);
    plan->dims.assign(indices.begin(), indices.end());
    plan->dims.insert(plan->dims.begin() + static_cast<ptrdiff_t>(axis),
                      static_cast<int32_t>(plan->depth));
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, OpContext::kOutput(0), plan->dims, &elements));
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, indices.first(axis), &plan->outer));
    return CountElements(op, 0, indices.subspan(axis), &plan->inner);
  }

  static heddle_status Run(const OpContext& op, const Node&, const Plan& plan, void* data) {
    const int64_t block = plan.depth * plan.inner;
    if (plan.outer == 0 || block == 0) return HEDDLE_OK;
    HEDDLE_OP_RETURN_IF_ERROR(
        FillElements(op, op.input(3).dtype, ElementBits(op.input(3)), plan.outer * block, data));
    heddle_status status = HEDDLE_OK;
    DispatchWidth(op.input(2).dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const auto on = static_cast<T>(ElementBits(op.input(2)));
      T* output = static_cast<T*>(data);
      status = DispatchIndices(op, 0, [&](auto index_tag) {
        using Index = typename decltype(index_tag)::type;
        const Index* indices = op.InputData<Index>(0);
        return op.ParallelFor(plan.outer, GrainFor(plan.inner), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            for (int64_t k = 0; k < plan.inner; ++k) {
              const int64_t index = indices[i * plan.inner + k];
              if (index < 0 || index >= plan.depth) continue;  // all off
              output[i * block + index * plan.inner + k] = on;
            }
          }
        });
      });
    });
    return status;
  }
};

struct ZerosLike {
  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    const heddle_dtype dtype = op.input(0).dtype;
    if (!IsMovable(dtype)) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    return op.SetOutput(0, dtype, op.input_dims(0));
  }

  static heddle_status Invoke(OpContext& op) {
    if (op.output(0).bytes != 0) std::memset(op.output(0).data, 0, op.output(0).bytes);
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(FILL, 1, 5, LateShape<Fill>);
HEDDLE_OP(ONE_HOT, 1, 1, LateShape<OneHot>);
HEDDLE_OP(ZEROS_LIKE, 1, 1, ZerosLike);

}  // namespace heddle::kernels
