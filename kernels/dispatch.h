// SPDX-License-Identifier: Apache-2.0
// From an element type in the model to a C++ type: the one place that does it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/op_kernel.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {

template <typename T>
struct TypeTag {
  using type = T;
};

// The element type that T stands for; the structs of kernels/ref say themselves.
template <typename T>
constexpr heddle_dtype ElementDtype() {
  if constexpr (requires { T::kDtype; }) {
    return T::kDtype;
  } else {
    return DtypeOf<T>();
  }
}

// Whether `dtype` is one of Ts.
template <typename... Ts>
constexpr bool IsOneOf(heddle_dtype dtype) {
  return ((dtype == ElementDtype<Ts>()) || ...);
}

// Calls fn(TypeTag<T>()) for the T of Ts that `dtype` is; false if it is none of them.
template <typename... Ts, typename Fn>
bool DispatchDtype(heddle_dtype dtype, const Fn& fn) {
  return ((dtype == ElementDtype<Ts>() ? (fn(TypeTag<Ts>()), true) : false) || ...);
}

// The same for input i, where fn returns a heddle_status; another type is refused by name.
template <typename... Ts, typename Fn>
heddle_status DispatchInput(const OpContext& op, size_t i, const Fn& fn) {
  heddle_status status = HEDDLE_OK;
  const bool found = DispatchDtype<Ts...>(op.input(i).dtype, [&](auto tag) { status = fn(tag); });
  return found ? status : op.UnsupportedType(i);
}

// The types that an op of a family takes.
template <typename... Ts>
struct TypeList {};

template <typename... Ts, typename Fn>
heddle_status DispatchInput(TypeList<Ts...>, const OpContext& op, size_t i, const Fn& fn) {
  return DispatchInput<Ts...>(op, i, fn);
}

// Elements whose values are only moved: an unsigned integer of the element's width. Fails for types
// without a whole number of bytes.
template <typename Fn>
bool DispatchWidth(heddle_dtype dtype, const Fn& fn) {
  switch (DtypeBits(dtype)) {
    case 8:
      fn(TypeTag<uint8_t>());
      return true;
    case 16:
      fn(TypeTag<uint16_t>());
      return true;
    case 32:
      fn(TypeTag<uint32_t>());
      return true;
    case 64:
      fn(TypeTag<uint64_t>());
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::kernels
