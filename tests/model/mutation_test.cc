// SPDX-License-Identifier: Apache-2.0
// Thousands of damaged models: each loads, and then everything in it can be read, or is refused
// with a fault. Worth most under the address and undefined sanitizers.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <random>

#include "tests/model/model_testing.h"
#include "tests/support/environment.h"
#include "tests/support/model_walk.h"

namespace heddle {
namespace {

using namespace ::heddle::testing;  // NOLINT: the builder's names are this file's vocabulary

constexpr uint32_t kSeed = 20240611;
constexpr auto kTimeBox = std::chrono::seconds(2);

class Mutations : public ::testing::Test {
 protected:
  // A copy of exactly these bytes, so that reading behind them is noticed.
  void Try(const std::vector<uint8_t>& bytes) {
    const std::vector<uint8_t> exact(bytes);
    auto model = LoadBytes(exact);
    ++tried_;
    if (model.ok()) {
      ++loaded_;
      sum_ += ModelWalk::Sum(*model.value());
      return;
    }
    ASSERT_NE(model.status().faults(), nullptr);
    const Fault& fault = model.status().faults()->front();
    EXPECT_EQ(fault.phase, HEDDLE_PHASE_VERIFY);
    EXPECT_NE(fault.reason, HEDDLE_REASON_NONE);
    EXPECT_FALSE(fault.message.empty());
  }
  void Report() const {
    RecordProperty("tried", static_cast<int>(tried_));
    std::printf("%zu models tried, %zu of them loaded (checksum %llu)\n", tried_, loaded_,
                static_cast<unsigned long long>(sum_));
  }
  bool TimeIsUp() const { return std::chrono::steady_clock::now() - start_ > kTimeBox; }

  size_t tried_ = 0;
  size_t loaded_ = 0;
  uint64_t sum_ = 0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<uint8_t> Golden(const std::string& name) {
  return ReadFileBytes(SourceFolder() + "/tests/golden/schema/" + name);
}

// What a reader might stumble over: signs, sizes, offsets a little beyond the end.
std::vector<uint32_t> BadWords(size_t bytes) {
  const auto size = static_cast<uint32_t>(bytes);
  return {0, 1, 2, 4, 0x7f, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, size, size - 4, size / 2};
}

TEST_F(Mutations, TruncatedAnywhere) {
  for (const std::vector<uint8_t>& whole : {AddModel().Build(), Golden("base.tflite")}) {
    for (size_t length = 1; length < whole.size(); ++length) {
      Try({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(length)});
    }
  }
  Report();
  EXPECT_GT(tried_, 3000u);
}

TEST_F(Mutations, EveryBitOfASmallModel) {
  std::vector<uint8_t> bytes = AddModel().Build();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
    Try(bytes);
    bytes[bit / 8] ^= static_cast<uint8_t>(1u << (bit % 8));
  }
  Report();
  EXPECT_GT(loaded_, 0u);
  EXPECT_LT(loaded_, tried_);
}

TEST_F(Mutations, EveryWordOfTheGoldens) {
  for (const char* name : {"base.tflite", "options.tflite", "defaults.tflite"}) {
    std::vector<uint8_t> bytes = Golden(name);
    const std::vector<uint32_t> words = BadWords(bytes.size());
    for (size_t at = 0; at + 4 <= bytes.size(); at += 4) {
      uint32_t original;
      std::memcpy(&original, &bytes[at], 4);
      for (const uint32_t word : words) {
        std::memcpy(&bytes[at], &word, 4);
        Try(bytes);
        if (TimeIsUp()) break;  // each place gets one word at least
      }
      std::memcpy(&bytes[at], &original, 4);
    }
  }
  Report();
  EXPECT_LT(loaded_, tried_);
}

TEST_F(Mutations, RealModels) {
  constexpr size_t kMaxBytes = 64 * 1024;
  std::vector<std::vector<uint8_t>> models;
  for (const std::string& path : CorpusModels()) {
    if (std::filesystem::file_size(path) <= kMaxBytes) models.push_back(ReadFileBytes(path));
  }
  if (models.empty()) {
    GTEST_SKIP() << kCorpusModelCount << " models skipped: the corpus is absent";
  }
  start_ = std::chrono::steady_clock::now();
  std::mt19937 random(kSeed);
  const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  while (!TimeIsUp()) {
    std::vector<uint8_t> bytes = models[below(models.size())];
    const std::vector<uint32_t> words = BadWords(bytes.size());
    for (size_t change = below(4) + 1; change > 0; --change) {
      if (random() % 2 == 0) {
        bytes[below(bytes.size())] ^= static_cast<uint8_t>(1u << below(8));
      } else if (bytes.size() >= 4) {
        const size_t at = below(bytes.size() / 4) * 4;
        // A little off is what gets furthest.
        uint32_t word;
        std::memcpy(&word, &bytes[at], 4);
        word = random() % 2 == 0 ? words[below(words.size())]
                                 : word + static_cast<uint32_t>(below(17)) - 8;
        std::memcpy(&bytes[at], &word, 4);
      }
    }
    Try(bytes);
  }
  Report();
  EXPECT_GT(loaded_, 0u);
  EXPECT_LT(loaded_, tried_);
}

}  // namespace
}  // namespace heddle
