// SPDX-License-Identifier: Apache-2.0
// What the op cases cannot hold of the ops that move elements: strings, elements of 4 bits, outputs
// in the memory of inputs.
#include <limits>

#include "tests/kernels/op_tester.h"

namespace heddle::testing {
namespace {

using Strings = std::vector<std::string>;

const Strings kFruit = {"fig", "", "apple", "\xc3\xa4pfel", "nut", "melon"};

void AddStrings(OpTester& op, std::vector<int32_t> dims, const Strings& values) {
  op.InputBytes(HEDDLE_DTYPE_STRING, std::move(dims), StringTensorBytes(values));
}

void ExpectStrings(OpTester& op, const std::vector<int32_t>& dims, const Strings& values) {
  op.Output(HEDDLE_DTYPE_STRING);
  const Value value = op.Result();
  EXPECT_EQ(ShapeText(value.dims), ShapeText(dims));
  EXPECT_EQ(value.bytes, StringTensorBytes(values));
}

// Elements of 4 bits, two in a byte, the first in the low half.
std::vector<uint8_t> Packed(const std::vector<int>& values) {
  std::vector<uint8_t> bytes((values.size() + 1) / 2);
  for (size_t i = 0; i < values.size(); ++i) {
    bytes[i / 2] = static_cast<uint8_t>(bytes[i / 2] | (values[i] & 15) << (i % 2 * 4));
  }
  return bytes;
}

void AddInt4(OpTester& op, std::vector<int32_t> dims, const std::vector<int>& values) {
  op.InputBytes(HEDDLE_DTYPE_INT4, std::move(dims), Packed(values));
}

void ExpectInt4(OpTester& op, const std::vector<int32_t>& dims, const std::vector<int>& values) {
  op.Output(HEDDLE_DTYPE_INT4);
  const Value value = op.Result();
  EXPECT_EQ(ShapeText(value.dims), ShapeText(dims));
  EXPECT_EQ(value.bytes, Packed(values));
}

TEST(MoveStrings, Views) {
  OpTester slice(HEDDLE_BUILTIN_SLICE, 5);
  AddStrings(slice, {2, 3}, kFruit);
  slice.Constant<int32_t>({2}, {0, 1});
  slice.Constant<int32_t>({2}, {2, 2});
  ExpectStrings(slice, {2, 2}, {"", "apple", "nut", "melon"});
  OpTester strided(HEDDLE_BUILTIN_STRIDED_SLICE, 5);
  AddStrings(strided, {6}, kFruit);
  strided.Input<int32_t>({1}, {5});
  strided.Input<int32_t>({1}, {0});
  strided.Input<int32_t>({1}, {-2});
  ExpectStrings(strided, {3}, {"melon", "\xc3\xa4pfel", ""});
  OpTester tile(HEDDLE_BUILTIN_TILE, 2);
  AddStrings(tile, {1, 2}, {"a", "bc"});
  tile.Constant<int32_t>({2}, {2, 2});
  ExpectStrings(tile, {2, 4}, {"a", "bc", "a", "bc", "a", "bc", "a", "bc"});
  OpTester turned(HEDDLE_BUILTIN_TRANSPOSE);
  AddStrings(turned, {2, 3}, kFruit);
  turned.Constant<int32_t>({2}, {1, 0});
  ExpectStrings(turned, {3, 2}, {"fig", "\xc3\xa4pfel", "", "nut", "apple", "melon"});
}

TEST(MoveStrings, NewShapes) {
  OpTester squeeze(HEDDLE_BUILTIN_SQUEEZE, 2);
  AddStrings(squeeze, {1, 2, 1}, {"x", "yz"});
  ExpectStrings(squeeze, {2}, {"x", "yz"});
  OpTester expand(HEDDLE_BUILTIN_EXPAND_DIMS);
  AddStrings(expand, {2}, {"x", "yz"});
  expand.Constant<int32_t>({}, {0});
  ExpectStrings(expand, {1, 2}, {"x", "yz"});
  OpTester fill(HEDDLE_BUILTIN_FILL);
  fill.Input<int32_t>({2}, {1, 3});
  AddStrings(fill, {}, {"same"});
  ExpectStrings(fill, {1, 3}, {"same", "same", "same"});
  OpTester none(HEDDLE_BUILTIN_FILL);
  none.Constant<int64_t>({2}, {0, 3});
  AddStrings(none, {}, {"same"});
  ExpectStrings(none, {0, 3}, {});
}

TEST(MoveStrings, ByIndices) {
  OpTester gather(HEDDLE_BUILTIN_GATHER);
  AddStrings(gather, {6}, kFruit);
  gather.Input<int64_t>({2, 2}, {5, 0, 1, 5});
  ExpectStrings(gather, {2, 2}, {"melon", "fig", "", "melon"});
  OpTester rows(HEDDLE_BUILTIN_GATHER);
  AddStrings(rows, {2, 3}, kFruit);
  rows.Input<int32_t>({1}, {1});
  ExpectStrings(rows, {1, 3}, {"\xc3\xa4pfel", "nut", "melon"});
  OpTester gather_nd(HEDDLE_BUILTIN_GATHER_ND);
  AddStrings(gather_nd, {2, 3}, kFruit);
  gather_nd.Input<int32_t>({2, 2}, {1, 2, 0, 0});
  ExpectStrings(gather_nd, {2}, {"melon", "fig"});
}

TEST(MoveStrings, DamagedOnesAreRefused) {
  const std::vector<uint8_t> good = StringTensorBytes({"ab", "c"});
  // Count; where the first begins; where the second ends.
  for (const auto& [at, value] : {std::pair(0, 3), {4, 0}, {4, 200}, {8, 1}, {12, 20}}) {
    std::vector<uint8_t> bytes = good;
    bytes[static_cast<size_t>(at)] = static_cast<uint8_t>(value);
    OpTester op(HEDDLE_BUILTIN_GATHER);
    op.InputBytes(HEDDLE_DTYPE_STRING, {2}, bytes);
    op.Input<int32_t>({1}, {1});
    op.Output(HEDDLE_DTYPE_STRING);
    op.ExpectRefused(HEDDLE_REASON_BAD_STRING_TENSOR, "inputs[0]", "no tensor of strings");
  }
}

TEST(MoveInt4, Views) {
  OpTester slice(HEDDLE_BUILTIN_SLICE, 8);
  AddInt4(slice, {3, 3}, {1, 2, 3, 4, 5, 6, 7, -8, -1});
  slice.Constant<int32_t>({2}, {1, 1});
  slice.Constant<int32_t>({2}, {2, 2});
  ExpectInt4(slice, {2, 2}, {5, 6, -8, -1});
  OpTester turned(HEDDLE_BUILTIN_TRANSPOSE, 6);
  AddInt4(turned, {3, 3}, {1, 2, 3, 4, 5, 6, 7, -8, -1});
  turned.Constant<int32_t>({2}, {1, 0});
  ExpectInt4(turned, {3, 3}, {1, 4, 7, 2, 5, -8, 3, 6, -1});
}

TEST(MoveInt4, IntoOthers) {
  OpTester gather(HEDDLE_BUILTIN_GATHER, 8);
  AddInt4(gather, {3, 3}, {1, 2, 3, 4, 5, 6, 7, -8, -1});
  gather.Input<int16_t>({3}, {2, 0, 2});
  ExpectInt4(gather, {3, 3}, {7, -8, -1, 1, 2, 3, 7, -8, -1});
  OpTester whole_bytes(HEDDLE_BUILTIN_GATHER, 8);
  AddInt4(whole_bytes, {3, 2}, {1, 2, 3, 4, 5, 6});
  whole_bytes.Input<int32_t>({2}, {2, 1});
  ExpectInt4(whole_bytes, {2, 2}, {5, 6, 3, 4});
  OpTester update(HEDDLE_BUILTIN_DYNAMIC_UPDATE_SLICE, 4);
  AddInt4(update, {3, 3}, {1, 2, 3, 4, 5, 6, 7, -8, -1});
  AddInt4(update, {2, 1}, {-2, -3});
  update.Input<int32_t>({2}, {7, 1});
  ExpectInt4(update, {3, 3}, {1, 2, 3, 4, -2, 6, 7, -3, -1});
}

TEST(MoveInt4, TablesOfRealNumbers) {
  OpTester lookup(HEDDLE_BUILTIN_EMBEDDING_LOOKUP, 4);
  lookup.Input<int32_t>({3}, {1, 0, 1});
  lookup.InputBytes(HEDDLE_DTYPE_INT4, {2, 3}, Packed({1, -2, 7, -8, 3, -1}))
      .QuantizedPerAxis({0.5f, 0.25f}, {0, 0}, 0);
  lookup.Output(HEDDLE_DTYPE_FLOAT32);
  lookup.Expect<float>({3, 3}, {-2, 0.75f, -0.25f, 0.5f, -1, 3.5f, -2, 0.75f, -0.25f});
  OpTester two_bits(HEDDLE_BUILTIN_EMBEDDING_LOOKUP, 5);
  two_bits.Input<int32_t>({1}, {1});
  two_bits.InputBytes(HEDDLE_DTYPE_INT2, {2, 4}, {0x00, 0b01'10'11'00}).Quantized(2, 0);
  two_bits.Output(HEDDLE_DTYPE_FLOAT32);
  two_bits.Expect<float>({1, 4}, {0, -2, -4, 2});
}

// Whole dimensions of input 0: an empty row of indices.
TEST(GatherNd, EmptyRowsMeanTheWhole) {
  OpTester op(HEDDLE_BUILTIN_GATHER_ND);
  op.Input<float>({2}, {1, 2});
  op.Input<int32_t>({3, 0}, {});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Expect<float>({3, 2}, {1, 2, 1, 2, 1, 2});
}

// The oracle refuses axes that are no neighbours.
TEST(Reverse, AxesApart) {
  OpTester op(HEDDLE_BUILTIN_REVERSE_V2);
  op.Input<int32_t>({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7});
  op.Constant<int32_t>({2}, {0, 2});
  op.Output(HEDDLE_DTYPE_INT32);
  op.Expect<int32_t>({2, 2, 2}, {5, 4, 7, 6, 1, 0, 3, 2});
}

TEST(Unique, ZerosAreOneAndNansAreOne) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  OpTester op(HEDDLE_BUILTIN_UNIQUE);
  op.Input<float>({6}, {nan, 0.0f, 1, -0.0f, nan, 1});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Output(HEDDLE_DTYPE_INT32);
  op.Options([](FlatBufferBuilder& fbb) { return schema::CreateUniqueOptions(fbb); });
  auto values = op.Run();
  ASSERT_TRUE(values.ok()) << values.status().message();
  EXPECT_EQ((*values)[0].dims, std::vector<int32_t>{3});
  EXPECT_EQ((*values)[1].As<int32_t>(), (std::vector<int32_t>{0, 1, 2, 1, 0, 2}));
}

}  // namespace
}  // namespace heddle::testing
