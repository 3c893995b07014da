// SPDX-License-Identifier: Apache-2.0
// MEAN, SUM, REDUCE_ALL, REDUCE_ANY, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD over the dimensions that
// input 1 lists.
#include "kernels/ref/reduce.h"

#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

// How quantised numbers are reduced.
enum class Scales {
  kNone,      // the op takes none
  kSum,       // sums are rescaled
  kMean,      // and divided
  kProduct,   // int8 and int16, unless they are plain numbers; uint8 must be
  kSelected,  // as they are: input and output have the same scale
};

template <Scales How, typename Function, typename... Ts>
struct Traits : Function {
  static constexpr Scales kScales = How;
  using Types = TypeList<Ts...>;
};
using Sum =
    Traits<Scales::kSum, ref::SumOf, float, int32_t, int64_t, int8_t, uint8_t, int16_t, ref::Bool>;
using Mean = Traits<Scales::kMean, ref::SumOf, float, int32_t, int64_t, int8_t, uint8_t, int16_t>;
using Product = Traits<Scales::kProduct, ref::ProductOf, float, int32_t, int64_t, int8_t, uint8_t,
                       int16_t, ref::Bool>;
using Maximum = Traits<Scales::kSelected, ref::MaximumOf, float, int32_t, int64_t, int8_t, uint8_t,
                       int16_t, ref::Bool>;
using Minimum = Traits<Scales::kSelected, ref::MinimumOf, float, int32_t, int64_t, int8_t, uint8_t,
                       int16_t, ref::Bool>;
using Any = Traits<Scales::kNone, ref::SumOf, ref::Bool>;
using All = Traits<Scales::kNone, ref::ProductOf, ref::Bool>;

template <typename Reduction>
struct Reduce {
  static constexpr Scales kScales = Reduction::kScales;
  struct Node {
    bool keep_dims = false;
  };
  struct Plan {
    ref::Strided kept;
    ref::Strided reduced;
    bool is_quantized = false;  // beyond numbers that are selected
    ref::QuantizedReduction quantized;
    std::vector<int32_t> dims;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    return op.Get(HEDDLE_ATTR_REDUCER_KEEP_DIMS, &node.keep_dims);
  }

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput(typename Reduction::Types(), op, 0, fn);
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
      return std::is_integral_v<T> && sizeof(T) <= 2 ? CheckQuantization(op, &plan) : HEDDLE_OK;
    }));
    if (!op.IsConstant(1)) return HEDDLE_OK;
    HEDDLE_OP_RETURN_IF_ERROR(Split(op, node, &plan));
    return MakeFactor(op, &plan);
  }

  static heddle_status CheckQuantization(const OpContext& op, Plan* plan) {
    const heddle_dtype dtype = op.input(0).dtype;
    const bool product = kScales == Scales::kProduct;
    if (kScales == Scales::kSelected) return CheckSelected(op);
    if (product && (dtype == HEDDLE_DTYPE_UINT8 || !IsQuantized(op.input(0)))) {
      return ExpectPlain(op);
    }
    Affine in;
    Affine out;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &in));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &out));
    if (dtype == HEDDLE_DTYPE_INT16) {
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, OpContext::kOutput(0), 0));
    }
    plan->is_quantized = true;
    plan->quantized.input_zero_point = in.zero_point;
    plan->quantized.output_zero_point = out.zero_point;
    plan->quantized.one = QuantizedRange(op, {1, 1}, out).min;
    return HEDDLE_OK;
  }
  // Input 1 has axes.
  static heddle_status ExpectPlain(const OpContext& op) {
    for (const int32_t operand : {0, OpContext::kOutput(0)}) {
      if (!IsQuantized(OperandTensor(op, operand))) continue;
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, operand,
                     OperandName(operand), " is quantised, which is not supported for ",
                     DtypeName(op.input(0).dtype), " or unless both are");
    }
    return HEDDLE_OK;
  }
  static heddle_status CheckSelected(const OpContext& op) {
    Affine affine;
    return IsQuantized(op.input(0)) ? ExpectSameQuantization(op, &affine) : ExpectPlain(op);
  }

  // Depends on how many elements are reduced.
  static heddle_status MakeFactor(const OpContext& op, Plan* plan) {
    if (!plan->is_quantized || plan->reduced.count == 0) return HEDDLE_OK;
    Affine in;
    Affine out;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &in));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &out));
    ref::Multiplier* const multiplier = &plan->quantized.multiplier;
    const auto count = static_cast<double>(plan->reduced.count);
    if (kScales == Scales::kProduct) {
      const double root = std::pow(static_cast<double>(out.scale), 1 / count);
      return MakeMultiplier(op, static_cast<double>(in.scale) / root, kMaxShift64, multiplier);
    }
    HEDDLE_OP_RETURN_IF_ERROR(
        MakeMultiplier(op, static_cast<double>(in.scale) / static_cast<double>(out.scale),
                       kMaxShift32, multiplier));
    if (kScales == Scales::kMean) {
      *multiplier = ref::DivideMultiplier(*multiplier, plan->reduced.count);
    }
    return HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    if (op.IsConstant(1)) return Run(op, plan, op.output(0).data);
    Plan dynamic;
    dynamic.is_quantized = plan.is_quantized;
    dynamic.quantized = plan.quantized;
    HEDDLE_OP_RETURN_IF_ERROR(Split(op, node, &dynamic));
    HEDDLE_OP_RETURN_IF_ERROR(MakeFactor(op, &dynamic));
    void* data = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, dynamic.dims, 0, &data));
    return Run(op, dynamic, data);
  }

  static heddle_status Run(const OpContext& op, const Plan& plan, void* data) {
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const T* const input = op.InputData<T>(0);
      T* const output = static_cast<T*>(data);
      return op.ParallelFor(
          plan.kept.count, GrainFor(plan.reduced.count), [&](int64_t begin, int64_t end) {
            if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
              if (plan.is_quantized) {
                if constexpr (kScales == Scales::kProduct) {
                  ref::QuantizedProduct(plan.kept, plan.reduced, plan.quantized, input, output,
                                        begin, end);
                } else {
                  ref::QuantizedSum(plan.kept, plan.reduced, plan.quantized, input, output, begin,
                                    end);
                }
                return;
              }
            }
            if constexpr (kScales == Scales::kMean) {
              ref::Mean(plan.kept, plan.reduced, input, output, begin, end);
            } else {
              ref::Reduce<Reduction>(plan.kept, plan.reduced, input, output, begin, end);
            }
          });
    });
  }
};

}  // namespace

HEDDLE_OP(MEAN, 1, 3, Reduce<Mean>);
HEDDLE_OP(REDUCE_ALL, 1, 1, Reduce<All>);
HEDDLE_OP(REDUCE_ANY, 1, 1, Reduce<Any>);
HEDDLE_OP(REDUCE_MAX, 1, 3, Reduce<Maximum>);
HEDDLE_OP(REDUCE_MIN, 1, 3, Reduce<Minimum>);
HEDDLE_OP(REDUCE_PROD, 1, 2, Reduce<Product>);
HEDDLE_OP(SUM, 1, 2, Reduce<Sum>);

}  // namespace heddle::kernels
