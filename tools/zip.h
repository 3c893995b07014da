// SPDX-License-Identifier: Apache-2.0
// Zip archives: .npz files, and the files that model metadata appends to a .tflite.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/files.h"

namespace heddle::tools {

// Reads stored and deflated members, 64-bit sizes included. An archive may follow other bytes.
// Every offset and size is checked; nothing in the archive is trusted.
class ZipReader {
 public:
  struct Entry {
    std::string name;
    uint32_t method = 0;
    uint32_t flags = 0;
    uint32_t crc = 0;
    uint64_t compressed_bytes = 0;
    uint64_t bytes = 0;
    uint64_t header_offset = 0;  // of the member's local header, in the whole file
  };

  // Borrows the bytes. `path` names the file in errors.
  static Result<ZipReader> Open(Span<const uint8_t> bytes, const std::string& path);
  // Whether the bytes end like an archive.
  static bool LooksLikeZip(Span<const uint8_t> bytes);

  const std::vector<Entry>& entries() const { return entries_; }
  Result<Bytes> Read(const Entry& entry) const;

 private:
  ZipReader(Span<const uint8_t> bytes, std::string path) : bytes_(bytes), path_(std::move(path)) {}
  Status ReadDirectory();
  Status Damaged(const std::string& what) const;

  Span<const uint8_t> bytes_;
  std::string path_;
  std::vector<Entry> entries_;
};

}  // namespace heddle::tools
