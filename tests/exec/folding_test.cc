// SPDX-License-Identifier: Apache-2.0
// What depends on shapes and constants alone is computed while planning, if that is safe.
#include <gmock/gmock.h>

#include "tests/exec/control_graphs.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;

// Names of the nodes that run.
struct Watch {
  std::vector<std::string> names;
  heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
  Watch() {
    options.observer_context = this;
    options.observer = [](void* context, const heddle_node_event* event) -> int32_t {
      if (event->is_end != 0) static_cast<Watch*>(context)->names.push_back(event->op_name);
      return 0;
    };
  }
};

TEST(Folding, ShapeArithmeticGivesStaticShapes) {
  // RESHAPE(x, SHAPE(x) + [1, -1])
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {2, 3});
  const int32_t shape = graph.Tensor("shape", kInt, {2});
  const int32_t change = graph.Constant<int32_t>("change", {2}, {1, -1});
  const int32_t wanted = graph.Tensor("wanted", kInt, {2});
  const int32_t y = graph.Tensor("y", kFloat, {3, 2});
  graph.Op(HEDDLE_BUILTIN_SHAPE, {x}, {shape}).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateShapeOptions(fbb, schema::TensorType::INT32);
  });
  Add(graph, shape, change, wanted);
  graph.Op(HEDDLE_BUILTIN_RESHAPE, {x, wanted}, {y});
  graph.Output(y);
  Rig rig;
  rig.Start(model);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(rig.PlanStep(0).is_folded, 1);
  EXPECT_EQ(rig.PlanStep(1).is_folded, 1);
  EXPECT_EQ(rig.PlanStep(2).is_folded, 0);
  EXPECT_EQ(rig.PlanStep(2).is_data_dependent, 0);
  EXPECT_THAT(rig.OutputDims(0), ElementsAre(3, 2)) << "known before a run";
  Watch watch;
  rig.Set<float>(0, {1, 2, 3, 4, 5, 6});
  ASSERT_EQ(rig.Invoke(&watch.options), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(watch.names, ElementsAre("RESHAPE"));
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(1, 2, 3, 4, 5, 6));
  ASSERT_EQ(rig.Resize(0, {4, 5}), HEDDLE_OK);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.OutputDims(0), ElementsAre(5, 4)) << "folded anew for new shapes";
  ASSERT_EQ(rig.Resize(0, {4, 6}), HEDDLE_OK);
  EXPECT_EQ(rig.Prepare(), HEDDLE_INVALID_MODEL) << "[5, 5] does not fit 24 elements";
}

class FoldedOp : public ::testing::TestWithParam<uint32_t> {};

// x + Op(constant)
void ConstantModel(ModelBuilder& model, int32_t count) {
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {count});
  const int32_t constant =
      graph.Constant<float>("constant", {count}, std::vector<float>(static_cast<size_t>(count), 2));
  const int32_t a = graph.Tensor("a", kFloat, {count});
  const int32_t y = graph.Tensor("y", kFloat, {count});
  graph.CustomOp("Op", {constant}, {a});
  Add(graph, x, a, y);
  graph.Output(y);
}

TEST(Folding, ConstantInputsAreComputedOncePerPlan) {
  Rig rig;
  TestOp& op = rig.AddOp("Op");
  ModelBuilder model;
  ConstantModel(model, 3);
  rig.Start(model);
  rig.Set<float>(0, {1, 2, 3});
  for (int i = 0; i < 3; ++i) ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(3, 4, 5));
  EXPECT_EQ(op.invokes, 1);
  EXPECT_EQ(op.prepares, 1);
  EXPECT_EQ(op.releases, 1) << "nothing of a folded step stays but its result";
  EXPECT_EQ(rig.PlanStep(0).is_folded, 1);
}

TEST_P(FoldedOp, StateAndSideEffectsAreLeftAlone) {
  Rig rig;
  TestOp& op = rig.AddOp("Op", [](TestOp& o) { o.flags = GetParam() | HEDDLE_OP_SHAPES_ONLY; });
  ModelBuilder model;
  ConstantModel(model, 3);
  rig.Start(model);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(op.invokes, 3);
  EXPECT_EQ(rig.PlanStep(0).is_folded, 0);
}

INSTANTIATE_TEST_SUITE_P(Flags, FoldedOp,
                         ::testing::Values(uint32_t{HEDDLE_OP_STATEFUL},
                                           uint32_t{HEDDLE_OP_SIDE_EFFECTS}));

TEST(Folding, LargeResultsAreLeftToTheRun) {
  Rig rig;
  TestOp& op = rig.AddOp("Op");
  ModelBuilder model;
  ConstantModel(model, 100'000);
  rig.Start(model);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK);
  EXPECT_EQ(op.invokes, 0) << "a plan holds no copies of weights";
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_EQ(rig.Get<float>(0)[99'999], 2);
}

TEST(Folding, LargeResultsOfUnknownSizeAreLeftToTheRun) {
  Rig rig;
  TestOp& op = rig.AddOp("Op", [](TestOp& o) {
    o.on_infer = [](heddle_op_call* call) {
      return call->host->set_output_data_dependent(call, 0, kFloat);
    };
    o.on_invoke = [](heddle_op_call* call) {
      void* data = nullptr;
      const heddle_tensor& input = *call->inputs[0];
      const heddle_status status =
          call->host->allocate_output(call, 0, input.dims, input.rank, 0, &data);
      if (status == HEDDLE_OK) std::memcpy(data, input.data, input.bytes);
      return status;
    };
  });
  for (const int32_t count : {3, 100'000}) {
    ModelBuilder model;
    ConstantModel(model, count);
    rig.Start(model);
    ASSERT_EQ(rig.Prepare(), HEDDLE_OK) << rig.error.text();
    EXPECT_EQ(rig.PlanStep(0).is_folded, count == 3 ? 1 : 0);
    EXPECT_EQ(rig.PlanStep(1).is_data_dependent, count == 3 ? 0 : 1);
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    EXPECT_EQ(rig.Get<float>(0).back(), 2);
  }
  EXPECT_EQ(op.inits, 2);
}

TEST(Folding, OpsThatReadShapesOnlySeeNoData) {
  Rig rig;
  TestOp& op = rig.AddOp("Rank", [](TestOp& o) {
    o.flags = HEDDLE_OP_SHAPES_ONLY;
    o.on_infer = [](heddle_op_call* call) {
      return call->host->set_output(call, 0, kInt, nullptr, 0);
    };
    o.on_invoke = [](heddle_op_call* call) {
      *Out<int32_t>(call, 0) = call->inputs[0]->rank;
      return HEDDLE_OK;
    };
  });
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {2, 3});
  const int32_t y = graph.Tensor("y", kInt, {});
  graph.CustomOp("Rank", {x}, {y});
  graph.Output(y);
  rig.Start(model);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.Get<int32_t>(0), ElementsAre(2)) << "a folded tensor may be an output";
  EXPECT_EQ(op.invokes, 1);
  ASSERT_EQ(rig.Resize(0, {2, 3, 1}), HEDDLE_OK);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.Get<int32_t>(0), ElementsAre(3));
  EXPECT_EQ(op.invokes, 2);
}

// A division by zero, say, in a branch for other inputs.
TEST(Folding, AFailureInABranchThatIsNeverTakenIsNone) {
  Rig rig;
  TestOp& op = rig.AddOp("Fails", [](TestOp& o) {
    o.on_invoke = [](heddle_op_call* call) {
      return call->host->report(call, HEDDLE_KERNEL_FAILED, HEDDLE_REASON_DATA_OUT_OF_RANGE, 0,
                                "no such value");
    };
  });
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t condition = graph.Input("condition", kBool, {});
  const int32_t x = graph.Input("x", kFloat, {2});
  const int32_t y = graph.Tensor("y", kFloat, {2});
  If(graph, 1, 2, {condition, x}, {y});
  graph.Output(y);
  SubgraphSpec& bad = model.AddSubgraph("bad");
  bad.Input("x", kFloat, {2});
  const int32_t constant = bad.Constant<float>("constant", {2}, {1, 2});
  const int32_t failed = bad.Tensor("failed", kFloat, {2});
  bad.CustomOp("Fails", {constant}, {failed});
  bad.Output(failed);
  SubgraphSpec& good = model.AddSubgraph("good");
  good.Input("x", kFloat, {2});
  good.Output(good.inputs[0]);

  rig.Start(model);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(op.invokes, 1) << "it was tried";
  rig.Set<uint8_t>(0, {0});
  rig.Set<float>(1, {3, 4});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(3, 4));
  rig.Set<uint8_t>(0, {1});
  ASSERT_EQ(rig.Invoke(), HEDDLE_KERNEL_FAILED);
  const heddle_error_info info = rig.error.info();
  EXPECT_EQ(info.phase, HEDDLE_PHASE_INVOKE);
  EXPECT_EQ(info.subgraph, 1);
  EXPECT_STREQ(info.op_name, "Fails");
  EXPECT_STREQ(info.place, "subgraphs[1].operators[0].inputs[0]");
}

}  // namespace
}  // namespace heddle::testing
