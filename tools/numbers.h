// SPDX-License-Identifier: Apache-2.0
// Elements of tensors as numbers, whatever their type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "heddle/heddle.hpp"

namespace heddle::tools {

// One element: an integer exactly, or a real number.
struct Number {
  bool is_integer = false;
  int64_t integer = 0;
  double real = 0;  // set for integers too

  static Number Of(int64_t value) { return {true, value, static_cast<double>(value)}; }
  static Number Of(double value) { return {false, 0, value}; }
};

// Bits of one element; 0 for types whose elements are no numbers (strings, resources, complex).
uint32_t NumberBits(heddle_dtype dtype);
bool IsFloat(heddle_dtype dtype);
// Integers and BOOL.
bool IsInteger(heddle_dtype dtype);
// Smallest and largest value of an integer type; UINT64 is held to INT64_MAX.
int64_t MinOf(heddle_dtype dtype);
int64_t MaxOf(heddle_dtype dtype);

// `dtype` has NumberBits > 0 and `data` an element `index`; 4- and 2-bit elements are packed.
Number ReadNumber(heddle_dtype dtype, const void* data, size_t index);
// Rounds to the type's precision; integers must be in range. Not for 8-bit floats.
void WriteNumber(heddle_dtype dtype, void* data, size_t index, Number value);

// Bytes of `count` elements.
size_t BytesOf(heddle_dtype dtype, size_t count);

std::string NumberText(Number number);

float HalfToFloat(uint16_t half);
uint16_t FloatToHalf(float value);

}  // namespace heddle::tools
