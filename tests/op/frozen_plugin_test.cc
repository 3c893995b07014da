// SPDX-License-Identifier: Apache-2.0
// Plugins of earlier releases, built with the headers that those releases had (tests/golden/abi),
// load into this library and compute what they did.
#include <gmock/gmock.h>

#include "tests/op/session.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;

class FrozenPlugin : public ::testing::TestWithParam<const char*> {
 protected:
  void Start(const ModelBuilder& builder) {
    session_.AddPlugin(std::string(HEDDLE_TEST_PLUGINS "/frozen_") + GetParam() + ".so");
    session_.AddDefaultOps();
    session_.LoadModel(builder);
    ASSERT_EQ(session_.CheckModel(), HEDDLE_OK);
    ASSERT_EQ(session_.Create(), HEDDLE_OK);
    ASSERT_EQ(session_.Prepare(), HEDDLE_OK);
  }
  Session session_;
  ModelBuilder builder_;
  SubgraphSpec& graph_ = builder_.AddSubgraph("main");
};

TEST_P(FrozenPlugin, StatesScratchSharedObjectsAndResources) {
  const int32_t x = graph_.Input("x", HEDDLE_DTYPE_FLOAT32, {3});
  const int32_t a = graph_.Tensor("a", HEDDLE_DTYPE_FLOAT32, {3});
  const int32_t b = graph_.Tensor("b", HEDDLE_DTYPE_FLOAT32, {3});
  graph_.CustomOp("Frozen.Accumulate", {x}, {a}, {2});
  graph_.CustomOp("Frozen.Accumulate", {a}, {b}, {10});
  graph_.Output(b);
  Start(builder_);
  heddle_plan_step_info step = {};
  step.struct_size = sizeof(step);
  ASSERT_EQ(heddle_interpreter_get_plan_step(session_.interpreter, 0, &step), HEDDLE_OK);
  EXPECT_STREQ(step.kernel, "frozen");
  // The two share one counter: runs 0 and 1, then 2 and 3.
  session_.SetInput({1, 2, 3});
  ASSERT_EQ(session_.Invoke(), HEDDLE_OK);
  EXPECT_THAT(session_.Output(3), ElementsAre(21, 41, 61));
  ASSERT_EQ(session_.Invoke(), HEDDLE_OK);
  EXPECT_THAT(session_.Output(3), ElementsAre(43, 63, 83));
  // Resources start again with the variables.
  ASSERT_EQ(heddle_interpreter_reset_variables(session_.interpreter, nullptr), HEDDLE_OK);
  ASSERT_EQ(session_.Invoke(), HEDDLE_OK);
  EXPECT_THAT(session_.Output(3), ElementsAre(21, 41, 61));
}

TEST_P(FrozenPlugin, DataDependentOutput) {
  const int32_t x = graph_.Input("x", HEDDLE_DTYPE_FLOAT32, {4});
  const int32_t y = graph_.Tensor("y", HEDDLE_DTYPE_FLOAT32, {4});
  graph_.CustomOp("Frozen.Positive", {x}, {y}, {}, 3);
  graph_.Output(y);
  Start(builder_);
  session_.SetInput({-1, 5, 0, 7});
  ASSERT_EQ(session_.Invoke(), HEDDLE_OK);
  EXPECT_THAT(session_.Output(2), ElementsAre(5, 7));
  session_.SetInput({1, 5, 2, -7});
  ASSERT_EQ(session_.Invoke(), HEDDLE_OK);
  EXPECT_THAT(session_.Output(3), ElementsAre(1, 5, 2));
}

TEST_P(FrozenPlugin, BuiltinOpWithAttributesGoesBeforeOurs) {
  const int32_t x = graph_.Input("x", HEDDLE_DTYPE_FLOAT32, {2, 3});
  const int32_t y = graph_.Tensor("y", HEDDLE_DTYPE_FLOAT32, {3, 2});
  graph_.Op(HEDDLE_BUILTIN_RESHAPE, {x}, {y}).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateReshapeOptions(fbb, fbb.CreateVector(std::vector<int32_t>{3, 2}));
  });
  graph_.Output(y);
  Start(builder_);
  heddle_tensor_info info = {};
  info.struct_size = sizeof(info);
  ASSERT_EQ(heddle_interpreter_get_output_info(session_.interpreter, 0, &info), HEDDLE_OK);
  ASSERT_EQ(info.rank, 2);
  EXPECT_EQ(info.dims[0], 3);
  session_.SetInput({1, 2, 3, 4, 5, 6});
  ASSERT_EQ(session_.Invoke(), HEDDLE_OK);
  EXPECT_THAT(session_.Output(6), ElementsAre(1, 2, 3, 4, 5, 6));
}

INSTANTIATE_TEST_SUITE_P(Releases, FrozenPlugin, ::testing::Values(HEDDLE_FROZEN_RELEASES),
                         [](const auto& info) {
                           std::string name = info.param;  // "v0.1"
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

}  // namespace
}  // namespace heddle::testing
