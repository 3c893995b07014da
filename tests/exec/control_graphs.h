// SPDX-License-Identifier: Apache-2.0
// Subgraphs with control flow for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/rig.h"

namespace heddle::testing {

inline constexpr heddle_dtype kFloat = HEDDLE_DTYPE_FLOAT32;
inline constexpr heddle_dtype kInt = HEDDLE_DTYPE_INT32;
inline constexpr heddle_dtype kBool = HEDDLE_DTYPE_BOOL;

inline OperatorSpec& While(SubgraphSpec& graph, int32_t condition, int32_t body,
                           std::vector<int32_t> inputs, std::vector<int32_t> outputs) {
  return graph.Op(HEDDLE_BUILTIN_WHILE, std::move(inputs), std::move(outputs))
      .Options([condition, body](FlatBufferBuilder& fbb) {
        return schema::CreateWhileOptions(fbb, condition, body);
      });
}

// inputs[0] is the condition.
inline OperatorSpec& If(SubgraphSpec& graph, int32_t then_branch, int32_t else_branch,
                        std::vector<int32_t> inputs, std::vector<int32_t> outputs) {
  return graph.Op(HEDDLE_BUILTIN_IF, std::move(inputs), std::move(outputs))
      .Options([then_branch, else_branch](FlatBufferBuilder& fbb) {
        return schema::CreateIfOptions(fbb, then_branch, else_branch);
      });
}

inline OperatorSpec& CallOnce(SubgraphSpec& graph, int32_t subgraph) {
  return graph.Op(HEDDLE_BUILTIN_CALL_ONCE, {}, {}).Options([subgraph](FlatBufferBuilder& fbb) {
    return schema::CreateCallOnceOptions(fbb, subgraph);
  });
}

inline OperatorSpec& Add(SubgraphSpec& graph, int32_t a, int32_t b, int32_t sum) {
  return graph.Op(HEDDLE_BUILTIN_ADD, {a, b}, {sum}).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateAddOptions(fbb);
  });
}

inline OperatorSpec& Mul(SubgraphSpec& graph, int32_t a, int32_t b, int32_t product) {
  return graph.Op(HEDDLE_BUILTIN_MUL, {a, b}, {product}).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateMulOptions(fbb);
  });
}

inline OperatorSpec& VarHandle(SubgraphSpec& graph, const std::string& name, int32_t handle) {
  return graph.Op(HEDDLE_BUILTIN_VAR_HANDLE, {}, {handle}).Options([name](FlatBufferBuilder& fbb) {
    return schema::CreateVarHandleOptions(fbb, 0, fbb.CreateString(name));
  });
}

// A condition `counter < limit` on input 0 (an int32 scalar) of the given inputs.
struct Value {
  std::string name;
  heddle_dtype dtype;
  std::vector<int32_t> dims;
};
inline SubgraphSpec& LessThan(ModelBuilder& model, const std::vector<Value>& values,
                              int32_t limit) {
  SubgraphSpec& graph = model.AddSubgraph("condition");
  for (const Value& value : values) graph.Input(value.name, value.dtype, value.dims);
  const int32_t most = graph.Constant<int32_t>("limit", {}, {limit});
  const int32_t result = graph.Tensor("go_on", kBool, {});
  graph.Op(HEDDLE_BUILTIN_LESS, {graph.inputs[0], most}, {result});
  graph.Output(result);
  return graph;
}

// Adds `counter + 1` to a body whose input 0 is the counter; returns the sum's tensor.
inline int32_t CountUp(SubgraphSpec& body) {
  const int32_t one = body.Constant<int32_t>("one", {}, {1});
  const int32_t next = body.Tensor("next", kInt, {});
  Add(body, body.inputs[0], one, next);
  return next;
}

}  // namespace heddle::testing
