// SPDX-License-Identifier: Apache-2.0
#include "tests/support/npz.h"

#include <gtest/gtest.h>

#include <string_view>

#include "tests/support/environment.h"

namespace heddle::testing {
namespace {

uint32_t Read(const std::vector<uint8_t>& bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count && at + i < bytes.size(); ++i)
    value |= uint32_t{bytes[at + i]} << (8 * i);
  return value;
}

NpyArray ParseNpy(std::string_view npy) {
  NpyArray array;
  EXPECT_EQ(npy.substr(1, 5), "NUMPY");
  const bool wide = npy[6] != 1;
  const std::vector<uint8_t> head(npy.begin(), npy.begin() + 12);
  const size_t start = wide ? 12 : 10;
  const size_t length = Read(head, 8, wide ? 4 : 2);
  const std::string_view text = npy.substr(start, length);
  const size_t descr = text.find("'descr': '") + 10;
  array.descr = text.substr(descr, text.find('\'', descr) - descr);
  EXPECT_NE(text.find("'fortran_order': False"), std::string_view::npos);
  for (size_t i = text.find('(') + 1; i < text.size() && text[i] != ')'; ++i) {
    if (text[i] < '0' || text[i] > '9') continue;
    int64_t dim = 0;
    for (; text[i] >= '0' && text[i] <= '9'; ++i) dim = dim * 10 + (text[i] - '0');
    array.dims.push_back(dim);
    --i;
  }
  const std::string_view data = npy.substr(start + length);
  array.data.assign(data.begin(), data.end());
  return array;
}

}  // namespace

std::map<std::string, NpyArray> ReadNpz(const std::string& path) {
  std::map<std::string, NpyArray> arrays;
  const std::vector<uint8_t> zip = ReadFileBytes(path);
  // The end record has no comment, so it is where it can first be.
  constexpr size_t kEndBytes = 22;
  if (zip.size() < kEndBytes || Read(zip, zip.size() - kEndBytes, 4) != 0x06054b50) {
    ADD_FAILURE() << path << " is no plain zip archive";
    return arrays;
  }
  const size_t end = zip.size() - kEndBytes;
  size_t entry = Read(zip, end + 16, 4);
  for (uint32_t i = Read(zip, end + 10, 2); i > 0; --i) {
    EXPECT_EQ(Read(zip, entry + 10, 2), 0u) << path << " has a compressed member";
    const size_t bytes = Read(zip, entry + 24, 4);
    const size_t name_length = Read(zip, entry + 28, 2);
    const size_t local = Read(zip, entry + 42, 4);
    const std::string name(zip.begin() + static_cast<ptrdiff_t>(entry) + 46,
                           zip.begin() + static_cast<ptrdiff_t>(entry + 46 + name_length));
    const size_t start = local + 30 + Read(zip, local + 26, 2) + Read(zip, local + 28, 2);
    if (start + bytes > zip.size()) {
      ADD_FAILURE() << path << " is truncated";
      return arrays;
    }
    arrays[name.substr(0, name.rfind(".npy"))] =
        ParseNpy({reinterpret_cast<const char*>(zip.data()) + start, bytes});
    entry += 46 + name_length + Read(zip, entry + 30, 2) + Read(zip, entry + 32, 2);
  }
  return arrays;
}

}  // namespace heddle::testing
