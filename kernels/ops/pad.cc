// SPDX-License-Identifier: Apache-2.0
// PAD: zeros around the input; input 1 lists [before, after] for each dimension. PADV2: the value
// of input 2 instead. Any type of whole bytes; zero is the zero point of a quantised one.
#include <algorithm>

#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/late_shape.h"
#include "kernels/quantization.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

struct PadPlan {
  std::vector<int32_t> dims;    // of the output
  std::vector<int64_t> before;  // for each dimension
  int64_t rows = 0;             // of the output; the last dimension is a row
  uint64_t zero = 0;            // an element, in its low bits
};

struct Pad {
  struct Node {};
  using Plan = PadPlan;
  static constexpr size_t kShapeInputs[] = {1};

  static bool MayBeQuantized(heddle_dtype dtype) {
    return dtype == HEDDLE_DTYPE_INT8 || dtype == HEDDLE_DTYPE_UINT8 || dtype == HEDDLE_DTYPE_INT16;
  }

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 3, 1));
    const heddle_dtype dtype = op.input(0).dtype;
    if (!DispatchWidth(dtype, [](auto) {})) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 2, 2));
    const auto shape = op.input_dims(1);
    if (shape[0] != op.input(0).rank || shape[1] != 2) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1,
                     "the paddings have shape ", ShapeText(shape), ", wanted is [",
                     op.input(0).rank, ",2]");
    }
    return op.HasInput(2) ? CheckValue(op) : HEDDLE_OK;
  }

  static heddle_status CheckValue(const OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(2, op.input(0).dtype));
    int64_t count = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 2, op.input_dims(2), &count));
    if (count != 1) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 2, "the value has shape ",
                     ShapeText(op.input_dims(2)), ", wanted is one element");
    }
    if (!MayBeQuantized(op.input(0).dtype) || !IsQuantized(op.output(0))) return HEDDLE_OK;
    return ExpectEqualQuantization(op, OpContext::kOutput(0), 2);
  }

  static heddle_status Resolve(const OpContext& op, const Node&, PadPlan* plan) {
    const heddle_dtype dtype = op.input(0).dtype;
    if (MayBeQuantized(dtype) && IsQuantized(op.output(0))) {
      Affine affine;
      HEDDLE_OP_RETURN_IF_ERROR(ExpectSameQuantization(op, &affine));
      plan->zero = static_cast<uint64_t>(affine.zero_point);
    }
    const auto input = op.input_dims(0);
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
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, OpContext::kOutput(0), dims, &elements));
    return CountElements(op, OpContext::kOutput(0),
                         dims.empty() ? dims : dims.first(dims.size() - 1), &plan->rows);
  }

  // First input element of an output row; -1 if the row is all padding.
  static int64_t SourceOf(const OpContext& op, const PadPlan& plan, int64_t row) {
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

  static heddle_status Run(const OpContext& op, const Node&, const PadPlan& plan, void* data) {
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
      const T zero = static_cast<T>(op.HasInput(2) ? ElementBits(op.input(2)) : plan.zero);
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

HEDDLE_OP(PAD, 1, 5, LateShape<Pad>);
HEDDLE_OP(PADV2, 1, 6, LateShape<Pad>);

}  // namespace heddle::kernels
