// SPDX-License-Identifier: Apache-2.0
#include "tools/files.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace heddle::tools {

Status BadArgument(std::string message, heddle_reason reason) {
  return {HEDDLE_INVALID_ARGUMENT, reason, std::move(message)};
}

Status BadFile(const std::string& path, std::string_view what) {
  return {HEDDLE_IO_ERROR, HEDDLE_REASON_FILE_UNREADABLE, path + ": " + std::string(what)};
}

Result<Bytes> ReadFile(const std::string& path) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) {
    return Status(HEDDLE_NOT_FOUND, HEDDLE_REASON_FILE_NOT_FOUND, path + ": no such file");
  }
  if (std::filesystem::is_directory(status)) return BadFile(path, "is a folder");
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return BadFile(path, std::strerror(errno));
  Bytes bytes;
  char block[65536];
  while (stream.read(block, sizeof(block)) || stream.gcount() > 0) {
    bytes.insert(bytes.end(), block, block + stream.gcount());
  }
  if (stream.bad()) return BadFile(path, "cannot be read to its end");
  return bytes;
}

Status WriteFile(const std::string& path, Span<const uint8_t> bytes) {
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  if (!stream) return BadFile(path, std::strerror(errno));
  stream.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  stream.close();
  if (!stream) return BadFile(path, "cannot be written; is the disk full?");
  return {};
}

Status MakeFolder(const std::string& path) {
  std::error_code code;
  std::filesystem::create_directories(path, code);
  if (!std::filesystem::is_directory(path)) {
    return BadFile(path, code ? code.message() : "is not a folder");
  }
  return {};
}

std::string BaseName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string FileNamePart(std::string_view name) {
  constexpr size_t kLongest = 80;
  std::string part;
  for (const char c : name.substr(0, kLongest)) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    part += plain ? c : '_';
  }
  return part;
}

}  // namespace heddle::tools
