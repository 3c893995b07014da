// SPDX-License-Identifier: Apache-2.0
// EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL with stretching: float32, int32,
// int64, quantised int8 and uint8; bool for the first two.
#include <functional>

#include "kernels/broadcast.h"
#include "kernels/dispatch.h"
#include "kernels/quantization.h"

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

template <template <typename> class Order, bool kBools>
struct Compare {
  struct Plan {
    Broadcast broadcast;
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
    if constexpr (kBools) {
      return DispatchInput<float, int32_t, int64_t, int8_t, uint8_t, bool>(op, 0, fn);
    } else {
      return DispatchInput<float, int32_t, int64_t, int8_t, uint8_t>(op, 0, fn);
    }
  }

  static heddle_status MakeReal(const OpContext& op, int32_t input, RealValue* value) {
    Affine affine;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, input, &affine));
    value->zero_point = affine.zero_point;
    return MakeMultiplier(op, static_cast<double>(affine.scale), kMaxShift32, &value->scale);
  }

  static heddle_status Prepare(OpContext& op, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(MakeBroadcast(op, &plan.broadcast));
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>) {
        HEDDLE_OP_RETURN_IF_ERROR(MakeReal(op, 0, &plan.a));
        HEDDLE_OP_RETURN_IF_ERROR(MakeReal(op, 1, &plan.b));
      }
      return HEDDLE_OK;
    });
  }

  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>) {
        return ForEachPair<T, uint8_t>(op, plan.broadcast, [&](T a, T b) -> uint8_t {
          return Order<int32_t>()(plan.a.Of(a), plan.b.Of(b)) ? 1 : 0;
        });
      } else if constexpr (std::is_same_v<T, bool>) {
        // Bools of a model may hold any byte.
        return ForEachPair<uint8_t, uint8_t>(
            op, plan.broadcast,
            [](uint8_t a, uint8_t b) -> uint8_t { return Order<bool>()(a != 0, b != 0) ? 1 : 0; });
      } else {
        return ForEachPair<T, uint8_t>(
            op, plan.broadcast, [](T a, T b) -> uint8_t { return Order<T>()(a, b) ? 1 : 0; });
      }
    });
  }
};

}  // namespace

// Later versions bring strings and int16.
HEDDLE_OP(EQUAL, 1, 2, Compare<std::equal_to, true>);
HEDDLE_OP(NOT_EQUAL, 1, 2, Compare<std::not_equal_to, true>);
HEDDLE_OP(LESS, 1, 2, Compare<std::less, false>);
HEDDLE_OP(LESS_EQUAL, 1, 2, Compare<std::less_equal, false>);
HEDDLE_OP(GREATER, 1, 2, Compare<std::greater, false>);
HEDDLE_OP(GREATER_EQUAL, 1, 2, Compare<std::greater_equal, false>);

}  // namespace heddle::kernels
