// SPDX-License-Identifier: Apache-2.0
// CAST between bool, float16, float32, float64 and integers of 8 to 64 bits. Quantisation plays no
// part: the stored numbers are converted.
#include "kernels/ref/cast.h"

#include "kernels/dispatch.h"
#include "kernels/ref/half.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

// A float16 as the kernel sees it: loads as float, stores from float.
struct Half {
  uint16_t bits;
};

template <typename T>
auto Load(T value) {
  return value;
}
inline float Load(Half value) { return ref::HalfToFloat(value.bits); }

template <typename T, typename From>
T Store(From value) {
  if constexpr (std::is_same_v<T, Half>) {
    return {ref::FloatToHalf(ref::Cast<float>(value))};
  } else {
    return ref::Cast<T>(value);
  }
}

template <typename Fn>
bool Dispatch(heddle_dtype dtype, const Fn& fn) {
  if (dtype == HEDDLE_DTYPE_FLOAT16) {
    fn(TypeTag<Half>());
    return true;
  }
  return DispatchDtype<bool, float, double, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                       int64_t>(dtype, fn);
}

struct Cast {
  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    const heddle_dtype dtype = op.output(0).dtype;
    if (!Dispatch(op.input(0).dtype, [](auto) {})) return op.UnsupportedType(0);
    if (!Dispatch(dtype, [](auto) {})) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPE_NOT_SUPPORTED, OpContext::kOutput(0),
                     "output 0 of type ", DtypeName(dtype), " is not supported");
    }
    return op.SetOutput(0, dtype, op.input_dims(0));
  }

  static heddle_status Invoke(OpContext& op) {
    heddle_status status = HEDDLE_OK;
    Dispatch(op.input(0).dtype, [&](auto in_tag) {
      using In = typename decltype(in_tag)::type;
      Dispatch(op.output(0).dtype, [&](auto out_tag) {
        using Out = typename decltype(out_tag)::type;
        // Bools of a model may hold any byte.
        using Raw = std::conditional_t<std::is_same_v<In, bool>, uint8_t, In>;
        const Raw* input = op.InputData<Raw>(0);
        Out* output = op.OutputData<Out>(0);
        const auto count = static_cast<int64_t>(op.input(0).bytes / sizeof(Raw));
        status = op.ParallelFor(count, GrainFor(4), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            if constexpr (std::is_same_v<In, bool>) {
              output[i] = Store<Out>(input[i] != 0);
            } else {
              output[i] = Store<Out>(Load(input[i]));
            }
          }
        });
      });
    });
    return status;
  }
};

}  // namespace

HEDDLE_OP(CAST, 1, 5, Cast);

}  // namespace heddle::kernels
