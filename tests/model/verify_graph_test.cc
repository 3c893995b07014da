// SPDX-License-Identifier: Apache-2.0
// Broken graphs: producers, order, calls, signatures, options.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/model/model_testing.h"

namespace heddle {
namespace {

using namespace ::heddle::testing;  // NOLINT: the builder's names are this file's vocabulary
using ::testing::HasSubstr;

// ---- Producers ----------------------------------------------------------------------------------

TEST(VerifyProducers, TwoOperators) {
  AddModel model;
  model.graph.Op(HEDDLE_BUILTIN_MUL, {model.x, model.c}, {model.y});
  const Fault fault = FaultOf(model.Build());
  EXPECT_EQ(fault.reason, HEDDLE_REASON_DUPLICATE_PRODUCER);
  EXPECT_EQ(fault.place, "subgraphs[0].operators[1].outputs[0]");
  EXPECT_THAT(fault.message, HasSubstr("operator 0 writes already"));
  EXPECT_EQ(fault.tensor, model.y);
  EXPECT_EQ(fault.tensor_name, "y");
}

TEST(VerifyProducers, TwoOutputsOfOneOperator) {
  AddModel model;
  model.op().outputs = {model.y, model.y};
  ExpectRefused(model, HEDDLE_REASON_DUPLICATE_PRODUCER, "subgraphs[0].operators[0].outputs[1]");
}

TEST(VerifyProducers, WhatHasAValueAlready) {
  AddModel model;
  const int32_t variable = model.graph.Tensor("v", HEDDLE_DTYPE_FLOAT32, {2, 3});
  model.tensor(variable).Variable();
  for (const auto& [tensor, word] : {std::pair(model.x, "input"), std::pair(model.c, "constant"),
                                     std::pair(variable, "variable")}) {
    model.op().outputs = {tensor};
    model.graph.outputs = {tensor};
    ExpectRefused(model, HEDDLE_REASON_DUPLICATE_PRODUCER, "subgraphs[0].operators[0].outputs[0]");
    EXPECT_THAT(FaultOf(model.Build()).message, HasSubstr(word));
  }
}

TEST(VerifyProducers, NobodyProducesAnInput) {
  AddModel model;
  model.op().inputs[1] = model.graph.Tensor("ghost", HEDDLE_DTYPE_FLOAT32, {2, 3});
  const Fault fault = FaultOf(model.Build());
  EXPECT_EQ(fault.reason, HEDDLE_REASON_MISSING_PRODUCER);
  EXPECT_EQ(fault.place, "subgraphs[0].operators[0].inputs[1]");
  EXPECT_EQ(fault.tensor_name, "ghost");
}

TEST(VerifyProducers, NobodyProducesAnOutput) {
  AddModel model;
  model.graph.Output(model.graph.Tensor("ghost", HEDDLE_DTYPE_FLOAT32, {2, 3}));
  ExpectRefused(model, HEDDLE_REASON_MISSING_PRODUCER, "subgraphs[0].outputs[1]");
}

TEST(VerifyProducers, ScratchOfACustomOpIsUnset) {
  AddModel model;
  const int32_t scratch = model.graph.Tensor("scratch", HEDDLE_DTYPE_UINT8, {64});
  const int32_t z = model.graph.Tensor("z", HEDDLE_DTYPE_FLOAT32, {2, 3});
  model.graph.CustomOp("npu", {model.y, scratch}, {z});
  auto loaded = LoadBytes(model.Build());
  ASSERT_TRUE(loaded.ok()) << Describe(loaded.status());
  EXPECT_TRUE(loaded.value()->subgraphs()[0].tensors[static_cast<size_t>(scratch)].is_unset);
}

// ---- Order --------------------------------------------------------------------------------------

TEST(VerifyOrder, OperatorsMayBeOutOfOrder) {
  AddModel model;
  const int32_t z = model.graph.Tensor("z", HEDDLE_DTYPE_FLOAT32, {2, 3});
  model.op().inputs[0] = z;
  model.graph.Op(HEDDLE_BUILTIN_NEG, {model.x}, {z});
  ExpectLoads(model);
}

TEST(VerifyOrder, OperatorsWaitForEachOther) {
  AddModel model;
  const int32_t z = model.graph.Tensor("z", HEDDLE_DTYPE_FLOAT32, {2, 3});
  model.op().inputs[0] = z;
  model.graph.Op(HEDDLE_BUILTIN_NEG, {model.y}, {z});
  ExpectRefused(model, HEDDLE_REASON_DATA_CYCLE, "subgraphs[0].operators[0]");
  EXPECT_THAT(FaultOf(model.Build()).message, HasSubstr("1 <- 0 <- 1"));
}

TEST(VerifyOrder, AnOperatorWaitsForItself) {
  AddModel model;
  model.op().inputs[0] = model.y;
  ExpectRefused(model, HEDDLE_REASON_DATA_CYCLE, "subgraphs[0].operators[0]");
}

TEST(VerifyOrder, ControlDependencyAgainstTheData) {
  AddModel model;
  const int32_t z = model.graph.Tensor("z", HEDDLE_DTYPE_FLOAT32, {2, 3});
  model.graph.Op(HEDDLE_BUILTIN_NEG, {model.y}, {z});
  model.AddMetadata("model_control_dependencies", {1, 1, 1, 2, 0});  // 1 before 0
  ExpectRefused(model, HEDDLE_REASON_DATA_CYCLE, "subgraphs[0].operators[0]");
}

TEST(VerifyOrder, MalformedControlDependencies) {
  const std::vector<std::vector<uint8_t>> broken = {
      {},                                      // nothing
      {2, 1, 0},                               // unknown version
      {1, 2, 0, 0},                            // two subgraphs
      {1, 1, 1, 0},                            // half a pair
      {1, 1, 0, 0},                            // a byte left over
      {1, 1, 0xff, 0xff, 0xff, 0xff, 0xff},    // a number without end
      {1, 1, 0xff, 0xff, 0xff, 0xff, 0x0f},    // 2^32 - 1 pairs
      {1, 1, 0x80, 0x80, 0x80, 0x80, 0x10, 0}  // a number over 32 bits
  };
  for (const auto& bytes : broken) {
    AddModel model;
    model.AddMetadata("model_control_dependencies", bytes);
    ExpectRefused(model, HEDDLE_REASON_MALFORMED, "metadata.model_control_dependencies");
  }
}

// ---- Calls --------------------------------------------------------------------------------------

// Subgraph `from` runs subgraph `to` once.
void AddCall(SubgraphSpec& from, int32_t to) {
  from.Op(HEDDLE_BUILTIN_CALL_ONCE, {}, {}).Options([to](FlatBufferBuilder& fbb) {
    return schema::CreateCallOnceOptions(fbb, to);
  });
}

TEST(VerifyCalls, SubgraphIndex) {
  AddModel model;
  model.AddSubgraph("body");
  for (const int32_t callee : {2, -1}) {
    model.graph.Op(HEDDLE_BUILTIN_WHILE, {}, {}).Options([callee](FlatBufferBuilder& fbb) {
      return schema::CreateWhileOptions(fbb, 1, callee);
    });
    ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE,
                  "subgraphs[0].operators[1].body_subgraph_index");
    model.graph.operators.pop_back();
  }
}

TEST(VerifyCalls, SubgraphIndexInAList) {
  AddModel model;
  model.graph.Op(HEDDLE_BUILTIN_STABLEHLO_CASE, {}, {}).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateStablehloCaseOptions(fbb, fbb.CreateVector<int32_t>({1, 5}));
  });
  model.AddSubgraph("branch");
  ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE,
                "subgraphs[0].operators[1].branch_subgraph_indices");
}

TEST(VerifyCalls, Cycle) {
  AddModel model;
  AddCall(model.graph, 1);
  AddCall(model.AddSubgraph("a"), 2);
  AddCall(model.AddSubgraph("b"), 1);
  const Fault fault = FaultOf(model.Build());
  EXPECT_EQ(fault.reason, HEDDLE_REASON_CALL_CYCLE);
  EXPECT_EQ(fault.place, "subgraphs[2].operators[0].init_subgraph_index");
  EXPECT_THAT(fault.message, HasSubstr("1 -> 2 -> 1"));
}

TEST(VerifyCalls, OneSubgraphCalledTwiceIsNoCycle) {
  AddModel model;
  AddCall(model.graph, 1);
  AddCall(model.graph, 1);
  AddCall(model.graph, 2);
  AddCall(model.AddSubgraph("a"), 2);
  model.AddSubgraph("b");
  ExpectLoads(model);
}

TEST(VerifyCalls, Depth) {
  AddModel model;
  AddCall(model.graph, 1);
  for (int32_t i = 1; i < 64; ++i) AddCall(model.AddSubgraph(), i + 1);
  SubgraphSpec& last = model.AddSubgraph();  // 64 calls below the first
  ExpectLoads(model);
  AddCall(last, 65);
  model.AddSubgraph();
  ExpectRefused(model, HEDDLE_REASON_CALL_DEPTH, "subgraphs[0].operators[1].init_subgraph_index");
}

// ---- Options ------------------------------------------------------------------------------------

TEST(VerifyOptions, TableOfAnotherOp) {
  AddModel model;
  model.op().Options([](FlatBufferBuilder& fbb) { return schema::CreateSubOptions(fbb); });
  ExpectRefused(model, HEDDLE_REASON_BAD_OPTIONS, "subgraphs[0].operators[0].builtin_options");
}

TEST(VerifyOptions, TableForAnOpWithoutOptions) {
  AddModel model;
  const int32_t z = model.graph.Tensor("z", HEDDLE_DTYPE_FLOAT32, {2, 3});
  model.graph.Op(HEDDLE_BUILTIN_RELU, {model.y}, {z}).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateAddOptions(fbb);
  });
  ExpectRefused(model, HEDDLE_REASON_BAD_OPTIONS, "subgraphs[0].operators[1].builtin_options");
}

TEST(VerifyOptions, ControlFlowWithoutOptions) {
  AddModel model;
  model.AddSubgraph("other");
  model.graph.Op(HEDDLE_BUILTIN_WHILE, {}, {});
  ExpectRefused(model, HEDDLE_REASON_BAD_OPTIONS, "subgraphs[0].operators[1].builtin_options");
}

// An array of 8-byte numbers whose writer aligned it to 4 only.
TEST(VerifyOptions, MisalignedArray) {
  int refused = 0;
  for (const size_t shift : {0, 4}) {
    AddModel model;
    model.graph.Op(HEDDLE_BUILTIN_STABLEHLO_TRANSPOSE, {}, {})
        .Options([shift](FlatBufferBuilder& fbb) {
          fbb.CreateVector(std::vector<uint8_t>(shift));
          const auto halves = fbb.CreateVector<int32_t>({1, 0, 0, 0});
          return schema::CreateStablehloTransposeOptions(
              fbb, flatbuffers::Offset<flatbuffers::Vector<int64_t>>(halves.o));
        });
    const std::vector<uint8_t> bytes = model.Build();
    if (LoadBytes(bytes).ok()) continue;
    ++refused;
    ExpectRefused(bytes, HEDDLE_REASON_MALFORMED, "subgraphs[0].operators[1].permutation");
  }
  EXPECT_EQ(refused, 1);
}

TEST(VerifyOptions, UnknownOpIsLeftToTheResolver) {
  AddModel model;
  model.graph.Op(777, {}, {}, 9).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateAddOptions(fbb);
  });
  auto loaded = LoadBytes(model.Build());
  ASSERT_TRUE(loaded.ok()) << Describe(loaded.status());
  EXPECT_EQ(loaded.value()->operator_codes()[1].name, "UNKNOWN_777");
  EXPECT_EQ(loaded.value()->operator_codes()[1].version, 9);
}

// ---- Signatures ---------------------------------------------------------------------------------

TEST(VerifySignatures, TensorThatIsNoInputOrOutput) {
  AddModel input;
  input.AddSignature("s", 0, {{"c", 1}}, {});
  ExpectRefused(input, HEDDLE_REASON_SIGNATURE_MISMATCH, "signature_defs[0].inputs[0]");
  AddModel output;
  output.AddSignature("s", 0, {{"x", 0}}, {{"y", 2}, {"z", 0}});
  ExpectRefused(output, HEDDLE_REASON_SIGNATURE_MISMATCH, "signature_defs[0].outputs[1]");
  EXPECT_EQ(FaultOf(output.Build()).subgraph, 0);
}

TEST(VerifySignatures, NamesAndKeys) {
  AddModel name;
  name.AddSignature("s", 0, {}, {{"y", 2}, {"y", 2}});
  ExpectRefused(name, HEDDLE_REASON_SIGNATURE_MISMATCH, "signature_defs[0].outputs[1]");
  AddModel twice;
  twice.AddSignature("s", 0, {}, {}).AddSignature("s", 0, {}, {});
  ExpectRefused(twice, HEDDLE_REASON_SIGNATURE_MISMATCH, "signature_defs[1].signature_key");
  AddModel empty;
  empty.AddSignature("", 0, {}, {});
  ExpectRefused(empty, HEDDLE_REASON_SIGNATURE_MISMATCH, "signature_defs[0].signature_key");
}

}  // namespace
}  // namespace heddle
