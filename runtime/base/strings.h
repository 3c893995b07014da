// SPDX-License-Identifier: Apache-2.0
// The few string helpers that error messages need.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace heddle {

namespace internal {
void AppendPiece(std::string& out, std::string_view piece);
void AppendPiece(std::string& out, double value);
void AppendInteger(std::string& out, int64_t value);
void AppendUnsigned(std::string& out, uint64_t value);

template <typename T>
void AppendAny(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    AppendPiece(out, std::string_view(value ? "true" : "false"));
  } else if constexpr (std::is_enum_v<T>) {
    AppendInteger(out, static_cast<int64_t>(value));
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    AppendInteger(out, static_cast<int64_t>(value));
  } else if constexpr (std::is_integral_v<T>) {
    AppendUnsigned(out, static_cast<uint64_t>(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    AppendPiece(out, static_cast<double>(value));
  } else {
    AppendPiece(out, std::string_view(value));
  }
}
}  // namespace internal

// Text of all arguments one after another: numbers, bools and strings.
template <typename... Pieces>
std::string StrCat(const Pieces&... pieces) {
  std::string out;
  (internal::AppendAny(out, pieces), ...);
  return out;
}

template <typename... Pieces>
void StrAppend(std::string& out, const Pieces&... pieces) {
  (internal::AppendAny(out, pieces), ...);
}

// "[1,224,224,3]"
std::string ShapeText(std::span<const int32_t> dims);

}  // namespace heddle
