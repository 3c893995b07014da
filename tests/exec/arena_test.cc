// SPDX-License-Identifier: Apache-2.0
// Memory of a plan: what may share, and how much is used.
#include <gmock/gmock.h>

#include "tests/exec/control_graphs.h"
#include "tests/support/environment.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;

// y = x + 1, in place if the host lets it; remembers where x and y were.
struct Increment {
  const void* input = nullptr;
  const void* output = nullptr;
  bool shared() const { return input == output; }
};

TestOp& AddIncrement(Rig& rig, Increment* seen, uint32_t flags = 0) {
  return rig.AddOp("Increment", [=](TestOp& op) {
    op.flags = flags;
    op.in_place = {{0, 0}};
    op.on_invoke = [seen](heddle_op_call* call) {
      seen->input = call->inputs[0]->data;
      seen->output = call->outputs[0]->data;
      for (size_t i = 0; i < FloatsIn(call, 0); ++i)
        Out<float>(call, 0)[i] = In<float>(call, 0)[i] + 1;
      return HEDDLE_OK;
    };
  });
}

// x -> Copy -> a -> Increment -> b -> Copy -> y, with more edges as the tests need.
struct Chain {
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  int32_t x = graph.Input("x", kFloat, {4});
  int32_t a = graph.Tensor("a", kFloat, {4});
  int32_t b = graph.Tensor("b", kFloat, {4});
  int32_t y = graph.Tensor("y", kFloat, {4});
};

class InPlace : public ::testing::Test {
 protected:
  InPlace() { rig_.AddOp("Copy"); }
  void Run(const ModelBuilder& model, const heddle_interpreter_options* options = nullptr) {
    rig_.Load(model);
    rig_.Start(options);
    for (int i = 0; i < 2; ++i) {
      rig_.Set<float>(0, {1, 2, 3, 4});
      ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
    }
  }
  Increment seen_;
  Rig rig_;
};

TEST_F(InPlace, SharesAnInputThatDies) {
  AddIncrement(rig_, &seen_);
  Chain c;
  c.graph.CustomOp("Copy", {c.x}, {c.a});
  c.graph.CustomOp("Increment", {c.a}, {c.b});
  c.graph.CustomOp("Copy", {c.b}, {c.y});
  c.graph.Output(c.y);
  Run(c.model);
  EXPECT_TRUE(seen_.shared());
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(2, 3, 4, 5));
}

TEST_F(InPlace, TheResultMayBeAnOutput) {
  AddIncrement(rig_, &seen_);
  Chain c;
  c.graph.CustomOp("Copy", {c.x}, {c.a});
  c.graph.CustomOp("Increment", {c.a}, {c.b});
  c.graph.Output(c.b);
  Run(c.model);
  EXPECT_TRUE(seen_.shared());
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(2, 3, 4, 5));
}

TEST_F(InPlace, NotAnInputThatIsReadLater) {
  AddIncrement(rig_, &seen_);
  Chain c;
  c.graph.CustomOp("Copy", {c.x}, {c.a});
  c.graph.CustomOp("Increment", {c.a}, {c.b});
  Add(c.graph, c.a, c.b, c.y);
  c.graph.Output(c.y);
  Run(c.model);
  EXPECT_FALSE(seen_.shared());
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(3, 5, 7, 9));
}

TEST_F(InPlace, NotAnInputThatTheOpReadsTwice) {
  AddIncrement(rig_, &seen_);
  Chain c;
  c.graph.CustomOp("Copy", {c.x}, {c.a});
  c.graph.CustomOp("Increment", {c.a, c.a}, {c.b});
  c.graph.CustomOp("Copy", {c.b}, {c.y});
  c.graph.Output(c.y);
  Run(c.model);
  EXPECT_FALSE(seen_.shared());
}

TEST_F(InPlace, NotAnInputOfTheGraph) {
  AddIncrement(rig_, &seen_);
  Chain c;
  c.graph.CustomOp("Increment", {c.x}, {c.b});
  c.graph.Output(c.b);
  Run(c.model);
  EXPECT_FALSE(seen_.shared());
  const auto* input = static_cast<const float*>(heddle_interpreter_get_input_data(rig_.get(), 0));
  EXPECT_EQ(input[0], 1);
}

TEST_F(InPlace, NotAnOutputOfTheGraph) {
  AddIncrement(rig_, &seen_);
  Chain c;
  c.graph.CustomOp("Copy", {c.x}, {c.a});
  c.graph.CustomOp("Increment", {c.a}, {c.b});
  c.graph.Output(c.a);
  c.graph.Output(c.b);
  Run(c.model);
  EXPECT_FALSE(seen_.shared());
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(rig_.Get<float>(1), ElementsAre(2, 3, 4, 5));
}

TEST_F(InPlace, NotWhereSizesDiffer) {
  TestOp& op = AddIncrement(rig_, &seen_);
  op.on_infer = [](heddle_op_call* call) {
    const int32_t dims[] = {5};
    return call->host->set_output(call, 0, kFloat, dims, 1);
  };
  Chain c;
  c.graph.CustomOp("Copy", {c.x}, {c.a});
  c.graph.CustomOp("Increment", {c.a}, {c.b});
  c.graph.Output(c.b);
  Run(c.model);
  EXPECT_FALSE(seen_.shared());
}

TEST_F(InPlace, NotConstants) {
  AddIncrement(rig_, &seen_, HEDDLE_OP_STATEFUL);  // so that it is not folded
  Chain c;
  const int32_t constant = c.graph.Constant<float>("constant", {4}, {5, 6, 7, 8});
  c.graph.CustomOp("Increment", {constant}, {c.b});
  Add(c.graph, c.x, c.b, c.y);
  c.graph.Output(c.y);
  Run(c.model);
  EXPECT_FALSE(seen_.shared());
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(7, 9, 11, 13)) << "in the second run, too";
}

TEST_F(InPlace, NotVariables) {
  AddIncrement(rig_, &seen_);
  Chain c;
  c.graph.tensor(c.a).Variable();
  c.graph.CustomOp("Increment", {c.a}, {c.b});
  Add(c.graph, c.x, c.b, c.y);
  c.graph.Output(c.y);
  Run(c.model);
  EXPECT_FALSE(seen_.shared());
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(2, 3, 4, 5)) << "in the second run, too";
}

TEST_F(InPlace, NotWhenAllTensorsArePreserved) {
  AddIncrement(rig_, &seen_);
  Chain c;
  c.graph.CustomOp("Copy", {c.x}, {c.a});
  c.graph.CustomOp("Increment", {c.a}, {c.b});
  c.graph.CustomOp("Copy", {c.b}, {c.y});
  c.graph.Output(c.y);
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  options.preserve_all_tensors = 1;
  Run(c.model, &options);
  EXPECT_FALSE(seen_.shared());
  heddle_tensor_info info = {};
  info.struct_size = sizeof(info);
  const void* data = nullptr;
  ASSERT_EQ(heddle_interpreter_get_tensor(rig_.get(), 0, static_cast<size_t>(c.a), &info, &data),
            HEDDLE_OK);
  ASSERT_NE(data, nullptr);
  EXPECT_EQ(static_cast<const float*>(data)[0], 1);
}

TEST_F(InPlace, OneOutputTakesAnInput) {
  const void* where[3] = {};
  rig_.AddOp("Fork", [&](TestOp& op) {
    op.in_place = {{0, 0}, {0, 1}};
    op.on_invoke = [&](heddle_op_call* call) {
      where[0] = call->inputs[0]->data;
      where[1] = call->outputs[0]->data;
      where[2] = call->outputs[1]->data;
      return CopyInput(call);
    };
  });
  Chain c;
  c.graph.CustomOp("Copy", {c.x}, {c.a});
  c.graph.CustomOp("Fork", {c.a}, {c.b, c.y});
  c.graph.Output(c.b);
  c.graph.Output(c.y);
  Run(c.model);
  EXPECT_NE(where[1], where[2]);
  EXPECT_TRUE(where[0] == where[1] || where[0] == where[2]);
}

// The most that is alive at once is conv1, depthwise and pointwise, [1,8,8,16] each, of which the
// ADD's result takes one over; the input is counted apart, [1,8,8,1].
TEST(Arena, DigitsTakeTheirLowerBound) {
  for (const auto& [name, element] : {std::pair("digits_float", 4u), {"digits_int8", 1u}}) {
    Rig rig;
    rig.LoadFile(SourceFolder() + "/examples/models/" + name + ".tflite");
    heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
    options.kernels = HEDDLE_KERNELS_REFERENCE;
    rig.Start(&options);
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    const heddle_memory_info memory = rig.Memory();
    const uint64_t wanted = uint64_t{element} * (3 * 8 * 8 * 16 + 8 * 8);
    EXPECT_EQ(memory.arena_lower_bound_bytes, wanted) << name;
    EXPECT_EQ(memory.arena_bytes, wanted) << name;
    EXPECT_EQ(memory.variable_bytes, 0u);
    EXPECT_EQ(memory.dynamic_bytes, 0u);
  }
}

TEST(Arena, ScratchIsPlannedWithTheTensors) {
  Rig rig;
  uint8_t* scratch[2] = {};
  rig.AddOp("Scratch", [&](TestOp& op) {
    op.on_prepare = [](heddle_op_call* call) {
      int32_t id = -1;
      const heddle_status status = call->host->request_scratch(call, 1000, &id);
      EXPECT_EQ(id, 0);
      return status;
    };
    op.on_invoke = [&, at = size_t{0}](heddle_op_call* call) mutable {
      auto* memory = static_cast<uint8_t*>(call->host->get_scratch(call, 0));
      EXPECT_EQ(call->host->get_scratch(call, 1), nullptr);
      EXPECT_EQ(call->host->get_scratch(call, -1), nullptr);
      scratch[at++ % 2] = memory;
      std::fill(memory, memory + 1000, uint8_t{0xff});
      return CopyInput(call);
    };
  });
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {4});
  const int32_t a = graph.Tensor("a", kFloat, {4});
  const int32_t y = graph.Tensor("y", kFloat, {4});
  graph.CustomOp("Scratch", {x}, {a});
  graph.CustomOp("Scratch", {a}, {y});
  graph.Output(y);
  rig.Start(model);
  rig.Set<float>(0, {1, 2, 3, 4});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(1, 2, 3, 4)) << "scratch overlaps no tensor in use";
  EXPECT_EQ(scratch[0], scratch[1]) << "both nodes use the same memory, one after the other";
}

}  // namespace
}  // namespace heddle::testing
