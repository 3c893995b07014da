// SPDX-License-Identifier: Apache-2.0
#include "tools/zip.h"

#include <zlib.h>

#include <algorithm>
#include <optional>

namespace heddle::tools {
namespace {

constexpr uint32_t kLocalHeader = 0x04034b50;
constexpr uint32_t kDirectoryEntry = 0x02014b50;
constexpr uint32_t kEnd = 0x06054b50;
constexpr uint32_t kEnd64 = 0x06064b50;
constexpr uint32_t kEnd64Locator = 0x07064b50;
constexpr size_t kLocalHeaderBytes = 30;
constexpr size_t kDirectoryEntryBytes = 46;
constexpr size_t kEndBytes = 22;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kEnd64LocatorBytes = 20;
constexpr size_t kLongestComment = 0xffff;
// A field that says so has its value in a 64-bit record.
constexpr uint32_t kSee64 = 0xffffffff;
constexpr uint16_t kZip64Extra = 1;
constexpr uint32_t kStored = 0;
constexpr uint32_t kDeflated = 8;
constexpr uint32_t kEncrypted = 1;
// Deflate makes at most 1032 bytes of one: more is a lie that would only cost memory.
constexpr uint64_t kHighestRatio = 1032;

// A little-endian number; the caller has checked the range.
uint64_t Get(Span<const uint8_t> bytes, uint64_t at, int width) {
  uint64_t value = 0;
  for (int i = 0; i < width; ++i) value |= uint64_t{bytes[at + static_cast<size_t>(i)]} << (8 * i);
  return value;
}

// Position of the record that ends an archive.
std::optional<size_t> FindEnd(Span<const uint8_t> bytes) {
  if (bytes.size() < kEndBytes) return std::nullopt;
  const size_t last = bytes.size() - kEndBytes;
  const size_t first = last > kLongestComment ? last - kLongestComment : 0;
  for (size_t at = last + 1; at-- > first;) {
    if (Get(bytes, at, 4) == kEnd && at + kEndBytes + Get(bytes, at + 20, 2) == bytes.size()) {
      return at;
    }
  }
  return std::nullopt;
}

}  // namespace

bool ZipReader::LooksLikeZip(Span<const uint8_t> bytes) { return FindEnd(bytes).has_value(); }

Status ZipReader::Damaged(const std::string& what) const {
  return BadFile(path_, "damaged zip archive: " + what);
}

Result<ZipReader> ZipReader::Open(Span<const uint8_t> bytes, const std::string& path) {
  ZipReader reader(bytes, path);
  Status status = reader.ReadDirectory();
  if (!status.ok()) return status;
  return reader;
}

Status ZipReader::ReadDirectory() {
  const std::optional<size_t> end = FindEnd(bytes_);
  if (!end) return BadFile(path_, "is not a zip archive, or it is cut off");
  uint64_t count = Get(bytes_, *end + 10, 2);
  uint64_t size = Get(bytes_, *end + 12, 4);
  uint64_t offset = Get(bytes_, *end + 16, 4);
  uint64_t directory_end = *end;
  if (*end >= kEnd64Bytes + kEnd64LocatorBytes &&
      Get(bytes_, *end - kEnd64LocatorBytes, 4) == kEnd64Locator) {
    directory_end = *end - kEnd64LocatorBytes - kEnd64Bytes;
    if (Get(bytes_, directory_end, 4) != kEnd64) return Damaged("its 64-bit end is not in place");
    count = Get(bytes_, directory_end + 32, 8);
    size = Get(bytes_, directory_end + 40, 8);
    offset = Get(bytes_, directory_end + 48, 8);
  }
  // Where the archive follows other bytes, offsets may count from its own start.
  if (size > directory_end || offset > directory_end - size) {
    return Damaged("its directory lies outside the file");
  }
  uint64_t at = directory_end - size;
  const uint64_t base = at - offset;

  for (uint64_t i = 0; i < count; ++i) {
    if (directory_end - at < kDirectoryEntryBytes || Get(bytes_, at, 4) != kDirectoryEntry) {
      return Damaged("its directory ends early");
    }
    Entry entry;
    entry.flags = static_cast<uint32_t>(Get(bytes_, at + 8, 2));
    entry.method = static_cast<uint32_t>(Get(bytes_, at + 10, 2));
    entry.crc = static_cast<uint32_t>(Get(bytes_, at + 16, 4));
    entry.compressed_bytes = Get(bytes_, at + 20, 4);
    entry.bytes = Get(bytes_, at + 24, 4);
    entry.header_offset = Get(bytes_, at + 42, 4);
    const uint64_t name_bytes = Get(bytes_, at + 28, 2);
    const uint64_t extra_bytes = Get(bytes_, at + 30, 2);
    const uint64_t comment_bytes = Get(bytes_, at + 32, 2);
    at += kDirectoryEntryBytes;
    if (name_bytes + extra_bytes + comment_bytes > directory_end - at) {
      return Damaged("its directory ends early");
    }
    entry.name.assign(reinterpret_cast<const char*>(bytes_.data()) + at, name_bytes);
    // The 64-bit record holds only the fields that did not fit, in this order.
    uint64_t extra = at + name_bytes;
    const uint64_t extra_end = extra + extra_bytes;
    while (extra_end - extra >= 4) {
      const uint64_t id = Get(bytes_, extra, 2);
      uint64_t left = std::min(Get(bytes_, extra + 2, 2), extra_end - extra - 4);
      extra += 4;
      uint64_t field = extra;
      extra += left;
      if (id != kZip64Extra) continue;
      for (uint64_t* value : {&entry.bytes, &entry.compressed_bytes, &entry.header_offset}) {
        if (*value != kSee64 || left < 8) continue;
        *value = Get(bytes_, field, 8);
        field += 8;
        left -= 8;
      }
    }
    if (__builtin_add_overflow(entry.header_offset, base, &entry.header_offset)) {
      return Damaged("the member '" + entry.name + "' lies outside the file");
    }
    at = extra_end + comment_bytes;
    entries_.push_back(std::move(entry));
  }
  return {};
}

Result<Bytes> ZipReader::Read(const Entry& entry) const {
  const auto damaged = [&](const std::string& what) {
    return Damaged("the member '" + entry.name + "' " + what);
  };
  if ((entry.flags & kEncrypted) != 0) {
    return BadFile(path_, "the member '" + entry.name + "' is encrypted");
  }
  const uint64_t size = bytes_.size();
  uint64_t at = entry.header_offset;
  if (at > size || size - at < kLocalHeaderBytes || Get(bytes_, at, 4) != kLocalHeader) {
    return damaged("has no header where the directory says");
  }
  at += kLocalHeaderBytes + Get(bytes_, at + 26, 2) + Get(bytes_, at + 28, 2);
  if (at > size || entry.compressed_bytes > size - at) return damaged("is cut off");
  const uint8_t* data = bytes_.data() + at;

  Bytes bytes;
  if (entry.method == kStored) {
    if (entry.bytes != entry.compressed_bytes) return damaged("has two sizes");
    bytes.assign(data, data + entry.bytes);
  } else if (entry.method == kDeflated) {
    if (entry.bytes / kHighestRatio > entry.compressed_bytes) return damaged("has a wrong size");
    bytes.resize(entry.bytes);
    // zlib counts in 32 bits; larger members would have to be fed in parts.
    if (entry.bytes > UINT32_MAX || entry.compressed_bytes > UINT32_MAX) {
      return BadFile(path_, "the member '" + entry.name + "' is larger than 4 GB");
    }
    uint8_t nothing = 0;
    z_stream stream = {};
    stream.next_in = const_cast<Bytef*>(data);
    stream.avail_in = static_cast<uInt>(entry.compressed_bytes);
    stream.next_out = bytes.empty() ? &nothing : bytes.data();
    stream.avail_out = static_cast<uInt>(bytes.size());
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
      return Status(HEDDLE_RESOURCE_EXHAUSTED, HEDDLE_REASON_OUT_OF_MEMORY, path_ + ": no memory");
    }
    const int ended = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    if (ended != Z_STREAM_END || stream.avail_out != 0) return damaged("does not inflate");
  } else {
    return BadFile(path_, "the member '" + entry.name + "' is compressed by method " +
                              std::to_string(entry.method) + ", which is not supported");
  }
  uint64_t crc = crc32_z(0, nullptr, 0);
  crc = crc32_z(crc, bytes.data(), bytes.size());
  if (crc != entry.crc) return damaged("has a wrong checksum");
  return bytes;
}

}  // namespace heddle::tools
