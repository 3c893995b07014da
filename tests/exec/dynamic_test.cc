// SPDX-License-Identifier: Apache-2.0
// Tensors whose shapes depend on data.
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/exec/control_graphs.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Keeps the elements of x that are not zero.
void MakeCompress(TestOp& op) {
  op.on_infer = [](heddle_op_call* call) {
    return call->host->set_output_data_dependent(call, 0, kFloat);
  };
  op.on_invoke = [](heddle_op_call* call) {
    int32_t count = 0;
    for (size_t i = 0; i < FloatsIn(call, 0); ++i) count += In<float>(call, 0)[i] != 0 ? 1 : 0;
    void* data = nullptr;
    const heddle_status status = call->host->allocate_output(call, 0, &count, 1, 0, &data);
    if (status != HEDDLE_OK) return status;
    auto* out = static_cast<float*>(data);
    for (size_t i = 0; i < FloatsIn(call, 0); ++i) {
      if (In<float>(call, 0)[i] != 0) *out++ = In<float>(call, 0)[i];
    }
    return HEDDLE_OK;
  };
}

// x [8] -> Compress -> a -> Probe -> b -> (+ b) -> y
void CompressModel(ModelBuilder& model) {
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {8});
  const int32_t a = graph.Tensor("a", kFloat, {});
  const int32_t b = graph.Tensor("b", kFloat, {});
  const int32_t y = graph.Tensor("y", kFloat, {});
  graph.CustomOp("Compress", {x}, {a});
  graph.CustomOp("Probe", {a}, {b});
  Add(graph, b, b, y);
  graph.Output(y);
}

TEST(Dynamic, WhatFollowsInfersAgainOnlyWhenShapesChange) {
  Rig rig;
  rig.AddOp("Compress", MakeCompress);
  TestOp& probe = rig.AddOp("Probe");
  ModelBuilder model;
  CompressModel(model);
  rig.Start(model);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(rig.OutputInfo(0).is_shape_known, 0);
  EXPECT_EQ(heddle_interpreter_get_output_data(rig.get(), 0), nullptr);
  for (size_t step = 0; step < 3; ++step) EXPECT_EQ(rig.PlanStep(step).is_data_dependent, 1);
  EXPECT_EQ(probe.infers, 0) << "its shape is not known yet";

  rig.Set<float>(0, {1, 0, 2, 0, 0, 0, 0, 3});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(rig.OutputInfo(0).is_shape_known, 1);
  EXPECT_THAT(rig.OutputDims(0), ElementsAre(3));
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(2, 4, 6));
  EXPECT_EQ(probe.prepares, 1);

  rig.Set<float>(0, {0, 4, 0, 5, 0, 6, 0, 0});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(8, 10, 12));
  EXPECT_EQ(probe.infers, 1);
  EXPECT_EQ(probe.prepares, 1) << "same shape, other data";

  rig.Set<float>(0, {1, 1, 1, 1, 1, 1, 1, 1});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.OutputDims(0), ElementsAre(8));
  EXPECT_EQ(probe.prepares, 2);
  EXPECT_EQ(probe.releases, 1);

  rig.Set<float>(0, {0, 0, 0, 0, 0, 0, 0, 0});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.OutputDims(0), ElementsAre(0));
  EXPECT_TRUE(rig.Get<float>(0).empty());
}

TEST(Dynamic, WhereGivesIndices) {
  Rig rig;
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {2, 3});
  const int32_t y = graph.Tensor("y", HEDDLE_DTYPE_INT64, {});
  graph.Op(HEDDLE_BUILTIN_WHERE, {x}, {y});
  graph.Output(y);
  rig.Start(model);
  rig.Set<float>(0, {0, 1, 0, 0, 0, 1});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.OutputDims(0), ElementsAre(2, 2));
  EXPECT_THAT(rig.Get<int64_t>(0), ElementsAre(0, 1, 1, 2));
}

struct Counting {
  size_t allocations = 0;
  heddle_allocator functions = {sizeof(heddle_allocator), this,
                                [](void* context, size_t bytes, size_t alignment) -> void* {
                                  ++static_cast<Counting*>(context)->allocations;
                                  return std::aligned_alloc(
                                      alignment, (bytes + alignment - 1) / alignment * alignment);
                                },
                                [](void*, void* pointer, size_t, size_t) { std::free(pointer); }};
};

TEST(Dynamic, RepeatedShapesTakeNoMemory) {
  Counting counting;
  RigOptions options;
  options.allocator = &counting.functions;
  Rig rig(options);
  rig.AddOp("Compress", MakeCompress);
  rig.AddOp("Probe");
  ModelBuilder model;
  CompressModel(model);
  rig.Start(model);
  const std::vector<float> inputs[] = {
      {1, 0, 2, 0, 0, 0, 0, 3}, {0, 0, 0, 0, 0, 0, 0, 9}, {1, 2, 3, 4, 5, 6, 7, 8}};
  size_t settled = 0;
  for (int round = 0; round < 10; ++round) {
    for (const auto& input : inputs) {
      rig.Set(0, input);
      ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
      EXPECT_EQ(rig.Get<float>(0)[0], 2 * *std::find_if(input.begin(), input.end(),
                                                        [](float value) { return value != 0; }));
    }
    if (round == 1) settled = counting.allocations;
  }
  EXPECT_EQ(counting.allocations, settled);
  EXPECT_GT(rig.Memory().dynamic_bytes, 0u);
  ASSERT_EQ(heddle_interpreter_release_memory(rig.get(), nullptr), HEDDLE_OK);
  EXPECT_EQ(rig.Memory().dynamic_bytes, 0u);
}

TEST(Dynamic, TheLimitIsKept) {
  Rig rig;
  rig.AddOp("Compress", MakeCompress);
  rig.AddOp("Probe");
  ModelBuilder model;
  CompressModel(model);
  rig.Load(model);
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  options.max_dynamic_bytes = 40;
  rig.Start(&options);
  rig.Set<float>(0, {1, 2, 3, 4, 5, 6, 7, 8});
  ASSERT_EQ(rig.Invoke(), HEDDLE_RESOURCE_EXHAUSTED);
  const heddle_error_info info = rig.error.info();
  EXPECT_EQ(info.reason, HEDDLE_REASON_LIMIT_EXCEEDED);
  EXPECT_EQ(info.phase, HEDDLE_PHASE_INVOKE);
  EXPECT_STREQ(info.op_name, "Probe") << rig.error.text();
  EXPECT_EQ(info.operator_index, 1);
  EXPECT_EQ(info.subgraph, 0);
  rig.Set<float>(0, {1, 0, 0, 0, 0, 0, 0, 8});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(2, 16));
}

TEST(Dynamic, AnOutputWithoutShapeIsTheOpsFault) {
  Rig rig;
  rig.AddOp("Compress",
            [](TestOp& op) { op.on_infer = [](heddle_op_call*) { return HEDDLE_OK; }; });
  rig.AddOp("Probe");
  ModelBuilder model;
  CompressModel(model);
  rig.Start(model);
  EXPECT_EQ(rig.Prepare(), HEDDLE_INTERNAL);
  const heddle_error_info info = rig.error.info();
  EXPECT_EQ(info.reason, HEDDLE_REASON_OUTPUT_NOT_SET);
  EXPECT_EQ(info.phase, HEDDLE_PHASE_PLAN);
  EXPECT_STREQ(info.op_name, "Compress");
  EXPECT_STREQ(info.place, "subgraphs[0].operators[0].outputs[0]");
  EXPECT_EQ(info.tensor, 1);
  EXPECT_STREQ(info.tensor_name, "a");
}

TEST(Dynamic, AnOutputWithoutMemoryIsTheOpsFault) {
  Rig rig;
  TestOp& compress = rig.AddOp("Compress", MakeCompress);
  rig.AddOp("Probe");
  ModelBuilder model;
  CompressModel(model);
  rig.Start(model);
  rig.Set<float>(0, {1, 0, 2, 0, 0, 0, 0, 3});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  const auto right = compress.on_invoke;
  compress.on_invoke = [](heddle_op_call*) { return HEDDLE_OK; };
  EXPECT_EQ(rig.Invoke(), HEDDLE_INTERNAL) << "the last run's data is no answer";
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_OUTPUT_NOT_SET);
  EXPECT_EQ(rig.error.info().phase, HEDDLE_PHASE_INVOKE);
  compress.on_invoke = right;
  EXPECT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(2, 4, 6));
}

// Strings are data-dependent even if the op tells no shape.
TEST(Dynamic, StringsOfAnOpWithoutInfer) {
  Rig rig;
  const std::vector<uint8_t> text = StringTensorBytes({"seven", "words"});
  TestOp& op = rig.AddOp("Words", [&](TestOp& o) {
    o.has_infer = false;
    o.on_invoke = [&](heddle_op_call* call) {
      const int32_t two = 2;
      void* data = nullptr;
      const heddle_status status =
          call->host->allocate_output(call, 0, &two, 1, text.size(), &data);
      if (status == HEDDLE_OK) std::memcpy(data, text.data(), text.size());
      return status;
    };
  });
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {1});
  const int32_t y = graph.Tensor("y", HEDDLE_DTYPE_STRING, {2});
  graph.CustomOp("Words", {x}, {y});
  graph.Output(y);
  rig.Start(model);
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    EXPECT_EQ(rig.Get<uint8_t>(0), text);
  }
  op.on_invoke = [](heddle_op_call*) { return HEDDLE_OK; };
  EXPECT_EQ(rig.Invoke(), HEDDLE_INTERNAL) << "the last run's strings are no answer";
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_OUTPUT_NOT_SET);
}

TEST(Dynamic, AllocatingAKnownOutputMustAgree) {
  Rig rig;
  int32_t size = 4;
  bool same = false;
  rig.AddOp("Op", [&](TestOp& op) {
    op.on_invoke = [&](heddle_op_call* call) {
      void* data = nullptr;
      const heddle_status status = call->host->allocate_output(call, 0, &size, 1, 0, &data);
      same = data == call->outputs[0]->data;
      return status;
    };
  });
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {4});
  const int32_t y = graph.Tensor("y", kFloat, {4});
  graph.CustomOp("Op", {x}, {y});
  graph.Output(y);
  rig.Start(model);
  EXPECT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_TRUE(same);
  size = 5;
  EXPECT_NE(rig.Invoke(), HEDDLE_OK);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_SHAPES_DIFFER);
  EXPECT_THAT(rig.error.text(), HasSubstr("[5]"));
  EXPECT_THAT(rig.error.text(), HasSubstr("[4]"));
}

// The second allocation of an output takes the place of the first.
TEST(Dynamic, AllocatingTwiceKeepsTheLast) {
  Rig rig;
  rig.AddOp("Compress", [](TestOp& op) {
    MakeCompress(op);
    op.on_invoke = [](heddle_op_call* call) {
      void* data = nullptr;
      for (const int32_t size : {100, 2}) {
        const heddle_status status = call->host->allocate_output(call, 0, &size, 1, 0, &data);
        if (status != HEDDLE_OK) return status;
        std::fill_n(static_cast<float*>(data), size, static_cast<float>(size));
      }
      return HEDDLE_OK;
    };
  });
  rig.AddOp("Probe");
  ModelBuilder model;
  CompressModel(model);
  rig.Start(model);
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
    EXPECT_THAT(rig.Get<float>(0), ElementsAre(4, 4));
  }
}

}  // namespace
}  // namespace heddle::testing
