// SPDX-License-Identifier: Apache-2.0
// Registrations and models for the tests of the resolver.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/strings.h"
#include "runtime/op/registration.h"
#include "tests/support/model_builder.h"

namespace heddle::testing {

inline heddle_status InvokeNothing(heddle_op_call*) { return HEDDLE_OK; }

// The least that can be registered. `user_data` tells registrations apart.
inline heddle_op BuiltinOp(int32_t code, int32_t min_version, int32_t max_version,
                           void* user_data = nullptr) {
  heddle_op op = {};
  op.struct_size = sizeof(op);
  op.builtin_code = code;
  op.min_version = min_version;
  op.max_version = max_version;
  op.user_data = user_data;
  op.invoke = InvokeNothing;
  return op;
}

inline heddle_op CustomOp(const char* name, int32_t min_version, int32_t max_version,
                          void* user_data = nullptr) {
  heddle_op op = BuiltinOp(HEDDLE_BUILTIN_CUSTOM, min_version, max_version, user_data);
  op.custom_name = name;
  return op;
}

// A model and the bytes that it borrows.
struct LoadedModel {
  std::vector<uint8_t> bytes;
  std::shared_ptr<const Model> model;
};

inline LoadedModel Load(const ModelBuilder& builder) {
  LoadedModel loaded{builder.Build(), nullptr};
  auto model = Model::FromMemory(loaded.bytes.data(), loaded.bytes.size(), {});
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (model.ok()) loaded.model = std::move(model).value();
  return loaded;
}

// What the resolver misses of a model.
inline std::vector<Fault> MissesOf(const OpResolver& resolver, const ModelBuilder& builder) {
  const LoadedModel loaded = Load(builder);
  if (loaded.model == nullptr) return {};
  std::vector<OpRegistrationRef> found;
  const Status status = resolver.Resolve(*loaded.model, &found);
  EXPECT_EQ(found.size(), loaded.model->operator_codes().size());
  return status.faults() != nullptr ? *status.faults() : std::vector<Fault>();
}

// A graph of float32 {1} tensors: one operator a call, each reading the graph's input and writing
// an output of the graph.
class OpsModel {
 public:
  OpsModel() : graph_(builder_.AddSubgraph("main")) {
    input_ = graph_.Input("x", HEDDLE_DTYPE_FLOAT32, {1});
  }
  OpsModel& Builtin(int32_t code, int32_t version) {
    graph_.Op(code, {input_, input_}, {Next()}, version);
    return *this;
  }
  OpsModel& Custom(const char* name, int32_t version) {
    graph_.CustomOp(name, {input_}, {Next()}, {}, version);
    return *this;
  }
  ModelBuilder& builder() { return builder_; }
  SubgraphSpec& graph() { return graph_; }

 private:
  int32_t Next() {
    const int32_t output =
        graph_.Tensor(StrCat("y", graph_.outputs.size()), HEDDLE_DTYPE_FLOAT32, {1});
    graph_.Output(output);
    return output;
  }
  ModelBuilder builder_;
  SubgraphSpec& graph_;
  int32_t input_ = 0;
};

}  // namespace heddle::testing
