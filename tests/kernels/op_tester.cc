// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/op_tester.h"

#include <gmock/gmock.h>

#include "runtime/base/reason.h"
#include "runtime/model/builtin_names.h"

namespace heddle::testing {

TensorSpec& OpTester::InputBytes(heddle_dtype dtype, std::vector<int32_t> dims,
                                 std::vector<uint8_t> bytes) {
  inputs_.push_back(graph_->Input("", dtype, std::move(dims)));
  values_.push_back(std::move(bytes));
  return graph_->tensor(inputs_.back());
}

TensorSpec& OpTester::Output(heddle_dtype dtype, std::vector<int32_t> dims) {
  outputs_.push_back(graph_->Tensor("", dtype, std::move(dims)));
  return graph_->tensor(outputs_.back());
}

StatusOr<std::vector<Value>> OpTester::Run(const RunOptions& options) {
  OperatorSpec& node = graph_->Op(code_, inputs_, outputs_, version_);
  node.options = options_.options;
  node.options_type = options_.options_type;
  node.options_2_type = options_.options_2_type;
  const std::vector<uint8_t> bytes = model_.Build();
  graph_->operators.clear();
  return RunSingleOpModel(bytes, values_, options);
}

Value OpTester::Result() {
  auto values = Run();
  EXPECT_TRUE(values.ok()) << values.status().message();
  return values.ok() && !values->empty() ? values->front() : Value();
}

void OpTester::ExpectNear(const std::vector<int32_t>& dims, const std::vector<float>& values,
                          float tolerance) {
  const Value value = Result();
  EXPECT_EQ(ShapeText(value.dims), ShapeText(dims));
  EXPECT_THAT(value.As<float>(), ::testing::Pointwise(::testing::FloatNear(tolerance), values));
}

void OpTester::ExpectRefused(heddle_reason reason, const std::string& place,
                             const std::string& words) {
  auto values = Run();
  ASSERT_FALSE(values.ok()) << "was not refused";
  const std::string message(values.status().message());
  EXPECT_STREQ(ReasonName(values.status().reason()), ReasonName(reason)) << message;
  EXPECT_THAT(message, ::testing::HasSubstr(words));
  EXPECT_THAT(message, ::testing::HasSubstr(place));
  if (place.empty()) {
    EXPECT_THAT(message, ::testing::Not(::testing::HasSubstr("puts[")));
  }
  EXPECT_THAT(message, ::testing::StartsWith(std::string(BuiltinName(code_)) + ": "));
}

}  // namespace heddle::testing
