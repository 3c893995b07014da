// SPDX-License-Identifier: Apache-2.0
// IF and CALL_ONCE, and subgraphs that are called from several places.
#include <gmock/gmock.h>

#include "tests/exec/control_graphs.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;

// A subgraph y = x + c for any shape.
void PlusSubgraph(ModelBuilder& model, const std::string& name, float c) {
  SubgraphSpec& graph = model.AddSubgraph(name);
  const int32_t x = graph.Input("x", kFloat, {2});
  const int32_t constant = graph.Constant<float>("c", {}, {c});
  const int32_t y = graph.Tensor("y", kFloat, {2});
  Add(graph, x, constant, y);
  graph.Output(y);
}

TEST(Branches, TheConditionChooses) {
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t condition = graph.Input("condition", kBool, {1});
  const int32_t x = graph.Input("x", kFloat, {2});
  const int32_t y = graph.Tensor("y", kFloat, {2});
  If(graph, 1, 2, {condition, x}, {y});
  graph.Output(y);
  PlusSubgraph(model, "then", 1);
  PlusSubgraph(model, "else", 10);
  Rig rig;
  rig.Start(model);
  for (const uint8_t value : {1, 0, 1, 1, 0}) {
    rig.Set<uint8_t>(0, {value});
    rig.Set<float>(1, {1, 2});
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    if (value != 0)
      EXPECT_THAT(rig.Get<float>(0), ElementsAre(2, 3));
    else
      EXPECT_THAT(rig.Get<float>(0), ElementsAre(11, 12));
  }
  ASSERT_EQ(rig.Resize(1, {3}), HEDDLE_OK);
  rig.Set<float>(1, {1, 2, 3});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(11, 12, 13));
}

TEST(Branches, DifferentShapesMakeTheResultDataDependent) {
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t condition = graph.Input("condition", kBool, {});
  const int32_t x = graph.Input("x", kFloat, {2});
  const int32_t y = graph.Tensor("y", kFloat, {});
  const int32_t z = graph.Tensor("z", kFloat, {});
  If(graph, 1, 2, {condition, x}, {y});
  Add(graph, y, y, z);
  graph.Output(z);
  SubgraphSpec& same = model.AddSubgraph("same");
  same.Output(same.Input("x", kFloat, {2}));
  SubgraphSpec& fixed = model.AddSubgraph("fixed");
  fixed.Input("x", kFloat, {2});
  fixed.Output(fixed.Constant<float>("c", {3}, {5, 6, 7}));
  Rig rig;
  rig.Start(model);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(rig.OutputInfo(0).is_shape_known, 0);
  for (const uint8_t value : {1, 0, 1}) {
    rig.Set<uint8_t>(0, {value});
    rig.Set<float>(1, {1, 2});
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    if (value != 0)
      EXPECT_THAT(rig.Get<float>(0), ElementsAre(2, 4));
    else
      EXPECT_THAT(rig.Get<float>(0), ElementsAre(10, 12, 14));
  }
}

// One subgraph, called twice in a run with different shapes, while the first result is still read.
TEST(Branches, ASubgraphCalledFromTwoPlaces) {
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t condition = graph.Input("condition", kBool, {});
  const int32_t a = graph.Input("a", kFloat, {2});
  const int32_t b = graph.Input("b", kFloat, {3});
  const int32_t a_out = graph.Tensor("a_out", kFloat, {2});
  const int32_t b_out = graph.Tensor("b_out", kFloat, {3});
  const int32_t again = graph.Tensor("again", kFloat, {2});
  If(graph, 1, 1, {condition, a}, {a_out});
  If(graph, 1, 1, {condition, b}, {b_out});
  If(graph, 1, 1, {condition, a_out}, {again});
  for (const int32_t output : {a_out, b_out, again}) graph.Output(output);
  PlusSubgraph(model, "plus", 1);
  Rig rig;
  rig.Start(model);
  for (int run = 0; run < 2; ++run) {
    rig.Set<float>(1, {1, 2});
    rig.Set<float>(2, {10, 20, 30});
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    EXPECT_THAT(rig.Get<float>(0), ElementsAre(2, 3));
    EXPECT_THAT(rig.Get<float>(1), ElementsAre(11, 21, 31));
    EXPECT_THAT(rig.Get<float>(2), ElementsAre(3, 4));
  }
}

// "whole" calls what is also the entry point "part"; each has its own inputs and plans.
class EntryAndCallee : public ::testing::Test {
 protected:
  EntryAndCallee() {
    PlusSubgraph(model_, "part", 1);
    SubgraphSpec& whole = model_.AddSubgraph("whole");
    const int32_t condition = whole.Input("condition", kBool, {});
    const int32_t x = whole.Input("x", kFloat, {2});
    const int32_t y = whole.Tensor("y", kFloat, {2});
    const int32_t z = whole.Tensor("z", kFloat, {2});
    If(whole, 0, 0, {condition, x}, {y});
    If(whole, 0, 0, {condition, y}, {z});
    whole.Output(z);
    model_.AddSignature("part", 0, {{"x", 0}}, {{"y", 2}});
    model_.AddSignature("whole", 1, {{"condition", 0}, {"x", 1}}, {{"z", 3}});
    rig_.Start(model_);
  }
  void Select(const char* key) {
    ASSERT_EQ(heddle_interpreter_select_signature(rig_.get(), key, rig_.error.out()), HEDDLE_OK)
        << rig_.error.text();
  }
  ModelBuilder model_;
  Rig rig_;
};

TEST_F(EntryAndCallee, TakeTurns) {
  for (int round = 0; round < 3; ++round) {
    Select("part");
    rig_.Set<float>(0, {1, 2});
    ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
    EXPECT_THAT(rig_.Get<float>(0), ElementsAre(2, 3));
    Select("whole");
    rig_.Set<float>(1, {5, 6});
    ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
    EXPECT_THAT(rig_.Get<float>(0), ElementsAre(7, 8));
  }
}

TEST_F(EntryAndCallee, CallsLeaveTheInputsOfTheEntryPointAlone) {
  Select("part");
  ASSERT_EQ(rig_.Resize(0, {3}), HEDDLE_OK);
  rig_.Set<float>(0, {1, 2, 3});
  Select("whole");
  rig_.Set<float>(1, {5, 6});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
    EXPECT_THAT(rig_.Get<float>(0), ElementsAre(7, 8));
  }
  Select("part");
  EXPECT_EQ(heddle_interpreter_get_output_data(rig_.get(), 0), nullptr) << "not its own results";
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(2, 3, 4));
}

TEST_F(EntryAndCallee, BindingsAreTheEntryPointsOnly) {
  Select("part");
  BufferPtr in = rig_.Buffer(8), out = rig_.Buffer(8);
  auto* in_data = static_cast<float*>(heddle_buffer_get_data(in.get()));
  const auto* out_data = static_cast<const float*>(heddle_buffer_get_data(out.get()));
  in_data[0] = 100;
  ASSERT_EQ(heddle_interpreter_bind_input(rig_.get(), 0, in.get(), nullptr), HEDDLE_OK);
  ASSERT_EQ(heddle_interpreter_bind_output(rig_.get(), 0, out.get(), nullptr), HEDDLE_OK);
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK);
  EXPECT_EQ(out_data[0], 101);
  Select("whole");
  rig_.Set<float>(1, {5, 6});
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(7, 8));
  EXPECT_EQ(out_data[0], 101);
  in_data[0] = 200;
  Select("part");
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK);
  EXPECT_EQ(out_data[0], 201);
}

// The caller comes behind the callee in the model: its plan holds the callee's.
TEST_F(EntryAndCallee, PlansThatHoldOthersGoBeforeThem) {
  Select("whole");
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
  ASSERT_EQ(heddle_interpreter_release_memory(rig_.get(), nullptr), HEDDLE_OK);
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
  rig_.interpreter.reset();
}

// The same for ops with plan state, whose release must find the node alive.
TEST(Branches, PlanStatesOfCalleesAreReleasedWhileTheirNodesLive) {
  Rig rig;
  TestOp& op = rig.AddOp("Probe");
  ModelBuilder model;
  SubgraphSpec& callee = model.AddSubgraph("callee");
  const int32_t in = callee.Input("x", kFloat, {2});
  const int32_t out = callee.Tensor("y", kFloat, {2});
  callee.CustomOp("Probe", {in}, {out});
  callee.Output(out);
  SubgraphSpec& caller = model.AddSubgraph("caller");
  const int32_t condition = caller.Input("condition", kBool, {});
  const int32_t x = caller.Input("x", kFloat, {2});
  const int32_t y = caller.Tensor("y", kFloat, {2});
  If(caller, 0, 0, {condition, x}, {y});
  caller.Output(y);
  model.AddSignature("caller", 1, {{"condition", 0}, {"x", 1}}, {{"y", 2}});
  rig.Start(model);
  ASSERT_EQ(heddle_interpreter_select_signature(rig.get(), "caller", nullptr), HEDDLE_OK);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(op.prepares, 1);
  rig.interpreter.reset();
  EXPECT_EQ(op.releases, 1);
  EXPECT_EQ(op.frees, 1);
}

TEST(Branches, CallOnceRunsOnceUntilVariablesAreReset) {
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {1});
  const int32_t y = graph.Tensor("y", kFloat, {1});
  CallOnce(graph, 1);
  CallOnce(graph, 1);
  graph.CustomOp("Copy", {x}, {y});
  graph.Output(y);
  SubgraphSpec& init = model.AddSubgraph("init");
  const int32_t c = init.Constant<float>("c", {1}, {1});
  const int32_t ignored = init.Tensor("ignored", kFloat, {1});
  init.CustomOp("Effect", {c}, {ignored});
  Rig rig;
  rig.AddOp("Copy");
  TestOp& effect = rig.AddOp("Effect", [](TestOp& op) { op.flags = HEDDLE_OP_SIDE_EFFECTS; });
  rig.Start(model);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(effect.invokes, 1);
  ASSERT_EQ(heddle_interpreter_release_memory(rig.get(), nullptr), HEDDLE_OK);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_EQ(effect.invokes, 1) << "giving memory back keeps state";
  ASSERT_EQ(heddle_interpreter_reset_variables(rig.get(), nullptr), HEDDLE_OK);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_EQ(effect.invokes, 2);
}

// An initialisation that fails runs again.
TEST(Branches, CallOnceThatFailedRunsAgain) {
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  graph.Output(graph.Input("x", kFloat, {1}));
  CallOnce(graph, 1);
  SubgraphSpec& init = model.AddSubgraph("init");
  const int32_t c = init.Constant<float>("c", {1}, {1});
  const int32_t ignored = init.Tensor("ignored", kFloat, {1});
  init.CustomOp("Effect", {c}, {ignored});
  Rig rig;
  bool fail = true;
  TestOp& effect = rig.AddOp("Effect", [&](TestOp& op) {
    op.flags = HEDDLE_OP_SIDE_EFFECTS;
    op.on_invoke = [&](heddle_op_call* call) {
      if (!fail) return HEDDLE_OK;
      return call->host->report(call, HEDDLE_KERNEL_FAILED, HEDDLE_REASON_DATA_OUT_OF_RANGE,
                                HEDDLE_NO_OPERAND, "not yet");
    };
  });
  rig.Start(model);
  EXPECT_EQ(rig.Invoke(), HEDDLE_KERNEL_FAILED);
  EXPECT_EQ(rig.error.info().subgraph, 1);
  fail = false;
  EXPECT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_EQ(effect.invokes, 2);
}

}  // namespace
}  // namespace heddle::testing
