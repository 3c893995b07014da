// SPDX-License-Identifier: Apache-2.0
// Broken quantisation and sparsity parameters.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "tests/model/model_testing.h"

namespace heddle {
namespace {

using namespace ::heddle::testing;  // NOLINT: the builder's names are this file's vocabulary
using flatbuffers::Offset;

// ---- Quantisation -------------------------------------------------------------------------------

class VerifyQuantization : public ::testing::Test {
 protected:
  VerifyQuantization() {
    weights_ = model_.graph.Constant<int8_t>("w", {2, 3}, {1, 2, 3, 4, 5, 6});
    scales_ = model_.graph.Constant<float>("s", {2}, {1, 2});
  }
  void ExpectBad(const std::string& below, heddle_reason reason = HEDDLE_REASON_BAD_QUANTIZATION) {
    ExpectRefused(model_, reason, "subgraphs[0].tensors[3].quantization." + below);
  }
  TensorSpec& weights() { return model_.tensor(weights_); }
  void Blockwise(int32_t scales, int32_t zero_points, int32_t block_size,
                 std::vector<int32_t> block_shape = {}, int32_t axis = 0) {
    weights().quantization = [=](FlatBufferBuilder& fbb) {
      const auto shape = block_shape.empty() ? 0 : fbb.CreateVector(block_shape);
      const auto details =
          schema::CreateBlockwiseQuantization(fbb, scales, zero_points, block_size, shape);
      return schema::CreateQuantizationParameters(
          fbb, 0, 0, 0, 0, schema::QuantizationDetails::BlockwiseQuantization, details.Union(),
          axis);
    };
  }
  void MultiAxis(int32_t scales, std::vector<int32_t> axes, int32_t block_size = 0) {
    weights().quantization = [=](FlatBufferBuilder& fbb) {
      const auto details =
          schema::CreateMultiAxisQuantization(fbb, scales, -1, block_size, fbb.CreateVector(axes));
      return schema::CreateQuantizationParameters(
          fbb, 0, 0, 0, 0, schema::QuantizationDetails::MultiAxisQuantization, details.Union());
    };
  }

  AddModel model_;
  int32_t weights_, scales_;
};

TEST_F(VerifyQuantization, RightOnes) {
  weights().Quantized(0.5f, -128);
  ExpectLoads(model_);
  weights().QuantizedPerAxis({1, 2, 3}, {0, 0, 0}, 1);
  ExpectLoads(model_);
  weights().QuantizedPerAxis({1, 2, 3}, {}, 1);
  ExpectLoads(model_);
  weights().QuantizedPerAxis({0.f}, {0}, 0);
  ExpectLoads(model_);
  Blockwise(scales_, -1, 3);
  ExpectLoads(model_);
  Blockwise(scales_, scales_, 0, {1, 3});
  ExpectLoads(model_);
  MultiAxis(scales_, {0});
  ExpectLoads(model_);
}

TEST_F(VerifyQuantization, ScaleCountOtherThanTheDimension) {
  weights().QuantizedPerAxis({1, 2}, {0, 0}, 1);
  ExpectBad("scale");
}
TEST_F(VerifyQuantization, AxisOutOfRange) {
  weights().QuantizedPerAxis({1, 2}, {0, 0}, 2);
  ExpectBad("quantized_dimension");
  weights().QuantizedPerAxis({1, 2}, {0, 0}, -1);
  ExpectBad("quantized_dimension");
}
TEST_F(VerifyQuantization, ZeroPointCount) {
  weights().QuantizedPerAxis({1, 2, 3}, {0, 0}, 1);
  ExpectBad("zero_point");
}
TEST_F(VerifyQuantization, ZeroPointOutsideTheType) {
  weights().Quantized(1, 128);
  ExpectBad("zero_point[0]");
  weights().QuantizedPerAxis({1, 2}, {0, int64_t{1} << 40}, 0);
  ExpectBad("zero_point[1]");
}
TEST_F(VerifyQuantization, ScaleThatIsNoNumber) {
  for (const float scale :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1.f}) {
    weights().QuantizedPerAxis({1, scale}, {0, 0}, 0);
    ExpectBad("scale[1]");
  }
}
TEST_F(VerifyQuantization, BlockwiseTensors) {
  Blockwise(5, -1, 3);
  ExpectBad("details.scales", HEDDLE_REASON_INDEX_OUT_OF_RANGE);
  Blockwise(scales_, -2, 3);
  ExpectBad("details.zero_points", HEDDLE_REASON_INDEX_OUT_OF_RANGE);
  Blockwise(weights_, -1, 3);
  ExpectBad("details.scales");
}
TEST_F(VerifyQuantization, BlockSizes) {
  Blockwise(scales_, -1, 0);
  ExpectBad("details.block_size");
  Blockwise(scales_, -1, 4);
  ExpectBad("details.block_size");
  Blockwise(scales_, -1, 3, {1, -3});
  ExpectBad("details.block_size");
  Blockwise(scales_, -1, 3, {3});
  ExpectBad("details.block_shape");
  Blockwise(scales_, -1, 3, {}, 2);
  ExpectBad("quantized_dimension");
}
TEST_F(VerifyQuantization, SeveralAxes) {
  MultiAxis(scales_, {0, 0});
  ExpectBad("details.quantized_dimensions[1]");
  MultiAxis(scales_, {0, 2});
  ExpectBad("details.quantized_dimensions[1]");
  MultiAxis(scales_, {0, 1});
  ExpectBad("details.scales");
  MultiAxis(scales_, {0}, -1);
  ExpectBad("details.block_size");
  MultiAxis(-1, {0});
  ExpectBad("details.scales", HEDDLE_REASON_INDEX_OUT_OF_RANGE);
}

// ---- Sparsity -----------------------------------------------------------------------------------

struct LevelSpec {
  schema::DimensionType format = schema::DimensionType::DENSE;
  int32_t dense_size = 0;
  std::vector<int32_t> segments;
  std::vector<uint8_t> indices;
};

// [[1, 0, 2, 3], [0, 4, 0, 0], [0, 0, 5, 0]]
class VerifySparsity : public ::testing::Test {
 protected:
  VerifySparsity() {
    tensor_ = model_.graph.Constant<int8_t>("w", {3, 4}, {1, 2, 3, 4, 5});
    levels_ = {{schema::DimensionType::DENSE, 3, {}, {}},
               {schema::DimensionType::SPARSE_CSR, 0, {0, 3, 4, 5}, {0, 2, 3, 1, 2}}};
    order_ = {0, 1};
    model_.tensor(tensor_).sparsity = [this](FlatBufferBuilder& fbb) { return Write(fbb); };
    ExpectLoads(model_);
  }
  void ExpectBad(const std::string& below) {
    ExpectRefused(model_, HEDDLE_REASON_BAD_SPARSITY, "subgraphs[0].tensors[3].sparsity." + below);
  }
  std::vector<uint8_t>& data() { return *model_.tensor(tensor_).data; }

  AddModel model_;
  int32_t tensor_;
  std::vector<int32_t> order_;
  std::vector<int32_t> block_map_;
  std::vector<LevelSpec> levels_;

 private:
  Offset<schema::SparsityParameters> Write(FlatBufferBuilder& fbb) const {
    std::vector<Offset<schema::DimensionMetadata>> metadata;
    for (const LevelSpec& level : levels_) {
      Offset<void> segments = 0;
      Offset<void> indices = 0;
      if (level.format == schema::DimensionType::SPARSE_CSR) {
        segments = schema::CreateInt32Vector(fbb, fbb.CreateVector(level.segments)).Union();
        fbb.ForceVectorAlignment(level.indices.size(), 1, 4);
        indices = schema::CreateUint8Vector(fbb, fbb.CreateVector(level.indices)).Union();
      }
      const bool sparse = !segments.IsNull();
      metadata.push_back(schema::CreateDimensionMetadata(
          fbb, level.format, level.dense_size,
          sparse ? schema::SparseIndexVector::Int32Vector : schema::SparseIndexVector::NONE,
          segments,
          sparse ? schema::SparseIndexVector::Uint8Vector : schema::SparseIndexVector::NONE,
          indices));
    }
    const auto order = fbb.CreateVector(order_);
    const auto blocks = block_map_.empty() ? 0 : fbb.CreateVector(block_map_);
    return schema::CreateSparsityParameters(fbb, order, blocks, fbb.CreateVector(metadata));
  }
};

TEST_F(VerifySparsity, Blocks) {
  // 3x4 in blocks of 1x2: row, block column, column inside the block.
  order_ = {0, 1, 2};
  block_map_ = {1};
  levels_ = {{schema::DimensionType::DENSE, 3, {}, {}},
             {schema::DimensionType::SPARSE_CSR, 0, {0, 2, 3, 4}, {0, 1, 0, 1}},
             {schema::DimensionType::DENSE, 2, {}, {}}};
  data() = {1, 0, 2, 3, 0, 4, 5, 0};
  ExpectLoads(model_);
  levels_[2].dense_size = 3;
  ExpectBad("block_map");
  levels_[2].dense_size = 0;
  ExpectBad("dim_metadata");
  levels_[2].dense_size = 2;
  block_map_ = {2};
  ExpectBad("block_map");
}
TEST_F(VerifySparsity, Order) {
  order_ = {0, 0};
  ExpectBad("traversal_order");
  order_ = {0, 2};
  ExpectBad("traversal_order");
  order_ = {0};
  ExpectBad("traversal_order");
}
TEST_F(VerifySparsity, LevelCount) {
  levels_.pop_back();
  ExpectBad("dim_metadata");
}
TEST_F(VerifySparsity, DenseSize) {
  levels_[0].dense_size = 4;
  ExpectBad("dim_metadata");
}
TEST_F(VerifySparsity, Format) {
  levels_[0].format = static_cast<schema::DimensionType>(7);
  ExpectBad("dim_metadata");
}
TEST_F(VerifySparsity, Segments) {
  levels_[1].segments = {0, 3, 5};
  ExpectBad("dim_metadata[1]");
  levels_[1].segments = {0, 4, 3, 5};
  ExpectBad("dim_metadata[1]");
  levels_[1].segments = {0, 3, 4, 6};
  ExpectBad("dim_metadata[1]");
  levels_[1].segments = {1, 3, 4, 5};
  ExpectBad("dim_metadata[1]");
  levels_[1].segments = {0, 1000, 4, 5};
  ExpectBad("dim_metadata[1]");
}
TEST_F(VerifySparsity, Indices) {
  levels_[1].indices[1] = 4;
  ExpectBad("dim_metadata[1]");
  levels_[1].indices[1] = 0;
  ExpectBad("dim_metadata[1]");
}
TEST_F(VerifySparsity, DataOfOtherSize) {
  data().push_back(6);
  ExpectRefused(model_, HEDDLE_REASON_BUFFER_SIZE_MISMATCH, "subgraphs[0].tensors[3].buffer");
}

}  // namespace
}  // namespace heddle
