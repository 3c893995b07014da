// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: a Python dictionary as text. Hostile text gives an error.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.hpp"

namespace heddle::tools {

struct NpyHeader {
  char byte_order = '<';  // '<', '>' or '|'
  char kind = 'f';        // as numpy: b i u f c S U
  int64_t item_bytes = 4;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// `text` is the dictionary, `path` names the file in errors.
Result<NpyHeader> ParseNpyHeader(std::string_view text, const std::string& path);

}  // namespace heddle::tools
