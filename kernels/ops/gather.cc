// SPDX-License-Identifier: Apache-2.0
// GATHER: slices of input 0 along `axis`, in the order of the indices in input 1; the first
// batch_dims dimensions of both go together. GATHER_ND: each row of the last dimension of input 1
// points at a slice of input 0. Indices count from 0.
#include <cstring>

#include "kernels/axes.h"
#include "kernels/copy.h"
#include "kernels/indices.h"
#include "kernels/string_tensor.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

// Output dims may overflow where inputs do not.
heddle_status SetGathered(const OpContext& op, std::span<const int32_t> dims) {
  if (dims.size() > ref::kMaxRank) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, OpContext::kOutput(0),
                   "an output of rank ", dims.size(), " is not supported");
  }
  int64_t elements = 0;
  HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, op.input_dims(0), &elements));
  HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 1, op.input_dims(1), &elements));
  HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, OpContext::kOutput(0), dims, &elements));
  if (op.input(0).dtype == HEDDLE_DTYPE_STRING) {
    return op.SetOutputDataDependent(0, HEDDLE_DTYPE_STRING);
  }
  return op.SetOutput(0, op.input(0).dtype, dims);
}

// source(k): element of input 0 where the k-th of `slices` slices of `run` elements begins.
template <typename Source>
heddle_status CopySlices(const OpContext& op, std::span<const int32_t> dims, int64_t slices,
                         int64_t run, const Source& source) {
  if (op.input(0).dtype == HEDDLE_DTYPE_STRING) {
    StringTensor input;
    HEDDLE_OP_RETURN_IF_ERROR(StringTensor::Open(op, 0, &input));
    return WriteStrings(op, dims, [&](int64_t i) { return input[source(i / run) + i % run]; });
  }
  if (run == 0) return HEDDLE_OK;
  const auto* from = op.InputData<uint8_t>(0);
  auto* to = op.OutputData<uint8_t>(0);
  const int64_t bits = DtypeBits(op.input(0).dtype);
  if (run * bits % 8 != 0) {  // slices share bytes
    ClearPacked(static_cast<int>(bits), slices * run, to);
    for (int64_t k = 0; k < slices; ++k) {
      CopyPackedRun(static_cast<int>(bits), from, source(k), to, k * run, run);
    }
    return HEDDLE_OK;
  }
  const int64_t bytes = run * bits / 8;
  return op.ParallelFor(slices, GrainFor(bytes), [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      std::memcpy(to + k * bytes, from + source(k) / run * bytes, static_cast<size_t>(bytes));
    }
  });
}

struct Gather {
  struct Node {
    int32_t axis = 0;
    int32_t batch_dims = 0;
  };
  struct Plan {
    std::vector<int32_t> dims;
    int64_t batch = 1;
    int64_t outer = 1;
    int64_t limit = 0;   // of an index
    int64_t inner = 1;   // elements of a slice
    int64_t picked = 1;  // indices in each batch
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_GATHER_AXIS, &node.axis));
    return op.Get(HEDDLE_ATTR_GATHER_BATCH_DIMS, &node.batch_dims);
  }

  static heddle_status Resolve(const OpContext& op, const Node& node, Plan* plan) {
    const auto input = op.input_dims(0);
    const auto indices = op.input_dims(1);
    size_t axis = 0;
    HEDDLE_OP_RETURN_IF_ERROR(ResolveAxis(op, 0, node.axis, &axis));
    const int64_t rank = op.input(1).rank;
    const int64_t wanted = node.batch_dims < 0 ? node.batch_dims + rank : node.batch_dims;
    if (wanted < 0 || wanted > static_cast<int64_t>(axis) || wanted > rank) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     "batch_dims ", node.batch_dims, " does not fit axis ", axis,
                     " and indices of shape ", ShapeText(indices));
    }
    const auto batch_dims = static_cast<size_t>(wanted);
    if (!std::equal(input.begin(), input.begin() + wanted, indices.begin())) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "indices of shape ",
                     ShapeText(indices), " and shape ", ShapeText(input), " differ in the first ",
                     batch_dims, " dimensions");
    }
    plan->dims.assign(input.begin(), input.begin() + static_cast<ptrdiff_t>(axis));
    plan->dims.insert(plan->dims.end(), indices.begin() + wanted, indices.end());
    plan->dims.insert(plan->dims.end(), input.begin() + static_cast<ptrdiff_t>(axis) + 1,
                      input.end());
    plan->limit = input[axis];
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input.first(batch_dims), &plan->batch));
    HEDDLE_OP_RETURN_IF_ERROR(
        CountElements(op, 0, input.subspan(batch_dims, axis - batch_dims), &plan->outer));
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 0, input.subspan(axis + 1), &plan->inner));
    return CountElements(op, 1, indices.subspan(batch_dims), &plan->picked);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectMovable(op, 2));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectIndices(op, 1));
    Plan plan;
    HEDDLE_OP_RETURN_IF_ERROR(Resolve(op, node, &plan));
    return SetGathered(op, plan.dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    return Resolve(op, node, &plan);
  }

  static heddle_status Invoke(OpContext& op, const Node&, const Plan& plan) {
    return DispatchIndices(op, 1, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* indices = op.InputData<T>(1);
      HEDDLE_OP_RETURN_IF_ERROR(CheckIndices(op, 1, indices, plan.batch * plan.picked, plan.limit));
      const int64_t slices = plan.batch * plan.outer * plan.picked;
      return CopySlices(op, plan.dims, slices, plan.inner, [&](int64_t k) {
        const int64_t block = k / plan.picked;  // batch and outer
        const int64_t batch = block / plan.outer;
        const int64_t index = indices[batch * plan.picked + k % plan.picked];
        return (block * plan.limit + index) * plan.inner;
      });
    });
  }
};

struct GatherNd {
  struct Plan {
    std::vector<int32_t> dims;
    IndexRows rows;
  };

  static heddle_status Resolve(const OpContext& op, Plan* plan) {
    const auto input = op.input_dims(0);
    const auto indices = op.input_dims(1);
    HEDDLE_OP_RETURN_IF_ERROR(MakeIndexRows(op, 1, input, &plan->rows));
    plan->dims.assign(indices.begin(), indices.end() - 1);
    plan->dims.insert(plan->dims.end(), input.begin() + indices.back(), input.end());
    return HEDDLE_OK;
  }

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectMovable(op, 2));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectIndices(op, 1));
    Plan plan;
    HEDDLE_OP_RETURN_IF_ERROR(Resolve(op, &plan));
    return SetGathered(op, plan.dims);
  }

  static heddle_status Prepare(OpContext& op, Plan& plan) { return Resolve(op, &plan); }

  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(CheckIndexRows(op, 1, plan.rows));
    return DispatchIndices(op, 1, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* indices = op.InputData<T>(1);
      return CopySlices(op, plan.dims, plan.rows.count, plan.rows.run,
                        [&](int64_t k) { return RowOffset(plan.rows, indices, k); });
    });
  }
};

}  // namespace

HEDDLE_OP(GATHER, 1, 8, Gather);
HEDDLE_OP(GATHER_ND, 1, 6, GatherNd);

}  // namespace heddle::kernels
