// SPDX-License-Identifier: Apache-2.0
// Shapes of inputs: plans are kept for shapes that come again, within a limit of bytes.
#include <gmock/gmock.h>

#include <cstdlib>
#include <map>

#include "tests/support/environment.h"
#include "tests/support/npz.h"
#include "tests/support/rig.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;

constexpr heddle_dtype kFloat = HEDDLE_DTYPE_FLOAT32;

// x -> Probe -> y
void ProbeModel(ModelBuilder& model, std::vector<int32_t> dims,
                std::vector<int32_t> signature = {}) {
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, dims);
  graph.tensor(x).Signature(std::move(signature));
  const int32_t y = graph.Tensor("y", kFloat, dims);
  graph.CustomOp("Probe", {x}, {y});
  graph.Output(y);
}

TEST(Shapes, GoingBackPreparesNothingAgain) {
  Rig rig;
  TestOp& probe = rig.AddOp("Probe");
  ModelBuilder model;
  ProbeModel(model, {1, 4});
  rig.Start(model);
  for (int round = 0; round < 3; ++round) {
    for (const int32_t batch : {1, 2, 3}) {
      ASSERT_EQ(rig.Resize(0, {batch, 4}), HEDDLE_OK);
      const std::vector<float> values(static_cast<size_t>(batch) * 4, static_cast<float>(batch));
      rig.Set(0, values);
      ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
      EXPECT_EQ(rig.Get<float>(0), values);
      EXPECT_THAT(rig.OutputDims(0), ElementsAre(batch, 4));
    }
  }
  EXPECT_EQ(probe.inits, 1);
  EXPECT_EQ(probe.prepares, 3);
  EXPECT_EQ(probe.infers, 3);
  EXPECT_EQ(probe.releases, 0);
  EXPECT_EQ(probe.invokes, 9);
  EXPECT_EQ(rig.Memory().plan_count, 3u);
  rig.interpreter.reset();
  EXPECT_EQ(probe.releases, 3);
  EXPECT_EQ(probe.frees, 1);
}

TEST(Shapes, ResizeToTheSameShapeKeepsThePlan) {
  Rig rig;
  TestOp& probe = rig.AddOp("Probe");
  ModelBuilder model;
  ProbeModel(model, {1, 4});
  rig.Start(model);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK);
  ASSERT_EQ(rig.Resize(0, {1, 4}), HEDDLE_OK);
  EXPECT_NE(heddle_interpreter_get_input_data(rig.get(), 0), nullptr) << "still prepared";
  ASSERT_EQ(rig.Resize(0, {2, 4}), HEDDLE_OK);
  EXPECT_EQ(heddle_interpreter_get_input_data(rig.get(), 0), nullptr);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK);
  EXPECT_NE(heddle_interpreter_get_input_data(rig.get(), 0), nullptr);
  EXPECT_EQ(probe.prepares, 2);
}

TEST(Shapes, PlansBeyondTheLimitAreDropped) {
  Rig rig;
  TestOp& probe = rig.AddOp("Probe");
  ModelBuilder model;
  ProbeModel(model, {1, 4});
  rig.Load(model);
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  options.max_plan_cache_bytes = 1;
  rig.Start(&options);
  for (const int32_t batch : {1, 2, 1}) {
    ASSERT_EQ(rig.Resize(0, {batch, 4}), HEDDLE_OK);
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
    EXPECT_EQ(rig.Memory().plan_count, 1u);
  }
  EXPECT_EQ(probe.prepares, 3);
  EXPECT_EQ(probe.releases, 2);
}

TEST(Shapes, TheLimitCountsBytesAndDropsTheOldest) {
  Rig rig;
  TestOp& probe = rig.AddOp("Probe");
  ModelBuilder model;
  ProbeModel(model, {1, 4});
  rig.Load(model);
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  options.max_plan_cache_bytes = 8192;
  rig.Start(&options);
  const int kShapes = 100;
  for (int32_t batch = 1; batch <= kShapes; ++batch) {
    ASSERT_EQ(rig.Resize(0, {batch, 4}), HEDDLE_OK);
    ASSERT_EQ(rig.Prepare(), HEDDLE_OK);
  }
  const auto kept = static_cast<int32_t>(rig.Memory().plan_count);
  EXPECT_GT(kept, 1);
  EXPECT_LT(kept, 50) << "100 plans of 2 tensors and 1 step do not fit 8 KiB";
  EXPECT_EQ(probe.prepares, kShapes);
  ASSERT_EQ(rig.Resize(0, {kShapes - kept + 1, 4}), HEDDLE_OK);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK);
  EXPECT_EQ(probe.prepares, kShapes) << "the oldest that is kept";
  ASSERT_EQ(rig.Resize(0, {1, 4}), HEDDLE_OK);
  ASSERT_EQ(rig.Prepare(), HEDDLE_OK);
  EXPECT_EQ(probe.prepares, kShapes + 1) << "long gone";
}

TEST(Shapes, StrictKeepsWhatTheModelFixes) {
  Rig rig;
  rig.AddOp("Probe");
  ModelBuilder model;
  ProbeModel(model, {1, 4}, {-1, 4});
  rig.Start(model);
  EXPECT_EQ(rig.Resize(0, {3, 4}, true), HEDDLE_OK) << rig.error.text();
  EXPECT_EQ(rig.Resize(0, {3, 5}, true), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_NOT_RESIZABLE);
  EXPECT_THAT(rig.error.text(), ::testing::HasSubstr("[-1,4]"));
  EXPECT_EQ(rig.Resize(0, {4}, true), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_NOT_RESIZABLE);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.OutputDims(0), ElementsAre(3, 4)) << "refused resizes change nothing";
  EXPECT_EQ(rig.Resize(0, {3, 5}), HEDDLE_OK);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.OutputDims(0), ElementsAre(3, 5));
}

TEST(Shapes, StrictWithoutSignatureAllowsNothing) {
  Rig rig;
  rig.AddOp("Probe");
  ModelBuilder model;
  ProbeModel(model, {1, 4});
  rig.Start(model);
  EXPECT_EQ(rig.Resize(0, {1, 4}, true), HEDDLE_OK);
  EXPECT_EQ(rig.Resize(0, {2, 4}, true), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_NOT_RESIZABLE);
}

TEST(Shapes, BadShapesAreRefusedWhereTheyAreGiven) {
  Rig rig;
  rig.AddOp("Probe");
  ModelBuilder model;
  ProbeModel(model, {1, 4});
  rig.Start(model);
  EXPECT_EQ(rig.Resize(0, {-1, 4}), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_BAD_SHAPE);
  const int32_t most = INT32_MAX;
  EXPECT_EQ(rig.Resize(0, {most, most, most, most}), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_BAD_SHAPE);
  EXPECT_EQ(rig.Resize(1, {1}), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_BAD_ARGUMENT);
  EXPECT_EQ(heddle_interpreter_resize_input(rig.get(), 0, nullptr, 2, 0, rig.error.out()),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_interpreter_resize_input(rig.get(), 0, nullptr, -1, 0, rig.error.out()),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig.Invoke(), HEDDLE_OK) << "and change nothing";
}

// The failure is clean and a smaller shape works again.
TEST(Shapes, MemoryThatIsNotThereFailsCleanly) {
  const heddle_allocator small = {
      sizeof(heddle_allocator), nullptr,
      [](void*, size_t bytes, size_t alignment) -> void* {
        return bytes > (size_t{1} << 20) ? nullptr
                                         : std::aligned_alloc(alignment, (bytes + 63) / 64 * 64);
      },
      [](void*, void* pointer, size_t, size_t) { std::free(pointer); }};
  RigOptions rig_options;
  rig_options.allocator = &small;
  Rig rig(rig_options);
  rig.AddOp("Probe");
  ModelBuilder model;
  ProbeModel(model, {1, 4});
  rig.Start(model);
  ASSERT_EQ(rig.Resize(0, {INT32_MAX, 1 << 20}), HEDDLE_OK);
  EXPECT_EQ(rig.Invoke(), HEDDLE_RESOURCE_EXHAUSTED);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_OUT_OF_MEMORY);
  ASSERT_EQ(rig.Resize(0, {1, 2}), HEDDLE_OK);
  rig.Set<float>(0, {5, 6});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(5, 6));
}

TEST(Shapes, ScalarsAndEmptyTensors) {
  Rig rig;
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {});
  const int32_t one = graph.Constant<float>("one", {}, {1});
  const int32_t y = graph.Tensor("y", kFloat, {});
  graph.Op(HEDDLE_BUILTIN_ADD, {x, one}, {y}).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateAddOptions(fbb);
  });
  graph.Output(y);
  rig.Start(model);
  rig.Set<float>(0, {41});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(42));
  EXPECT_EQ(rig.OutputInfo(0).rank, 0);

  ASSERT_EQ(rig.Resize(0, {0, 3}), HEDDLE_OK);
  rig.Set<float>(0, {});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK) << rig.error.text();
  EXPECT_THAT(rig.OutputDims(0), ElementsAre(0, 3));
  EXPECT_EQ(rig.OutputInfo(0).bytes, 0u);
  EXPECT_TRUE(rig.Get<float>(0).empty());

  ASSERT_EQ(rig.Resize(0, {2}), HEDDLE_OK);
  rig.Set<float>(0, {1, 2});
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig.Get<float>(0), ElementsAre(2, 3));
}

TEST(Shapes, InputContentsStayBetweenRuns) {
  Rig rig;
  rig.AddOp("Probe");
  ModelBuilder model;
  ProbeModel(model, {3});
  rig.Start(model);
  rig.Set<float>(0, {1, 2, 3});
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
    EXPECT_THAT(rig.Get<float>(0), ElementsAre(1, 2, 3));
  }
}

TEST(Shapes, SizesThatDoNotFitAreRefused) {
  Rig rig;
  rig.AddOp("Probe");
  ModelBuilder model;
  ProbeModel(model, {3});
  rig.Start(model);
  float values[4] = {};
  EXPECT_EQ(heddle_interpreter_set_input(rig.get(), 0, values, 16, rig.error.out()),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_SHAPE_MISMATCH);
  EXPECT_EQ(heddle_interpreter_get_output(rig.get(), 0, values, 12, rig.error.out()),
            HEDDLE_FAILED_PRECONDITION);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_NOT_PREPARED);
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  EXPECT_EQ(heddle_interpreter_get_output(rig.get(), 0, values, 16, rig.error.out()),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_SHAPE_MISMATCH);
}

// Batches of digits against what LiteRT's reference kernels gave one by one.
TEST(Shapes, DigitsInBatches) {
  const auto split = ReadNpz(SourceFolder() + "/examples/models/digits_test.npz");
  const auto litert = ReadNpz(SourceFolder() + "/examples/models/digits_litert.npz");
  ASSERT_TRUE(split.contains("images") && litert.contains("int8_reference"));
  const std::vector<uint8_t> raw = split.at("images").As<uint8_t>();
  const auto grey = [&](size_t i) { return (255 * raw[i] + 8) / 16; };
  const auto float_wanted = litert.at("float_reference").As<float>();
  const auto int8_wanted = litert.at("int8_reference").As<int8_t>();
  Rig float_rig, int8_rig;
  float_rig.LoadFile(SourceFolder() + "/examples/models/digits_float.tflite");
  int8_rig.LoadFile(SourceFolder() + "/examples/models/digits_int8.tflite");
  float_rig.Start();
  int8_rig.Start();
  size_t image = 0;
  for (const int32_t batch : {1, 7, 1, 32, 7}) {
    const auto pixels = static_cast<size_t>(batch) * 64;
    std::vector<float> floats(pixels);
    std::vector<int8_t> bytes(pixels);
    for (size_t i = 0; i < pixels; ++i) {
      floats[i] = static_cast<float>(grey(image * 64 + i)) / 255;
      bytes[i] = static_cast<int8_t>(grey(image * 64 + i) - 128);
    }
    for (Rig* rig : {&float_rig, &int8_rig})
      ASSERT_EQ(rig->Resize(0, {batch, 8, 8, 1}, true), HEDDLE_OK) << rig->error.text();
    float_rig.Set(0, floats);
    int8_rig.Set(0, bytes);
    ASSERT_EQ(float_rig.Invoke(), HEDDLE_OK) << float_rig.error.text();
    ASSERT_EQ(int8_rig.Invoke(), HEDDLE_OK) << int8_rig.error.text();
    const auto float_got = float_rig.Get<float>(0);
    const auto int8_got = int8_rig.Get<int8_t>(0);
    ASSERT_EQ(float_got.size(), static_cast<size_t>(batch) * 10);
    ASSERT_EQ(int8_got.size(), static_cast<size_t>(batch) * 10);
    for (size_t i = 0; i < float_got.size(); ++i) {
      EXPECT_NEAR(float_got[i], float_wanted[image * 10 + i], 1e-5) << i;
      EXPECT_EQ(int8_got[i], int8_wanted[image * 10 + i]) << i;
    }
    image += static_cast<size_t>(batch);
  }
  EXPECT_EQ(float_rig.Memory().plan_count, 3u);
}

}  // namespace
}  // namespace heddle::testing
