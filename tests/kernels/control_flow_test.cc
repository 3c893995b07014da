// SPDX-License-Identifier: Apache-2.0
// IF, WHILE, CALL_ONCE and variables on a host whose subgraphs are functions of the test.
#include <gmock/gmock.h>

#include "tests/kernels/fake_host.h"

namespace heddle::testing {
namespace {

Value Ints(std::vector<int32_t> dims, const std::vector<int32_t>& values) {
  return {HEDDLE_DTYPE_INT32, std::move(dims), BytesOf(values)};
}
Value Bool(bool value) { return {HEDDLE_DTYPE_BOOL, {}, {static_cast<uint8_t>(value)}}; }
Shape ScalarBool() { return {HEDDLE_DTYPE_BOOL, std::vector<int32_t>{}}; }

// ---- IF

// then: the input doubled; else: the input's first `kept` elements.
void FillIf(FakeHost& host, bool condition, int32_t kept) {
  host.Options([](FlatBufferBuilder& fbb) { return schema::CreateIfOptions(fbb, 1, 2); });
  host.inputs = {Bool(condition), Ints({2}, {3, 4})};
  host.outputs = {{HEDDLE_DTYPE_INT32, std::nullopt}};
  const FakeSubgraph twice = {1, 1, [](const std::vector<Shape>& shapes) { return shapes; },
                              [](const std::vector<Value>& values) {
                                std::vector<int32_t> numbers = values[0].As<int32_t>();
                                for (int32_t& number : numbers) number *= 2;
                                return std::vector<Value>{Ints(values[0].dims, numbers)};
                              }};
  const FakeSubgraph head = {
      1, 1,
      [kept](const std::vector<Shape>&) {
        return std::vector<Shape>{{HEDDLE_DTYPE_INT32, std::vector<int32_t>{kept}}};
      },
      [kept](const std::vector<Value>& values) {
        std::vector<int32_t> numbers = values[0].As<int32_t>();
        numbers.resize(static_cast<size_t>(kept));
        return std::vector<Value>{Ints({kept}, numbers)};
      }};
  host.subgraphs = {{}, twice, head};
}

TEST(If, RunsOneBranch) {
  for (const bool condition : {true, false}) {
    FakeHost host(HEDDLE_BUILTIN_IF);
    FillIf(host, condition, 2);
    ASSERT_TRUE(host.Plan().ok());
    EXPECT_EQ(host.outputs[0].dims, (std::vector<int32_t>{2}));
    ASSERT_TRUE(host.Invoke().ok());
    EXPECT_EQ(host.calls(), (std::vector<int32_t>{condition ? 1 : 2}));
    EXPECT_EQ(host.results()[0].As<int32_t>(),
              condition ? (std::vector<int32_t>{6, 8}) : (std::vector<int32_t>{3, 4}));
  }
}

TEST(If, DifferentShapesAreDataDependent) {
  FakeHost host(HEDDLE_BUILTIN_IF);
  FillIf(host, false, 1);
  ASSERT_TRUE(host.Plan().ok());
  EXPECT_EQ(host.outputs[0].dims, std::nullopt);
  ASSERT_TRUE(host.Invoke().ok());
  EXPECT_EQ(host.results()[0].dims, (std::vector<int32_t>{1}));
  EXPECT_EQ(host.results()[0].As<int32_t>(), (std::vector<int32_t>{3}));
}

TEST(If, BothBranchesMayBeTheSameSubgraph) {
  FakeHost host(HEDDLE_BUILTIN_IF);
  FillIf(host, false, 2);
  host.subgraphs[2] = host.subgraphs[1];
  host.Options([](FlatBufferBuilder& fbb) { return schema::CreateIfOptions(fbb, 1, 1); });
  ASSERT_TRUE(host.Plan().ok());
  ASSERT_TRUE(host.Invoke().ok());
  EXPECT_EQ(host.results()[0].As<int32_t>(), (std::vector<int32_t>{6, 8}));
}

TEST(If, Refusals) {
  FakeHost type(HEDDLE_BUILTIN_IF);
  FillIf(type, true, 2);
  type.inputs[0] = Ints({}, {1});
  EXPECT_EQ(type.Plan().reason(), HEDDLE_REASON_TYPES_DIFFER);
  FakeHost two(HEDDLE_BUILTIN_IF);
  FillIf(two, true, 2);
  two.inputs[0] = {HEDDLE_DTYPE_BOOL, {2}, {1, 0}};
  EXPECT_EQ(two.Plan().reason(), HEDDLE_REASON_SHAPE_NOT_SUPPORTED);
  FakeHost arity(HEDDLE_BUILTIN_IF);
  FillIf(arity, true, 2);
  arity.subgraphs[2].inputs = 2;
  const Status status = arity.Plan();
  EXPECT_EQ(status.reason(), HEDDLE_REASON_SUBGRAPH_MISMATCH);
  EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("else branch, subgraph 2"));
  FakeHost types(HEDDLE_BUILTIN_IF);
  FillIf(types, true, 2);
  types.subgraphs[1].infer = [](const std::vector<Shape>&) {
    return std::vector<Shape>{{HEDDLE_DTYPE_FLOAT32, std::vector<int32_t>{2}}};
  };
  EXPECT_EQ(types.Plan().reason(), HEDDLE_REASON_SUBGRAPH_MISMATCH);
}

// ---- WHILE

// Values: a counter below `end`, and a list that the body leaves or lengthens.
void FillWhile(FakeHost& host, int32_t start, int32_t end, bool grow) {
  host.Options([](FlatBufferBuilder& fbb) { return schema::CreateWhileOptions(fbb, 0, 1); });
  host.inputs = {Ints({}, {start}), Ints({1}, {7})};
  host.outputs = {{HEDDLE_DTYPE_INT32, std::nullopt}, {HEDDLE_DTYPE_INT32, std::nullopt}};
  const FakeSubgraph condition = {
      2, 1, [](const std::vector<Shape>&) { return std::vector<Shape>{ScalarBool()}; },
      [end](const std::vector<Value>& values) {
        return std::vector<Value>{Bool(values[0].As<int32_t>()[0] < end)};
      }};
  const FakeSubgraph body = {2, 2,
                             [grow](std::vector<Shape> shapes) {
                               if (grow) (*shapes[1].dims)[0] += 1;
                               return shapes;
                             },
                             [grow](std::vector<Value> values) {
                               const int32_t count = values[0].As<int32_t>()[0];
                               std::vector<int32_t> list = values[1].As<int32_t>();
                               if (grow) {
                                 list.push_back(count);
                               } else {
                                 list[0] += count;
                               }
                               const auto size = static_cast<int32_t>(list.size());
                               return std::vector<Value>{Ints({}, {count + 1}), Ints({size}, list)};
                             }};
  host.subgraphs = {condition, body};
}

TEST(While, Loops) {
  FakeHost host(HEDDLE_BUILTIN_WHILE);
  FillWhile(host, 0, 4, /*grow=*/false);
  ASSERT_TRUE(host.Plan().ok());
  EXPECT_EQ(host.outputs[1].dims, (std::vector<int32_t>{1}));
  ASSERT_TRUE(host.Invoke().ok());
  EXPECT_EQ(host.results()[0].As<int32_t>(), (std::vector<int32_t>{4}));
  EXPECT_EQ(host.results()[1].As<int32_t>(), (std::vector<int32_t>{7 + 0 + 1 + 2 + 3}));
  EXPECT_EQ(host.calls(), (std::vector<int32_t>{0, 1, 0, 1, 0, 1, 0, 1, 0}));
}

TEST(While, NoRoundGivesTheInputs) {
  FakeHost host(HEDDLE_BUILTIN_WHILE);
  FillWhile(host, 9, 4, /*grow=*/true);
  ASSERT_TRUE(host.Plan().ok());
  ASSERT_TRUE(host.Invoke().ok());
  EXPECT_EQ(host.results()[0].As<int32_t>(), (std::vector<int32_t>{9}));
  EXPECT_EQ(host.results()[1].As<int32_t>(), (std::vector<int32_t>{7}));
}

TEST(While, ShapesMayGrow) {
  FakeHost host(HEDDLE_BUILTIN_WHILE);
  FillWhile(host, 0, 3, /*grow=*/true);
  ASSERT_TRUE(host.Plan().ok());
  EXPECT_EQ(host.outputs[0].dims, std::nullopt);  // the next round may change any shape
  EXPECT_EQ(host.outputs[1].dims, std::nullopt);
  for (int run = 0; run < 2; ++run) {
    ASSERT_TRUE(host.Invoke().ok());
    EXPECT_EQ(host.results()[1].dims, (std::vector<int32_t>{4}));
    EXPECT_EQ(host.results()[1].As<int32_t>(), (std::vector<int32_t>{7, 0, 1, 2}));
  }
}

TEST(While, StopsAtTheLimit) {
  FakeHost host(HEDDLE_BUILTIN_WHILE);
  FillWhile(host, 0, 1000, /*grow=*/false);
  host.loop_limit = 5;
  ASSERT_TRUE(host.Plan().ok());
  const Status status = host.Invoke();
  EXPECT_EQ(status.reason(), HEDDLE_REASON_LOOP_LIMIT);
  EXPECT_EQ(host.calls().size(), 11u);  // five rounds and one more condition
  // As many rounds as the limit are allowed.
  FakeHost exact(HEDDLE_BUILTIN_WHILE);
  FillWhile(exact, 0, 5, /*grow=*/false);
  exact.loop_limit = 5;
  ASSERT_TRUE(exact.Plan().ok());
  EXPECT_TRUE(exact.Invoke().ok());
}

TEST(While, StopsWhenCancelled) {
  FakeHost host(HEDDLE_BUILTIN_WHILE);
  FillWhile(host, 0, 1000, /*grow=*/false);
  ASSERT_TRUE(host.Plan().ok());
  host.cancelled = true;
  const Status status = host.Invoke();
  EXPECT_EQ(status.code(), HEDDLE_CANCELLED);
  EXPECT_EQ(status.reason(), HEDDLE_REASON_CANCELLED);
}

TEST(While, Refusals) {
  FakeHost condition(HEDDLE_BUILTIN_WHILE);
  FillWhile(condition, 0, 1, false);
  condition.subgraphs[0].infer = [](const std::vector<Shape>&) {
    return std::vector<Shape>{{HEDDLE_DTYPE_BOOL, std::vector<int32_t>{2}}};
  };
  EXPECT_EQ(condition.Plan().reason(), HEDDLE_REASON_SUBGRAPH_MISMATCH);
  FakeHost body(HEDDLE_BUILTIN_WHILE);
  FillWhile(body, 0, 1, false);
  body.subgraphs[1].infer = [](std::vector<Shape> shapes) {
    shapes[1].dtype = HEDDLE_DTYPE_FLOAT32;
    return shapes;
  };
  EXPECT_EQ(body.Plan().reason(), HEDDLE_REASON_SUBGRAPH_MISMATCH);
  FakeHost lies(HEDDLE_BUILTIN_WHILE);
  FillWhile(lies, 0, 1, false);
  lies.subgraphs[1].run = [](const std::vector<Value>&) {
    return std::vector<Value>{Ints({}, {1}), Ints({3}, {1, 2, 3})};
  };
  ASSERT_TRUE(lies.Plan().ok());
  EXPECT_EQ(lies.Invoke().reason(), HEDDLE_REASON_SUBGRAPH_MISMATCH);
}

// ---- CALL_ONCE

TEST(CallOnce, RunsOncePerSubgraph) {
  auto resources = std::make_shared<FakeResources>();
  int runs = 0;
  const FakeSubgraph init = {0, 0, [](const std::vector<Shape>&) { return std::vector<Shape>(); },
                             [&](const std::vector<Value>&) {
                               ++runs;
                               return std::vector<Value>();
                             }};
  for (int node = 0; node < 2; ++node) {  // two nodes share the flag
    FakeHost host(HEDDLE_BUILTIN_CALL_ONCE, resources);
    host.Options([](FlatBufferBuilder& fbb) { return schema::CreateCallOnceOptions(fbb, 1); });
    host.subgraphs = {{}, init};
    ASSERT_TRUE(host.Plan().ok());
    ASSERT_TRUE(host.Invoke().ok());
    ASSERT_TRUE(host.Invoke().ok());
  }
  EXPECT_EQ(runs, 1);
  // Another interpreter starts anew.
  FakeHost other(HEDDLE_BUILTIN_CALL_ONCE);
  other.Options([](FlatBufferBuilder& fbb) { return schema::CreateCallOnceOptions(fbb, 1); });
  other.subgraphs = {{}, init};
  ASSERT_TRUE(other.Plan().ok());
  ASSERT_TRUE(other.Invoke().ok());
  EXPECT_EQ(runs, 2);
}

TEST(CallOnce, RefusesSubgraphsWithOperands) {
  FakeHost host(HEDDLE_BUILTIN_CALL_ONCE);
  host.Options([](FlatBufferBuilder& fbb) { return schema::CreateCallOnceOptions(fbb, 0); });
  host.subgraphs.resize(1);
  host.subgraphs[0].inputs = 1;
  EXPECT_EQ(host.Plan().reason(), HEDDLE_REASON_SUBGRAPH_MISMATCH);
}

// ---- Variables

Value Handle(const std::shared_ptr<FakeResources>& resources, const std::string& name) {
  FakeHost host(HEDDLE_BUILTIN_VAR_HANDLE, resources);
  host.Options([&](FlatBufferBuilder& fbb) {
    return schema::CreateVarHandleOptions(fbb, fbb.CreateString("c"), fbb.CreateString(name));
  });
  host.outputs = {{HEDDLE_DTYPE_RESOURCE, std::nullopt}};
  EXPECT_TRUE(host.Plan().ok());
  EXPECT_TRUE(host.Invoke().ok());
  return host.results()[0];
}

Status Assign(const std::shared_ptr<FakeResources>& resources, Value handle, Value value) {
  FakeHost host(HEDDLE_BUILTIN_ASSIGN_VARIABLE, resources);
  host.inputs = {std::move(handle), std::move(value)};
  HEDDLE_RETURN_IF_ERROR(host.Plan());
  return host.Invoke();
}

StatusOr<Value> Read(const std::shared_ptr<FakeResources>& resources, Value handle,
                     heddle_dtype dtype = HEDDLE_DTYPE_INT32) {
  FakeHost host(HEDDLE_BUILTIN_READ_VARIABLE, resources);
  host.inputs = {std::move(handle)};
  host.outputs = {{dtype, std::nullopt}};
  HEDDLE_RETURN_IF_ERROR(host.Plan());
  HEDDLE_RETURN_IF_ERROR(host.Invoke());
  return host.results()[0];
}

TEST(Variable, KeepsTheLastValue) {
  auto resources = std::make_shared<FakeResources>();
  const Value a = Handle(resources, "a");
  const Value b = Handle(resources, "b");
  EXPECT_EQ(a.bytes, Handle(resources, "a").bytes);
  EXPECT_NE(a.bytes, b.bytes);
  ASSERT_TRUE(Assign(resources, a, Ints({2}, {1, 2})).ok());
  ASSERT_TRUE(Assign(resources, b, Ints({}, {9})).ok());
  ASSERT_TRUE(Assign(resources, a, Ints({1, 2}, {3, 4})).ok());  // same bytes, other shape
  auto value = Read(resources, a);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->dims, (std::vector<int32_t>{1, 2}));
  EXPECT_EQ(value->As<int32_t>(), (std::vector<int32_t>{3, 4}));
  ASSERT_TRUE(Assign(resources, a, Ints({0}, {})).ok());
  value = Read(resources, a);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->dims, (std::vector<int32_t>{0}));
}

TEST(Variable, CopiesForSnapshots) {
  auto resources = std::make_shared<FakeResources>();
  const Value handle = Handle(resources, "a");
  ASSERT_TRUE(Assign(resources, handle, Ints({1}, {5})).ok());
  FakeResources::Entry& entry = resources->entries.begin()->second;
  EXPECT_EQ(entry.type->bytes(entry.object), 4u);
  void* copy = nullptr;
  ASSERT_EQ(entry.type->clone(entry.object, &copy), HEDDLE_OK);
  ASSERT_TRUE(Assign(resources, handle, Ints({1}, {6})).ok());
  entry.type->destroy(entry.object);
  entry.object = copy;
  auto value = Read(resources, handle);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(value->As<int32_t>(), (std::vector<int32_t>{5}));
}

TEST(Variable, Refusals) {
  auto resources = std::make_shared<FakeResources>();
  const Value handle = Handle(resources, "a");
  EXPECT_EQ(Read(resources, handle).status().reason(), HEDDLE_REASON_RESOURCE_UNKNOWN);
  ASSERT_TRUE(Assign(resources, handle, Ints({}, {1})).ok());
  EXPECT_EQ(Read(resources, handle, HEDDLE_DTYPE_FLOAT32).status().reason(),
            HEDDLE_REASON_TYPES_DIFFER);
  EXPECT_EQ(Assign(resources, Ints({}, {1}), Ints({}, {1})).reason(), HEDDLE_REASON_TYPES_DIFFER);
  const Value two = {HEDDLE_DTYPE_RESOURCE, {2}, std::vector<uint8_t>(8)};
  EXPECT_EQ(Read(resources, two).status().reason(), HEDDLE_REASON_SHAPE_NOT_SUPPORTED);
}

}  // namespace
}  // namespace heddle::testing
