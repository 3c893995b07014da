// SPDX-License-Identifier: Apache-2.0
// Resolvers through the C API: they may go early, misses are told at once, and what nobody has
// stays in the plan until it would have to run.
#include <gmock/gmock.h>

#include "tests/op/resolver_testing.h"
#include "tests/op/session.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string GoodPlugin() { return HEDDLE_TEST_PLUGINS "/good.so"; }

TEST(ResolverApi, MayBeDestroyedBeforeTheInterpreterRuns) {
  Session session;
  session.AddPlugin(GoodPlugin());
  session.AddDefaultOps();
  ModelBuilder builder;
  SubgraphSpec& graph = builder.AddSubgraph("main");
  const int32_t x = graph.Input("x", HEDDLE_DTYPE_FLOAT32, {3});
  const int32_t copy = graph.Tensor("copy", HEDDLE_DTYPE_FLOAT32, {3});
  const int32_t y = graph.Tensor("y", HEDDLE_DTYPE_FLOAT32, {3});
  graph.CustomOp("Test.Copy", {x}, {copy}, {}, 2);
  graph.Op(HEDDLE_BUILTIN_ADD, {copy, copy}, {y}).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateAddOptions(fbb);
  });
  graph.Output(y);
  session.LoadModel(builder);
  ASSERT_EQ(session.CheckModel(), HEDDLE_OK);
  ASSERT_EQ(session.Create(), HEDDLE_OK);
  heddle_op_resolver_destroy(std::exchange(session.resolver, nullptr));
  ASSERT_EQ(session.Prepare(), HEDDLE_OK);
  session.SetInput({1, 2, 3});
  ASSERT_EQ(session.Invoke(), HEDDLE_OK);
  EXPECT_THAT(session.Output(3), ElementsAre(2, 4, 6));
}

TEST(ResolverApi, DefaultHasTheListAndAnEmptyOneNothing) {
  heddle_op_resolver* builtins = nullptr;
  ASSERT_EQ(heddle_op_resolver_create_default(&builtins, nullptr), HEDDLE_OK);
  heddle_op_resolver* empty = nullptr;
  ASSERT_EQ(heddle_op_resolver_create(&empty, nullptr), HEDDLE_OK);
  int32_t min = 0, max = 0;
  EXPECT_EQ(heddle_op_resolver_get_versions(builtins, HEDDLE_BUILTIN_CONV_2D, nullptr, &min, &max),
            HEDDLE_OK);
  EXPECT_EQ(min, 1);
  EXPECT_GE(max, 3);
  EXPECT_EQ(heddle_op_resolver_get_versions(empty, HEDDLE_BUILTIN_CONV_2D, nullptr, &min, &max),
            HEDDLE_NOT_FOUND);
  EXPECT_EQ(heddle_op_resolver_get_versions(builtins, 0, "Test.Copy", &min, &max),
            HEDDLE_NOT_FOUND);
  heddle_op_resolver_destroy(empty);
  heddle_op_resolver_destroy(builtins);
  heddle_op_resolver_destroy(nullptr);
}

TEST(ResolverApi, MissesAreOneErrorWithOneFaultEach) {
  Session session;
  session.AddDefaultOps();
  OpsModel model;
  model.Builtin(HEDDLE_BUILTIN_ADD, 1)
      .Custom("First", 1)
      .Builtin(HEDDLE_BUILTIN_DELEGATE, 1)
      .Custom("Second", 2);
  session.LoadModel(model.builder());
  std::vector<ErrorFaults::Fault> faults;
  EXPECT_EQ(session.CheckModel(&faults), HEDDLE_UNRESOLVED_OPS);
  ASSERT_THAT(faults, SizeIs(3));
  EXPECT_EQ(faults[0].op_name, "First");
  EXPECT_EQ(faults[0].reason, HEDDLE_REASON_CUSTOM_OP_UNKNOWN);
  EXPECT_EQ(faults[1].op_name, "DELEGATE");
  EXPECT_EQ(faults[1].reason, HEDDLE_REASON_OP_NOT_REGISTERED);
  EXPECT_EQ(faults[2].op_name, "Second");
  EXPECT_EQ(faults[2].op_version, 2);
  for (const auto& fault : faults) {
    EXPECT_EQ(fault.phase, HEDDLE_PHASE_RESOLVE);
    EXPECT_NE(fault.next_step, "");
  }
}

TEST(ResolverApi, UnresolvedNodesAreKeptUntilPrepare) {
  Session session;
  session.AddDefaultOps();
  ModelBuilder builder;
  SubgraphSpec& graph = builder.AddSubgraph("main");
  const int32_t x = graph.Input("x", HEDDLE_DTYPE_FLOAT32, {2});
  std::vector<int32_t> t;
  for (int i = 0; i < 3; ++i) t.push_back(graph.Tensor(StrCat("t", i), HEDDLE_DTYPE_FLOAT32, {2}));
  const auto add = [](FlatBufferBuilder& fbb) { return schema::CreateAddOptions(fbb); };
  graph.Op(HEDDLE_BUILTIN_ADD, {x, x}, {t[0]}).Options(add);
  graph.CustomOp("Nobody.HasThis", {t[0]}, {t[1]});
  graph.Op(HEDDLE_BUILTIN_ADD, {t[1], x}, {t[2]}).Options(add);
  graph.Output(t[2]);
  session.LoadModel(builder);

  ASSERT_EQ(session.Create(), HEDDLE_OK);
  std::vector<ErrorFaults::Fault> faults;
  EXPECT_EQ(session.Prepare(&faults), HEDDLE_UNRESOLVED_OPS);
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].phase, HEDDLE_PHASE_RESOLVE);
  EXPECT_EQ(faults[0].reason, HEDDLE_REASON_CUSTOM_OP_UNKNOWN);
  EXPECT_EQ(faults[0].op_name, "Nobody.HasThis");
  EXPECT_EQ(faults[0].subgraph, 0);
  EXPECT_EQ(faults[0].operator_index, 1);
  EXPECT_EQ(faults[0].plan_position, 1);
  EXPECT_EQ(faults[0].place, "subgraphs[0].operators[1]");

  EXPECT_EQ(session.Invoke(&faults), HEDDLE_UNRESOLVED_OPS);
}

TEST(ResolverApi, AKnownOpThatCannotDoTheTypeIsNoMiss) {
  Session session;
  session.AddDefaultOps();
  ModelBuilder builder;
  SubgraphSpec& graph = builder.AddSubgraph("main");
  const int32_t x = graph.Input("x", HEDDLE_DTYPE_COMPLEX64, {2});
  const int32_t y = graph.Tensor("y", HEDDLE_DTYPE_COMPLEX64, {2});
  graph.Op(HEDDLE_BUILTIN_SOFTMAX, {x}, {y}).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateSoftmaxOptions(fbb, 1.0f);
  });
  graph.Output(y);
  session.LoadModel(builder);
  EXPECT_EQ(session.CheckModel(), HEDDLE_OK);
  ASSERT_EQ(session.Create(), HEDDLE_OK);
  std::vector<ErrorFaults::Fault> faults;
  EXPECT_EQ(session.Prepare(&faults), HEDDLE_UNSUPPORTED);
  ASSERT_THAT(faults, SizeIs(1));
  EXPECT_EQ(faults[0].reason, HEDDLE_REASON_TYPE_NOT_SUPPORTED);
  EXPECT_EQ(faults[0].operator_index, 0);
  EXPECT_NE(faults[0].phase, HEDDLE_PHASE_RESOLVE);
}

TEST(ResolverApi, OneModelMayUseAnOpInTwoVersions) {
  Session session;
  session.AddDefaultOps();
  ModelBuilder builder;
  SubgraphSpec& graph = builder.AddSubgraph("main");
  const int32_t x = graph.Input("x", HEDDLE_DTYPE_FLOAT32, {1, 1, 2, 1});
  const int32_t weight = graph.Constant<float>("weight", {1, 1, 1, 1}, {3});
  const int32_t bias = graph.Constant<float>("bias", {1}, {1});
  int32_t last = x;
  for (const int32_t version : {1, 3}) {
    const int32_t y = graph.Tensor(StrCat("y", version), HEDDLE_DTYPE_FLOAT32, {1, 1, 2, 1});
    graph.Op(HEDDLE_BUILTIN_CONV_2D, {last, weight, bias}, {y}, version)
        .Options([](FlatBufferBuilder& fbb) {
          return schema::CreateConv2DOptions(fbb, schema::Padding::VALID, 1, 1);
        });
    last = y;
  }
  graph.Output(last);
  session.LoadModel(builder);
  heddle_model_info info = {};
  info.struct_size = sizeof(info);
  ASSERT_EQ(heddle_model_get_info(session.model, &info), HEDDLE_OK);
  EXPECT_EQ(info.operator_code_count, 2u);
  ASSERT_EQ(session.Create(), HEDDLE_OK);
  ASSERT_EQ(session.Prepare(), HEDDLE_OK);
  session.SetInput({1, 2});
  ASSERT_EQ(session.Invoke(), HEDDLE_OK);
  EXPECT_THAT(session.Output(2), ElementsAre(13, 22));  // 3 (3 x + 1) + 1
}

// Counts the calls of a node's life, and fails where it is told to.
struct Life {
  heddle_phase fail_in = HEDDLE_PHASE_NONE;
  int inits = 0, frees = 0, prepares = 0, releases = 0, invokes = 0;

  static Life& Of(heddle_op_call* call) { return *static_cast<Life*>(call->user_data); }
  static heddle_status Fail(heddle_op_call* call, heddle_phase phase) {
    if (Of(call).fail_in != phase) return HEDDLE_OK;
    return call->host->report(call, HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0,
                              "as told");
  }
  static heddle_status Init(heddle_op_call* call, void** state) {
    if (Fail(call, HEDDLE_PHASE_INIT) != HEDDLE_OK) return HEDDLE_UNSUPPORTED;
    ++Of(call).inits;
    *state = new int(1);
    return HEDDLE_OK;
  }
  static void Free(void* user_data, void* state) {
    ++static_cast<Life*>(user_data)->frees;
    delete static_cast<int*>(state);
  }
  static heddle_status Infer(heddle_op_call* call) {
    const heddle_tensor* x = call->inputs[0];
    EXPECT_EQ(call->host->set_output(call, 0, x->dtype, x->dims, x->rank), HEDDLE_OK);
    return Fail(call, HEDDLE_PHASE_PLAN);
  }
  static heddle_status Prepare(heddle_op_call* call, void** state) {
    if (Fail(call, HEDDLE_PHASE_PREPARE) != HEDDLE_OK) return HEDDLE_UNSUPPORTED;
    ++Of(call).prepares;
    *state = new int(2);
    return HEDDLE_OK;
  }
  static void Release(void* user_data, void* state) {
    ++static_cast<Life*>(user_data)->releases;
    delete static_cast<int*>(state);
  }
  static heddle_status Invoke(heddle_op_call* call) {
    ++Of(call).invokes;
    return Fail(call, HEDDLE_PHASE_INVOKE);
  }
  heddle_op Op(const char* name) {
    heddle_op op = CustomOp(name, 1, 1, this);
    op.init = Init;
    op.free = Free;
    op.infer = Infer;
    op.prepare = Prepare;
    op.release = Release;
    op.invoke = Invoke;
    return op;
  }
};

TEST(CustomOpLife, StatesAreGivenBackWhereverItFails) {
  for (const heddle_phase phase : {HEDDLE_PHASE_INIT, HEDDLE_PHASE_PLAN, HEDDLE_PHASE_PREPARE,
                                   HEDDLE_PHASE_INVOKE, HEDDLE_PHASE_NONE}) {
    Life good, bad;
    bad.fail_in = phase;
    {
      Session session;
      const heddle_op ops[] = {good.Op("Good"), bad.Op("Bad")};
      for (const heddle_op& op : ops)
        ASSERT_EQ(heddle_op_resolver_add(session.resolver, &op, nullptr), HEDDLE_OK);
      OpsModel model;
      model.Custom("Good", 1).Custom("Bad", 1);
      session.LoadModel(model.builder());
      std::vector<ErrorFaults::Fault> faults;
      heddle_status status = session.Create(&faults);
      if (status == HEDDLE_OK) status = session.Prepare(&faults);
      if (status == HEDDLE_OK) {
        session.SetInput({1});
        status = session.Invoke(&faults);
      }
      if (phase == HEDDLE_PHASE_NONE) {
        EXPECT_EQ(status, HEDDLE_OK);
      } else {
        EXPECT_EQ(status, HEDDLE_UNSUPPORTED);
        ASSERT_THAT(faults, SizeIs(1));
        EXPECT_EQ(faults[0].phase, phase);
        EXPECT_EQ(faults[0].reason, HEDDLE_REASON_SHAPE_NOT_SUPPORTED);
        EXPECT_EQ(faults[0].op_name, "Bad");
        EXPECT_EQ(faults[0].operator_index, 1);
        EXPECT_EQ(faults[0].place, "subgraphs[0].operators[1].inputs[0]");
      }
    }
    EXPECT_EQ(good.inits, 1) << phase;
    EXPECT_EQ(bad.inits, phase == HEDDLE_PHASE_INIT ? 0 : 1) << phase;
    for (const Life& life : {good, bad}) {
      EXPECT_EQ(life.frees, life.inits) << phase;
      EXPECT_EQ(life.releases, life.prepares) << phase;
    }
    const bool runs = phase == HEDDLE_PHASE_INVOKE || phase == HEDDLE_PHASE_NONE;
    EXPECT_EQ(bad.invokes, runs ? 1 : 0) << phase;
  }
}

TEST(ResolverApi, NullArguments) {
  heddle_op_resolver* resolver = nullptr;
  ASSERT_EQ(heddle_op_resolver_create(&resolver, nullptr), HEDDLE_OK);
  EXPECT_EQ(heddle_op_resolver_create(nullptr, nullptr), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_op_resolver_add(resolver, nullptr, nullptr), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_op_resolver_add_plugin(resolver, nullptr, nullptr), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_op_resolver_chain(resolver, nullptr, nullptr), HEDDLE_INVALID_ARGUMENT);
  heddle_error* error = nullptr;
  EXPECT_EQ(heddle_op_resolver_check_model(resolver, nullptr, &error), HEDDLE_INVALID_ARGUMENT);
  const ErrorFaults faults(error);
  ASSERT_THAT(faults.faults, SizeIs(1));
  EXPECT_EQ(faults.faults[0].reason, HEDDLE_REASON_NULL_ARGUMENT);
  EXPECT_THAT(faults.faults[0].message, HasSubstr("model is NULL"));
  heddle_op_resolver_destroy(resolver);
}

}  // namespace
}  // namespace heddle::testing
