// SPDX-License-Identifier: Apache-2.0
// RANGE: start, start + delta, ... as long as limit is not reached.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "kernels/dispatch.h"
#include "kernels/late_shape.h"

namespace heddle::kernels {
namespace {

struct Range {
  struct Node {};
  struct Plan {
    std::vector<int32_t> dims;
  };
  static constexpr size_t kShapeInputs[] = {0, 1, 2};

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput<float, int32_t, int64_t>(op, 0, fn);
  }

  static heddle_status Check(const OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(3, 3, 1));
    const heddle_dtype dtype = op.input(0).dtype;
    HEDDLE_OP_RETURN_IF_ERROR(Dispatch(op, [](auto) { return HEDDLE_OK; }));
    for (size_t i = 0; i < 3; ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(i, dtype));
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(i, 0, 0));
    }
    return op.ExpectOutputType(0, dtype);
  }

  // Elements from start to limit; -1 if delta does not lead there.
  template <typename T>
  static double CountOf(T start, T limit, T delta) {
    if (!(delta > 0 ? start <= limit : delta < 0 && start >= limit)) return -1;
    if constexpr (std::is_integral_v<T>) {
      const auto magnitude = [](T value) {
        return value < 0 ? -static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
      };
      const uint64_t span = static_cast<uint64_t>(std::max(start, limit)) -
                            static_cast<uint64_t>(std::min(start, limit));
      const uint64_t step = magnitude(delta);
      const uint64_t count = span / step + (span % step != 0 ? 1 : 0);
      return static_cast<double>(count);
    } else {
      return std::ceil(std::abs((limit - start) / delta));
    }
  }

  static heddle_status Resolve(const OpContext& op, const Node&, Plan* plan) {
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      const double count = CountOf(*op.InputData<T>(0), *op.InputData<T>(1), *op.InputData<T>(2));
      if (!(count >= 0 && count <= INT32_MAX)) {
        return op.Fail(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_DATA_OUT_OF_RANGE, 2,
                       "delta does not lead from start to limit, or in too many steps");
      }
      plan->dims.assign(1, static_cast<int32_t>(count));
      return HEDDLE_OK;
    });
  }

  // One addition after another, as rounding has it.
  static heddle_status Run(const OpContext& op, const Node&, const Plan& plan, void* data) {
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      // Integers may wrap behind the last element.
      using Sum = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;
      auto value = static_cast<Sum>(*op.InputData<T>(0));
      const auto delta = static_cast<Sum>(*op.InputData<T>(2));
      T* output = static_cast<T*>(data);
      for (int64_t i = 0; i < plan.dims[0]; ++i, value += delta) output[i] = static_cast<T>(value);
      return HEDDLE_OK;
    });
  }
};

}  // namespace

HEDDLE_OP(RANGE, 1, 2, LateShape<Range>);

}  // namespace heddle::kernels
