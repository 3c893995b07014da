// SPDX-License-Identifier: Apache-2.0
// What ops that move, index and select values refuse, and how they say so.
#include <cmath>
#include <limits>

#include "tests/kernels/op_tester.h"

namespace heddle::testing {
namespace {

// `lists` of int32 behind a float input, constants or known only while running.
void ExpectListsRefused(int32_t code, const std::vector<int32_t>& dims,
                        const std::vector<std::vector<int32_t>>& lists, heddle_reason reason,
                        const std::string& place, const std::string& words) {
  for (const bool late : {false, true}) {
    size_t count = 1;
    for (const int32_t dim : dims) count *= static_cast<size_t>(dim);
    OpTester op(code, code == HEDDLE_BUILTIN_BROADCAST_TO ? 2 : 1);
    op.Input<float>(dims, std::vector<float>(count));
    for (const std::vector<int32_t>& list : lists) {
      const std::vector<int32_t> shape = {static_cast<int32_t>(list.size())};
      if (late) {
        op.Input<int32_t>(shape, list);
      } else {
        op.Constant<int32_t>(shape, list);
      }
    }
    op.Output(HEDDLE_DTYPE_FLOAT32);
    op.ExpectRefused(reason, place, words);
  }
}

TEST(RefuseViews, Lists) {
  constexpr auto kRange = HEDDLE_REASON_DATA_OUT_OF_RANGE;
  constexpr auto kShapes = HEDDLE_REASON_SHAPES_DIFFER;
  for (const auto& [begin, size] : {std::pair(-1, 1), {0, 4}, {4, 0}, {2, 2}, {0, -2}}) {
    ExpectListsRefused(HEDDLE_BUILTIN_SLICE, {3}, {{begin}, {size}}, kRange, "inputs[1]", "begin");
  }
  ExpectListsRefused(HEDDLE_BUILTIN_SLICE, {3}, {{0, 0}, {1, 1}}, kShapes, "inputs[1]", "entries");
  ExpectListsRefused(HEDDLE_BUILTIN_STRIDED_SLICE, {3}, {{0}, {1}, {0}}, kRange, "inputs[3]",
                     "stride 0");
  ExpectListsRefused(HEDDLE_BUILTIN_STRIDED_SLICE, {3}, {{0, 0}, {1, 1}, {1, 1}}, kShapes,
                     "inputs[1]", "2 entries");
  ExpectListsRefused(HEDDLE_BUILTIN_STRIDED_SLICE, {3}, {{0}, {1, 1}, {1}}, kShapes, "inputs[2]",
                     "2 entries");
  ExpectListsRefused(HEDDLE_BUILTIN_TILE, {3}, {{-1}}, kRange, "inputs[1]", "multiple -1");
  ExpectListsRefused(HEDDLE_BUILTIN_TILE, {3}, {{INT32_MAX}}, kRange, "inputs[1]", "multiple");
  ExpectListsRefused(HEDDLE_BUILTIN_TILE, {3}, {{1, 1}}, kShapes, "inputs[1]", "2 multiples");
  ExpectListsRefused(HEDDLE_BUILTIN_BROADCAST_TO, {3}, {{2}}, kShapes, "inputs[1]", "[3]");
  ExpectListsRefused(HEDDLE_BUILTIN_BROADCAST_TO, {1, 3}, {{3}}, kShapes, "inputs[1]", "[1,3]");
  ExpectListsRefused(HEDDLE_BUILTIN_BROADCAST_TO, {3}, {{-1, 3}}, kRange, "inputs[1]", "-1");
  ExpectListsRefused(HEDDLE_BUILTIN_BROADCAST_TO, {1}, {{1, 1, 1, 1, 1, 1, 1, 1, 1}},
                     HEDDLE_REASON_SHAPE_NOT_SUPPORTED, "inputs[1]", "rank 9");
  ExpectListsRefused(HEDDLE_BUILTIN_REVERSE_V2, {3}, {{1}}, kRange, "inputs[1]", "axis 1");
  ExpectListsRefused(HEDDLE_BUILTIN_EXPAND_DIMS, {3}, {{2}}, kRange, "inputs[1]", "axis 2");
  ExpectListsRefused(HEDDLE_BUILTIN_EXPAND_DIMS, {3}, {{0, 0}}, kShapes, "inputs[1]", "one");
}

void ExpectIndexRefused(int32_t index, const std::string& words) {
  OpTester op(HEDDLE_BUILTIN_STRIDED_SLICE);
  op.Input<float>({3}, {1, 2, 3});
  op.Constant<int32_t>({1}, {index});
  op.Constant<int32_t>({1}, {0});
  op.Constant<int32_t>({1}, {1});
  op.Output(HEDDLE_DTYPE_FLOAT32);
  op.Options(
      [](FlatBufferBuilder& fbb) { return schema::CreateStridedSliceOptions(fbb, 0, 0, 0, 0, 1); });
  op.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", words);
}

TEST(RefuseStridedSlice, IndicesAndMasks) {
  ExpectIndexRefused(3, "index 3");
  ExpectIndexRefused(-4, "index -4");
  OpTester two(HEDDLE_BUILTIN_STRIDED_SLICE);
  two.Input<float>({3}, {1, 2, 3});
  for (int i = 0; i < 3; ++i) two.Constant<int32_t>({2}, {1, 1});
  two.Output(HEDDLE_DTYPE_FLOAT32);
  two.Options(
      [](FlatBufferBuilder& fbb) { return schema::CreateStridedSliceOptions(fbb, 0, 0, 3); });
  two.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", "2 of them an ellipsis");
  OpTester offset(HEDDLE_BUILTIN_STRIDED_SLICE, 8);
  offset.Input<float>({3}, {1, 2, 3});
  offset.Input<int32_t>({1}, {2});
  offset.Constant<int32_t>({1}, {2});
  offset.Constant<int32_t>({1}, {1});
  offset.Output(HEDDLE_DTYPE_FLOAT32);
  offset.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateStridedSliceOptions(fbb, 0, 0, 0, 0, 0, true);
  });
  offset.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[2]", "2 elements from 2");
}

TEST(RefuseBlocks, SizesAndShapes) {
  const auto block = [](int32_t size) {
    return [=](FlatBufferBuilder& fbb) { return schema::CreateSpaceToDepthOptions(fbb, size); };
  };
  for (const int32_t size : {0, -1, INT32_MIN}) {
    OpTester op(HEDDLE_BUILTIN_SPACE_TO_DEPTH);
    op.Input<float>({1, 2, 2, 1}, {1, 2, 3, 4});
    op.Output(HEDDLE_DTYPE_FLOAT32);
    op.Options(block(size));
    op.ExpectRefused(HEDDLE_REASON_ATTRIBUTE_INVALID, "", "block_size");
  }
  OpTester odd(HEDDLE_BUILTIN_SPACE_TO_DEPTH);
  odd.Input<float>({1, 2, 2, 1}, {1, 2, 3, 4});
  odd.Output(HEDDLE_DTYPE_FLOAT32);
  odd.Options(block(3));
  odd.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[0]", "blocks of 3");
  OpTester depth(HEDDLE_BUILTIN_DEPTH_TO_SPACE);
  depth.Input<float>({1, 1, 1, 2}, {1, 2});
  depth.Output(HEDDLE_DTYPE_FLOAT32);
  depth.Options([](FlatBufferBuilder& fbb) { return schema::CreateDepthToSpaceOptions(fbb, 2); });
  depth.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[0]", "blocks of 2");
  for (const auto& [size, pad] : {std::pair(0, 0), {2, -1}, {2, 1}, {-2, 0}}) {
    OpTester op(HEDDLE_BUILTIN_SPACE_TO_BATCH_ND);
    op.Input<float>({1, 2, 1}, {1, 2});
    op.Input<int32_t>({1}, {size});
    op.Input<int32_t>({1, 2}, {pad, 0});
    op.Output(HEDDLE_DTYPE_FLOAT32);
    op.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, size > 0 ? "inputs[2]" : "inputs[1]",
                     "do not fit");
  }
  OpTester crops(HEDDLE_BUILTIN_BATCH_TO_SPACE_ND);
  crops.Input<float>({2, 1, 1}, {1, 2});
  crops.Constant<int32_t>({1}, {2});
  crops.Constant<int32_t>({1, 2}, {2, 1});
  crops.Output(HEDDLE_DTYPE_FLOAT32);
  crops.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[2]", "do not fit");
}

TEST(RefuseParts, ShapesSizesScales) {
  const auto pack = [](int32_t count, int32_t axis) {
    return [=](FlatBufferBuilder& fbb) { return schema::CreatePackOptions(fbb, count, axis); };
  };
  OpTester shapes(HEDDLE_BUILTIN_PACK);
  shapes.Input<float>({2}, {1, 2});
  shapes.Input<float>({1}, {1});
  shapes.Output(HEDDLE_DTYPE_FLOAT32);
  shapes.Options(pack(2, 0));
  shapes.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", "[1]");
  OpTester axis(HEDDLE_BUILTIN_PACK);
  axis.Input<float>({2}, {1, 2});
  axis.Output(HEDDLE_DTYPE_FLOAT32);
  axis.Options(pack(1, 2));
  axis.ExpectRefused(HEDDLE_REASON_ATTRIBUTE_INVALID, "", "axis 2");
  OpTester scales(HEDDLE_BUILTIN_PACK, 2);
  scales.Input<int8_t>({1}, {1}).Quantized(0.5f, 0);
  scales.Output(HEDDLE_DTYPE_INT8).Quantized(0.25f, 0);
  scales.Options(pack(1, 0));
  scales.ExpectRefused(HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, "inputs[0]", "0.25");
  OpTester unpack(HEDDLE_BUILTIN_UNPACK);
  unpack.Input<float>({2}, {1, 2});
  unpack.Output(HEDDLE_DTYPE_FLOAT32);
  unpack.Options([](FlatBufferBuilder& fbb) { return schema::CreateUnpackOptions(fbb, 1, 0); });
  unpack.ExpectRefused(HEDDLE_REASON_WRONG_OPERAND_COUNT, "", "1 outputs");
  OpTester split(HEDDLE_BUILTIN_SPLIT);
  split.Constant<int32_t>({}, {0});
  split.Input<float>({3}, {1, 2, 3});
  split.Output(HEDDLE_DTYPE_FLOAT32);
  split.Output(HEDDLE_DTYPE_FLOAT32);
  split.Options([](FlatBufferBuilder& fbb) { return schema::CreateSplitOptions(fbb, 2); });
  split.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[1]", "2 equal parts");
  for (const std::vector<int32_t>& sizes :
       {std::vector<int32_t>{-1, -1}, {1, 1}, {4, -1}, {-2, 5}, {3}, {INT32_MAX, INT32_MAX}}) {
    OpTester op(HEDDLE_BUILTIN_SPLIT_V);
    op.Input<float>({3}, {1, 2, 3});
    op.Input<int32_t>({static_cast<int32_t>(sizes.size())}, sizes);
    op.Constant<int32_t>({}, {0});
    op.Output(HEDDLE_DTYPE_FLOAT32);
    op.Output(HEDDLE_DTYPE_FLOAT32);
    op.Options([](FlatBufferBuilder& fbb) { return schema::CreateSplitVOptions(fbb, 2); });
    op.ExpectRefused(HEDDLE_REASON_DATA_OUT_OF_RANGE, "inputs[1]", "sizes");
  }
  OpTester squeeze(HEDDLE_BUILTIN_SQUEEZE);
  squeeze.Input<float>({1, 2}, {1, 2});
  squeeze.Output(HEDDLE_DTYPE_FLOAT32);
  squeeze.Options([](FlatBufferBuilder& fbb) {
    return schema::CreateSqueezeOptions(fbb, fbb.CreateVector<int32_t>({1}));
  });
  squeeze.ExpectRefused(HEDDLE_REASON_SHAPES_DIFFER, "inputs[0]", "dimension 1");
}

TEST(RefuseIndices, OutOfRange) {
  constexpr auto kRange = HEDDLE_REASON_DATA_OUT_OF_RANGE;
  for (const int32_t index : {-1, 3, INT32_MIN, INT32_MAX}) {
    const std::string words = StrCat("index ", index, " at element 1 is not in [0, 3)");
    OpTester gather(HEDDLE_BUILTIN_GATHER);
    gather.Input<float>({3}, {1, 2, 3});
    gather.Input<int32_t>({2}, {0, index});
    gather.Output(HEDDLE_DTYPE_FLOAT32);
    gather.ExpectRefused(kRange, "inputs[1]", words);
    OpTester gather_nd(HEDDLE_BUILTIN_GATHER_ND);
    gather_nd.Input<float>({2, 3}, std::vector<float>(6));
    gather_nd.Input<int32_t>({1, 2}, {1, index});
    gather_nd.Output(HEDDLE_DTYPE_FLOAT32);
    gather_nd.ExpectRefused(kRange, "inputs[1]", words);
    OpTester scatter(HEDDLE_BUILTIN_SCATTER_ND);
    scatter.Input<int32_t>({2, 1}, {0, index});
    scatter.Input<float>({2}, {1, 2});
    scatter.Constant<int32_t>({1}, {3});
    scatter.Output(HEDDLE_DTYPE_FLOAT32);
    scatter.ExpectRefused(kRange, "inputs[0]", words);
    OpTester sparse(HEDDLE_BUILTIN_SPARSE_TO_DENSE);
    sparse.Input<int32_t>({2}, {0, index});
    sparse.Constant<int32_t>({1}, {3});
    sparse.Input<float>({2}, {1, 2});
    sparse.Input<float>({}, {0});
    sparse.Output(HEDDLE_DTYPE_FLOAT32);
    sparse.ExpectRefused(kRange, "inputs[0]", words);
    OpTester lookup(HEDDLE_BUILTIN_EMBEDDING_LOOKUP);
    lookup.Input<int32_t>({2}, {0, index});
    lookup.Input<float>({3, 1}, {1, 2, 3});
    lookup.Output(HEDDLE_DTYPE_FLOAT32);
    lookup.ExpectRefused(kRange, "inputs[0]", words);
    OpTester sequence(HEDDLE_BUILTIN_REVERSE_SEQUENCE);
    sequence.Input<float>({1, 2}, {1, 2});
    sequence.Input<int32_t>({1}, {index});
    sequence.Output(HEDDLE_DTYPE_FLOAT32);
    sequence.Options(
        [](FlatBufferBuilder& fbb) { return schema::CreateReverseSequenceOptions(fbb, 1, 0); });
    sequence.ExpectRefused(kRange, "inputs[1]", StrCat("length ", index));
  }
}

TEST(RefuseShapes, ThatDoNotFit) {
  constexpr auto kShapes = HEDDLE_REASON_SHAPES_DIFFER;
  OpTester gather(HEDDLE_BUILTIN_GATHER);
  gather.Input<float>({2, 3}, std::vector<float>(6));
  gather.Input<int32_t>({3, 1}, {0, 0, 0});
  gather.Output(HEDDLE_DTYPE_FLOAT32);
  gather.Options([](FlatBufferBuilder& fbb) { return schema::CreateGatherOptions(fbb, 1, 1); });
  gather.ExpectRefused(kShapes, "inputs[1]", "first 1 dimensions");
  OpTester scatter(HEDDLE_BUILTIN_SCATTER_ND);
  scatter.Input<int32_t>({1, 1}, {0});
  scatter.Input<float>({2}, {1, 2});
  scatter.Input<int32_t>({1}, {3});
  scatter.Output(HEDDLE_DTYPE_FLOAT32);
  scatter.ExpectRefused(kShapes, "inputs[1]", "wanted is [1]");
  OpTester select(HEDDLE_BUILTIN_SELECT_V2);
  select.InputBytes(HEDDLE_DTYPE_BOOL, {2}, {1, 0});
  select.Input<float>({3}, {1, 2, 3});
  select.Input<float>({}, {1});
  select.Output(HEDDLE_DTYPE_FLOAT32);
  select.ExpectRefused(kShapes, "inputs[1]", "common one");
  OpTester update(HEDDLE_BUILTIN_DYNAMIC_UPDATE_SLICE);
  update.Input<float>({1}, {1});
  update.Input<float>({2}, {1, 2});
  update.Input<int32_t>({1}, {0});
  update.Output(HEDDLE_DTYPE_FLOAT32);
  update.ExpectRefused(kShapes, "inputs[1]", "does not fit");
  OpTester diagonal(HEDDLE_BUILTIN_MATRIX_SET_DIAG);
  diagonal.Input<float>({1, 2}, {1, 2});
  diagonal.Input<float>({2}, {1, 2});
  diagonal.Output(HEDDLE_DTYPE_FLOAT32);
  diagonal.ExpectRefused(kShapes, "inputs[1]", "wanted is [1]");
}

TEST(RefuseNumbers, ThatMakeNoSense) {
  constexpr auto kRange = HEDDLE_REASON_DATA_OUT_OF_RANGE;
  OpTester top(HEDDLE_BUILTIN_TOPK_V2);
  top.Input<float>({2}, {1, 2});
  top.Input<int32_t>({}, {3});
  top.Output(HEDDLE_DTYPE_FLOAT32);
  top.Output(HEDDLE_DTYPE_INT32);
  top.ExpectRefused(kRange, "inputs[1]", "k is 3");
  OpTester depth(HEDDLE_BUILTIN_ONE_HOT);
  depth.Input<int32_t>({1}, {0});
  depth.Input<int32_t>({}, {-1});
  depth.Input<float>({}, {1});
  depth.Input<float>({}, {0});
  depth.Output(HEDDLE_DTYPE_FLOAT32);
  depth.Options([](FlatBufferBuilder& fbb) { return schema::CreateOneHotOptions(fbb, -1); });
  depth.ExpectRefused(kRange, "inputs[1]", "depth -1");
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::vector<float>& numbers : {std::vector<float>{0, 1, 0},
                                            {0, 1, -1},
                                            {0, 1, std::nanf("")},
                                            {0, inf, 1},
                                            {0, 1, 1e-30f}}) {
    OpTester range(HEDDLE_BUILTIN_RANGE);
    for (const float number : numbers) range.Input<float>({}, {number});
    range.Output(HEDDLE_DTYPE_FLOAT32);
    range.ExpectRefused(kRange, "inputs[2]", "delta");
  }
  OpTester wide(HEDDLE_BUILTIN_RANGE);
  for (const int64_t number : {INT64_MIN, INT64_MAX, int64_t{1}}) wide.Input<int64_t>({}, {number});
  wide.Output(HEDDLE_DTYPE_INT64);
  wide.ExpectRefused(kRange, "inputs[2]", "delta");
  OpTester mirror(HEDDLE_BUILTIN_MIRROR_PAD);
  mirror.Input<float>({2}, {1, 2});
  mirror.Input<int32_t>({1, 2}, {2, 0});
  mirror.Output(HEDDLE_DTYPE_FLOAT32);
  mirror.ExpectRefused(kRange, "inputs[1]", "paddings 2");
}

}  // namespace
}  // namespace heddle::testing
