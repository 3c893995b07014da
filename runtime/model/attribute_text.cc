// SPDX-License-Identifier: Apache-2.0
// Attributes as text, for tools and messages.
#include <cstring>

#include "runtime/base/strings.h"
#include "runtime/model/attributes.h"

namespace heddle {
namespace {

constexpr size_t kMaxElements = 16;  // of an array, shown

struct EnumRow {
  const char* enum_name;
  int64_t value;
  const char* name;
};

constexpr EnumRow kEnumValues[] = {
#define HEDDLE_ENUM_VALUE(enum_name, value, name) {enum_name, value, name},
#include "schema/attribute_tables.inc"
#undef HEDDLE_ENUM_VALUE
};

template <typename T>
T ElementAt(const AttributeArray& array, size_t index) {
  T value;
  std::memcpy(&value, static_cast<const uint8_t*>(array.data) + index * sizeof(T), sizeof(T));
  return value;
}

int64_t IntegerAt(const AttributeArray& array, size_t index, bool is_signed) {
  switch (array.width) {
    case 1:
      return is_signed ? ElementAt<int8_t>(array, index) : ElementAt<uint8_t>(array, index);
    case 2:
      return is_signed ? ElementAt<int16_t>(array, index) : ElementAt<uint16_t>(array, index);
    case 4:
      return is_signed ? ElementAt<int32_t>(array, index)
                       : int64_t{ElementAt<uint32_t>(array, index)};
    default:
      return ElementAt<int64_t>(array, index);
  }
}

std::string IntegerText(const AttributeField& field, int64_t value) {
  if (field.enum_name != nullptr) {
    if (const char* name = AttributeEnumName(field.enum_name, value)) return name;
  }
  return StrCat(value);
}

std::string ArrayText(const AttributeField& field, const AttributeArray& array) {
  std::string out = "[";
  for (size_t i = 0; i < array.count; ++i) {
    if (i != 0) out += ',';
    if (i == kMaxElements) {
      StrAppend(out, "... ", array.count, " in all");
      break;
    }
    if (array.is_float) {
      StrAppend(out, ElementAt<float>(array, i));
    } else {
      out += IntegerText(field, IntegerAt(array, i, field.is_signed));
    }
  }
  out += ']';
  return out;
}

}  // namespace

const char* AttributeEnumName(std::string_view enum_name, int64_t value) {
  for (const EnumRow& row : kEnumValues) {
    if (row.value == value && enum_name == row.enum_name) return row.name;
  }
  return nullptr;
}

std::string AttributeView::Text(const AttributeField& field) const {
  switch (field.kind) {
    case AttributeKind::kBool:
    case AttributeKind::kInt: {
      int64_t value;
      if (GetInt(field.key, &value) != AttributeError::kNone) return {};
      if (field.kind == AttributeKind::kBool) return value != 0 ? "true" : "false";
      return IntegerText(field, value);
    }
    case AttributeKind::kFloat: {
      double value;
      if (GetFloat(field.key, &value) != AttributeError::kNone) return {};
      return StrCat(value);
    }
    case AttributeKind::kString: {
      std::string_view value;
      if (GetString(field.key, &value) != AttributeError::kNone) return {};
      return StrCat("\"", value, "\"");
    }
    case AttributeKind::kInts:
    case AttributeKind::kFloats:
    case AttributeKind::kBytes: {
      AttributeArray array;
      if (GetArray(field.key, &array) != AttributeError::kNone) return {};
      return ArrayText(field, array);
    }
    case AttributeKind::kStrings:
      return {};
  }
  return {};
}

}  // namespace heddle
