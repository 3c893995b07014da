// SPDX-License-Identifier: Apache-2.0
// Models that LiteRT's own schema classes wrote (tests/oracle/make_schema_golden.py) read back
// through the runtime's getters.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "runtime/base/strings.h"
#include "runtime/model/model.h"
#include "runtime/model/sparsity.h"
#include "tests/support/environment.h"

namespace heddle {
namespace {

using ::heddle::testing::SourceFolder;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Pair;

std::shared_ptr<const Model> LoadGolden(const std::string& name) {
  auto model = Model::FromFile((SourceFolder() + "/tests/golden/schema/" + name).c_str(), {});
  EXPECT_TRUE(model.ok()) << model.status().message();
  return model.ok() ? model.value() : nullptr;
}

const AttributeField* FieldByName(const std::string& table, const std::string& name) {
  for (const AttributeField& field : AllAttributeFields()) {
    if (table == field.table && name == field.name) return &field;
  }
  return nullptr;
}

std::string ArrayText(const AttributeView& view, const AttributeField& field) {
  AttributeArray array;
  const AttributeError error = view.GetArray(field.key, &array);
  if (error == AttributeError::kAbsent) return "absent\t";
  EXPECT_EQ(error, AttributeError::kNone);
  std::ostringstream out;
  out << (array.is_float ? "floats\t" : "ints\t");
  for (size_t i = 0; i < array.count; ++i) {
    const auto* at = static_cast<const uint8_t*>(array.data) + i * array.width;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(at) % array.width, 0u);
    out << (i == 0 ? "" : ",");
    if (array.is_float) {
      float value;
      std::memcpy(&value, at, 4);
      out << StrCat(double{value});
      continue;
    }
    int64_t value = 0;  // little-endian
    std::memcpy(&value, at, array.width);
    if (field.is_signed && array.width == 4) value = static_cast<int32_t>(value);
    out << value;
  }
  return out.str();
}

// What the getters say, as the .txt files write it.
std::string ValueText(const AttributeView& view, const AttributeField& field) {
  switch (field.kind) {
    case AttributeKind::kBool:
    case AttributeKind::kInt: {
      int64_t value = -99;
      EXPECT_EQ(view.GetInt(field.key, &value), AttributeError::kNone);
      return StrCat("int\t", value);
    }
    case AttributeKind::kFloat: {
      double value = -99;
      EXPECT_EQ(view.GetFloat(field.key, &value), AttributeError::kNone);
      return StrCat("float\t", value);
    }
    case AttributeKind::kString: {
      std::string_view value;
      if (view.GetString(field.key, &value) == AttributeError::kAbsent) return "absent\t";
      return StrCat("string\t", value);
    }
    default:
      return ArrayText(view, field);
  }
}

// Python writes floats with all their digits; ours have nine.
std::string Normalised(const std::string& kind, const std::string& value) {
  if (kind != "float" && kind != "floats") return kind + "\t" + value;
  std::istringstream parts(value);
  std::string part;
  std::string out = kind + "\t";
  for (bool first = true; std::getline(parts, part, ','); first = false) {
    StrAppend(out, first ? "" : ",", std::stod(part));
  }
  return out;
}

void CheckOptions(const std::string& name) {
  const auto model = LoadGolden(name + ".tflite");
  ASSERT_NE(model, nullptr);
  std::map<std::string, AttributeView> views;  // by table
  for (const OperatorDef& op : model->subgraphs()[0].operators) {
    const auto fields = FieldsOfTable(op.attributes.table_key());
    if (!fields.empty()) views[fields[0].table] = op.attributes;
  }
  std::ifstream lines(SourceFolder() + "/tests/golden/schema/" + name + ".txt");
  std::set<uint32_t> seen;
  std::string line;
  while (std::getline(lines, line)) {
    SCOPED_TRACE(line);
    std::istringstream cells(line);
    std::string table, field_name, kind, value;
    std::getline(cells, table, '\t');
    std::getline(cells, field_name, '\t');
    std::getline(cells, kind, '\t');
    std::getline(cells, value, '\t');
    const AttributeField* field = FieldByName(table, field_name);
    ASSERT_NE(field, nullptr);
    ASSERT_EQ(views.count(table), 1u);
    EXPECT_EQ(ValueText(views[table], *field), Normalised(kind, value));
    seen.insert(field->key);
  }
  EXPECT_EQ(seen.size(), AllAttributeFields().size());
}

TEST(SchemaGolden, EveryFieldOfEveryOptionsTableReadsBack) { CheckOptions("options"); }

TEST(SchemaGolden, FieldsLeftOutReadAsTheirDefaults) { CheckOptions("defaults"); }

TEST(SchemaGolden, NoOptionsTableReadsAsDefaults) {
  const auto model = LoadGolden("defaults.tflite");
  ASSERT_NE(model, nullptr);
  std::map<std::string, AttributeView> views;
  for (const OperatorDef& op : model->subgraphs()[0].operators) {
    const auto fields = FieldsOfTable(op.attributes.table_key());
    if (!fields.empty()) views[fields[0].table] = op.attributes;
  }
  for (const AttributeField& field : AllAttributeFields()) {
    if (field.is_subgraph) continue;  // written even there
    EXPECT_EQ(ValueText({}, field), ValueText(views[field.table], field)) << field.name;
  }
}

TEST(SchemaGolden, EveryOptionsTableIsTiedToAnOp) {
  const auto model = LoadGolden("options.tflite");
  ASSERT_NE(model, nullptr);
  std::set<uint32_t> tables;
  for (const OperatorDef& op : model->subgraphs()[0].operators) {
    EXPECT_TRUE(op.attributes.has_table());
    tables.insert(op.attributes.table_key());
  }
  EXPECT_EQ(tables.size(), model->subgraphs()[0].operators.size());
  EXPECT_EQ(tables.size(), 126u + 23u);  // members of the two unions
}

class BaseGolden : public ::testing::Test {
 protected:
  void SetUp() override {
    model_ = LoadGolden("base.tflite");
    ASSERT_NE(model_, nullptr);
    ASSERT_EQ(model_->subgraphs().size(), 1u);
  }
  const SubgraphDef& main() const { return model_->subgraphs()[0]; }
  const TensorDef& Tensor(std::string_view name) const {
    for (const TensorDef& tensor : main().tensors) {
      if (tensor.name == name) return tensor;
    }
    ADD_FAILURE() << "no tensor " << name;
    return main().tensors[0];
  }

  std::shared_ptr<const Model> model_;
};

TEST_F(BaseGolden, OperatorsAndCodes) {
  EXPECT_EQ(model_->description(), "every part of the format");
  ASSERT_EQ(model_->operator_codes().size(), 2u);
  const OperatorCode& custom = model_->operator_codes()[0];
  EXPECT_TRUE(custom.is_custom());
  EXPECT_EQ(custom.custom_name, "MyOp");
  EXPECT_EQ(custom.name, "MyOp");
  EXPECT_EQ(custom.version, 5);
  EXPECT_EQ(custom.use_count, 1u);
  EXPECT_EQ(model_->operator_codes()[1].builtin_code, 136);  // does not fit the old byte field
  EXPECT_EQ(model_->operator_codes()[1].name, "HASHTABLE");
  const OperatorDef& op = main().operators[0];
  EXPECT_THAT(op.inputs, ElementsAre(0, -1, 3, 12));
  EXPECT_THAT(op.outputs, ElementsAre(14, 10));
  EXPECT_THAT(op.intermediates, ElementsAre(13, -1));
  EXPECT_THAT(op.custom_options, ElementsAre(4, 5, 6));
  EXPECT_THAT(main().control_edges, ElementsAre(Pair(0, 1)));
}

TEST_F(BaseGolden, ShapesAndKinds) {
  EXPECT_THAT(Tensor("input").dims, ElementsAre(1, 4));
  EXPECT_THAT(Tensor("input").shape_signature, ElementsAre(-1, 4));
  EXPECT_FALSE(Tensor("unranked").has_rank);
  EXPECT_TRUE(Tensor("variant").has_rank);
  EXPECT_TRUE(Tensor("state").is_variable);
  ASSERT_EQ(Tensor("variant").variant_types.size(), 1u);
  EXPECT_EQ(Tensor("variant").variant_types[0].dtype, HEDDLE_DTYPE_INT32);
  EXPECT_TRUE(Tensor("variant").variant_types[0].has_rank);
  EXPECT_THAT(Tensor("variant").variant_types[0].dims, ElementsAre(2, 3));
  EXPECT_TRUE(Tensor("strings").is_constant);
  EXPECT_FALSE(Tensor("output").is_unset);
  EXPECT_TRUE(Tensor("scratch").is_unset);
}

TEST_F(BaseGolden, ExternalBuffer) {
  const TensorDef& external = Tensor("external");
  EXPECT_EQ(external.external_buffer, 77u);
  EXPECT_TRUE(external.is_unset);
  ASSERT_EQ(model_->external_buffers().size(), 1u);
  const ExternalBufferDef& buffer = model_->external_buffers()[0];
  EXPECT_EQ(buffer.id, 77u);
  EXPECT_EQ(buffer.group, "weights.bin");
  EXPECT_EQ(buffer.offset, uint64_t{1} << 33);
  EXPECT_EQ(buffer.length, 16u);
  EXPECT_EQ(buffer.packing, "raw");
}

TEST_F(BaseGolden, Quantisation) {
  const heddle_quantization& none = Tensor("input").quantization;
  EXPECT_EQ(none.kind, HEDDLE_QUANTIZATION_NONE);
  EXPECT_EQ(none.struct_size, sizeof(heddle_quantization));

  const heddle_quantization& per_axis = Tensor("per_axis").quantization;
  EXPECT_EQ(per_axis.kind, HEDDLE_QUANTIZATION_AFFINE);
  EXPECT_EQ(per_axis.axis, 1);
  EXPECT_THAT(std::span(per_axis.scales, per_axis.count), ElementsAre(0.5f, 0.25f, 0.125f));
  EXPECT_THAT(std::span(per_axis.zero_points, per_axis.zero_point_count), ElementsAre(1, -2, 3));

  const heddle_quantization& blockwise = Tensor("blockwise").quantization;
  EXPECT_EQ(blockwise.kind, HEDDLE_QUANTIZATION_BLOCKWISE);
  EXPECT_EQ(blockwise.scales_tensor, 1);
  EXPECT_EQ(blockwise.zero_points_tensor, 2);
  EXPECT_EQ(blockwise.block_size, 4);
  EXPECT_EQ(blockwise.axis, 1);
  EXPECT_THAT(Tensor("blockwise").block_shape, ElementsAre(1, 4));

  const heddle_quantization& multi_axis = Tensor("multi_axis").quantization;
  EXPECT_EQ(multi_axis.kind, HEDDLE_QUANTIZATION_MULTI_AXIS);
  EXPECT_EQ(multi_axis.scales_tensor, 1);
  EXPECT_EQ(multi_axis.zero_points_tensor, -1);
  EXPECT_THAT(std::span(multi_axis.axes, multi_axis.axis_count), ElementsAre(0, 1));

  EXPECT_EQ(Tensor("custom").quantization.kind, HEDDLE_QUANTIZATION_CUSTOM);
}

TEST_F(BaseGolden, Sparsity) {
  const TensorDef& sparse = Tensor("sparse");
  ASSERT_TRUE(sparse.is_sparse);
  SparsityView view;
  SparsityFault fault;
  ASSERT_TRUE(ReadSparsity(sparse, &view, &fault)) << fault.sentence;
  ASSERT_EQ(view.levels.size(), 2u);
  EXPECT_TRUE(view.levels[0].is_dense);
  EXPECT_EQ(view.levels[0].size, 3);
  const SparseLevel& columns = view.levels[1];
  EXPECT_FALSE(columns.is_dense);
  EXPECT_EQ(columns.size, 4);
  // Unpacked by hand from the two levels.
  std::vector<int> dense(12, 0);
  for (size_t row = 0; row < 3; ++row) {
    for (int64_t k = columns.segments[row]; k < columns.segments[row + 1]; ++k) {
      const auto leaf = static_cast<size_t>(k);
      dense[row * 4 + static_cast<size_t>(columns.indices[leaf])] = sparse.data[leaf];
    }
  }
  EXPECT_THAT(dense, ElementsAre(1, 0, 2, 3, 0, 4, 0, 0, 0, 0, 5, 0));
  std::vector<uint8_t> bytes(12);
  ASSERT_TRUE(Densify(sparse, bytes));
  EXPECT_THAT(bytes, ElementsAreArray(dense));
}

TEST_F(BaseGolden, SignaturesAndMetadata) {
  ASSERT_EQ(model_->signatures().size(), 2u);
  const SignatureDef& signature = model_->signatures()[0];
  EXPECT_EQ(signature.key, "serving_default");
  EXPECT_EQ(signature.subgraph, 0u);
  ASSERT_EQ(signature.outputs.size(), 2u);
  EXPECT_EQ(signature.inputs[0].name, "x");
  EXPECT_EQ(signature.inputs[0].tensor, 0);
  EXPECT_EQ(signature.outputs[1].name, "table");
  EXPECT_EQ(signature.outputs[1].tensor, 9);
  EXPECT_EQ(model_->min_runtime_version(), "2.17.0");
  ASSERT_EQ(model_->metadata().size(), 3u);
  EXPECT_EQ(model_->metadata()[1].name, "notes");
  EXPECT_THAT(model_->metadata()[1].data, ElementsAre('h', 'e', 'l', 'l', 'o'));
}

}  // namespace
}  // namespace heddle
