// SPDX-License-Identifier: Apache-2.0
// RANGE: start, start + delta, ... as long as limit is not reached.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/copy.h"
#include "kernels/dispatch.h"
#include "kernels/late_shape.h"
#include "kernels/quantization.h"
#include "kernels/ref/half.h"

namespace heddle::kernels {
namespace {

// A number that every operation rounds to half precision.
struct Half {
  uint16_t bits;
  operator float() const { return ref::HalfToFloat(bits); }  // NOLINT(google-explicit-constructor)
  static Half Of(float value) { return {ref::FloatToHalf(value)}; }
};

struct Range {
  struct Node {};
  struct Plan {
    std::vector<int32_t> dims;
  };
  static constexpr size_t kShapeInputs[] = {0, 1, 2};

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    if (op.input(0).dtype == HEDDLE_DTYPE_FLOAT16) return fn(TypeTag<Half>());
    return DispatchInput<float, int32_t, int64_t, int16_t, int8_t>(op, 0, fn);
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

  static bool IsQuantizedRange(const OpContext& op) {
    const heddle_dtype dtype = op.input(0).dtype;
    return (dtype == HEDDLE_DTYPE_INT8 || dtype == HEDDLE_DTYPE_INT16) && IsQuantized(op.input(0));
  }

  // Operand i as a real number.
  template <typename T>
  static heddle_status Dequantize(const OpContext& op, size_t i, float* value) {
    Affine affine;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, static_cast<int32_t>(i), &affine));
    *value = static_cast<float>(double{affine.scale} *
                                (int32_t{*op.InputData<T>(i)} - affine.zero_point));
    return HEDDLE_OK;
  }

  // Elements from start to limit; -1 if delta does not lead there.
  template <typename T>
  static double CountOf(T start, T limit, T delta) {
    if (!(delta > T{0} ? start <= limit : delta < T{0} && start >= limit)) return -1;
    if constexpr (std::is_integral_v<T>) {
      const uint64_t low = static_cast<uint64_t>(std::min(start, limit));
      const uint64_t span = static_cast<uint64_t>(std::max(start, limit)) - low;
      const uint64_t step =
          delta > 0 ? static_cast<uint64_t>(delta) : -static_cast<uint64_t>(delta);
      return static_cast<double>(span / step + (span % step != 0 ? 1 : 0));
    } else {
      return std::ceil(std::abs(double{(limit - start) / delta}));
    }
  }
  static double CountOf(Half start, Half limit, Half delta) {
    if (!(delta > 0.0f ? start <= limit : delta < 0.0f && start >= limit)) return -1;
    return std::ceil(std::abs(double{Half::Of(Half::Of(limit - start) / delta)}));
  }
  // Quantised ones are counted as integers are, but in real numbers.
  static double CountOfReal(float start, float limit, float delta) {
    if (!(delta > 0 ? start <= limit : delta < 0 && start >= limit)) return -1;
    return std::floor((std::abs(limit - start) + std::abs(delta) - 1) / std::abs(delta));
  }

  static heddle_status Resolve(const OpContext& op, const Node&, Plan* plan) {
    return Dispatch(op, [&](auto tag) {
      using T = typename decltype(tag)::type;
      double count = 0;
      if constexpr (std::is_integral_v<T> && sizeof(T) < 4) {
        if (IsQuantizedRange(op)) {
          float values[3] = {};
          for (size_t i = 0; i < 3; ++i) {
            HEDDLE_OP_RETURN_IF_ERROR(Dequantize<T>(op, i, &values[i]));
          }
          count =
              std::max(CountOfReal(values[0], values[1], values[2]), values[2] == 0 ? -1.0 : 0.0);
        } else {
          count = CountOf(*op.InputData<T>(0), *op.InputData<T>(1), *op.InputData<T>(2));
        }
      } else {
        count = CountOf(*op.InputData<T>(0), *op.InputData<T>(1), *op.InputData<T>(2));
      }
      if (!(count >= 0) || count > INT32_MAX) {
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
      T* output = static_cast<T*>(data);
      const int64_t count = plan.dims[0];
      if constexpr (std::is_integral_v<T>) {
        if constexpr (sizeof(T) < 4) {
          if (IsQuantizedRange(op)) return RunQuantized<T>(op, count, output);
        }
        auto value = static_cast<uint64_t>(*op.InputData<T>(0));
        const auto delta = static_cast<uint64_t>(*op.InputData<T>(2));
        for (int64_t i = 0; i < count; ++i, value += delta) output[i] = static_cast<T>(value);
      } else {
        T value = *op.InputData<T>(0);
        const T delta = *op.InputData<T>(2);
        for (int64_t i = 0; i < count; ++i) {
          output[i] = value;
          if constexpr (std::is_same_v<T, Half>) {
            value = Half::Of(value + delta);
          } else {
            value += delta;
          }
        }
      }
      return HEDDLE_OK;
    });
  }

  template <typename T>
  static heddle_status RunQuantized(const OpContext& op, int64_t count, T* output) {
    float value = 0;
    float delta = 0;
    Affine affine;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &affine));
    HEDDLE_OP_RETURN_IF_ERROR(Dequantize<T>(op, 0, &value));
    HEDDLE_OP_RETURN_IF_ERROR(Dequantize<T>(op, 2, &delta));
    for (int64_t i = 0; i < count; ++i, value += delta) {
      const double quantized =
          static_cast<double>(std::round(value / affine.scale)) + affine.zero_point;
      output[i] = static_cast<T>(std::clamp<double>(quantized, std::numeric_limits<T>::min(),
                                                    std::numeric_limits<T>::max()));
    }
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(RANGE, 1, 2, LateShape<Range>);

}  // namespace heddle::kernels
