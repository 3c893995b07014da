// SPDX-License-Identifier: Apache-2.0
// Typed, read-only access to an operator's options table by key: union << 24 | table << 8 | field
// id, where union is 1 for BuiltinOptions and 2 for BuiltinOptions2, table is the member's number
// in that union, and field id is the id in the schema. Keys have names, generated from the schema
// into heddle/heddle_attributes.h: HEDDLE_ATTR_CONV_2D_STRIDE_W and so on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace heddle {

enum class AttributeKind : uint8_t {
  kBool,
  kInt,
  kFloat,
  kString,
  kInts,
  kFloats,
  kBytes,
  kStrings
};

// What the schema says of one field of an options table.
struct AttributeField {
  uint32_t key;
  const char* table;  // "Conv2DOptions"
  const char* name;   // "stride_w"
  AttributeKind kind;
  uint8_t width;          // bytes of the scalar, or of an array's element
  bool is_signed;         // of integers
  bool is_subgraph;       // holds an index (or indices) of subgraphs
  const char* enum_name;  // "Padding", null for plain numbers
  int64_t default_int;
  double default_float;
};

enum class AttributeError : uint8_t {
  kNone,
  kUnknownKey,  // no such field in the schema
  kOtherTable,  // the operator has options of another table
  kOtherKind,   // the field is of another kind
  kAbsent,      // an array or string that the file leaves out
};

// Array attribute, borrowed from the model: elements of `width` bytes, little-endian, aligned to
// their width.
struct AttributeArray {
  const void* data = nullptr;
  size_t count = 0;
  uint8_t width = 0;
  bool is_float = false;
};

// The options of one operator. An operator without options reads as one whose fields all have their
// defaults.
class AttributeView {
 public:
  AttributeView() = default;
  AttributeView(const uint8_t* table, uint8_t union_number, uint8_t table_number)
      : table_(table), union_(union_number), number_(table_number) {}

  bool has_table() const { return table_ != nullptr; }
  // First key of the table (field id 0), 0 without one.
  uint32_t table_key() const {
    return table_ == nullptr ? 0u : (uint32_t{union_} << 24) | (uint32_t{number_} << 8);
  }
  AttributeError GetInt(uint32_t key, int64_t* value) const;  // integers, enums, bools
  AttributeError GetFloat(uint32_t key, double* value) const;
  AttributeError GetString(uint32_t key, std::string_view* value) const;
  AttributeError GetArray(uint32_t key, AttributeArray* value) const;  // ints, floats, bytes
  AttributeError GetStrings(uint32_t key, size_t index, std::string_view* value,
                            size_t* count) const;
  // Value as text, for tools: 3, 0.5, true, [1,2], "name", or an enum's name. Empty if absent.
  std::string Text(const AttributeField& field) const;

 private:
  AttributeError Find(uint32_t key, const AttributeField** field) const;

  const uint8_t* table_ = nullptr;
  uint8_t union_ = 0;
  uint8_t number_ = 0;
};

// All fields of all options tables, ordered by key; those of one table are adjacent.
std::span<const AttributeField> AllAttributeFields();
std::span<const AttributeField> FieldsOfTable(uint32_t table_key);
const AttributeField* FindAttributeField(uint32_t key);
// AttributeEnumName("Padding", 1) is "VALID"; null if there is no such value.
const char* AttributeEnumName(std::string_view enum_name, int64_t value);

}  // namespace heddle
