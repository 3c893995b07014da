// SPDX-License-Identifier: Apache-2.0
// SPLIT: a tensor cut into equal parts along a dimension. SPLIT_V: into parts of the sizes that an
// input lists, one of which may be -1: what is left. Any type of whole bytes.
#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/parts.h"

namespace heddle::kernels {
namespace {

struct SplitNode {
  int32_t count = 0;
};

struct SplitPlan {
  Parts parts;
  size_t axis = 0;
  std::vector<int32_t> sizes;  // of the dimension, for each part
};

// Which operand is what.
struct SplitOperands {
  size_t inputs;
  size_t value;
  size_t axis;
  int32_t sizes;  // HEDDLE_NO_OPERAND: equal parts
  uint32_t count_attribute;
};
constexpr SplitOperands kSplit = {2, 1, 0, HEDDLE_NO_OPERAND, HEDDLE_ATTR_SPLIT_NUM_SPLITS};
constexpr SplitOperands kSplitV = {3, 0, 2, 1, HEDDLE_ATTR_SPLIT_V_NUM_SPLITS};

template <const SplitOperands& kOperands>
struct SplitKernel {
  using Node = SplitNode;
  using Plan = SplitPlan;
  static constexpr bool kEqual = kOperands.sizes == HEDDLE_NO_OPERAND;

  static heddle_status Init(OpContext& op, Node& node) {
    return op.Get(kOperands.count_attribute, &node.count);
  }

  static bool IsKnown(const OpContext& op) {
    if constexpr (!kEqual) {
      if (!op.IsConstant(static_cast<size_t>(kOperands.sizes))) return false;
    }
    return op.IsConstant(kOperands.axis);
  }

  static heddle_status ResolveSizes(const OpContext& op, int32_t dim, std::vector<int32_t>* sizes) {
    const auto count = static_cast<int64_t>(op.output_count());
    if constexpr (kEqual) {
      if (dim % count != 0) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, kOperands.value,
                       "a dimension of ", dim, " cannot be cut into ", count, " equal parts");
      }
      sizes->assign(op.output_count(), static_cast<int32_t>(dim / count));
    } else {
      std::vector<int64_t> values;
      HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, kOperands.sizes, 1, &values));
      int64_t rest = dim;
      int open = 0;
      bool fits = static_cast<int64_t>(values.size()) == count;
      for (const int64_t value : values) {
        open += value == -1 ? 1 : 0;
        fits = fits && value >= -1 && value <= rest;
        if (fits && value > 0) rest -= value;
      }
      if (!fits || open > 1 || (open == 0 && rest != 0)) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, kOperands.sizes,
                       "the ", values.size(), " sizes do not cut a dimension of ", dim, " into ",
                       count, " parts");
      }
      for (const int64_t value : values) {
        sizes->push_back(static_cast<int32_t>(value < 0 ? rest : value));
      }
    }
    return HEDDLE_OK;
  }

  static heddle_status Resolve(const OpContext& op, SplitPlan* plan) {
    HEDDLE_OP_RETURN_IF_ERROR(ReadAxis(op, kOperands.value, kOperands.axis, &plan->axis));
    const auto input = op.input_dims(kOperands.value);
    HEDDLE_OP_RETURN_IF_ERROR(ResolveSizes(op, input[plan->axis], &plan->sizes));
    HEDDLE_OP_RETURN_IF_ERROR(StartParts(op, input.first(plan->axis), &plan->parts));
    const heddle_dtype dtype = op.input(kOperands.value).dtype;
    for (const int32_t size : plan->sizes) {
      std::vector<int32_t> run(input.begin() + static_cast<ptrdiff_t>(plan->axis), input.end());
      run[0] = size;
      HEDDLE_OP_RETURN_IF_ERROR(AddPart(op, kOperands.value, dtype, run, &plan->parts));
    }
    return HEDDLE_OK;
  }

  static std::vector<int32_t> DimsOf(const OpContext& op, const SplitPlan& plan, size_t part) {
    const auto input = op.input_dims(kOperands.value);
    std::vector<int32_t> dims(input.begin(), input.end());
    dims[plan.axis] = plan.sizes[part];
    return dims;
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    const size_t count = op.output_count();
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(kOperands.inputs, kOperands.inputs, count));
    const heddle_dtype dtype = op.input(kOperands.value).dtype;
    if (!DispatchWidth(dtype, [](auto) {})) return op.UnsupportedType(kOperands.value);
    if (node.count < 1 || static_cast<size_t>(node.count) != count) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_WRONG_OPERAND_COUNT, HEDDLE_NO_OPERAND,
                     "has ", count, " outputs, num_splits is ", node.count);
    }
    const bool known = IsKnown(op);
    SplitPlan plan;
    if (known) HEDDLE_OP_RETURN_IF_ERROR(Resolve(op, &plan));
    for (size_t i = 0; i < count; ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(i, dtype));
      HEDDLE_OP_RETURN_IF_ERROR(known ? op.SetOutput(i, dtype, DimsOf(op, plan, i))
                                      : op.SetOutputDataDependent(i, dtype));
    }
    return HEDDLE_OK;
  }

  static heddle_status Prepare(OpContext& op, const Node&, SplitPlan& plan) {
    return IsKnown(op) ? Resolve(op, &plan) : HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Node&, const SplitPlan& plan) {
    if (IsKnown(op)) return CutInput(op, plan.parts, kOperands.value);
    SplitPlan late;
    HEDDLE_OP_RETURN_IF_ERROR(Resolve(op, &late));
    for (size_t i = 0; i < op.output_count(); ++i) {
      void* data = nullptr;
      HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(i, DimsOf(op, late, i), 0, &data));
    }
    return CutInput(op, late.parts, kOperands.value);
  }
};

}  // namespace

HEDDLE_OP(SPLIT, 1, 5, SplitKernel<kSplit>);
HEDDLE_OP(SPLIT_V, 1, 3, SplitKernel<kSplitV>);

}  // namespace heddle::kernels
