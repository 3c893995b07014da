// SPDX-License-Identifier: Apache-2.0
// WHILE: values carried from round to round, and how loops end.
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

#include "tests/exec/control_graphs.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;

const std::vector<Value> kCounterAndPair = {
    {"i", kInt, {}}, {"a", kFloat, {2}}, {"b", kFloat, {2}}};

// main: WHILE(i < limit) over the values; all are inputs and outputs of the model.
SubgraphSpec& LoopModel(ModelBuilder& model, const std::vector<Value>& values, int32_t limit) {
  SubgraphSpec& graph = model.AddSubgraph("main");
  std::vector<int32_t> outputs;
  for (const Value& value : values) {
    graph.Input(value.name, value.dtype, value.dims);
    outputs.push_back(graph.Tensor(value.name + "_out", value.dtype, value.dims));
    graph.Output(outputs.back());
  }
  While(graph, 1, 2, graph.inputs, outputs);
  LessThan(model, values, limit);
  SubgraphSpec& body = model.AddSubgraph("body");
  for (const Value& value : values) body.Input(value.name, value.dtype, value.dims);
  return body;
}

TEST(Loops, TwoValuesChangePlaces) {
  ModelBuilder model;
  SubgraphSpec& body = LoopModel(model, kCounterAndPair, 5);
  body.Output(CountUp(body));
  body.Output(body.inputs[2]);
  body.Output(body.inputs[1]);
  Rig rig;
  rig.Start(model);
  for (int run = 0; run < 2; ++run) {
    for (const int32_t start : {0, 1, 5}) {
      rig.Set<int32_t>(0, {start});
      rig.Set<float>(1, {1, 2});
      rig.Set<float>(2, {3, 4});
      ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
      EXPECT_THAT(rig.Get<int32_t>(0), ElementsAre(5));
      const bool swapped = start == 0;
      EXPECT_THAT(rig.Get<float>(swapped ? 2 : 1), ElementsAre(1, 2)) << start;
      EXPECT_THAT(rig.Get<float>(swapped ? 1 : 2), ElementsAre(3, 4)) << start;
    }
  }
}

TEST(Loops, TheBodyAsAnEntryPointKeepsItsInputs) {
  ModelBuilder model;
  SubgraphSpec& body = LoopModel(model, kCounterAndPair, 5);
  const int32_t next = CountUp(body);
  body.Output(next);
  body.Output(body.inputs[2]);
  body.Output(body.inputs[1]);
  model.AddSignature("round", 2, {{"i", 0}, {"a", 1}, {"b", 2}},
                     {{"i", static_cast<uint32_t>(next)}, {"a", 2}, {"b", 1}});
  Rig rig;
  rig.Start(model);
  ASSERT_EQ(heddle_interpreter_select_signature(rig.get(), "round", nullptr), HEDDLE_OK);
  rig.Set<int32_t>(0, {70});
  rig.Set<float>(1, {71, 72});
  rig.Set<float>(2, {73, 74});
  ASSERT_EQ(heddle_interpreter_select_signature(rig.get(), nullptr, nullptr), HEDDLE_OK);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<int32_t>(0), ElementsAre(5));
  ASSERT_EQ(heddle_interpreter_select_signature(rig.get(), "round", nullptr), HEDDLE_OK);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<int32_t>(0), ElementsAre(71));
  EXPECT_THAT(rig.Get<float>(1), ElementsAre(73, 74));
  EXPECT_THAT(rig.Get<float>(2), ElementsAre(71, 72));
}

TEST(Loops, FibonacciThroughThreeValues) {
  // (i, a, b) -> (i + 1, b, a + b)
  ModelBuilder model;
  SubgraphSpec& body = LoopModel(model, kCounterAndPair, 10);
  const int32_t sum = body.Tensor("sum", kFloat, {2});
  Add(body, body.inputs[1], body.inputs[2], sum);
  body.Output(CountUp(body));
  body.Output(body.inputs[2]);
  body.Output(sum);
  Rig rig;
  rig.Start(model);
  rig.Set<int32_t>(0, {0});
  rig.Set<float>(1, {0, 1});
  rig.Set<float>(2, {1, 1});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(1), ElementsAre(55, 89));
  EXPECT_THAT(rig.Get<float>(2), ElementsAre(89, 144));
}

TEST(Loops, ValuesMayPassThroughOrBeConstants) {
  ModelBuilder model;
  SubgraphSpec& body = LoopModel(model, kCounterAndPair, 3);
  body.Output(CountUp(body));
  body.Output(body.inputs[1]);
  body.Output(body.Constant<float>("fixed", {2}, {8, 9}));
  Rig rig;
  rig.Start(model);
  for (const int32_t start : {0, 3}) {
    rig.Set<int32_t>(0, {start});
    rig.Set<float>(1, {1, 2});
    rig.Set<float>(2, {3, 4});
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    EXPECT_THAT(rig.Get<float>(1), ElementsAre(1, 2));
    if (start == 0)
      EXPECT_THAT(rig.Get<float>(2), ElementsAre(8, 9));
    else
      EXPECT_THAT(rig.Get<float>(2), ElementsAre(3, 4)) << "no round, nothing changes";
  }
}

TEST(Loops, OneValueMayBecomeTwo) {
  ModelBuilder model;
  SubgraphSpec& body = LoopModel(model, kCounterAndPair, 1);
  body.Output(CountUp(body));
  body.Output(body.inputs[2]);
  body.Output(body.inputs[2]);
  Rig rig;
  rig.Start(model);
  rig.Set<int32_t>(0, {0});
  rig.Set<float>(1, {1, 2});
  rig.Set<float>(2, {3, 4});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(1), ElementsAre(3, 4));
  EXPECT_THAT(rig.Get<float>(2), ElementsAre(3, 4));
}

// Appends the number of elements that x has.
void MakeGrow(TestOp& op) {
  op.on_infer = [](heddle_op_call* call) {
    const int32_t size = call->inputs[0]->dims[0] + 1;
    return call->host->set_output(call, 0, kFloat, &size, 1);
  };
  op.on_invoke = [](heddle_op_call* call) {
    const size_t count = FloatsIn(call, 0);
    std::copy_n(In<float>(call, 0), count, Out<float>(call, 0));
    Out<float>(call, 0)[count] = static_cast<float>(count);
    return HEDDLE_OK;
  };
}

TEST(Loops, ValuesMayGrow) {
  ModelBuilder model;
  SubgraphSpec& body = LoopModel(model, {{"i", kInt, {}}, {"list", kFloat, {1}}}, 6);
  const int32_t longer = body.Tensor("longer", kFloat, {2});
  body.CustomOp("Grow", {body.inputs[1]}, {longer});
  body.Output(CountUp(body));
  body.Output(longer);
  Rig rig;
  TestOp& grow = rig.AddOp("Grow", MakeGrow);
  rig.Start(model);
  for (int run = 0; run < 3; ++run) {
    rig.Set<int32_t>(0, {0});
    rig.Set<float>(1, {7});
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    EXPECT_THAT(rig.OutputDims(1), ElementsAre(7));
    EXPECT_THAT(rig.Get<float>(1), ElementsAre(7, 1, 2, 3, 4, 5, 6));
    EXPECT_THAT(rig.Get<int32_t>(0), ElementsAre(6));
  }
  EXPECT_EQ(grow.prepares, 6) << "a plan for each length, kept for the next runs";
  rig.Set<int32_t>(0, {6});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.Get<float>(1), ElementsAre(7));
}

// An IF in the body: i even adds, odd doubles.
TEST(Loops, ABranchInALoop) {
  ModelBuilder model;
  SubgraphSpec& body = LoopModel(model, {{"i", kInt, {}}, {"a", kFloat, {}}}, 4);
  const int32_t two = body.Constant<int32_t>("two", {}, {2});
  const int32_t small = body.Tensor("small", kBool, {});
  const int32_t next = body.Tensor("a_next", kFloat, {});
  body.Op(HEDDLE_BUILTIN_LESS, {body.inputs[0], two}, {small});
  If(body, 3, 4, {small, body.inputs[1]}, {next});
  body.Output(CountUp(body));
  body.Output(next);
  for (const char* name : {"plus_one", "times_ten"}) {
    SubgraphSpec& branch = model.AddSubgraph(name);
    const int32_t a = branch.Input("a", kFloat, {});
    const int32_t r = branch.Tensor("r", kFloat, {});
    const bool first = name[0] == 'p';
    const int32_t c = branch.Constant<float>("c", {}, {first ? 1.f : 10.f});
    first ? Add(branch, a, c, r) : Mul(branch, a, c, r);
    branch.Output(r);
  }
  Rig rig;
  rig.Start(model);
  rig.Set<int32_t>(0, {0});
  rig.Set<float>(1, {5});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(1), ElementsAre(700));
}

// An endless loop, by a condition that looks at a value that nobody changes.
void EndlessModel(ModelBuilder& model) {
  SubgraphSpec& body = LoopModel(model, {{"i", kInt, {}}, {"a", kFloat, {2}}}, 5);
  const int32_t next = body.Tensor("a_next", kFloat, {2});
  Add(body, body.inputs[1], body.inputs[1], next);
  body.Output(body.inputs[0]);
  body.Output(next);
}

TEST(Loops, TheLimitOfRounds) {
  ModelBuilder model;
  EndlessModel(model);
  Rig rig;
  rig.Start(model);
  heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
  options.max_loop_iterations = 100;
  EXPECT_EQ(rig.Invoke(&options), HEDDLE_RESOURCE_EXHAUSTED);
  const heddle_error_info info = rig.error.info();
  EXPECT_EQ(info.reason, HEDDLE_REASON_LOOP_LIMIT);
  EXPECT_STREQ(info.op_name, "WHILE");
  EXPECT_EQ(info.subgraph, 0);
  EXPECT_EQ(info.operator_index, 0);
  rig.Set<int32_t>(0, {5});
  EXPECT_EQ(rig.Invoke(&options), HEDDLE_OK);
}

TEST(Loops, ExactlyTheLimitIsAllowed) {
  ModelBuilder model;
  SubgraphSpec& body = LoopModel(model, {{"i", kInt, {}}}, 10);
  body.Output(CountUp(body));
  Rig rig;
  rig.Start(model);
  heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
  options.max_loop_iterations = 10;
  EXPECT_EQ(rig.Invoke(&options), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<int32_t>(0), ElementsAre(10));
  options.max_loop_iterations = 9;
  EXPECT_EQ(rig.Invoke(&options), HEDDLE_RESOURCE_EXHAUSTED);
}

TEST(Loops, AnotherThreadCancels) {
  ModelBuilder model;
  EndlessModel(model);
  Rig rig;
  rig.Start(model);
  heddle_cancel_token* made = nullptr;
  ASSERT_EQ(heddle_cancel_token_create(&made, nullptr), HEDDLE_OK);
  const TokenPtr token(made);
  heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
  options.cancel_token = token.get();
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    heddle_cancel_token_cancel(token.get());
  });
  EXPECT_EQ(rig.Invoke(&options), HEDDLE_CANCELLED);
  canceller.join();
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_CANCELLED);
  EXPECT_EQ(rig.Invoke(&options), HEDDLE_CANCELLED) << "stays cancelled";
  heddle_cancel_token_reset(token.get());
  rig.Set<int32_t>(0, {5});
  EXPECT_EQ(rig.Invoke(&options), HEDDLE_OK) << rig.error.text();
}

// Wherever in the loop the time runs out, it is the deadline that is told.
TEST(Loops, TheDeadlineEndsThem) {
  ModelBuilder model;
  EndlessModel(model);
  Rig rig;
  rig.Start(model);
  heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
  for (uint64_t i = 0; i < 200; ++i) {
    options.timeout_ns = 20'000 + 101 * i;
    ASSERT_EQ(rig.Invoke(&options), HEDDLE_DEADLINE_EXCEEDED) << rig.error.text();
    const heddle_error_info info = rig.error.info();
    ASSERT_EQ(info.reason, HEDDLE_REASON_DEADLINE);
    // The node that was to run next, and where it is, belong together.
    ASSERT_GE(info.operator_index, 0);
    const std::string op = info.op_name;
    ASSERT_TRUE((info.subgraph == 0 && op == "WHILE") || (info.subgraph == 1 && op == "LESS") ||
                (info.subgraph == 2 && op == "ADD"))
        << rig.error.text();
  }
  options.timeout_ns = uint64_t{60} * 1'000'000'000;
  rig.Set<int32_t>(0, {5});
  EXPECT_EQ(rig.Invoke(&options), HEDDLE_OK);
}

TEST(Loops, TheObserverSeesInnerNodesAndMayStop) {
  ModelBuilder model;
  EndlessModel(model);
  Rig rig;
  rig.Start(model);
  struct Seen {
    int inner = 0;
    int32_t last_position = -1;
  } seen;
  heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
  options.observer_context = &seen;
  options.observer = [](void* context, const heddle_node_event* event) -> int32_t {
    auto& s = *static_cast<Seen*>(context);
    if (event->subgraph != 2 || event->is_end == 0) return 0;
    EXPECT_STREQ(event->op_name, "ADD");
    EXPECT_EQ(event->output_count, 1u);
    EXPECT_EQ(event->outputs[0]->index, event->output_tensors[0]);
    EXPECT_EQ(event->outputs[0]->bytes, 8u);
    return ++s.inner == 7 ? 1 : 0;
  };
  EXPECT_EQ(rig.Invoke(&options), HEDDLE_CANCELLED);
  EXPECT_EQ(seen.inner, 7);
  EXPECT_EQ(rig.error.info().subgraph, 2);
  EXPECT_STREQ(rig.error.info().op_name, "ADD");
}

TEST(Loops, AFaultInTheBodyIsToldWhereItIs) {
  ModelBuilder model;
  SubgraphSpec& body = LoopModel(model, {{"i", kInt, {}}, {"a", kFloat, {2}}}, 5);
  const int32_t next = body.Tensor("a_next", kFloat, {2});
  const int32_t counter = CountUp(body);
  body.CustomOp("Fails", {body.inputs[1]}, {next}, {}, 3);
  body.Output(counter);
  body.Output(next);
  Rig rig;
  rig.AddOp("Fails", [](TestOp& op) {
    op.max_version = 5;
    op.on_invoke = [](heddle_op_call* call) {
      return call->host->report(call, HEDDLE_KERNEL_FAILED, HEDDLE_REASON_DATA_OUT_OF_RANGE, -1,
                                "on purpose");
    };
  });
  rig.Start(model);
  ASSERT_EQ(rig.Invoke(), HEDDLE_KERNEL_FAILED);
  const heddle_error_info info = rig.error.info();
  EXPECT_EQ(rig.error.count(), 1u);
  EXPECT_EQ(info.subgraph, 2);
  EXPECT_EQ(info.operator_index, 1);
  EXPECT_EQ(info.plan_position, 1);
  EXPECT_STREQ(info.op_name, "Fails");
  EXPECT_EQ(info.op_version, 3);
  EXPECT_EQ(info.tensor, next);
  EXPECT_STREQ(info.tensor_name, "a_next");
  EXPECT_STREQ(info.place, "subgraphs[2].operators[1].outputs[0]");
}

}  // namespace
}  // namespace heddle::testing
