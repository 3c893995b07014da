// SPDX-License-Identifier: Apache-2.0
// The int16 layers of TFLite-Micro's SEANet test set against their golden vectors: exact. Needs the
// model corpus at HEDDLE_CORPUS (default: ../shared/models beside the source).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/kernels/single_op_model.h"

namespace heddle::testing {
namespace {

namespace fs = std::filesystem;

fs::path Corpus() {
  if (const char* corpus = std::getenv("HEDDLE_CORPUS")) return corpus;
  const char* source = std::getenv("HEDDLE_SOURCE_DIR");
  return fs::path(source != nullptr ? source : ".") / "../shared/models";
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Comma-separated integers as bytes of the type that the name ends in: "..._int16.csv".
std::vector<uint8_t> ReadNumbers(const fs::path& path) {
  const std::string stem = path.stem().string();
  const int width = stem.ends_with("_int32") ? 4 : stem.ends_with("_int16") ? 2 : 0;
  EXPECT_NE(width, 0) << path;
  std::vector<uint8_t> bytes;
  std::stringstream text(ReadFile(path));
  for (std::string number; std::getline(text, number, ',');) {
    const auto value = static_cast<uint32_t>(std::stoi(number));
    for (int i = 0; i < width; ++i) bytes.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  return bytes;
}

// "add0" -> add0_input0_int16.csv, add0_input1_int16.csv; or add0_input_int16.csv.
std::vector<fs::path> FilesOf(const fs::path& folder, const std::string& prefix) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(prefix)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Seanet, LayersEqualTheirGoldens) {
  const fs::path models = Corpus() / "tflite/ops/tflm_seanet";
  const fs::path goldens = Corpus() / "golden/tflm_seanet";
  if (!fs::exists(models)) GTEST_SKIP() << "no corpus at " << Corpus() << ": 127 layers skipped";
  int equal = 0;
  int without_kernel = 0;
  for (const auto& entry : fs::directory_iterator(models)) {
    const std::string name = entry.path().stem().string();
    SCOPED_TRACE(name);
    const std::string text = ReadFile(entry.path());
    const std::vector<uint8_t> model(text.begin(), text.end());
    std::vector<std::vector<uint8_t>> inputs;
    for (const fs::path& file : FilesOf(goldens, name + "_input")) {
      inputs.push_back(ReadNumbers(file));
    }
    const std::vector<fs::path> golden = FilesOf(goldens, name + "_golden");
    ASSERT_EQ(golden.size(), 1u);
    auto values = RunSingleOpModel(model, inputs);
    if (!values.ok()) {
      EXPECT_EQ(values.status().reason(), HEDDLE_REASON_OP_NOT_REGISTERED)
          << values.status().message();
      ++without_kernel;
      continue;
    }
    EXPECT_EQ(values->front().bytes, ReadNumbers(golden[0]));
    ++equal;
  }
  EXPECT_EQ(equal + without_kernel, 127);
  std::printf("%d layers run, %d of ops that have no kernel yet\n", equal, without_kernel);
}

}  // namespace
}  // namespace heddle::testing
