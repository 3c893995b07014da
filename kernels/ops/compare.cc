// SPDX-License-Identifier: Apache-2.0
// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL with stretching: float32, float16,
// int16, int32, int64, quantised int8 and uint8; bool and strings for the first two, bfloat16 for
// LESS and GREATER.
#include <cstring>
#include <functional>
#include <string_view>

#include "kernels/broadcast.h"
#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/ref/bool.h"
#include "kernels/ref/half.h"

namespace heddle::kernels {
namespace {

// Numbers of different scales compare as fixed-point reals with 8 more bits.
struct RealValue {
  int32_t zero_point = 0;
  ref::Multiplier scale;
  template <typename T>
  int32_t Of(T value) const {
    return ref::Rescale((int32_t{value} - zero_point) * (1 << 8), scale);
  }
};

// The strings of a tensor: their count, where each begins and the last ends, the bytes.
class Strings {
 public:
  // False if the bytes are not that for `count` strings.
  bool Read(const heddle_tensor& tensor, int64_t count) {
    bytes_ = {static_cast<const char*>(tensor.data), tensor.bytes};
    if (count == 0) return true;
    if (count >= INT32_MAX || tensor.bytes / sizeof(int32_t) < static_cast<uint64_t>(count) + 2) {
      return false;
    }
    if (Number(0) != count) return false;
    int64_t least = (count + 2) * static_cast<int64_t>(sizeof(int32_t));
    for (int64_t i = 0; i <= count; ++i) {
      const int32_t offset = Number(i + 1);
      if (offset < least || static_cast<uint64_t>(offset) > tensor.bytes) return false;
      least = offset;
    }
    return true;
  }
  std::string_view Of(int64_t i) const {
    const int32_t begin = Number(i + 1);
    return bytes_.substr(static_cast<size_t>(begin), static_cast<size_t>(Number(i + 2) - begin));
  }

 private:
  int32_t Number(int64_t i) const {
    int32_t number = 0;
    std::memcpy(&number, bytes_.data() + static_cast<size_t>(i) * sizeof(number), sizeof(number));
    return number;
  }
  std::string_view bytes_;
};

// Equality compares any scales; an order of int16 numbers wants one scale.
using Equatable = TypeList<float, ref::Half, int16_t, int32_t, int64_t, int8_t, uint8_t, ref::Bool>;
using Comparable = TypeList<float, ref::Half, int16_t, int32_t, int64_t, int8_t, uint8_t>;
using StrictlyComparable =
    TypeList<float, ref::Half, ref::BFloat16, int16_t, int32_t, int64_t, int8_t, uint8_t>;

template <template <typename> class Order, typename Types>
struct Compare {
  static constexpr bool kIsEquality = std::is_same_v<Types, Equatable>;
  struct Plan {
    Broadcast broadcast;
    bool has_scales = false;
    RealValue a;
    RealValue b;
  };

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, op.input(0).dtype));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, HEDDLE_DTYPE_BOOL));
    std::vector<int32_t> dims;
    HEDDLE_OP_RETURN_IF_ERROR(BroadcastShape(op, &dims));
    return op.SetOutput(0, HEDDLE_DTYPE_BOOL, dims);
  }

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput(Types(), op, 0, fn);
  }

  static heddle_status MakeReal(const OpContext& op, int32_t input, RealValue* value) {
    Affine affine;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, input, &affine));
    value->zero_point = affine.zero_point;
    return MakeMultiplier(op, static_cast<double>(affine.scale), kMaxShift32, &value->scale);
  }
  static heddle_status MakeReals(const OpContext& op, Plan* plan) {
    plan->has_scales = true;
    HEDDLE_OP_RETURN_IF_ERROR(MakeReal(op, 0, &plan->a));
    return MakeReal(op, 1, &plan->b);
  }
  static heddle_status ExpectOneScale(const OpContext& op) {
    if (!IsQuantized(op.input(0)) && !IsQuantized(op.input(1))) return HEDDLE_OK;
    Affine a;
    Affine b;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &a));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 1, &b));
    if (a.scale == b.scale && a.zero_point == b.zero_point) return HEDDLE_OK;
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, 1,
                   "input 1 is quantised by ", b.scale, " and ", b.zero_point, ", input 0 by ",
                   a.scale, " and ", a.zero_point, "; INT16 wants the same");
  }

  static heddle_status Prepare(OpContext& op, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(MakeBroadcast(op, &plan.broadcast));
    if (kIsEquality && op.input(0).dtype == HEDDLE_DTYPE_STRING) return HEDDLE_OK;
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>) {
        return MakeReals(op, &plan);
      } else if constexpr (std::is_same_v<T, int16_t>) {
        if (!kIsEquality) return ExpectOneScale(op);
        return IsQuantized(op.input(0)) || IsQuantized(op.input(1)) ? MakeReals(op, &plan)
                                                                    : HEDDLE_OK;
      } else {
        return HEDDLE_OK;
      }
    });
  }

  static heddle_status InvokeStrings(const OpContext& op, const Plan& plan) {
    Strings operands[2];
    for (size_t i = 0; i < 2; ++i) {
      int64_t count = 1;
      for (const int32_t dim : op.input_dims(i)) count *= dim;
      if (!operands[i].Read(op.input(i), count)) {
        return op.Fail(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_DATA_OUT_OF_RANGE,
                       static_cast<int32_t>(i), "input ", i, " does not hold ", count, " strings");
      }
    }
    auto* const out = op.OutputData<ref::Bool>(0);
    return op.ParallelFor(plan.broadcast.count, GrainFor(16), [&](int64_t begin, int64_t end) {
      ForEachRun(plan.broadcast, begin, end,
                 [&](int64_t o, int64_t a, int64_t b, int64_t n, int64_t step_a, int64_t step_b) {
                   for (int64_t i = 0; i < n; ++i) {
                     out[o + i] = ref::Bool(Order<std::string_view>()(
                         operands[0].Of(a + i * step_a), operands[1].Of(b + i * step_b)));
                   }
                 });
    });
  }

  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    if (kIsEquality && op.input(0).dtype == HEDDLE_DTYPE_STRING) return InvokeStrings(op, plan);
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
        if (plan.has_scales) {
          return ForEachPair<T, ref::Bool>(op, plan.broadcast, [&](T a, T b) {
            return ref::Bool(Order<int32_t>()(plan.a.Of(a), plan.b.Of(b)));
          });
        }
      }
      return ForEachPair<T, ref::Bool>(op, plan.broadcast,
                                       [](T a, T b) { return ref::Bool(Order<void>()(a, b)); });
    });
  }
};

}  // namespace

HEDDLE_OP(EQUAL, 1, 5, Compare<std::equal_to, Equatable>);
HEDDLE_OP(NOT_EQUAL, 1, 4, Compare<std::not_equal_to, Equatable>);
HEDDLE_OP(LESS, 1, 3, Compare<std::less, StrictlyComparable>);
HEDDLE_OP(LESS_EQUAL, 1, 2, Compare<std::less_equal, Comparable>);
HEDDLE_OP(GREATER, 1, 2, Compare<std::greater, StrictlyComparable>);
HEDDLE_OP(GREATER_EQUAL, 1, 3, Compare<std::greater_equal, Comparable>);

}  // namespace heddle::kernels
