// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/attributes.h"

#include <algorithm>
#include <iterator>

#include "flatbuffers/flatbuffers.h"

namespace heddle {
namespace {

constexpr AttributeKind kBool = AttributeKind::kBool;
constexpr AttributeKind kInt = AttributeKind::kInt;
constexpr AttributeKind kFloat = AttributeKind::kFloat;
constexpr AttributeKind kString = AttributeKind::kString;
constexpr AttributeKind kInts = AttributeKind::kInts;
constexpr AttributeKind kFloats = AttributeKind::kFloats;
constexpr AttributeKind kBytes = AttributeKind::kBytes;

constexpr AttributeField kFields[] = {
#define HEDDLE_FIELD(key, table, name, kind, width, is_signed, is_subgraph, enum_name, whole, \
                     real)                                                                    \
  {key, table, name, kind, width, is_signed, is_subgraph, enum_name, whole, real},
#include "schema/attribute_tables.inc"
#undef HEDDLE_FIELD
};

constexpr bool RowsAreOrdered() {
  for (size_t i = 1; i < std::size(kFields); ++i) {
    if (kFields[i - 1].key >= kFields[i].key) return false;
  }
  return true;
}
static_assert(RowsAreOrdered(), "fields are found by binary search");

constexpr uint32_t TableOf(uint32_t key) { return key & ~0xffu; }

flatbuffers::voffset_t SlotOf(uint32_t key) {
  return flatbuffers::FieldIndexToOffset(static_cast<flatbuffers::voffset_t>(key & 0xff));
}

const flatbuffers::Table* AsTable(const uint8_t* bytes) {
  return reinterpret_cast<const flatbuffers::Table*>(bytes);
}

// Address of a scalar field's value, null if the table leaves it out.
const uint8_t* ScalarAt(const uint8_t* table, uint32_t key) {
  return table == nullptr ? nullptr : AsTable(table)->GetAddressOf(SlotOf(key));
}

// Strings and arrays have the same form: a count, then the elements.
const flatbuffers::Vector<uint8_t>* VectorAt(const uint8_t* table, uint32_t key) {
  return table == nullptr
             ? nullptr
             : AsTable(table)->GetPointer<const flatbuffers::Vector<uint8_t>*>(SlotOf(key));
}

int64_t ReadInteger(const uint8_t* at, uint8_t width, bool is_signed) {
  switch (width) {
    case 1:
      return is_signed ? flatbuffers::ReadScalar<int8_t>(at)
                       : int64_t{flatbuffers::ReadScalar<uint8_t>(at)};
    case 2:
      return is_signed ? flatbuffers::ReadScalar<int16_t>(at)
                       : int64_t{flatbuffers::ReadScalar<uint16_t>(at)};
    case 4:
      return is_signed ? flatbuffers::ReadScalar<int32_t>(at)
                       : int64_t{flatbuffers::ReadScalar<uint32_t>(at)};
    default:
      return flatbuffers::ReadScalar<int64_t>(at);
  }
}

}  // namespace

std::span<const AttributeField> AllAttributeFields() { return kFields; }

std::span<const AttributeField> FieldsOfTable(uint32_t table_key) {
  const auto by_key = [](const AttributeField& field, uint32_t key) { return field.key < key; };
  const uint32_t table = TableOf(table_key);
  const auto* begin = std::lower_bound(std::begin(kFields), std::end(kFields), table, by_key);
  const auto* end = std::lower_bound(begin, std::end(kFields), table + 0x100, by_key);
  return {begin, end};
}

const AttributeField* FindAttributeField(uint32_t key) {
  for (const AttributeField& field : FieldsOfTable(key)) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

AttributeError AttributeView::Find(uint32_t key, const AttributeField** field) const {
  *field = FindAttributeField(key);
  if (*field == nullptr) return AttributeError::kUnknownKey;
  if (table_ != nullptr && TableOf(key) != table_key()) return AttributeError::kOtherTable;
  return AttributeError::kNone;
}

AttributeError AttributeView::GetInt(uint32_t key, int64_t* value) const {
  const AttributeField* field;
  if (const auto error = Find(key, &field); error != AttributeError::kNone) return error;
  if (field->kind != kInt && field->kind != kBool) return AttributeError::kOtherKind;
  const uint8_t* at = ScalarAt(table_, key);
  *value = at == nullptr ? field->default_int : ReadInteger(at, field->width, field->is_signed);
  if (field->kind == kBool) *value = *value != 0;
  return AttributeError::kNone;
}

AttributeError AttributeView::GetFloat(uint32_t key, double* value) const {
  const AttributeField* field;
  if (const auto error = Find(key, &field); error != AttributeError::kNone) return error;
  if (field->kind != kFloat) return AttributeError::kOtherKind;
  const uint8_t* at = ScalarAt(table_, key);
  *value = at == nullptr ? field->default_float : double{flatbuffers::ReadScalar<float>(at)};
  return AttributeError::kNone;
}

AttributeError AttributeView::GetString(uint32_t key, std::string_view* value) const {
  const AttributeField* field;
  if (const auto error = Find(key, &field); error != AttributeError::kNone) return error;
  if (field->kind != kString) return AttributeError::kOtherKind;
  const auto* text = VectorAt(table_, key);
  if (text == nullptr) return AttributeError::kAbsent;
  *value = {reinterpret_cast<const char*>(text->data()), text->size()};
  return AttributeError::kNone;
}

AttributeError AttributeView::GetArray(uint32_t key, AttributeArray* value) const {
  const AttributeField* field;
  if (const auto error = Find(key, &field); error != AttributeError::kNone) return error;
  if (field->kind != kInts && field->kind != kFloats && field->kind != kBytes) {
    return AttributeError::kOtherKind;
  }
  const auto* array = VectorAt(table_, key);
  if (array == nullptr) return AttributeError::kAbsent;
  *value = {array->data(), array->size(), field->width, field->kind == kFloats};
  return AttributeError::kNone;
}

AttributeError AttributeView::GetStrings(uint32_t key, size_t, std::string_view*, size_t*) const {
  // No table of the schema has an array of strings yet, so every known key is of another kind.
  const AttributeField* field;
  if (const auto error = Find(key, &field); error != AttributeError::kNone) return error;
  return AttributeError::kOtherKind;
}

}  // namespace heddle
