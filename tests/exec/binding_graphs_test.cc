// SPDX-License-Identifier: Apache-2.0
// Buffers as inputs and outputs of graphs where they meet inner tensors, calls and each other.
#include <gmock/gmock.h>

#include "tests/exec/control_graphs.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;

// y = x; reads 16 bytes behind x.
void MakeOverread(TestOp& op) {
  op.flags = HEDDLE_OP_OVERREADS;
  op.on_invoke = [](heddle_op_call* call) {
    const auto* behind =
        static_cast<const volatile uint8_t*>(call->inputs[0]->data) + call->inputs[0]->bytes;
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += behind[i];
    return sum < 0 ? HEDDLE_INTERNAL : CopyInput(call);
  };
}

void Bind(Rig& rig, bool output, size_t index, const BufferPtr& buffer) {
  ASSERT_EQ(output ? heddle_interpreter_bind_output(rig.get(), index, buffer.get(), rig.error.out())
                   : heddle_interpreter_bind_input(rig.get(), index, buffer.get(), rig.error.out()),
            HEDDLE_OK)
      << rig.error.text();
}

// An output that an over-reading op reads: written elsewhere and copied, if there is no padding.
TEST(BindingGraphs, AnOutputThatIsReadOn) {
  Rig rig;
  rig.AddOp("Copy");
  rig.AddOp("Overread", MakeOverread);
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {4});
  const int32_t a = graph.Tensor("a", kFloat, {4});
  const int32_t b = graph.Tensor("b", kFloat, {4});
  graph.CustomOp("Copy", {x}, {a});
  graph.CustomOp("Overread", {a}, {b});
  graph.Output(a);
  graph.Output(b);
  rig.Start(model);
  const std::unique_ptr<float[]> memory(new float[4]{});
  const BufferPtr out = rig.Borrow(memory.get(), 16, 16);
  Bind(rig, true, 0, out);
  rig.Set<float>(0, {1, 2, 3, 4});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(memory[3], 4);
  EXPECT_EQ(rig.CountLog(HEDDLE_REASON_COPY_PADDING), 1u);
}

// An op that over-reads in a called subgraph reads the caller's input, which is not copied there.
TEST(BindingGraphs, AnInputThatACalledSubgraphReads) {
  for (const bool loop : {false, true}) {
    Rig rig;
    rig.AddOp("Overread", MakeOverread);
    ModelBuilder model;
    SubgraphSpec& graph = model.AddSubgraph("main");
    const int32_t i = graph.Input("i", loop ? kInt : kBool, {});
    const int32_t x = graph.Input("x", kFloat, {4});
    const int32_t i_out = graph.Tensor("i_out", kInt, {});
    const int32_t y = graph.Tensor("y", kFloat, {4});
    const std::vector<Value> values = {{"i", kInt, {}}, {"x", kFloat, {4}}};
    SubgraphSpec& condition = LessThan(model, values, 2);
    SubgraphSpec& callee = model.AddSubgraph("callee");
    if (loop) callee.Input("i", kInt, {});
    const int32_t in = callee.Input("x", kFloat, {4});
    const int32_t out = callee.Tensor("y", kFloat, {4});
    callee.CustomOp("Overread", {in}, {out});
    if (loop) callee.Output(CountUp(callee));
    callee.Output(out);
    ASSERT_FALSE(condition.inputs.empty());
    if (loop)
      While(graph, 1, 2, {i, x}, {i_out, y});
    else
      If(graph, 2, 2, {i, x}, {y});
    graph.Output(y);
    rig.Start(model);
    const std::unique_ptr<float[]> memory(new float[4]{1, 2, 3, 4});
    const BufferPtr buffer = rig.Borrow(memory.get(), 16, 16);
    Bind(rig, false, 1, buffer);
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    EXPECT_THAT(rig.Get<float>(0), ElementsAre(1, 2, 3, 4));
    EXPECT_EQ(rig.CountLog(HEDDLE_REASON_COPY_PADDING), 1u);
  }
}

// y is written before x2 is read for z: bound to the memory of x2 it must not be written in place.
TEST(BindingGraphs, AnOutputInTheMemoryOfAnotherInput) {
  Rig rig;
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x1 = graph.Input("x1", kFloat, {2});
  const int32_t x2 = graph.Input("x2", kFloat, {2});
  const int32_t y = graph.Tensor("y", kFloat, {2});
  const int32_t z = graph.Tensor("z", kFloat, {2});
  Add(graph, x1, x1, y);
  Add(graph, x2, x2, z);
  graph.Output(y);
  graph.Output(z);
  rig.Start(model);
  const BufferPtr first = rig.Buffer(8), second = rig.Buffer(8);
  auto* a = static_cast<float*>(heddle_buffer_get_data(first.get()));
  auto* b = static_cast<float*>(heddle_buffer_get_data(second.get()));
  a[0] = 1;
  b[0] = 10;
  Bind(rig, false, 0, first);
  Bind(rig, false, 1, second);
  Bind(rig, true, 0, second);
  Bind(rig, true, 1, first);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(b[0], 2);
  EXPECT_EQ(a[0], 20);
}

// Outputs that no op of the entry point writes into planned memory are copied.
TEST(BindingGraphs, InputsConstantsVariablesAndDynamicTensorsAsOutputs) {
  Rig rig;
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {2, 2});
  const int32_t constant = graph.Constant<float>("constant", {2}, {8, 9});
  const int32_t variable = graph.Tensor("variable", kFloat, {1});
  graph.tensor(variable).Variable();
  const int32_t where = graph.Tensor("where", HEDDLE_DTYPE_INT64, {});
  graph.Op(HEDDLE_BUILTIN_WHERE, {x}, {where});
  for (const int32_t output : {x, constant, variable, where, x}) graph.Output(output);
  rig.Start(model);
  std::vector<BufferPtr> outputs;
  for (size_t i = 0; i < 5; ++i) {
    outputs.push_back(rig.Buffer(64));
    Bind(rig, true, i, outputs.back());
  }
  const BufferPtr in = rig.Buffer(16);
  static_cast<float*>(heddle_buffer_get_data(in.get()))[3] = 7;
  Bind(rig, false, 0, in);
  static_cast<float*>(heddle_buffer_get_data(outputs[2].get()))[0] = 5;
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  const auto floats = [&](size_t i) {
    return static_cast<const float*>(heddle_buffer_get_data(outputs[i].get()));
  };
  EXPECT_EQ(floats(0)[3], 7);
  EXPECT_EQ(floats(4)[3], 7);
  EXPECT_EQ(floats(1)[1], 9);
  EXPECT_EQ(floats(2)[0], 0);
  const auto* indices = static_cast<const int64_t*>(heddle_buffer_get_data(outputs[3].get()));
  EXPECT_EQ(indices[0], 1);
  EXPECT_EQ(indices[1], 1);
}

TEST(BindingGraphs, ADynamicResultThatDoesNotFitIsRefused) {
  Rig rig;
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {4});
  const int32_t where = graph.Tensor("where", HEDDLE_DTYPE_INT64, {});
  graph.Op(HEDDLE_BUILTIN_WHERE, {x}, {where});
  graph.Output(where);
  rig.Start(model);
  const BufferPtr out = rig.Buffer(16);
  Bind(rig, true, 0, out);
  rig.Set<float>(0, {0, 1, 1, 0});
  EXPECT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(static_cast<const int64_t*>(heddle_buffer_get_data(out.get()))[1], 2);
  rig.Set<float>(0, {0, 1, 1, 1});
  EXPECT_EQ(rig.Invoke(), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_BUFFER_TOO_SMALL);
}

// Two outputs in one buffer, apart and overlapping: each is computed whole.
TEST(BindingGraphs, OneTensorAsTwoOutputs) {
  Rig rig;
  rig.AddOp("Copy");
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {2});
  const int32_t y = graph.Tensor("y", kFloat, {2});
  graph.CustomOp("Copy", {x}, {y});
  graph.Output(y);
  graph.Output(y);
  rig.Start(model);
  const BufferPtr first = rig.Buffer(8), second = rig.Buffer(8);
  Bind(rig, true, 0, first);
  Bind(rig, true, 1, second);
  rig.Set<float>(0, {3, 4});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(static_cast<const float*>(heddle_buffer_get_data(first.get()))[1], 4);
  EXPECT_EQ(static_cast<const float*>(heddle_buffer_get_data(second.get()))[1], 4);
}

}  // namespace
}  // namespace heddle::testing
