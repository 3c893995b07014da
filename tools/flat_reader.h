// SPDX-License-Identifier: Apache-2.0
// Reads a flatbuffer by field numbers, checking every offset. For small buffers whose schema is not
// compiled in, such as model metadata.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.hpp"

namespace heddle::tools {

// A table, or none: fields of an absent table are absent. What lies outside the buffer reads as
// absent too and marks the buffer as damaged.
class FlatTable {
 public:
  FlatTable() = default;

  // None unless the buffer has this four-letter identifier. `damaged` must outlive the tables.
  static FlatTable Root(Span<const uint8_t> bytes, std::string_view identifier, bool* damaged) {
    FlatTable table;
    table.bytes_ = bytes;
    table.damaged_ = damaged;
    if (bytes.size() < 8 || std::memcmp(bytes.data() + 4, identifier.data(), 4) != 0) return {};
    return table.TableAt(0);
  }

  explicit operator bool() const { return damaged_ != nullptr; }

  template <typename T>
  T Scalar(int field, T absent) const {
    const std::optional<size_t> at = FieldAt(field, sizeof(T));
    return at ? Load<T>(*at) : absent;
  }
  FlatTable Table(int field) const {
    const std::optional<size_t> at = FieldAt(field, 4);
    return at ? TableAt(*at) : FlatTable();
  }
  std::string String(int field) const {
    const std::optional<Range> range = Vector(field, 1);
    if (!range) return {};
    return {reinterpret_cast<const char*>(bytes_.data()) + range->begin, range->count};
  }
  std::vector<float> Floats(int field) const {
    std::vector<float> values;
    const std::optional<Range> range = Vector(field, 4);
    for (size_t i = 0; range && i < range->count; ++i) {
      values.push_back(Load<float>(range->begin + 4 * i));
    }
    return values;
  }
  std::vector<FlatTable> Tables(int field) const {
    std::vector<FlatTable> tables;
    const std::optional<Range> range = Vector(field, 4);
    for (size_t i = 0; range && i < range->count; ++i) {
      tables.push_back(TableAt(range->begin + 4 * i));
    }
    return tables;
  }

 private:
  struct Range {
    size_t begin;
    size_t count;
  };

  bool Holds(size_t at, size_t size) const {
    if (at <= bytes_.size() && size <= bytes_.size() - at) return true;
    *damaged_ = true;
    return false;
  }
  template <typename T>
  T Load(size_t at) const {
    T value;
    std::memcpy(&value, bytes_.data() + at, sizeof(T));
    return value;
  }
  // Where the offset at `at` leads.
  std::optional<size_t> Follow(size_t at) const {
    if (!Holds(at, 4)) return std::nullopt;
    const size_t target = at + Load<uint32_t>(at);
    if (!Holds(target, 4)) return std::nullopt;
    return target;
  }
  FlatTable TableAt(size_t at) const {
    const std::optional<size_t> begin = Follow(at);
    if (!begin) return {};
    const int64_t vtable = static_cast<int64_t>(*begin) - Load<int32_t>(*begin);
    if (vtable < 0 || !Holds(static_cast<size_t>(vtable), 4)) {
      *damaged_ = true;
      return {};
    }
    FlatTable table = *this;
    table.begin_ = *begin;
    table.vtable_ = static_cast<size_t>(vtable);
    table.vtable_bytes_ = Load<uint16_t>(table.vtable_);
    return Holds(table.vtable_, table.vtable_bytes_) ? table : FlatTable();
  }
  std::optional<size_t> FieldAt(int field, size_t size) const {
    const size_t entry = 4 + 2 * static_cast<size_t>(field);
    if (damaged_ == nullptr || entry + 2 > vtable_bytes_) return std::nullopt;
    const uint16_t offset = Load<uint16_t>(vtable_ + entry);
    if (offset == 0 || !Holds(begin_ + offset, size)) return std::nullopt;
    return begin_ + offset;
  }
  std::optional<Range> Vector(int field, size_t width) const {
    const std::optional<size_t> at = FieldAt(field, 4);
    const std::optional<size_t> begin = at ? Follow(*at) : std::nullopt;
    if (!begin) return std::nullopt;
    const Range range = {*begin + 4, Load<uint32_t>(*begin)};
    if (!Holds(range.begin, range.count * width)) return std::nullopt;
    return range;
  }

  Span<const uint8_t> bytes_;
  bool* damaged_ = nullptr;
  size_t begin_ = 0;
  size_t vtable_ = 0;
  size_t vtable_bytes_ = 0;
};

}  // namespace heddle::tools
