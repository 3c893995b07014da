// SPDX-License-Identifier: Apache-2.0
// Every case of tests/golden/op_cases against the outputs that LiteRT computed: integers exactly,
// floats within 1e-5 of the output's range. tests/oracle/make_op_cases.py describes the files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/base/strings.h"
#include "tests/kernels/single_op_model.h"

namespace heddle::testing {
namespace {

std::filesystem::path CaseFolder() {
  const char* source = std::getenv("HEDDLE_SOURCE_DIR");
  return std::filesystem::path(source != nullptr ? source : ".") / "tests/golden/op_cases";
}

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
  }
  bool AtEnd() const { return position_ == bytes_.size(); }
  std::string Take(size_t size) {
    if (size > bytes_.size() - position_) throw std::runtime_error("truncated case file");
    position_ += size;
    return bytes_.substr(position_ - size, size);
  }
  uint32_t Number() {
    uint32_t value;
    std::memcpy(&value, Take(4).data(), 4);
    return value;
  }
  std::string Chunk() { return Take(Number()); }
  std::vector<uint8_t> Bytes() {
    const std::string text = Chunk();
    return {text.begin(), text.end()};
  }

 private:
  std::string bytes_;
  size_t position_ = 0;
};

void ExpectFloats(const std::vector<float>& actual, const std::vector<float>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  float range = 0;
  for (const float value : expected) {
    if (std::isfinite(value)) range = std::max(range, std::abs(value));
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(expected[i])) {
      EXPECT_EQ(std::isnan(actual[i]), std::isnan(expected[i])) << "element " << i;
      if (!std::isnan(expected[i])) {
        EXPECT_EQ(actual[i], expected[i]) << "element " << i;
      }
    } else {
      ASSERT_NEAR(actual[i], expected[i], 1e-5f * range) << "element " << i;
    }
  }
}

// However a loop is split among threads, the bits are the same.
void ExpectSameWhenSplit(const std::vector<uint8_t>& model,
                         const std::vector<std::vector<uint8_t>>& inputs,
                         const StatusOr<std::vector<Value>>& whole) {
  const auto split = RunSingleOpModel(model, inputs, {.split = true});
  ASSERT_EQ(split.ok(), whole.ok());
  if (!whole.ok()) return;
  for (size_t i = 0; i < whole->size(); ++i) {
    EXPECT_EQ((*split)[i].bytes, (*whole)[i].bytes) << "output " << i << " of split loops";
  }
}

class OpCases : public ::testing::TestWithParam<std::string> {};

TEST_P(OpCases, AgreeWithLiteRt) {
  Reader reader(CaseFolder() / (GetParam() + ".cases"));
  ASSERT_EQ(reader.Take(8), "HEDDLEOC");
  int count = 0;
  for (; !reader.AtEnd(); ++count) {
    const std::string name = reader.Chunk();
    SCOPED_TRACE(name);
    const std::vector<uint8_t> model = reader.Bytes();
    std::vector<std::vector<uint8_t>> inputs(reader.Number());
    for (auto& input : inputs) input = reader.Bytes();
    auto values = RunSingleOpModel(model, inputs);
    ExpectSameWhenSplit(model, inputs, values);
    const uint32_t outputs = reader.Number();
    EXPECT_TRUE(values.ok()) << values.status().message();
    if (values.ok()) {
      ASSERT_EQ(values->size(), outputs);
    }
    for (uint32_t i = 0; i < outputs; ++i) {
      std::vector<int32_t> dims(reader.Number());
      for (int32_t& dim : dims) dim = static_cast<int32_t>(reader.Number());
      const std::vector<uint8_t> bytes = reader.Bytes();
      if (!values.ok()) continue;
      const Value& value = (*values)[i];
      EXPECT_EQ(ShapeText(value.dims), ShapeText(dims));
      if (value.dtype == HEDDLE_DTYPE_FLOAT32) {
        Value expected;
        expected.bytes = bytes;
        ExpectFloats(value.As<float>(), expected.As<float>());
        continue;
      }
      ASSERT_EQ(value.bytes.size(), bytes.size());
      const auto difference = std::mismatch(bytes.begin(), bytes.end(), value.bytes.begin()).first;
      EXPECT_EQ(value.bytes, bytes) << "first difference at byte " << difference - bytes.begin();
    }
  }
  EXPECT_GT(count, 0);
}

std::vector<std::string> CaseFiles() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(CaseFolder())) {
    if (entry.path().extension() == ".cases") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(All, OpCases, ::testing::ValuesIn(CaseFiles()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace heddle::testing
