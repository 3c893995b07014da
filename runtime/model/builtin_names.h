// SPDX-License-Identifier: Apache-2.0
// Builtin ops by name and number, and the options tables that they carry. The numbers as constants
// are HEDDLE_BUILTIN_* in heddle/heddle_attributes.h.
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle {

// "CONV_2D"; null for a number that the schema does not know.
const char* BuiltinName(int32_t code);
// -1 for a name that the schema does not know.
int32_t BuiltinCode(std::string_view name);
// First key of the options table of an op (see attributes.h), 0 if it has none.
uint32_t OptionsTableOf(int32_t code);

}  // namespace heddle
