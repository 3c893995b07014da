// SPDX-License-Identifier: Apache-2.0
// Makes zip archives for tests, sound ones and odd ones.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::tools {

struct ZipMember {
  std::string name;
  std::string content;
  bool deflated = false;
  bool zip64 = false;  // sizes and offset in 64-bit records
};

inline void Put(std::string* out, uint64_t value, int width) {
  for (int i = 0; i < width; ++i) *out += static_cast<char>(value >> (8 * i));
}

inline std::string Deflated(const std::string& content) {
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

// `prefix` comes before the archive; offsets count from the start of the file or, if
// `offsets_from_archive`, from the archive's own.
inline std::string MakeZip(const std::vector<ZipMember>& members, const std::string& prefix = "",
                           bool offsets_from_archive = false) {
  constexpr uint32_t kSee64 = 0xffffffff;
  std::string out = prefix;
  std::string directory;
  for (const ZipMember& member : members) {
    const std::string data = member.deflated ? Deflated(member.content) : member.content;
    const auto crc = static_cast<uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(member.content.data()), member.content.size()));
    const uint64_t offset = out.size() - (offsets_from_archive ? prefix.size() : 0);
    std::string extra;
    if (member.zip64) {
      Put(&extra, 1, 2);
      Put(&extra, 24, 2);
      Put(&extra, member.content.size(), 8);
      Put(&extra, data.size(), 8);
      Put(&extra, offset, 8);
    }
    std::string common;  // of both headers, from "flags" to the length of the name
    Put(&common, 0, 2);
    Put(&common, member.deflated ? 8 : 0, 2);
    Put(&common, 0, 4);
    Put(&common, crc, 4);
    Put(&common, member.zip64 ? kSee64 : data.size(), 4);
    Put(&common, member.zip64 ? kSee64 : member.content.size(), 4);
    Put(&common, member.name.size(), 2);
    Put(&common, extra.size(), 2);
    Put(&out, 0x04034b50, 4);
    Put(&out, 20, 2);
    out += common + member.name + extra + data;
    Put(&directory, 0x02014b50, 4);
    Put(&directory, 20, 2);
    Put(&directory, 20, 2);
    directory += common;
    directory.append(2 + 2 + 2 + 4, '\0');  // comment, disk, attributes
    Put(&directory, member.zip64 ? kSee64 : offset, 4);
    directory += member.name + extra;
  }
  const uint64_t directory_offset = out.size() - (offsets_from_archive ? prefix.size() : 0);
  out += directory;
  Put(&out, 0x06054b50, 4);
  Put(&out, 0, 4);
  Put(&out, members.size(), 2);
  Put(&out, members.size(), 2);
  Put(&out, directory.size(), 4);
  Put(&out, directory_offset, 4);
  Put(&out, 0, 2);
  return out;
}

}  // namespace heddle::tools
