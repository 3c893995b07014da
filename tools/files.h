// SPDX-License-Identifier: Apache-2.0
// Whole files in and out, and the errors that tools make themselves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/heddle.hpp"

namespace heddle::tools {

using Bytes = std::vector<uint8_t>;

// Failures that no library call reported: a wrong argument, and a file that is not as it should be.
Status BadArgument(std::string message, heddle_reason reason = HEDDLE_REASON_BAD_ARGUMENT);
Status BadFile(const std::string& path, std::string_view what);

Result<Bytes> ReadFile(const std::string& path);
Status WriteFile(const std::string& path, Span<const uint8_t> bytes);
Status MakeFolder(const std::string& path);

// Last part of a path.
std::string BaseName(const std::string& path);
// A tensor's name as part of a file name: other characters than letters, digits, '.', '-' and '_'
// become '_', and long names are cut.
std::string FileNamePart(std::string_view name);

}  // namespace heddle::tools
