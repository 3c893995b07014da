// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/attributes.h"

#include <gtest/gtest.h>

#include "runtime/model/builtin_names.h"
#include "runtime/model/op_releases.h"
#include "tests/model/model_testing.h"

namespace heddle {
namespace {

using namespace ::heddle::testing;  // NOLINT: the builder's names are this file's vocabulary

class Attributes : public ::testing::Test {
 protected:
  const AttributeView& Of(const std::function<void(AddModel&)>& change) {
    AddModel builder;
    change(builder);
    bytes_ = builder.Build();
    auto model = LoadBytes(bytes_);
    EXPECT_TRUE(model.ok()) << Describe(model.status());
    model_ = model.value();
    return model_->subgraphs()[0].operators.back().attributes;
  }
  std::vector<uint8_t> bytes_;
  std::shared_ptr<const Model> model_;
};

TEST_F(Attributes, ErrorsAreToldApart) {
  const AttributeView& view = Of([](AddModel& model) {
    model.op().Options([](FlatBufferBuilder& fbb) { return schema::CreateAddOptions(fbb); });
  });
  EXPECT_EQ(view.table_key(), HEDDLE_OPTIONS_ADD);
  int64_t whole = 0;
  double real = 0;
  std::string_view text;
  AttributeArray array;
  size_t count = 0;
  const uint32_t activation = HEDDLE_ATTR_ADD_FUSED_ACTIVATION_FUNCTION;
  EXPECT_EQ(view.GetInt(activation, &whole), AttributeError::kNone);
  EXPECT_EQ(view.GetFloat(activation, &real), AttributeError::kOtherKind);
  EXPECT_EQ(view.GetString(activation, &text), AttributeError::kOtherKind);
  EXPECT_EQ(view.GetArray(activation, &array), AttributeError::kOtherKind);
  EXPECT_EQ(view.GetStrings(activation, 0, &text, &count), AttributeError::kOtherKind);
  EXPECT_EQ(view.GetInt(HEDDLE_ATTR_SUB_FUSED_ACTIVATION_FUNCTION, &whole),
            AttributeError::kOtherTable);
  EXPECT_EQ(view.GetInt(HEDDLE_OPTIONS_ADD | 77, &whole), AttributeError::kUnknownKey);
  EXPECT_EQ(view.GetInt(0, &whole), AttributeError::kUnknownKey);
  EXPECT_EQ(view.GetInt(0xffffffffu, &whole), AttributeError::kUnknownKey);
}

TEST_F(Attributes, Text) {
  const auto text = [](const AttributeView& view, uint32_t key) {
    return view.Text(*FindAttributeField(key));
  };
  const AttributeView& add = Of([](AddModel& model) {
    model.op().Options([](FlatBufferBuilder& fbb) {
      return schema::CreateAddOptions(fbb, schema::ActivationFunctionType::RELU6, false);
    });
  });
  EXPECT_EQ(text(add, HEDDLE_ATTR_ADD_FUSED_ACTIVATION_FUNCTION), "RELU6");
  EXPECT_EQ(text(add, HEDDLE_ATTR_ADD_POT_SCALE_INT16), "false");
  EXPECT_EQ(text(add, HEDDLE_ATTR_SOFTMAX_BETA), "");  // of another op

  const AttributeView& reshape = Of([](AddModel& model) {
    const int32_t z = model.graph.Tensor("z", HEDDLE_DTYPE_FLOAT32, {6});
    model.graph.Op(HEDDLE_BUILTIN_RESHAPE, {model.y}, {z}).Options([](FlatBufferBuilder& fbb) {
      return schema::CreateReshapeOptions(fbb, fbb.CreateVector<int32_t>({-1, 20}));
    });
  });
  EXPECT_EQ(text(reshape, HEDDLE_ATTR_RESHAPE_NEW_SHAPE), "[-1,20]");

  const AttributeView& softmax = Of([](AddModel& model) {
    const int32_t z = model.graph.Tensor("z", HEDDLE_DTYPE_FLOAT32, {2, 3});
    model.graph.Op(HEDDLE_BUILTIN_SOFTMAX, {model.y}, {z}).Options([](FlatBufferBuilder& fbb) {
      return schema::CreateSoftmaxOptions(fbb, 0.5f);
    });
  });
  EXPECT_EQ(text(softmax, HEDDLE_ATTR_SOFTMAX_BETA), "0.5");

  const AttributeView& handle = Of([](AddModel& model) {
    const int32_t z = model.graph.Tensor("z", HEDDLE_DTYPE_RESOURCE, {});
    model.graph.Op(HEDDLE_BUILTIN_VAR_HANDLE, {}, {z}).Options([](FlatBufferBuilder& fbb) {
      return schema::CreateVarHandleOptionsDirect(fbb, nullptr, "counter");
    });
  });
  EXPECT_EQ(text(handle, HEDDLE_ATTR_VAR_HANDLE_SHARED_NAME), "\"counter\"");
  EXPECT_EQ(text(handle, HEDDLE_ATTR_VAR_HANDLE_CONTAINER), "");
}

TEST(AttributeFields, OfATable) {
  const auto fields = FieldsOfTable(HEDDLE_OPTIONS_WHILE);
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_STREQ(fields[1].name, "body_subgraph_index");
  EXPECT_TRUE(fields[1].is_subgraph);
  EXPECT_TRUE(FieldsOfTable(HEDDLE_OPTIONS_PAD).empty());
  EXPECT_TRUE(FieldsOfTable(0).empty());
  EXPECT_STREQ(AttributeEnumName("Padding", HEDDLE_PADDING_VALID), "VALID");
  EXPECT_EQ(AttributeEnumName("Padding", 9), nullptr);
}

TEST(BuiltinNames, BothWays) {
  for (int32_t code = 0; code < HEDDLE_BUILTIN_COUNT; ++code) {
    ASSERT_NE(BuiltinName(code), nullptr);
    EXPECT_EQ(BuiltinCode(BuiltinName(code)), code);
  }
  EXPECT_EQ(HEDDLE_BUILTIN_COUNT, 210);
  EXPECT_STREQ(BuiltinName(HEDDLE_BUILTIN_CONV_2D), "CONV_2D");
  EXPECT_EQ(BuiltinName(HEDDLE_BUILTIN_COUNT), nullptr);
  EXPECT_EQ(BuiltinName(-1), nullptr);
  EXPECT_EQ(BuiltinCode("conv_2d"), -1);
}

TEST(OpReleases, FirstRelease) {
  EXPECT_STREQ(FirstRelease(HEDDLE_BUILTIN_AVERAGE_POOL_2D, 1), "1.5.0");
  EXPECT_STREQ(FirstRelease(HEDDLE_BUILTIN_AVERAGE_POOL_2D, 3), "2.3.0");
  EXPECT_EQ(FirstRelease(HEDDLE_BUILTIN_AVERAGE_POOL_2D, 99), nullptr);
  EXPECT_EQ(FirstRelease(HEDDLE_BUILTIN_CUSTOM, 1), nullptr);
  EXPECT_EQ(FirstRelease(5000, 1), nullptr);
}

}  // namespace
}  // namespace heddle
