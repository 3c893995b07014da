// SPDX-License-Identifier: Apache-2.0
// Every case of tests/golden/op_cases against the outputs that LiteRT computed: integers exactly,
// floats within 1e-5 of the output's range, 16-bit floats within one step more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/ref/half.h"
#include "runtime/base/strings.h"
#include "tests/kernels/op_case.h"
#include "tests/kernels/single_op_model.h"

namespace heddle::testing {
namespace {

// `epsilon`: of the type, for those in which 1e-5 is no step.
void ExpectFloats(const std::vector<float>& actual, const std::vector<float>& expected,
                  float epsilon) {
  ASSERT_EQ(actual.size(), expected.size());
  float range = 0;
  for (const float value : expected) {
    if (std::isfinite(value)) range = std::max(range, std::abs(value));
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (!std::isfinite(expected[i])) {
      EXPECT_EQ(std::isnan(actual[i]), std::isnan(expected[i])) << "element " << i;
      if (!std::isnan(expected[i])) {
        EXPECT_EQ(actual[i], expected[i]) << "element " << i;
      }
    } else {
      ASSERT_NEAR(actual[i], expected[i], 1e-5f * range + epsilon * std::abs(expected[i]))
          << "element " << i;
    }
  }
}

// Elements as floats; nothing if they are none.
std::vector<float> Floats(heddle_dtype dtype, const std::vector<uint8_t>& bytes, float* epsilon) {
  Value value;
  value.bytes = bytes;
  std::vector<float> floats;
  *epsilon = 0;
  switch (dtype) {
    case HEDDLE_DTYPE_FLOAT32:
    case HEDDLE_DTYPE_COMPLEX64:
      return value.As<float>();
    case HEDDLE_DTYPE_FLOAT64:
      for (const double element : value.As<double>()) floats.push_back(static_cast<float>(element));
      return floats;
    case HEDDLE_DTYPE_FLOAT16:
      *epsilon = 0x1p-10f;
      for (const uint16_t bits : value.As<uint16_t>()) {
        floats.push_back(kernels::ref::HalfToFloat(bits));
      }
      return floats;
    case HEDDLE_DTYPE_BFLOAT16:
      *epsilon = 0x1p-7f;
      for (const uint16_t bits : value.As<uint16_t>()) {
        floats.push_back(kernels::ref::BFloat16ToFloat(bits));
      }
      return floats;
    default:
      return floats;
  }
}

// However a loop is split among threads, the bits are the same.
void ExpectSameWhenSplit(const OpCase& one, const StatusOr<std::vector<Value>>& whole) {
  auto split = RunSingleOpModel(one.model, one.inputs, {.split = true});
  ASSERT_EQ(split.ok(), whole.ok());
  if (!whole.ok()) return;
  for (size_t i = 0; i < whole->size(); ++i) {
    EXPECT_EQ((*split)[i].bytes, (*whole)[i].bytes) << "output " << i << " of split loops";
  }
}

void ExpectOutput(const Value& value, const OpCase::Output& expected) {
  EXPECT_EQ(ShapeText(value.dims), ShapeText(expected.dims));
  ASSERT_EQ(value.bytes.size(), expected.bytes.size());
  float epsilon = 0;
  const std::vector<float> floats = Floats(value.dtype, expected.bytes, &epsilon);
  if (!floats.empty()) {
    ExpectFloats(Floats(value.dtype, value.bytes, &epsilon), floats, epsilon);
    return;
  }
  const auto difference =
      std::mismatch(value.bytes.begin(), value.bytes.end(), expected.bytes.begin()).first;
  EXPECT_EQ(value.bytes, expected.bytes)
      << "first difference at byte " << difference - value.bytes.begin();
}

class OpCases : public ::testing::TestWithParam<std::string> {};

TEST_P(OpCases, AgreeWithLiteRt) {
  for (const OpCase& one : ReadOpCases(GetParam())) {
    SCOPED_TRACE(one.name);
    auto values = RunSingleOpModel(one.model, one.inputs);
    ExpectSameWhenSplit(one, values);
    EXPECT_TRUE(values.ok()) << values.status().message();
    if (!values.ok()) continue;
    ASSERT_EQ(values->size(), one.outputs.size());
    for (size_t i = 0; i < values->size(); ++i) ExpectOutput((*values)[i], one.outputs[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(All, OpCases, ::testing::ValuesIn(OpsWithCases()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace heddle::testing
