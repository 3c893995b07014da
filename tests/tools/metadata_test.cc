// SPDX-License-Identifier: Apache-2.0
#include "tools/metadata.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

#include "tests/tools/example_model.h"
#include "tools/flat_reader.h"
#include "tools/labels.h"

namespace heddle::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Metadata, OfTheExampleModel) {
  const SessionOptions options = ExampleOptions("digits_int8.tflite");
  const Result<Loaded> loaded = Load(options);
  ASSERT_TRUE(loaded) << loaded.error().message();
  const ModelMetadata metadata = ReadMetadata(loaded->model, options.model);
  EXPECT_THAT(metadata.notes, ElementsAre());
  EXPECT_THAT(metadata.files, ElementsAre("labels.txt"));
  ASSERT_EQ(metadata.inputs.size(), 1u);
  EXPECT_EQ(metadata.inputs[0].name, "image");
  EXPECT_THAT(metadata.inputs[0].mean, ElementsAre(0));
  EXPECT_THAT(metadata.inputs[0].deviation, ElementsAre(255));
  ASSERT_EQ(metadata.outputs.size(), 1u);
  EXPECT_EQ(metadata.outputs[0].label_file, "labels.txt");

  const Result<std::vector<Labels>> labels = LabelsOfOutputs(options, *loaded, metadata, "");
  ASSERT_TRUE(labels) << labels.error().message();
  EXPECT_THAT(*labels, ElementsAre(ElementsAre("0", "1", "2", "3", "4", "5", "6", "7", "8", "9")));
}

TEST(Metadata, AMissingLabelFileIsNamed) {
  const SessionOptions options = ExampleOptions("digits_int8.tflite");
  const Result<Loaded> loaded = Load(options);
  ASSERT_TRUE(loaded);
  const Result<Labels> labels = ReadModelLabels(loaded->model, "m.tflite", "other.txt");
  ASSERT_FALSE(labels);
  EXPECT_THAT(labels.error().message(), HasSubstr("m.tflite: its metadata names the file 'other"));
}

// A damaged metadata buffer of a model that is sound otherwise.
TEST(Metadata, NoDamageDoesHarm) {
  const Result<Loaded> loaded = Load(ExampleOptions("digits_float.tflite"));
  ASSERT_TRUE(loaded);
  Bytes good;
  for (size_t i = 0; i < loaded->model.info().metadata_count; ++i) {
    const Model::Metadata entry = *loaded->model.metadata(i);
    const auto* data = static_cast<const uint8_t*>(entry.data);
    if (std::string_view(entry.name) == "TFLITE_METADATA") good.assign(data, data + entry.bytes);
  }
  ASSERT_FALSE(good.empty());
  const auto read = [](const Bytes& bytes) {
    bool damaged = false;
    const FlatTable root = FlatTable::Root(bytes, "M001", &damaged);
    for (const FlatTable& subgraph : root.Tables(3)) {
      for (const FlatTable& tensor : subgraph.Tables(2)) {
        (void)tensor.String(1);
        for (const FlatTable& unit : tensor.Tables(4)) (void)unit.Table(1).Floats(0);
        (void)tensor.Table(3).Table(1).Scalar<uint32_t>(0, 0);
      }
    }
    return damaged;
  };
  EXPECT_FALSE(read(good));
  size_t noticed = 0;
  for (size_t size = 0; size < good.size(); ++size) {
    noticed += read(Bytes(good.begin(), good.begin() + static_cast<ptrdiff_t>(size)));
  }
  EXPECT_GT(noticed, good.size() / 2);
  for (size_t at = 0; at < good.size(); ++at) {
    for (const uint8_t value : {0x00, 0x7f, 0x80, 0xff}) {
      Bytes changed = good;
      changed[at] = value;
      (void)read(changed);
    }
  }
}

TEST(Labels, LinesBecomeLabels) {
  const auto split = [](const std::string& text) {
    return SplitLabels({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  };
  EXPECT_THAT(split("cat\r\n\ndog"), ElementsAre("cat", "", "dog"));
  EXPECT_THAT(split("cat\n"), ElementsAre("cat"));
  EXPECT_THAT(split(""), ElementsAre());
}

TEST(Labels, LargestFirstAndOfEqualOnesTheFirst) {
  const std::vector<double> values = {0.1, NAN, 0.7, 0.7, -5};
  std::vector<size_t> order;
  for (const Choice& choice : Largest(values, 3)) order.push_back(choice.index);
  EXPECT_THAT(order, ElementsAre(2, 3, 0));
  EXPECT_EQ(Largest(values, 99).size(), 5u);
  EXPECT_EQ(Largest(values, 99)[4].index, 1u);
}

}  // namespace
}  // namespace heddle::tools
