// SPDX-License-Identifier: Apache-2.0
// One op in a test:
//
//   OpTester op(HEDDLE_BUILTIN_ADD);
//   op.Input<int8_t>({2}, {1, 2}).Quantized(0.5f, 0);
//   op.Input<int8_t>({2}, {3, 4}).Quantized(0.5f, 0);
//   op.Output(HEDDLE_DTYPE_INT8).Quantized(0.5f, 0);
//   op.Options([](FlatBufferBuilder& fbb) { return schema::CreateAddOptions(fbb); });
//   op.Expect<int8_t>({2}, {4, 6});
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "runtime/base/strings.h"
#include "tests/kernels/single_op_model.h"
#include "tests/support/model_builder.h"

namespace heddle::testing {

class OpTester {
 public:
  explicit OpTester(int32_t builtin_code, int32_t version = 1)
      : graph_(&model_.AddSubgraph()), code_(builtin_code), version_(version) {}

  // A value known only while running.
  template <typename T>
  TensorSpec& Input(std::vector<int32_t> dims, const std::vector<T>& values) {
    return InputBytes(DtypeOf<T>(), std::move(dims), BytesOf(values));
  }
  TensorSpec& InputBytes(heddle_dtype dtype, std::vector<int32_t> dims, std::vector<uint8_t> bytes);
  // A value known while planning.
  template <typename T>
  TensorSpec& Constant(std::vector<int32_t> dims, const std::vector<T>& values) {
    inputs_.push_back(graph_->Constant<T>("", std::move(dims), values));
    return graph_->tensor(inputs_.back());
  }
  OpTester& Absent() {
    inputs_.push_back(-1);
    return *this;
  }
  TensorSpec& Output(heddle_dtype dtype, std::vector<int32_t> dims = {});
  template <typename Write>
  OpTester& Options(const Write& write) {
    options_.Options(write);
    return *this;
  }

  StatusOr<std::vector<Value>> Run(const RunOptions& options = {});

  // Output 0 after a run that must succeed.
  Value Result();

  template <typename T>
  void Expect(const std::vector<int32_t>& dims, const std::vector<T>& values) {
    const Value value = Result();
    EXPECT_EQ(value.dtype, DtypeOf<T>());
    EXPECT_EQ(ShapeText(value.dims), ShapeText(dims));
    EXPECT_EQ(value.As<T>(), values);
  }
  void ExpectNear(const std::vector<int32_t>& dims, const std::vector<float>& values,
                  float tolerance = 1e-6f);

  // The run must fail for this reason, with a message that names the op, `place` ("inputs[1]"; ""
  // for none) and contains `words`.
  void ExpectRefused(heddle_reason reason, const std::string& place, const std::string& words);

 private:
  ModelBuilder model_;
  SubgraphSpec* graph_;
  int32_t code_;
  int32_t version_;
  std::vector<int32_t> inputs_;
  std::vector<int32_t> outputs_;
  std::vector<std::vector<uint8_t>> values_;
  OperatorSpec options_;
};

}  // namespace heddle::testing
