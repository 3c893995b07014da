// SPDX-License-Identifier: Apache-2.0
#include "tools/npy.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "tools/npy_header.h"
#include "tools/zip.h"

namespace heddle::tools {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
// numpy's own headers are under a kilobyte, but for arrays with thousands of named fields.
constexpr size_t kLongestHeader = 1 << 20;

struct TypeRow {
  char kind;
  int64_t bytes;
  heddle_dtype dtype;
};
constexpr TypeRow kTypes[] = {
    {'f', 2, HEDDLE_DTYPE_FLOAT16},   {'f', 4, HEDDLE_DTYPE_FLOAT32},
    {'f', 8, HEDDLE_DTYPE_FLOAT64},   {'i', 1, HEDDLE_DTYPE_INT8},
    {'i', 2, HEDDLE_DTYPE_INT16},     {'i', 4, HEDDLE_DTYPE_INT32},
    {'i', 8, HEDDLE_DTYPE_INT64},     {'u', 1, HEDDLE_DTYPE_UINT8},
    {'u', 2, HEDDLE_DTYPE_UINT16},    {'u', 4, HEDDLE_DTYPE_UINT32},
    {'u', 8, HEDDLE_DTYPE_UINT64},    {'b', 1, HEDDLE_DTYPE_BOOL},
    {'c', 8, HEDDLE_DTYPE_COMPLEX64}, {'c', 16, HEDDLE_DTYPE_COMPLEX128},
};

std::optional<heddle_dtype> TypeOf(const NpyHeader& header) {
  if (header.kind == 'S' || header.kind == 'U') return HEDDLE_DTYPE_STRING;
  for (const TypeRow& row : kTypes) {
    if (row.kind == header.kind && row.bytes == header.item_bytes) return row.dtype;
  }
  return std::nullopt;
}

// Elements that lie in the other byte order; the halves of a complex number are swapped each.
void SwapBytes(const NpyHeader& header, Bytes* data) {
  size_t width = static_cast<size_t>(header.item_bytes);
  if (header.kind == 'c') width /= 2;
  if (header.kind == 'U') width = 4;
  if (width < 2) return;
  for (size_t at = 0; at + width <= data->size(); at += width) {
    std::reverse(data->begin() + static_cast<ptrdiff_t>(at),
                 data->begin() + static_cast<ptrdiff_t>(at + width));
  }
}

// Column-major elements brought to row-major order.
Bytes Transposed(const Bytes& data, const std::vector<int64_t>& shape, size_t item) {
  const size_t rank = shape.size();
  std::vector<size_t> stride(rank, item);  // in the file: the first index runs fastest
  for (size_t d = 1; d < rank; ++d) stride[d] = stride[d - 1] * static_cast<size_t>(shape[d - 1]);
  std::vector<int64_t> index(rank, 0);
  Bytes result(data.size());
  size_t from = 0;
  for (size_t to = 0; to < result.size(); to += item) {
    std::memcpy(result.data() + to, data.data() + from, item);
    for (size_t d = rank; d-- > 0;) {
      from += stride[d];
      if (++index[d] < shape[d]) break;
      from -= stride[d] * static_cast<size_t>(shape[d]);
      index[d] = 0;
    }
  }
  return result;
}

void AppendUtf8(uint32_t code, std::string* text) {
  const auto put = [&](uint32_t byte) { *text += static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | (code >> 6));
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | (code >> 12));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | ((code >> 18) & 7));
    put(0x80 | ((code >> 12) & 0x3f));
    put(0x80 | ((code >> 6) & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

// Fixed-length strings are filled up with zeros.
std::vector<std::string> Strings(const NpyHeader& header, const Bytes& data, size_t count) {
  const auto item = static_cast<size_t>(header.item_bytes);
  std::vector<std::string> strings(count);
  for (size_t i = 0; i < count; ++i) {
    const uint8_t* at = data.data() + i * item;
    if (header.kind == 'S') {
      strings[i].assign(reinterpret_cast<const char*>(at), item);
      strings[i].resize(strings[i].find_last_not_of('\0') + 1);
      continue;
    }
    for (size_t c = 0; c < item; c += 4) {
      uint32_t code;
      std::memcpy(&code, at + c, sizeof(code));
      if (code == 0) break;
      AppendUtf8(code, &strings[i]);
    }
  }
  return strings;
}

Result<std::string_view> HeaderText(Span<const uint8_t> bytes, const std::string& path) {
  const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (all.substr(0, kMagic.size()) != kMagic || all.size() < kMagic.size() + 4) {
    return BadFile(path, "is not a .npy file");
  }
  const int major = bytes[kMagic.size()];
  if (major < 1 || major > 3) {
    return BadFile(path, ".npy version " + std::to_string(major) + " is not known");
  }
  const size_t length_bytes = major == 1 ? 2 : 4;
  const size_t begin = kMagic.size() + 2 + length_bytes;
  if (all.size() < begin) return BadFile(path, "the .npy header is cut off");
  size_t length = 0;
  for (size_t i = 0; i < length_bytes; ++i) {
    length |= size_t{bytes[kMagic.size() + 2 + i]} << (8 * i);
  }
  if (length > kLongestHeader) return BadFile(path, "the .npy header is too long");
  if (length > all.size() - begin) return BadFile(path, "the .npy header is cut off");
  return all.substr(begin, length);
}

}  // namespace

Result<Array> ParseNpy(Span<const uint8_t> bytes, const std::string& path) {
  const Result<std::string_view> text = HeaderText(bytes, path);
  if (!text) return text.error();
  const Result<NpyHeader> header = ParseNpyHeader(*text, path);
  if (!header) return header.error();
  const std::optional<heddle_dtype> dtype = TypeOf(*header);
  if (!dtype) {
    return BadFile(path, std::string("element type '") + header->kind +
                             std::to_string(header->item_bytes) + "' is not supported");
  }

  Array array;
  array.dtype = *dtype;
  array.shape = header->shape;
  uint64_t count = 1;
  uint64_t size = 0;
  bool overflow = false;
  for (const int64_t dim : array.shape) {
    overflow |= __builtin_mul_overflow(count, static_cast<uint64_t>(dim), &count);
  }
  overflow |= __builtin_mul_overflow(count, static_cast<uint64_t>(header->item_bytes), &size);
  // Elements without bytes (empty strings) would let a tiny file ask for any amount of memory.
  overflow |= header->item_bytes == 0 && count > bytes.size();
  const auto* begin = reinterpret_cast<const uint8_t*>(text->data() + text->size());
  const auto held = static_cast<uint64_t>(bytes.end() - begin);
  if (overflow || size != held) {
    return BadFile(path, "shape " + ShapeText(array.shape) + " does not match the " +
                             std::to_string(held) + " bytes of data");
  }

  Bytes data(begin, begin + size);
  if (header->byte_order == '>') SwapBytes(*header, &data);
  if (header->fortran_order && array.shape.size() > 1) {
    data = Transposed(data, array.shape, static_cast<size_t>(header->item_bytes));
  }
  if (*dtype == HEDDLE_DTYPE_STRING) {
    array.strings = Strings(*header, data, static_cast<size_t>(count));
  } else {
    array.data = std::move(data);
  }
  return array;
}

Bytes FormatNpy(const Array& array) {
  std::string descr;
  size_t longest = 1;
  if (array.dtype == HEDDLE_DTYPE_STRING) {
    for (const std::string& text : array.strings) longest = std::max(longest, text.size());
    descr = std::string("|S") + std::to_string(longest);
  }
  for (const TypeRow& row : kTypes) {
    if (row.dtype != array.dtype) continue;
    descr = row.bytes == 1 ? '|' : '<';
    descr += row.kind;
    descr += std::to_string(row.bytes);
  }
  std::string header = std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (";
  for (const int64_t dim : array.shape) header += std::to_string(dim) + ", ";
  header += "), }";
  // The data starts at a multiple of 64.
  const size_t before = kMagic.size() + 4;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';

  std::string bytes(kMagic);
  bytes += '\1';
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(array.data.begin(), array.data.end());
  for (const std::string& text : array.strings) {
    bytes += text;
    bytes.append(longest - text.size(), '\0');
  }
  return Bytes(bytes.begin(), bytes.end());
}

Result<NamedArrays> ParseNpz(Span<const uint8_t> bytes, const std::string& path) {
  const Result<ZipReader> zip = ZipReader::Open(bytes, path);
  if (!zip) return zip.error();
  NamedArrays arrays;
  for (const ZipReader::Entry& entry : zip->entries()) {
    const std::string member = path + ":" + entry.name;
    const Result<Bytes> data = zip->Read(entry);
    if (!data) return data.error();
    Result<Array> array = ParseNpy(*data, member);
    if (!array) return array.error();
    std::string name = entry.name;
    if (name.size() > 4 && name.compare(name.size() - 4, 4, ".npy") == 0) {
      name.resize(name.size() - 4);
    }
    arrays.emplace_back(std::move(name), *std::move(array));
  }
  return arrays;
}

}  // namespace heddle::tools
