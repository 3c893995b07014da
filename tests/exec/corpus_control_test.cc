// SPDX-License-Identifier: Apache-2.0
// Control flow of models that others wrote; the wanted values are LiteRT's.
#include <gmock/gmock.h>

#include <filesystem>

#include "tests/support/environment.h"
#include "tests/support/rig.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;

class CorpusControl : public ::testing::Test {
 protected:
  void Start(const std::string& name) {
    const std::string path = CorpusFolder() + "/tflite/ops/litert/" + name;
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "1 model skipped: the corpus is absent";
    rig_.LoadFile(path);
    rig_.Start();
  }
  Rig rig_;
};

// y = x v; v = x, with v = 2 by CALL_ONCE.
TEST_F(CorpusControl, CallOnceMul) {
  Start("call_once_mul.tflite");
  if (IsSkipped()) return;
  for (int round = 0; round < 2; ++round) {
    for (const auto& [x, y] : {std::pair(1.f, 2.f), {2.5f, 2.5f}, {3.f, 7.5f}, {4.f, 12.f}}) {
      rig_.Set<float>(0, {x});
      ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
      EXPECT_THAT(rig_.Get<float>(0), ElementsAre(y));
    }
    ASSERT_EQ(heddle_interpreter_reset_variables(rig_.get(), nullptr), HEDDLE_OK);
  }
}

TEST_F(CorpusControl, MultiSubgraphsWhile) {
  Start("multi_subgraphs_while.tflite");
  if (IsSkipped()) return;
  for (const auto& [x, y] : {std::pair(0.f, 0.f), {1.f, 4.f}, {2.5f, 10.f}, {100.f, 400.f}}) {
    rig_.Set<float>(0, {x});
    ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
    EXPECT_THAT(rig_.Get<float>(0), ElementsAre(y));
    EXPECT_THAT(rig_.Get<int32_t>(1), ElementsAre(2));
  }
}

TEST_F(CorpusControl, NestedWhile) {
  Start("nested_while.tflite");
  if (IsSkipped()) return;
  for (const auto& [x, y] : {std::pair(1.f, 2.f), {2.f, 2.f}, {16.f, 16.f}}) {
    rig_.Set<float>(0, {x});
    ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
    EXPECT_THAT(rig_.Get<float>(0), ElementsAre(y));
  }
}

// A string goes through the loop unchanged.
TEST_F(CorpusControl, WhileWithForwardedInput) {
  Start("while_op_with_forwarding_input.tflite");
  if (IsSkipped()) return;
  const std::vector<uint8_t> text = StringTensorBytes({"hello"});
  for (const int32_t x : {0, 1}) {
    rig_.Set<int32_t>(0, {x});
    rig_.Set(1, text);
    ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
    EXPECT_THAT(rig_.Get<int32_t>(0), ElementsAre(1));
    EXPECT_THAT(rig_.Get<int32_t>(1), ElementsAre(1));
    EXPECT_EQ(rig_.Get<uint8_t>(2), text);
  }
}

}  // namespace
}  // namespace heddle::testing
