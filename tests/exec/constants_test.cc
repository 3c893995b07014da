// SPDX-License-Identifier: Apache-2.0
// How constants reach ops: dense, though the file may store them sparsely, and with the scales of
// their blocks, though those lie in a tensor of their own.
#include <gmock/gmock.h>

#include "tests/exec/control_graphs.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

// y = x + a sparse [2, 4]; columns by runs of 2. `block_map`: which dimension the runs cut.
void AddSparse(ModelBuilder& model, const std::vector<int32_t>& block_map) {
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {2, 4});
  const int32_t w = graph.Constant<float>("w", {2, 4}, {1, 2, 3, 4, 5, 6});
  graph.tensor(w).sparsity = [block_map](FlatBufferBuilder& fbb) {
    std::vector<flatbuffers::Offset<schema::DimensionMetadata>> levels;
    levels.push_back(schema::CreateDimensionMetadata(fbb, schema::DimensionType::DENSE, 2));
    const auto segments =
        schema::CreateInt32Vector(fbb, fbb.CreateVector(std::vector<int32_t>{0, 1, 3}));
    const auto indices =
        schema::CreateInt32Vector(fbb, fbb.CreateVector(std::vector<int32_t>{1, 0, 1}));
    levels.push_back(schema::CreateDimensionMetadata(
        fbb, schema::DimensionType::SPARSE_CSR, 0, schema::SparseIndexVector::Int32Vector,
        segments.Union(), schema::SparseIndexVector::Int32Vector, indices.Union()));
    std::vector<int32_t> order = {0, 1};
    for (size_t b = 0; b < block_map.size(); ++b) {
      const int32_t size = b == 0 ? 2 : 1;
      levels.push_back(schema::CreateDimensionMetadata(fbb, schema::DimensionType::DENSE, size));
      order.push_back(static_cast<int32_t>(2 + b));
    }
    const auto order_vector = fbb.CreateVector(order);
    const auto map_vector = fbb.CreateVector(block_map);
    return schema::CreateSparsityParameters(fbb, order_vector, map_vector,
                                            fbb.CreateVector(levels));
  };
  const int32_t y = graph.Tensor("y", kFloat, {2, 4});
  Add(graph, x, w, y);
  graph.Output(y);
}

TEST(Constants, SparseOnesAreDenseForOps) {
  ModelBuilder model;
  AddSparse(model, {1});
  Rig rig;
  rig.Start(model);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK) << rig.error.text();
  rig.Set<float>(0, {10, 20, 30, 40, 50, 60, 70, 80});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(10, 20, 31, 42, 53, 64, 75, 86));
}

TEST(Constants, BlocksHaveTheScalesOfTheirTensor) {
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {1, 4});
  const int32_t scales = graph.Constant<float>("scales", {1, 2}, {0.5f, 2});
  const int32_t w = graph.Constant<uint8_t>("w", {1, 4}, {});
  graph.tensor(w).dtype = HEDDLE_DTYPE_INT4;
  graph.tensor(w).data = std::vector<uint8_t>{0xf1, 0x32};  // 1, -1, 2, 3
  graph.tensor(w).quantization = [scales](FlatBufferBuilder& fbb) {
    const auto details = schema::CreateBlockwiseQuantization(fbb, scales, -1, 2);
    return schema::CreateQuantizationParameters(
        fbb, 0, 0, 0, 0, schema::QuantizationDetails::BlockwiseQuantization, details.Union());
  };
  const int32_t y = graph.Tensor("y", kFloat, {1, 1});
  graph.Op(HEDDLE_BUILTIN_FULLY_CONNECTED, {x, w, -1}, {y}).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateFullyConnectedOptions(fbb);
  });
  graph.Output(y);
  Rig rig;
  rig.Start(model);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK) << rig.error.text();
  rig.Set<float>(0, {1, 2, 3, 4});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  // (1 * 1 - 2 * 1) * 0.5 + (3 * 2 + 4 * 3) * 2, of inputs in steps of 4 / 255
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(FloatNear(35.5f, 0.1f)));
}

}  // namespace
}  // namespace heddle::testing
