// SPDX-License-Identifier: Apache-2.0
// numpy's .npy files and .npz archives.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/array.h"

namespace heddle::tools {

// `path` names the file in errors. Versions 1 to 3; C and Fortran order, either byte order;
// booleans, integers, floats, complex numbers and fixed-length strings.
Result<Array> ParseNpy(Span<const uint8_t> bytes, const std::string& path);
// Version 1, C order, little-endian. Strings become fixed-length bytes.
Bytes FormatNpy(const Array& array);

// The arrays of an archive by name, in its order.
using NamedArrays = std::vector<std::pair<std::string, Array>>;
Result<NamedArrays> ParseNpz(Span<const uint8_t> bytes, const std::string& path);

}  // namespace heddle::tools
