// SPDX-License-Identifier: Apache-2.0
// PAD: zeros around the input; input 1 lists [before, after] for each dimension, int32 or int64.
// Any type of whole bytes; zero is the zero point of a quantised one.
#include <algorithm>

#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/ref/strided.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

struct Pad {
  struct Plan {
    std::vector<int32_t> dims;    // of the output
    std::vector<int64_t> before;  // for each dimension
    int64_t rows = 0;             // of the output; the last dimension is a row
    uint64_t zero = 0;            // an element, in its low bits
  };

  static heddle_status Resolve(const OpContext& op, Plan* plan) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 2, 2));
    const auto input = op.input_dims(0);
    const auto shape = op.input_dims(1);
    if (shape[0] != op.input(0).rank || shape[1] != 2) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1,
                     "the paddings have shape ", ShapeText(shape), ", wanted is [",
                     op.input(0).rank, ",2]");
    }
    std::vector<int64_t> paddings;
    HEDDLE_OP_RETURN_IF_ERROR(ReadIntegers(op, 1, 2, &paddings));
    for (size_t d = 0; d < input.size(); ++d) {
      const int64_t before = paddings[2 * d];
      const int64_t after = paddings[2 * d + 1];
      if (before < 0 || after < 0 || before > INT32_MAX || after > INT32_MAX ||
          input[d] + before + after > INT32_MAX) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 1, "paddings ",
                       before, " and ", after, " of dimension ", d, " are out of range");
      }
      plan->before.push_back(before);
      plan->dims.push_back(static_cast<int32_t>(input[d] + before + after));
    }
    const std::span<const int32_t> dims(plan->dims);
    int64_t elements = 0;
    if (!ElementCount(dims, &elements) ||
        !ElementCount(dims.empty() ? dims : dims.first(dims.size() - 1), &plan->rows)) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, OpContext::kOutput(0),
                     "shape ", ShapeText(dims), " is too large");
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
    const heddle_dtype dtype = op.input(0).dtype;
    if (!DispatchWidth(dtype, [](auto) {})) return op.UnsupportedType(0);
    const bool may_be_quantized =
        dtype == HEDDLE_DTYPE_INT8 || dtype == HEDDLE_DTYPE_UINT8 || dtype == HEDDLE_DTYPE_INT16;
    if (may_be_quantized && IsQuantized(op.output(0))) {
      Affine affine;
      HEDDLE_OP_RETURN_IF_ERROR(ExpectSameQuantization(op, &affine));
      plan.zero = static_cast<uint64_t>(affine.zero_point);
    }
    return op.IsConstant(1) ? Resolve(op, &plan) : HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    if (op.IsConstant(1)) return Run(op, plan, op.output(0).data);
    Plan dynamic;
    dynamic.zero = plan.zero;
    HEDDLE_OP_RETURN_IF_ERROR(Resolve(op, &dynamic));
    void* data = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, dynamic.dims, 0, &data));
    return Run(op, dynamic, data);
  }

  // First input element of an output row; -1 if the row is all padding.
  static int64_t SourceOf(const OpContext& op, const Plan& plan, int64_t row) {
    const auto input = op.input_dims(0);
    int64_t offset = 0;
    int64_t stride = input.back();
    for (size_t d = input.size() - 1; d-- > 0;) {
      const int64_t index = row % plan.dims[d] - plan.before[d];
      row /= plan.dims[d];
      if (index < 0 || index >= input[d]) return -1;
      offset += index * stride;
      stride *= input[d];
    }
    return offset;
  }

  static heddle_status Run(const OpContext& op, const Plan& plan, void* data) {
    const auto dims = op.input_dims(0);
    const int64_t run = dims.empty() ? 1 : dims.back();
    const int64_t out_run = dims.empty() ? 1 : plan.dims.back();
    const int64_t before = dims.empty() ? 0 : plan.before.back();
    if (out_run == 0) return HEDDLE_OK;
    heddle_status status = HEDDLE_OK;
    DispatchWidth(op.input(0).dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* input = op.InputData<T>(0);
      T* output = static_cast<T*>(data);
      const T zero = static_cast<T>(plan.zero);
      status = op.ParallelFor(plan.rows, GrainFor(out_run), [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          T* to = output + row * out_run;
          const int64_t source = dims.empty() ? 0 : SourceOf(op, plan, row);
          if (source < 0) {
            std::fill_n(to, out_run, zero);
            continue;
          }
          std::fill_n(to, before, zero);
          std::copy_n(input + source, run, to + before);
          std::fill_n(to + before + run, out_run - before - run, zero);
        }
      });
    });
    return status;
  }
};

}  // namespace

HEDDLE_OP(PAD, 1, 5, Pad);

}  // namespace heddle::kernels
