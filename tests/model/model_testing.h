// SPDX-License-Identifier: Apache-2.0
// What the tests of the loader share.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/base/reason.h"
#include "runtime/base/strings.h"
#include "runtime/model/model.h"
#include "tests/support/model_builder.h"

namespace heddle::testing {

// Bytes as malloc aligns them, hence used in place.
inline StatusOr<std::shared_ptr<const Model>> LoadBytes(const std::vector<uint8_t>& bytes,
                                                        const ModelOptions& options = {}) {
  return Model::FromMemory(bytes.data(), bytes.size(), options);
}

inline std::string Describe(const Status& status) {
  if (status.ok()) return "OK";
  if (status.faults() == nullptr) return std::string(status.message());
  const Fault& fault = status.faults()->front();
  return StrCat(PhaseName(fault.phase), " ", ReasonName(fault.reason), " at ", fault.place, ": ",
                fault.message);
}

// The fault that loading gives; an empty one, with a failure, if it gives none.
inline Fault FaultOf(const std::vector<uint8_t>& bytes) {
  auto model = LoadBytes(bytes);
  if (model.ok() || model.status().faults() == nullptr) {
    ADD_FAILURE() << "the model was not refused";
    return {};
  }
  return model.status().faults()->front();
}

inline void ExpectRefused(const std::vector<uint8_t>& bytes, heddle_reason reason,
                          const std::string& place) {
  const Fault fault = FaultOf(bytes);
  EXPECT_STREQ(ReasonName(fault.reason), ReasonName(reason)) << fault.message;
  EXPECT_EQ(fault.place, place) << fault.message;
  EXPECT_EQ(fault.phase, HEDDLE_PHASE_VERIFY);
  EXPECT_EQ(fault.code, HEDDLE_INVALID_MODEL);
  EXPECT_FALSE(fault.message.empty());
}

inline void ExpectRefused(const ModelBuilder& model, heddle_reason reason,
                          const std::string& place) {
  ExpectRefused(model.Build(), reason, place);
}

inline void ExpectLoads(const ModelBuilder& model) {
  auto loaded = LoadBytes(model.Build());
  EXPECT_TRUE(loaded.ok()) << Describe(loaded.status());
}

// y = x + c, tensors 0, 1, 2; right until a test breaks it.
struct AddModel : ModelBuilder {
  AddModel() : graph(AddSubgraph("main")) {
    x = graph.Input("x", HEDDLE_DTYPE_FLOAT32, {2, 3});
    c = graph.Constant<float>("c", {3}, {1, 2, 3});
    y = graph.Tensor("y", HEDDLE_DTYPE_FLOAT32, {2, 3});
    graph.Op(HEDDLE_BUILTIN_ADD, {x, c}, {y});
    graph.Output(y);
  }
  OperatorSpec& op() { return graph.operators.front(); }
  TensorSpec& tensor(int32_t index) { return graph.tensor(index); }

  SubgraphSpec& graph;
  int32_t x, c, y;
};

}  // namespace heddle::testing
