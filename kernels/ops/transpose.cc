// SPDX-License-Identifier: Apache-2.0
// TRANSPOSE: dimension i of the output is dimension perm[i] of the input. Any type of whole bytes.
#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/ref/strided.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

struct Transpose {
  struct Plan {
    ref::Strided source;  // of the output's elements
    std::vector<int32_t> dims;
  };

  static heddle_status Resolve(const OpContext& op, Plan* plan) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_INT32));
    const auto input = op.input_dims(0);
    const auto rank = static_cast<int64_t>(input.size());
    std::vector<int64_t> permutation;
    HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, 1, 1, &permutation));
    if (permutation.size() != input.size()) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "the permutation has ",
                     permutation.size(), " entries for shape ", ShapeText(input));
    }
    int64_t elements = 0;
    if (!ElementCount(input, &elements)) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, 0, "shape ", ShapeText(input),
                     " is too large");
    }
    std::vector<int64_t> strides(input.size(), 1);
    for (size_t d = input.size(); d-- > 1;) strides[d - 1] = strides[d] * input[d];
    std::vector<bool> seen(input.size());
    for (const int64_t entry : permutation) {
      const int64_t from = entry < 0 ? entry + rank : entry;
      if (from < 0 || from >= rank || seen[static_cast<size_t>(from)]) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "entry ", entry,
                       " of the permutation is not a dimension, or comes twice");
      }
      seen[static_cast<size_t>(from)] = true;
      plan->source.Append(input[static_cast<size_t>(from)], strides[static_cast<size_t>(from)]);
      plan->dims.push_back(input[static_cast<size_t>(from)]);
    }
    return HEDDLE_OK;
  }

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    if (!op.IsConstant(1)) return op.SetOutputDataDependent(0, op.input(0).dtype);
    Plan plan;
    HEDDLE_OP_RETURN_IF_ERROR(Resolve(op, &plan));
    return op.SetOutput(0, op.input(0).dtype, plan.dims);
  }

  static heddle_status Prepare(OpContext& op, Plan& plan) {
    if (!DispatchWidth(op.input(0).dtype, [](auto) {})) return op.UnsupportedType(0);
    return op.IsConstant(1) ? Resolve(op, &plan) : HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    if (op.IsConstant(1)) return Run(op, plan, op.output(0).data);
    Plan dynamic;
    HEDDLE_OP_RETURN_IF_ERROR(Resolve(op, &dynamic));
    void* data = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, dynamic.dims, 0, &data));
    return Run(op, dynamic, data);
  }

  static heddle_status Run(const OpContext& op, const Plan& plan, void* data) {
    const ref::Strided& source = plan.source;
    const int64_t run = source.rank == 0 ? 1 : source.dims[source.rank - 1];
    const int64_t step = source.rank == 0 ? 0 : source.strides[source.rank - 1];
    if (source.count == 0) return HEDDLE_OK;
    heddle_status status = HEDDLE_OK;
    DispatchWidth(op.input(0).dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* input = op.InputData<T>(0);
      T* output = static_cast<T*>(data);
      status = op.ParallelFor(source.count / run, GrainFor(run), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const T* from = input + source.Offset(row * run);
          T* to = output + row * run;
          for (int64_t i = 0; i < run; ++i) to[i] = from[i * step];
        }
      });
    });
    return status;
  }
};

}  // namespace

HEDDLE_OP(TRANSPOSE, 1, 6, Transpose);

}  // namespace heddle::kernels
