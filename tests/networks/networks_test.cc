// SPDX-License-Identifier: Apache-2.0
// The small networks of tests/golden/networks against the outputs that LiteRT's reference kernels
// computed. tests/oracle/make_networks.py makes them and says what the bounds mean.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/support/npz.h"
#include "tests/support/rig.h"

namespace heddle::testing {
namespace {

namespace fs = std::filesystem;

// Refused so far. Its converter writes the state, a variable, by DEQUANTIZE of a constant, which
// counts once and not for every run.
constexpr const char* kRefused = "lstm_float16";

fs::path Folder() {
  const char* source = std::getenv("HEDDLE_SOURCE_DIR");
  return fs::path(source != nullptr ? source : ".") / "tests/golden/networks";
}

std::vector<std::string> Networks() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(Folder())) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() == ".tflite" && name != kRefused) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void ExpectNear(const std::vector<float>& actual, const std::vector<float>& expected, float bound) {
  ASSERT_EQ(actual.size(), expected.size());
  float range = 0;
  for (const float value : expected) range = std::max(range, std::abs(value));
  ASSERT_GT(range, 0) << "zeros tell nothing";
  for (size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], bound * range) << "element " << i;
  }
}

void ExpectOutput(Rig& rig, size_t index, const NpyArray& expected, float bound) {
  const std::vector<int32_t> dims = rig.OutputDims(index);
  EXPECT_EQ(std::vector<int64_t>(dims.begin(), dims.end()), expected.dims);
  if (expected.descr == "<f4") {
    ASSERT_GT(bound, 0);
    ExpectNear(rig.Get<float>(index), expected.As<float>(), bound);
    return;
  }
  ASSERT_EQ(bound, 0);
  EXPECT_EQ(rig.Get<uint8_t>(index), expected.data);
  EXPECT_GT(std::count_if(expected.data.begin(), expected.data.end(),
                          [&](uint8_t byte) { return byte != expected.data[0]; }),
            0)
      << "one value everywhere tells nothing";
}

// Runs that follow each other, in one interpreter.
void ExpectAgreement(Rig& rig, const std::map<std::string, NpyArray>& arrays) {
  const std::vector<float> bounds = arrays.at("bounds").As<float>();
  ASSERT_EQ(heddle_interpreter_get_output_count(rig.get()), bounds.size());
  const size_t inputs = heddle_interpreter_get_input_count(rig.get());
  for (int run = 0; arrays.count("run" + std::to_string(run) + "input0") > 0; ++run) {
    const std::string prefix = "run" + std::to_string(run);
    SCOPED_TRACE(prefix);
    for (size_t i = 0; i < inputs; ++i) {
      rig.Set(i, arrays.at(prefix + "input" + std::to_string(i)).data);
    }
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    for (size_t i = 0; i < bounds.size(); ++i) {
      SCOPED_TRACE("output " + std::to_string(i));
      ExpectOutput(rig, i, arrays.at(prefix + "output" + std::to_string(i)), bounds[i]);
    }
  }
}

class GoldenNetworks : public ::testing::TestWithParam<std::string> {};

TEST_P(GoldenNetworks, AgreeWithLiteRt) {
  const std::string stem = (Folder() / GetParam()).string();
  const auto arrays = ReadNpz(stem + ".npz");
  ASSERT_EQ(arrays.count("bounds"), 1u);
  ASSERT_EQ(arrays.count("run0input0"), 1u);
  Rig rig;
  rig.LoadFile(stem + ".tflite");
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  options.kernels = HEDDLE_KERNELS_REFERENCE;
  ASSERT_EQ(rig.Create(&options), HEDDLE_OK) << rig.error.text();
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK) << rig.error.text();
  ExpectAgreement(rig, arrays);
}

TEST(RefusedNetwork, IsRefusedByName) {
  Rig rig;
  heddle_model* model = nullptr;
  const std::string path = (Folder() / kRefused).string() + ".tflite";
  EXPECT_EQ(heddle_model_create_from_file(rig.environment.get(), path.c_str(), 0, &model,
                                          rig.error.out()),
            HEDDLE_INVALID_MODEL);
  EXPECT_EQ(rig.error.info().reason, HEDDLE_REASON_DUPLICATE_PRODUCER) << rig.error.text();
  heddle_model_destroy(model);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenNetworks, ::testing::ValuesIn(Networks()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace heddle::testing
