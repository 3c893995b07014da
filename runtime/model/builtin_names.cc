// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/builtin_names.h"

#include <algorithm>
#include <iterator>

namespace heddle {
namespace {

struct NameRow {
  const char* name;
  int32_t code;
};

constexpr NameRow kNames[] = {
#define HEDDLE_OP_NAME(name, code) {#name, code},
#include "schema/attribute_tables.inc"
#undef HEDDLE_OP_NAME
};
constexpr auto kCount = static_cast<int32_t>(std::size(kNames));

constexpr bool RowsAreDense() {
  for (int32_t i = 0; i < kCount; ++i) {
    if (kNames[i].code != i) return false;
  }
  return true;
}
static_assert(RowsAreDense(), "BuiltinName takes the code as an index");

struct OptionsRow {
  int32_t code;
  uint32_t table_key;
};

constexpr OptionsRow kOptions[] = {
#define HEDDLE_OP_OPTIONS(code, table_key) {code, table_key},
#include "schema/attribute_tables.inc"
#undef HEDDLE_OP_OPTIONS
};
static_assert(std::is_sorted(std::begin(kOptions), std::end(kOptions),
                             [](const OptionsRow& a, const OptionsRow& b) {
                               return a.code < b.code;
                             }),
              "options are found by binary search");

}  // namespace

const char* BuiltinName(int32_t code) {
  return code >= 0 && code < kCount ? kNames[code].name : nullptr;
}

int32_t BuiltinCode(std::string_view name) {
  for (const NameRow& row : kNames) {
    if (name == row.name) return row.code;
  }
  return -1;
}

uint32_t OptionsTableOf(int32_t code) {
  const auto* row = std::lower_bound(
      std::begin(kOptions), std::end(kOptions), code,
      [](const OptionsRow& candidate, int32_t wanted) { return candidate.code < wanted; });
  return row != std::end(kOptions) && row->code == code ? row->table_key : 0;
}

}  // namespace heddle
