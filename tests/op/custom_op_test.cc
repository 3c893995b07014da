// SPDX-License-Identifier: Apache-2.0
// The custom op of examples/custom_op, loaded as a plugin: numbers, shapes, options from a file
// that may be wrong.
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/op/session.h"

namespace heddle::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<uint8_t> Options(float scale, float offset, float low, float high,
                             uint32_t format = 1) {
  std::vector<uint8_t> bytes(20);
  const float fields[4] = {scale, offset, low, high};
  std::memcpy(bytes.data(), &format, 4);
  std::memcpy(bytes.data() + 4, fields, sizeof(fields));
  return bytes;
}

// A model of this op alone.
struct ClampedScale {
  Session session;
  ModelBuilder builder;

  ClampedScale(std::vector<int32_t> dims, std::vector<uint8_t> options,
               heddle_dtype dtype = HEDDLE_DTYPE_FLOAT32) {
    SubgraphSpec& graph = builder.AddSubgraph("main");
    const int32_t x = graph.Input("x", dtype, dims);
    const int32_t y = graph.Tensor("y", dtype, dims);
    graph.CustomOp("Heddle.ClampedScale", {x}, {y}, std::move(options));
    graph.Output(y);
    session.AddPlugin(HEDDLE_TEST_PLUGINS "/clamped_scale.so");
    session.LoadModel(builder);
  }
};

TEST(CustomOpExample, AgreesWithFloat64) {
  for (const std::vector<int32_t>& dims :
       std::vector<std::vector<int32_t>>{{}, {1}, {7}, {300, 211}, {2, 3, 4, 5, 6}, {3, 0, 2}}) {
    ClampedScale op(dims, Options(1.7f, -0.3f, -2.5f, 3.25f));
    ASSERT_EQ(op.session.Create(), HEDDLE_OK);
    ASSERT_EQ(op.session.Prepare(), HEDDLE_OK);
    size_t count = 1;
    for (const int32_t dim : dims) count *= static_cast<size_t>(dim);
    std::vector<float> x(count);
    for (size_t i = 0; i < count; ++i) x[i] = std::sin(static_cast<float>(i)) * 3;
    op.session.SetInput(x);
    ASSERT_EQ(op.session.Invoke(), HEDDLE_OK);
    const std::vector<float> y = op.session.Output(count);
    for (size_t i = 0; i < count; ++i) {
      const double expected =
          std::min(std::max(static_cast<double>(x[i]) * static_cast<double>(1.7f) +
                                static_cast<double>(-0.3f),
                            -2.5),
                   3.25);
      // Two roundings of values up to 5.4.
      EXPECT_NEAR(y[i], expected, 6e-7) << i;
    }
  }
}

TEST(CustomOpExample, InfinitiesAndNan) {
  ClampedScale op({4}, Options(1, 0, -1, kInfinity));
  ASSERT_EQ(op.session.Create(), HEDDLE_OK);
  ASSERT_EQ(op.session.Prepare(), HEDDLE_OK);
  op.session.SetInput({kNan, -kInfinity, kInfinity, 5});
  ASSERT_EQ(op.session.Invoke(), HEDDLE_OK);
  const std::vector<float> y = op.session.Output(4);
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], -1);
  EXPECT_EQ(y[2], kInfinity);
  EXPECT_EQ(y[3], 5);
}

TEST(CustomOpExample, WrongOptionsNameTheNode) {
  const struct {
    std::vector<uint8_t> options;
    const char* words;
  } cases[] = {
      {{}, "custom_options have 0 bytes, 20 are needed"},
      {{1, 0, 0, 0}, "custom_options have 4 bytes, 20 are needed"},
      {Options(1, 0, 0, 1, 2), "custom_options have format 2, this op knows 1"},
      {Options(kNan, 0, 0, 1), "scale and offset must be finite"},
      {Options(1, kInfinity, 0, 1), "scale and offset must be finite"},
      {Options(1, 0, 2, 1), "low is 2, high is 1"},
      {Options(1, 0, kNan, 1), "low is nan"},
  };
  for (const auto& bad : cases) {
    ClampedScale op({2}, bad.options);
    std::vector<ErrorFaults::Fault> faults;
    EXPECT_EQ(op.session.Create(&faults), HEDDLE_INVALID_MODEL);
    ASSERT_THAT(faults, SizeIs(1));
    EXPECT_EQ(faults[0].phase, HEDDLE_PHASE_INIT);
    EXPECT_EQ(faults[0].reason, HEDDLE_REASON_ATTRIBUTE_INVALID);
    EXPECT_EQ(faults[0].op_name, "Heddle.ClampedScale");
    EXPECT_EQ(faults[0].place, "subgraphs[0].operators[0]");
    EXPECT_THAT(faults[0].message, HasSubstr(bad.words));
  }
}

TEST(CustomOpExample, OtherTypesAreRefusedWhenPlanning) {
  ClampedScale op({2}, Options(1, 0, 0, 1), HEDDLE_DTYPE_INT8);
  ASSERT_EQ(op.session.Create(), HEDDLE_OK);
  std::vector<ErrorFaults::Fault> faults;
  EXPECT_EQ(op.session.Prepare(&faults), HEDDLE_UNSUPPORTED);
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].phase, HEDDLE_PHASE_PLAN);
  EXPECT_EQ(faults[0].place, "subgraphs[0].operators[0].inputs[0]");
}

}  // namespace
}  // namespace heddle::testing
