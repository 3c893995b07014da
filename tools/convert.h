// SPDX-License-Identifier: Apache-2.0
// Values to a tensor's type and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/array.h"
#include "tools/numbers.h"

namespace heddle::tools {

// Scale and zero point of a tensor that has one pair of them.
struct Affine {
  bool is_set = false;
  double scale = 1;
  int64_t zero_point = 0;
};
Affine AffineOf(const heddle_tensor_info& info);

// An element as the real number that it stands for.
double RealValue(const heddle_tensor_info& info, const Affine& affine, const void* data,
                 size_t index);
// A real number as an element: quantised (rounded half away from zero, held to the type's range)
// where the tensor has a scale, else as it is, held to an integer type's range.
Number ElementOf(heddle_dtype dtype, const Affine& affine, double real);

// The array's elements in the tensor's type. Floats are quantised for an integer tensor that has a
// scale; otherwise only the type changes, and a value that the tensor's type cannot hold is
// refused. `what` names the array in errors.
Result<Bytes> ConvertArray(const Array& array, const heddle_tensor_info& info,
                           const std::string& what);

// Random contents, the same for a seed on every machine: floats in [-1, 1), integers with a scale
// and 8-bit ones over their whole range, other integers 0 or 1 (they are often indices), words.
Result<Bytes> RandomBytes(const heddle_tensor_info& info, uint64_t seed, const std::string& what);

}  // namespace heddle::tools
