// SPDX-License-Identifier: Apache-2.0
// WHERE: indices of the elements that are not zero, int64 [count, rank], in row-major order.
#include "kernels/dispatch.h"

namespace heddle::kernels {
namespace {

struct Where {
  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, HEDDLE_DTYPE_INT64));
    HEDDLE_OP_RETURN_IF_ERROR(Dispatch(op, [](auto) { return HEDDLE_OK; }));
    return op.SetOutputDataDependent(0, HEDDLE_DTYPE_INT64);
  }

  template <typename Fn>
  static heddle_status Dispatch(const OpContext& op, const Fn& fn) {
    return DispatchInput<bool, float, int8_t, uint8_t, int32_t, uint32_t, int64_t>(op, 0, fn);
  }

  static heddle_status Invoke(OpContext& op) {
    return Dispatch(op, [&](auto tag) {
      using Type = typename decltype(tag)::type;
      // Bools of a model may hold any byte.
      using T = std::conditional_t<std::is_same_v<Type, bool>, uint8_t, Type>;
      const T* input = op.InputData<T>(0);
      const size_t size = op.input(0).bytes / sizeof(T);
      int64_t count = 0;
      for (size_t i = 0; i < size; ++i) count += input[i] != T{0} ? 1 : 0;
      if (count > INT32_MAX) {
        return op.Fail(HEDDLE_RESOURCE_EXHAUSTED, HEDDLE_REASON_SIZE_OVERFLOW,
                       OpContext::kOutput(0), count, " elements are not zero");
      }
      const auto dims = op.input_dims(0);
      const int32_t out_dims[] = {static_cast<int32_t>(count), static_cast<int32_t>(dims.size())};
      void* data = nullptr;
      HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, out_dims, 0, &data));
      auto* index = static_cast<int64_t*>(data);
      for (size_t i = 0; i < size; ++i) {
        if (input[i] == T{0}) continue;
        auto rest = static_cast<int64_t>(i);
        for (size_t d = dims.size(); d-- > 0;) {
          index[d] = rest % dims[d];
          rest /= dims[d];
        }
        index += dims.size();
      }
      return HEDDLE_OK;
    });
  }
};

}  // namespace

HEDDLE_OP(WHERE, 1, 2, Where);

}  // namespace heddle::kernels
