// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/strings.h"

#include <charconv>
#include <cstdio>

namespace heddle {
namespace internal {

void AppendPiece(std::string& out, std::string_view piece) { out.append(piece); }

void AppendPiece(std::string& out, double value) {
  char text[32];
  const int length = std::snprintf(text, sizeof(text), "%.9g", value);
  out.append(text, static_cast<size_t>(length));
}

void AppendInteger(std::string& out, int64_t value) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  out.append(text, static_cast<size_t>(end - text));
}

void AppendUnsigned(std::string& out, uint64_t value) {
  char text[24];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;
  out.append(text, static_cast<size_t>(end - text));
}

}  // namespace internal

std::string ShapeText(std::span<const int32_t> dims) {
  std::string out = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i != 0) out += ',';
    internal::AppendInteger(out, dims[i]);
  }
  out += ']';
  return out;
}

}  // namespace heddle
