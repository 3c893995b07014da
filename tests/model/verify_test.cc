// SPDX-License-Identifier: Apache-2.0
// One broken model for each thing that verification refuses, with its reason and place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tests/model/model_testing.h"

namespace heddle {
namespace {

using namespace ::heddle::testing;  // NOLINT: the builder's names are this file's vocabulary
using ::testing::HasSubstr;

TEST(VerifyModel, TheModelThatTheseTestsBreakIsRight) { ExpectLoads(AddModel()); }

// ---- Bytes --------------------------------------------------------------------------------------

TEST(VerifyBytes, TooShort) {
  ExpectRefused(std::vector<uint8_t>{1, 2, 3}, HEDDLE_REASON_TOO_SHORT, "");
}

TEST(VerifyBytes, OtherIdentifier) {
  AddModel model;
  model.identifier = "TFL2";
  ExpectRefused(model, HEDDLE_REASON_NOT_TFLITE, "");
}

TEST(VerifyBytes, OtherVersion) {
  AddModel model;
  model.version = 2;
  ExpectRefused(model, HEDDLE_REASON_SCHEMA_VERSION, "version");
}

TEST(VerifyBytes, RootOutsideTheFile) {
  std::vector<uint8_t> bytes = AddModel().Build();
  bytes[2] = 0x7f;
  ExpectRefused(bytes, HEDDLE_REASON_MALFORMED, "");
}

TEST(VerifyBytes, NoSubgraph) {
  ExpectRefused(ModelBuilder(), HEDDLE_REASON_NO_SUBGRAPH, "subgraphs");
}

// A file of a few hundred kilobytes whose thousand tensors share one shape of a hundred thousand
// dimensions would take minutes without a budget.
TEST(VerifyBytes, SharedArraysCannotMakeItSlow) {
  flatbuffers::FlatBufferBuilder fbb;
  const auto dims = fbb.CreateVector(std::vector<int32_t>(100'000, 1));
  std::vector<flatbuffers::Offset<schema::Tensor>> tensors;
  for (int i = 0; i < 1000; ++i) tensors.push_back(schema::CreateTensor(fbb, dims));
  const auto subgraph = schema::CreateSubGraph(fbb, fbb.CreateVector(tensors));
  const auto subgraphs = fbb.CreateVector({subgraph});
  fbb.Finish(schema::CreateModel(fbb, 3, 0, subgraphs), "TFL3");
  const Fault fault = FaultOf({fbb.GetBufferPointer(), fbb.GetBufferPointer() + fbb.GetSize()});
  EXPECT_EQ(fault.reason, HEDDLE_REASON_MALFORMED);
  EXPECT_THAT(fault.message, HasSubstr("again and again"));
}

// ---- Indices ------------------------------------------------------------------------------------

TEST(VerifyIndices, OperatorInputNamesTheOperator) {
  AddModel model;
  model.op().inputs[1] = 99;
  const Fault fault = FaultOf(model.Build());
  EXPECT_EQ(fault.reason, HEDDLE_REASON_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(fault.place, "subgraphs[0].operators[0].inputs[1]");
  EXPECT_EQ(fault.message, "operator 0 (ADD) of subgraph 0 refers to tensor 99, but there are 3");
  EXPECT_EQ(fault.subgraph, 0);
  EXPECT_EQ(fault.operator_index, 0);
  EXPECT_EQ(fault.tensor, 99);
  EXPECT_EQ(fault.op_name, "ADD");
  EXPECT_EQ(fault.op_version, 1);
}

TEST(VerifyIndices, AbsentOutput) {
  AddModel model;
  model.op().outputs[0] = -1;
  ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE, "subgraphs[0].operators[0].outputs[0]");
}

TEST(VerifyIndices, InputBelowAbsent) {
  AddModel model;
  model.op().inputs[0] = -2;
  ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE, "subgraphs[0].operators[0].inputs[0]");
}

TEST(VerifyIndices, AbsentInputAndIntermediateAreAllowed) {
  AddModel model;
  model.op().inputs.push_back(-1);
  model.op().intermediates = {-1};
  ExpectLoads(model);
}

TEST(VerifyIndices, Intermediate) {
  AddModel model;
  model.op().intermediates = {3};
  ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE,
                "subgraphs[0].operators[0].intermediates[0]");
}

TEST(VerifyIndices, OperatorCode) {
  AddModel model;
  model.op().opcode_index = 1;
  ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE, "subgraphs[0].operators[0].opcode_index");
}

TEST(VerifyIndices, SubgraphInputAndOutput) {
  AddModel model;
  model.graph.inputs = {3};
  ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE, "subgraphs[0].inputs[0]");
  model.graph.inputs = {0};
  model.graph.outputs = {2, -1};
  ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE, "subgraphs[0].outputs[1]");
}

TEST(VerifyIndices, Buffer) {
  AddModel model;
  model.tensor(model.x).buffer = 9;
  ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE, "subgraphs[0].tensors[0].buffer");
}

TEST(VerifyIndices, MetadataBuffer) {
  AddModel model;
  model.metadata.emplace_back("notes", 9);
  ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE, "metadata[0].buffer");
}

TEST(VerifyIndices, ExternalBufferGroup) {
  AddModel model;
  model.external_buffers.push_back({1, 0, 0, 4});
  ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE, "external_buffers[0].group");
}

TEST(VerifyIndices, SignatureTensorAndSubgraph) {
  AddModel tensor;
  tensor.AddSignature("s", 0, {{"x", 0}}, {{"y", 0xffffffffu}});
  ExpectRefused(tensor, HEDDLE_REASON_INDEX_OUT_OF_RANGE, "signature_defs[0].outputs[0]");
  AddModel subgraph;
  subgraph.AddSignature("s", 1, {}, {});
  ExpectRefused(subgraph, HEDDLE_REASON_INDEX_OUT_OF_RANGE, "signature_defs[0].subgraph_index");
}

TEST(VerifyIndices, ControlDependency) {
  AddModel model;
  model.AddMetadata("model_control_dependencies", {1, 1, 1, 0, 2});  // operator 0 before 1
  ExpectRefused(model, HEDDLE_REASON_INDEX_OUT_OF_RANGE, "subgraphs[0].control_edges");
}

// ---- Offsets ------------------------------------------------------------------------------------

TEST(VerifyOffsets, BufferBehindTheEnd) {
  AddModel model;
  model.tensor(model.c).data.reset();
  model.tensor(model.c).buffer = model.AddBufferAt(1 << 20, 12);
  ExpectRefused(model, HEDDLE_REASON_OFFSET_OUT_OF_RANGE, "subgraphs[0].tensors[1].buffer");
}

TEST(VerifyOffsets, OffsetPlusSizeWrapsAround) {
  AddModel model;
  model.tensor(model.c).data.reset();
  model.tensor(model.c).buffer = model.AddBufferAt(std::numeric_limits<uint64_t>::max() - 7, 12);
  ExpectRefused(model, HEDDLE_REASON_OFFSET_OUT_OF_RANGE, "subgraphs[0].tensors[1].buffer");
}

TEST(VerifyOffsets, CustomOptions) {
  AddModel model;
  model.op().large_custom_options_offset = 2;
  model.op().large_custom_options_size = 1 << 20;
  ExpectRefused(model, HEDDLE_REASON_OFFSET_OUT_OF_RANGE,
                "subgraphs[0].operators[0].large_custom_options_offset");
}

// ---- Types, shapes, data ------------------------------------------------------------------------

TEST(VerifyTensors, UnknownType) {
  AddModel model;
  model.tensor(model.y).dtype = static_cast<heddle_dtype>(99);
  ExpectRefused(model, HEDDLE_REASON_BAD_TYPE, "subgraphs[0].tensors[2].type");
}

TEST(VerifyTensors, UnknownVariantType) {
  AddModel model;
  model.tensor(model.y).variant_types = {{static_cast<schema::TensorType>(99), {}}};
  ExpectRefused(model, HEDDLE_REASON_BAD_TYPE, "subgraphs[0].tensors[2].variant_tensors[0].type");
}

TEST(VerifyTensors, SizeOverflows) {
  AddModel model;
  model.tensor(model.y).dims = {0x7fffffff, 0x7fffffff, 0x7fffffff};
  ExpectRefused(model, HEDDLE_REASON_BAD_SHAPE, "subgraphs[0].tensors[2].shape");
}

TEST(VerifyTensors, NegativeDimensionOfAUsedTensor) {
  AddModel model;
  model.tensor(model.x).dims = {-1, 3};
  ExpectRefused(model, HEDDLE_REASON_BAD_SHAPE, "subgraphs[0].inputs[0]");
}

TEST(VerifyTensors, NegativeDimensionOfAConstant) {
  AddModel model;
  model.tensor(model.c).dims = {-3};
  ExpectRefused(model, HEDDLE_REASON_BAD_SHAPE, "subgraphs[0].tensors[1].shape_signature");
}

TEST(VerifyTensors, SignatureOfOtherRankOrBelowMinusOne) {
  AddModel model;
  model.tensor(model.x).shape_signature = {-1};
  ExpectRefused(model, HEDDLE_REASON_BAD_SHAPE, "subgraphs[0].tensors[0].shape_signature");
  model.tensor(model.x).shape_signature = {-2, 3};
  ExpectRefused(model, HEDDLE_REASON_BAD_SHAPE, "subgraphs[0].tensors[0].shape_signature");
}

TEST(VerifyTensors, ConstantOfOtherSize) {
  AddModel model;
  model.tensor(model.c).data->push_back(0);
  const Fault fault = FaultOf(model.Build());
  EXPECT_EQ(fault.reason, HEDDLE_REASON_BUFFER_SIZE_MISMATCH);
  EXPECT_EQ(fault.place, "subgraphs[0].tensors[1].buffer");
  EXPECT_EQ(fault.message,
            "tensor 1 (c) of subgraph 0 of type FLOAT32 and shape [3] takes 12 bytes, but buffer 1 "
            "has 13");
  EXPECT_EQ(fault.tensor, 1);
  EXPECT_EQ(fault.tensor_name, "c");
}

TEST(VerifyTensors, SubByteConstantsArePacked) {
  AddModel model;
  model.graph.ConstantBytes("odd", HEDDLE_DTYPE_INT4, {3, 3}, std::vector<uint8_t>(5));
  model.graph.ConstantBytes("quarter", HEDDLE_DTYPE_INT2, {3, 3}, std::vector<uint8_t>(3));
  ExpectLoads(model);
  model.graph.ConstantBytes("long", HEDDLE_DTYPE_INT4, {3, 3}, std::vector<uint8_t>(9));
  ExpectRefused(model, HEDDLE_REASON_BUFFER_SIZE_MISMATCH, "subgraphs[0].tensors[5].buffer");
}

TEST(VerifyTensors, VariableWithData) {
  AddModel model;
  model.tensor(model.c).Variable();
  ExpectRefused(model, HEDDLE_REASON_BUFFER_SIZE_MISMATCH, "subgraphs[0].tensors[1].buffer");
}

TEST(VerifyTensors, DataHereAndElsewhere) {
  AddModel model;
  model.tensor(model.c).external_buffer = 1;
  ExpectRefused(model, HEDDLE_REASON_BUFFER_SIZE_MISMATCH,
                "subgraphs[0].tensors[1].external_buffer");
}

TEST(VerifyTensors, ConstantWithoutElementsNeedsNoBytes) {
  AddModel model;
  const int32_t shape = model.graph.Tensor("shape", HEDDLE_DTYPE_INT32, {0});
  const int32_t scalar = model.graph.Tensor("scalar", HEDDLE_DTYPE_FLOAT32, {});
  model.graph.Op(HEDDLE_BUILTIN_RESHAPE, {model.y, shape}, {scalar});
  auto loaded = LoadBytes(model.Build());
  ASSERT_TRUE(loaded.ok()) << Describe(loaded.status());
  EXPECT_TRUE(loaded.value()->subgraphs()[0].tensors[3].is_constant);
}

// ---- Strings ------------------------------------------------------------------------------------

class VerifyStrings : public ::testing::Test {
 protected:
  VerifyStrings() {
    strings_ = model_.graph.ConstantStrings("strings", {2}, {"ab", "cde"});
    ExpectLoads(model_);
  }
  void Set(size_t number, int32_t value) {
    std::memcpy(model_.tensor(strings_).data->data() + number * 4, &value, 4);
  }
  void ExpectBad() {
    ExpectRefused(model_, HEDDLE_REASON_BAD_STRING_TENSOR, "subgraphs[0].tensors[3].buffer");
  }
  AddModel model_;
  int32_t strings_;
};

TEST_F(VerifyStrings, NegativeCount) {
  Set(0, -1);
  ExpectBad();
}
TEST_F(VerifyStrings, CountBeyondTheBytes) {
  Set(0, 0x7fffffff);
  ExpectBad();
}
TEST_F(VerifyStrings, CountOtherThanTheShape) {
  model_.tensor(strings_).dims = {3};
  ExpectBad();
}
TEST_F(VerifyStrings, OffsetInsideTheTable) {
  Set(1, 4);
  ExpectBad();
}
TEST_F(VerifyStrings, OffsetsGoDown) {
  Set(2, 15);
  ExpectBad();
}
TEST_F(VerifyStrings, OffsetBehindTheEnd) {
  Set(3, 22);
  ExpectBad();
}
TEST_F(VerifyStrings, TooShortForACount) {
  model_.tensor(strings_).data = std::vector<uint8_t>{1};
  ExpectBad();
}

}  // namespace
}  // namespace heddle
