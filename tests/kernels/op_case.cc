// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/op_case.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace heddle::testing {
namespace {

std::filesystem::path CaseFolder() {
  const char* source = std::getenv("HEDDLE_SOURCE_DIR");
  return std::filesystem::path(source != nullptr ? source : ".") / "tests/golden/op_cases";
}

// Reads little-endian numbers and chunks; past the end everything is 0 or empty and ok() false.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  bool ok() const { return ok_; }
  bool AtEnd() const { return position_ == bytes_.size(); }
  std::vector<uint8_t> Take(size_t size) {
    ok_ = ok_ && size <= bytes_.size() - position_;
    if (!ok_) return {};
    const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(position_);
    position_ += size;
    return {begin, begin + static_cast<std::ptrdiff_t>(size)};
  }
  uint32_t Number() {
    const std::vector<uint8_t> bytes = Take(sizeof(uint32_t));
    uint32_t value = 0;
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }
  std::vector<uint8_t> Chunk() { return Take(Number()); }
  std::string Text(size_t size) {
    const std::vector<uint8_t> bytes = Take(size);
    return {bytes.begin(), bytes.end()};
  }

 private:
  std::vector<uint8_t> bytes_;
  size_t position_ = 0;
  bool ok_ = true;
};

OpCase ReadCase(Reader& reader) {
  OpCase one;
  one.name = reader.Text(reader.Number());
  one.model = reader.Chunk();
  for (uint32_t i = reader.Number(); i > 0 && reader.ok(); --i) {
    one.inputs.push_back(reader.Chunk());
  }
  for (uint32_t i = reader.Number(); i > 0 && reader.ok(); --i) {
    OpCase::Output& output = one.outputs.emplace_back();
    for (uint32_t d = reader.Number(); d > 0 && reader.ok(); --d) {
      output.dims.push_back(static_cast<int32_t>(reader.Number()));
    }
    output.bytes = reader.Chunk();
  }
  return one;
}

}  // namespace

std::vector<std::string> OpsWithCases() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(CaseFolder())) {
    if (entry.path().extension() == ".cases") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<OpCase> ReadOpCases(const std::string& op) {
  Reader reader(CaseFolder() / (op + ".cases"));
  std::vector<OpCase> cases;
  if (reader.Text(8) == "HEDDLEOC") {
    while (reader.ok() && !reader.AtEnd()) cases.push_back(ReadCase(reader));
  }
  if (!reader.ok() || cases.empty()) {
    ADD_FAILURE() << "tests/golden/op_cases/" << op << ".cases is not a file of cases";
    return {};
  }
  return cases;
}

}  // namespace heddle::testing
