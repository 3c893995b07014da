// SPDX-License-Identifier: Apache-2.0
// MEAN over the dimensions that input 1 lists: float32, int32, int64, quantised int8, uint8, int16.
#include "kernels/ref/mean.h"

#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

struct Mean {
  struct Node {
    bool keep_dims = false;
  };
  struct Plan {
    ref::Strided kept;
    ref::Strided reduced;
    ref::QuantizedMean quantized;
    std::vector<int32_t> dims;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    return op.Get(HEDDLE_ATTR_REDUCER_KEEP_DIMS, &node.keep_dims);
  }

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput<float, int32_t, int64_t, int8_t, uint8_t, int16_t>(op, 0, fn);
  }

  // Splits the dimensions into kept and reduced ones.
  static heddle_status Split(const OpContext& op, const Node& node, Plan* plan) {
    std::vector<bool> reduced;
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 0, ref::kMaxRank));
    HEDDLE_OP_RETURN_IF_ERROR(ReadAxes(op, 1, &reduced));
    const auto input = op.input_dims(0);
    int64_t elements = 0;
    if (!ElementCount(input, &elements)) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, 0, "shape ", ShapeText(input),
                     " is too large");
    }
    std::vector<int64_t> strides(input.size(), 1);
    for (size_t d = input.size(); d-- > 1;) strides[d - 1] = strides[d] * input[d];
    for (size_t d = 0; d < input.size(); ++d) {
      (reduced[d] ? plan->reduced : plan->kept).Append(input[d], strides[d]);
      if (!reduced[d]) {
        plan->dims.push_back(input[d]);
      } else if (node.keep_dims) {
        plan->dims.push_back(1);
      }
    }
    return HEDDLE_OK;
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    if (!op.IsConstant(1)) return op.SetOutputDataDependent(0, op.input(0).dtype);
    Plan plan;
    HEDDLE_OP_RETURN_IF_ERROR(Split(op, node, &plan));
    return op.SetOutput(0, op.input(0).dtype, plan.dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_INT32));
    HEDDLE_OP_RETURN_IF_ERROR(Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      return sizeof(T) > 2 ? HEDDLE_OK : PrepareQuantized(op, &plan.quantized);
    }));
    if (!op.IsConstant(1)) return HEDDLE_OK;
    HEDDLE_OP_RETURN_IF_ERROR(Split(op, node, &plan));
    Divide(&plan);
    return HEDDLE_OK;
  }

  static heddle_status PrepareQuantized(const OpContext& op, ref::QuantizedMean* params) {
    Affine in;
    Affine out;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &in));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &out));
    if (op.input(0).dtype == HEDDLE_DTYPE_INT16) {
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, OpContext::kOutput(0), 0));
    }
    params->input_zero_point = in.zero_point;
    params->output_zero_point = out.zero_point;
    return MakeMultiplier(op, static_cast<double>(in.scale) / static_cast<double>(out.scale),
                          kMaxShift32, &params->multiplier);
  }

  static void Divide(Plan* plan) {
    if (plan->reduced.count == 0) return;
    plan->quantized.multiplier =
        ref::DivideMultiplier(plan->quantized.multiplier, plan->reduced.count);
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    if (op.IsConstant(1)) return Run(op, plan, op.output(0).data);
    Plan dynamic;
    dynamic.quantized = plan.quantized;
    HEDDLE_OP_RETURN_IF_ERROR(Split(op, node, &dynamic));
    Divide(&dynamic);
    void* data = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, dynamic.dims, 0, &data));
    return Run(op, dynamic, data);
  }

  static heddle_status Run(const OpContext& op, const Plan& plan, void* data) {
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* input = op.InputData<T>(0);
      T* output = static_cast<T*>(data);
      return op.ParallelFor(
          plan.kept.count, GrainFor(plan.reduced.count), [&](int64_t begin, int64_t end) {
            if constexpr (sizeof(T) > 2) {
              ref::Mean(plan.kept, plan.reduced, input, output, begin, end);
            } else {
              ref::Mean(plan.kept, plan.reduced, plan.quantized, input, output, begin, end);
            }
          });
    });
  }
};

}  // namespace

HEDDLE_OP(MEAN, 1, 3, Mean);

}  // namespace heddle::kernels
