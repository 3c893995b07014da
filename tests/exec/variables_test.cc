// SPDX-License-Identifier: Apache-2.0
// What stays from run to run: variable tensors and resources.
#include <gmock/gmock.h>

#include "tests/exec/control_graphs.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Adds x to a variable tensor and gives the sum: state += x; y = state.
void MakeAccumulate(TestOp& op) {
  op.flags = HEDDLE_OP_STATEFUL;
  op.on_invoke = [](heddle_op_call* call) {
    EXPECT_NE(call->inputs[1]->flags & HEDDLE_TENSOR_VARIABLE, 0u);
    auto* state = static_cast<float*>(call->inputs[1]->data);
    for (size_t i = 0; i < FloatsIn(call, 0); ++i)
      Out<float>(call, 0)[i] = state[i] += In<float>(call, 0)[i];
    return HEDDLE_OK;
  };
}

void AccumulateModel(ModelBuilder& model) {
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {2});
  const int32_t state = graph.Tensor("state", kFloat, {2});
  graph.tensor(state).Variable();
  const int32_t y = graph.Tensor("y", kFloat, {2});
  graph.CustomOp("Accumulate", {x, state}, {y});
  graph.Output(y);
}

TEST(Variables, TensorsKeepTheirValueUntilReset) {
  Rig rig;
  rig.AddOp("Accumulate", MakeAccumulate);
  ModelBuilder model;
  AccumulateModel(model);
  rig.Start(model);
  rig.Set<float>(0, {1, 10});
  for (int run = 1; run <= 3; ++run) {
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    EXPECT_THAT(rig.Get<float>(0), ElementsAre(run, run * 10));
  }
  EXPECT_EQ(rig.Memory().variable_bytes, 8u);
  ASSERT_EQ(heddle_interpreter_release_memory(rig.get(), rig.error.out()), HEDDLE_OK);
  EXPECT_EQ(rig.Memory().variable_bytes, 8u);
  rig.Set<float>(0, {1, 10});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(4, 40)) << "kept while memory is given back";
  ASSERT_EQ(heddle_interpreter_reset_variables(rig.get(), rig.error.out()), HEDDLE_OK);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(1, 10));
}

TEST(Variables, InterpretersOfOneModelShareNone) {
  Rig rig;
  rig.AddOp("Accumulate", MakeAccumulate);
  ModelBuilder model;
  AccumulateModel(model);
  rig.Start(model);
  const InterpreterPtr other(rig.interpreter.release());
  rig.Start();
  for (heddle_interpreter* interpreter : {rig.get(), other.get(), other.get()}) {
    const float x[] = {1, 2};
    ASSERT_EQ(heddle_interpreter_set_input(interpreter, 0, x, 8, nullptr), HEDDLE_OK);
    ASSERT_EQ(heddle_interpreter_invoke(interpreter, nullptr, nullptr), HEDDLE_OK);
  }
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(1, 2));
}

// Signatures "write": v = x, and "read": y = v.
class Resources : public ::testing::Test {
 protected:
  Resources() {
    SubgraphSpec& write = model_.AddSubgraph("write");
    const int32_t x = write.Input("x", kFloat, {2});
    const int32_t to = write.Tensor("to", HEDDLE_DTYPE_RESOURCE, {});
    VarHandle(write, "v", to);
    write.Op(HEDDLE_BUILTIN_ASSIGN_VARIABLE, {to, x}, {});
    SubgraphSpec& read = model_.AddSubgraph("read");
    const int32_t from = read.Tensor("from", HEDDLE_DTYPE_RESOURCE, {});
    const int32_t y = read.Tensor("y", kFloat, {2});
    VarHandle(read, "v", from);
    read.Op(HEDDLE_BUILTIN_READ_VARIABLE, {from}, {y});
    read.Output(y);
    model_.AddSignature("write", 0, {{"x", 0}}, {});
    model_.AddSignature("read", 1, {}, {{"y", 1}});
    rig_.Start(model_);
  }
  heddle_status Run(const char* key) {
    EXPECT_EQ(heddle_interpreter_select_signature(rig_.get(), key, rig_.error.out()), HEDDLE_OK);
    return rig_.Invoke();
  }
  heddle_status Write(const std::vector<float>& values) {
    EXPECT_EQ(heddle_interpreter_select_signature(rig_.get(), "write", rig_.error.out()),
              HEDDLE_OK);
    EXPECT_EQ(rig_.Resize(0, {static_cast<int32_t>(values.size())}), HEDDLE_OK);
    rig_.Set(0, values);
    return rig_.Invoke();
  }
  ModelBuilder model_;
  Rig rig_;
};

TEST_F(Resources, GoFromSignatureToSignature) {
  ASSERT_EQ(Write({1, 2}), HEDDLE_OK) << rig_.error.text();
  ASSERT_EQ(Run("read"), HEDDLE_OK) << rig_.error.text();
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(1, 2));
  ASSERT_EQ(Write({3, 4, 5}), HEDDLE_OK) << rig_.error.text();
  EXPECT_EQ(rig_.Memory().variable_bytes, 12u);
  ASSERT_EQ(Run("read"), HEDDLE_OK) << rig_.error.text();
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(3, 4, 5)) << "a variable may change its shape";
}

TEST_F(Resources, AreUnassignedUntilWritten) {
  EXPECT_EQ(Run("read"), HEDDLE_KERNEL_FAILED);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_RESOURCE_UNKNOWN);
  EXPECT_STREQ(rig_.error.info().op_name, "READ_VARIABLE");
  EXPECT_THAT(rig_.error.text(), HasSubstr("\"v\""));
  EXPECT_STRNE(rig_.error.info().next_step, "");
  ASSERT_EQ(Write({1, 2}), HEDDLE_OK);
  EXPECT_EQ(Run("read"), HEDDLE_OK);
  ASSERT_EQ(heddle_interpreter_reset_variables(rig_.get(), nullptr), HEDDLE_OK);
  EXPECT_EQ(Run("read"), HEDDLE_KERNEL_FAILED);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_RESOURCE_UNKNOWN);
}

TEST_F(Resources, StayWhenMemoryIsGivenBack) {
  ASSERT_EQ(Write({1, 2}), HEDDLE_OK);
  ASSERT_EQ(heddle_interpreter_release_memory(rig_.get(), nullptr), HEDDLE_OK);
  ASSERT_EQ(Run("read"), HEDDLE_OK) << rig_.error.text();
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(1, 2));
}

TEST(ResourceOrder, EffectsKeepTheFilesOrder) {
  // v = x; y = v; v = 2 x; z = v, in this order though no tensor says so.
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {1});
  const int32_t v = graph.Tensor("v", HEDDLE_DTYPE_RESOURCE, {});
  const int32_t doubled = graph.Tensor("doubled", kFloat, {1});
  const int32_t y = graph.Tensor("y", kFloat, {1});
  const int32_t z = graph.Tensor("z", kFloat, {1});
  VarHandle(graph, "v", v);
  graph.Op(HEDDLE_BUILTIN_ASSIGN_VARIABLE, {v, x}, {});
  graph.Op(HEDDLE_BUILTIN_READ_VARIABLE, {v}, {y});
  Add(graph, x, x, doubled);
  graph.Op(HEDDLE_BUILTIN_ASSIGN_VARIABLE, {v, doubled}, {});
  graph.Op(HEDDLE_BUILTIN_READ_VARIABLE, {v}, {z});
  graph.Output(z);
  graph.Output(y);
  Rig rig;
  rig.Start(model);
  rig.Set<float>(0, {3});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(6));
  EXPECT_THAT(rig.Get<float>(1), ElementsAre(3));
}

TEST(ResourceKinds, AreNotMixed) {
  static constexpr heddle_resource_type kOther = {
      sizeof(heddle_resource_type),
      "something else",
      [](heddle_op_call*, void*, void** object) {
        *object = new int(0);
        return HEDDLE_OK;
      },
      [](void* object) { delete static_cast<int*>(object); },
      nullptr,
      nullptr};
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {1});
  const int32_t v = graph.Tensor("v", HEDDLE_DTYPE_RESOURCE, {});
  const int32_t y = graph.Tensor("y", kFloat, {1});
  VarHandle(graph, "v", v);
  graph.Op(HEDDLE_BUILTIN_ASSIGN_VARIABLE, {v, x}, {});
  graph.CustomOp("OpenOther", {x, v}, {y});
  graph.Output(y);
  Rig rig;
  rig.AddOp("OpenOther", [](TestOp& op) {
    op.flags = HEDDLE_OP_STATEFUL | HEDDLE_OP_SIDE_EFFECTS;
    op.on_invoke = [](heddle_op_call* call) {
      void* object = nullptr;
      return call->host->resource_open(call, *In<int32_t>(call, 1), &kOther, 1, nullptr, &object);
    };
  });
  rig.Start(model);
  EXPECT_EQ(rig.Invoke(), HEDDLE_KERNEL_FAILED);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_RESOURCE_TYPE);
  EXPECT_STREQ(rig.error.info().op_name, "OpenOther");
}

}  // namespace
}  // namespace heddle::testing
