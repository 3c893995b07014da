// SPDX-License-Identifier: Apache-2.0
// Errors: one broken model for each phase, and what an error says of it.
#include <gmock/gmock.h>

#include "tests/exec/control_graphs.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The broken node is operator 0 but the second of the plan: operator 1 feeds it.
//   operator 1: x -> Copy -> a;  operator 0: a -> Broken (version 2) -> y
class Phases : public ::testing::Test {
 protected:
  void Make(const std::function<void(TestOp&)>& setup) {
    rig_.AddOp("Copy");
    rig_.AddOp("Broken", [&](TestOp& op) {
      op.max_version = 3;
      setup(op);
    });
    SubgraphSpec& graph = model_.AddSubgraph("main");
    const int32_t x = graph.Input("x", kFloat, {2});
    const int32_t y = graph.Tensor("y", kFloat, {2});
    const int32_t a = graph.Tensor("a", kFloat, {2});
    graph.CustomOp("Broken", {a}, {y}, {}, 2);
    graph.CustomOp("Copy", {x}, {a});
    graph.Output(y);
    rig_.Load(model_);
  }
  static heddle_status Report(heddle_op_call* call, int32_t operand) {
    return call->host->report(call, HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, operand,
                              "does not like it");
  }
  // Everything about the broken node, but `plan_position`, which init has not yet.
  void Check(heddle_phase phase, int32_t plan_position, bool is_output) {
    ASSERT_EQ(rig_.error.count(), 1u);
    const heddle_error_info info = rig_.error.info();
    EXPECT_EQ(info.status, HEDDLE_UNSUPPORTED);
    EXPECT_EQ(info.phase, phase);
    EXPECT_EQ(info.reason, HEDDLE_REASON_SHAPE_NOT_SUPPORTED);
    EXPECT_EQ(info.subgraph, 0);
    EXPECT_EQ(info.operator_index, 0);
    EXPECT_EQ(info.plan_position, plan_position);
    EXPECT_STREQ(info.op_name, "Broken");
    EXPECT_EQ(info.op_version, 2);
    EXPECT_STREQ(info.next_step, heddle_reason_get_remedy(HEDDLE_REASON_SHAPE_NOT_SUPPORTED));
    EXPECT_THAT(info.message, HasSubstr("does not like it"));
    if (phase != HEDDLE_PHASE_INIT) {
      EXPECT_EQ(info.tensor, is_output ? 1 : 2);
      EXPECT_STREQ(info.tensor_name, is_output ? "y" : "a");
    }
    EXPECT_EQ(info.place,
              std::string("subgraphs[0].operators[0].") + (is_output ? "outputs[0]" : "inputs[0]"));
    for (const char* part : {"UNSUPPORTED", "SHAPE_NOT_SUPPORTED", heddle_phase_get_name(phase),
                             info.place, "docs/ops.md"})
      EXPECT_THAT(rig_.error.text(), HasSubstr(part));
  }
  ModelBuilder model_;
  Rig rig_;
};

TEST_F(Phases, Init) {
  Make([](TestOp& op) { op.on_init = [](heddle_op_call* call) { return Report(call, 0); }; });
  EXPECT_EQ(rig_.Create(), HEDDLE_UNSUPPORTED);
  Check(HEDDLE_PHASE_INIT, -1, false);
  EXPECT_EQ(rig_.ops[1].frees, 0) << "free is for an init that succeeded";
}

TEST_F(Phases, Plan) {
  Make([](TestOp& op) { op.on_infer = [](heddle_op_call* call) { return Report(call, 0); }; });
  ASSERT_EQ(rig_.Create(), HEDDLE_OK);
  EXPECT_EQ(rig_.Prepare(), HEDDLE_UNSUPPORTED);
  Check(HEDDLE_PHASE_PLAN, 1, false);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_UNSUPPORTED) << "again";
  Check(HEDDLE_PHASE_PLAN, 1, false);
}

TEST_F(Phases, Prepare) {
  Make([](TestOp& op) { op.on_prepare = [](heddle_op_call* call) { return Report(call, -1); }; });
  ASSERT_EQ(rig_.Create(), HEDDLE_OK);
  EXPECT_EQ(rig_.Prepare(), HEDDLE_UNSUPPORTED);
  Check(HEDDLE_PHASE_PREPARE, 1, true);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_UNSUPPORTED);
  Check(HEDDLE_PHASE_PREPARE, 1, true);
  EXPECT_EQ(rig_.ops[1].releases, 0);
  const int copies = rig_.ops[0].prepares;
  rig_.interpreter.reset();
  EXPECT_EQ(rig_.ops[0].releases, copies) << "what was prepared before the fault is released";
  EXPECT_EQ(rig_.ops[1].frees, 1);
}

TEST_F(Phases, Invoke) {
  Make([](TestOp& op) { op.on_invoke = [](heddle_op_call* call) { return Report(call, 0); }; });
  ASSERT_EQ(rig_.Create(), HEDDLE_OK);
  ASSERT_EQ(rig_.Prepare(), HEDDLE_OK) << rig_.error.text();
  EXPECT_EQ(rig_.Invoke(), HEDDLE_UNSUPPORTED);
  Check(HEDDLE_PHASE_INVOKE, 1, false);
  rig_.ops[1].on_invoke = nullptr;
  EXPECT_EQ(rig_.Invoke(), HEDDLE_OK) << "a failed run leaves the interpreter usable";
}

TEST_F(Phases, AnOpThatGivesNoReason) {
  Make([](TestOp& op) { op.on_invoke = [](heddle_op_call*) { return HEDDLE_KERNEL_FAILED; }; });
  ASSERT_EQ(rig_.Create(), HEDDLE_OK);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_KERNEL_FAILED);
  const heddle_error_info info = rig_.error.info();
  EXPECT_EQ(info.reason, HEDDLE_REASON_NONE);
  EXPECT_EQ(info.phase, HEDDLE_PHASE_INVOKE);
  EXPECT_STREQ(info.op_name, "Broken");
  EXPECT_STREQ(info.place, "subgraphs[0].operators[0]");
  EXPECT_EQ(info.plan_position, 1);
}

// A fault that an op got over is not told for the next one.
TEST_F(Phases, AReportThatWasOvercomeIsForgotten) {
  bool fail = false;
  Make([&](TestOp& op) {
    op.on_invoke = [&](heddle_op_call* call) {
      if (fail) return HEDDLE_KERNEL_FAILED;
      Report(call, 0);
      return CopyInput(call);
    };
  });
  ASSERT_EQ(rig_.Create(), HEDDLE_OK);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
  fail = true;
  EXPECT_EQ(rig_.Invoke(), HEDDLE_KERNEL_FAILED);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_NONE);
}

// Functions of the host fail outside their callbacks, and say so.
TEST_F(Phases, HostFunctionsOutOfPlace) {
  Make([](TestOp& op) {
    op.on_invoke = [](heddle_op_call* call) {
      int32_t scratch = 0;
      return call->host->request_scratch(call, 16, &scratch);
    };
  });
  ASSERT_EQ(rig_.Create(), HEDDLE_OK);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_FAILED_PRECONDITION);
  EXPECT_THAT(rig_.error.text(), HasSubstr("request_scratch"));
  EXPECT_STREQ(rig_.error.info().op_name, "Broken");
}

TEST(PhaseVerify, ABrokenFile) {
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {2});
  Add(graph, x, 77, graph.Tensor("y", kFloat, {2}));
  const std::vector<uint8_t> bytes = model.Build();
  Rig rig;
  heddle_model* made = nullptr;
  EXPECT_EQ(heddle_model_create_from_memory(rig.environment.get(), bytes.data(), bytes.size(), 0,
                                            &made, rig.error.out()),
            HEDDLE_INVALID_MODEL);
  EXPECT_EQ(made, nullptr);
  const heddle_error_info info = rig.error.info();
  EXPECT_EQ(info.phase, HEDDLE_PHASE_VERIFY);
  EXPECT_EQ(info.reason, HEDDLE_REASON_INDEX_OUT_OF_RANGE);
  EXPECT_STREQ(info.place, "subgraphs[0].operators[0].inputs[1]");
  EXPECT_STRNE(info.next_step, "");
}

// All that is missing is told at once, also in branches, at create's latest when it prepares.
TEST(PhaseResolve, EveryMissAtOnce) {
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t condition = graph.Input("condition", kBool, {});
  const int32_t x = graph.Input("x", kFloat, {2});
  const int32_t y = graph.Tensor("y", kFloat, {2});
  const int32_t z = graph.Tensor("z", kFloat, {2});
  If(graph, 1, 2, {condition, x}, {y});
  graph.CustomOp("Missing", {y}, {z});
  graph.Output(z);
  for (const char* name : {"AlsoMissing", "copi"}) {
    SubgraphSpec& branch = model.AddSubgraph(name);
    const int32_t in = branch.Input("x", kFloat, {2});
    const int32_t out = branch.Tensor("y", kFloat, {2});
    branch.CustomOp(name, {in}, {out});
    branch.Output(out);
  }
  SubgraphSpec& unused = model.AddSubgraph("unused");
  const int32_t in = unused.Input("x", kFloat, {2});
  const int32_t out = unused.Tensor("y", kFloat, {2});
  Add(unused, in, in, out).opcode_index = model.OpCode(HEDDLE_BUILTIN_ADD, 99);
  unused.Output(out);
  Rig rig;
  rig.AddOp("Copy");
  rig.Load(model);
  ASSERT_EQ(rig.Create(), HEDDLE_OK) << "a delegate may still claim them";
  EXPECT_EQ(rig.Prepare(), HEDDLE_UNRESOLVED_OPS);
  ASSERT_EQ(rig.error.count(), 4u) << rig.error.text();
  const auto check = [&](size_t i, int32_t subgraph, int32_t op, heddle_reason reason,
                         const char* name, int32_t version) {
    const heddle_error_info info = rig.error.info(i);
    EXPECT_EQ(info.phase, HEDDLE_PHASE_RESOLVE);
    EXPECT_EQ(info.status, HEDDLE_UNRESOLVED_OPS);
    EXPECT_EQ(info.reason, reason);
    EXPECT_EQ(info.subgraph, subgraph);
    EXPECT_EQ(info.operator_index, op);
    EXPECT_EQ(info.plan_position, op);
    EXPECT_STREQ(info.op_name, name);
    EXPECT_EQ(info.op_version, version);
    EXPECT_STRNE(info.next_step, "");
  };
  check(0, 0, 1, HEDDLE_REASON_CUSTOM_OP_UNKNOWN, "Missing", 1);
  check(1, 1, 0, HEDDLE_REASON_CUSTOM_OP_UNKNOWN, "AlsoMissing", 1);
  check(2, 2, 0, HEDDLE_REASON_CUSTOM_OP_NEAR_MISS, "copi", 1);
  check(3, 3, 0, HEDDLE_REASON_OP_VERSION_TOO_NEW, "ADD", 99);
}

// A shape that cannot be proved behind a missing op is no fault of the op that meets it.
TEST(PhaseResolve, TheMissIsTheFirstCause) {
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {2});
  const int32_t a = graph.Tensor("a", kFloat, {3});
  const int32_t y = graph.Tensor("y", kFloat, {2});
  graph.CustomOp("Missing", {x}, {a});
  Add(graph, a, x, y);
  graph.Output(y);
  Rig rig;
  rig.Start(model);
  EXPECT_EQ(rig.Prepare(), HEDDLE_UNRESOLVED_OPS);
  EXPECT_STREQ(rig.error.info(0).op_name, "Missing");
}

// A plan that its memory cannot be found for.
TEST(PhaseMemory, NoRoom) {
  Rig rig;
  rig.AddOp("Blow", [](TestOp& op) {
    op.on_prepare = [](heddle_op_call* call) {
      int32_t scratch = 0;
      heddle_status status = HEDDLE_OK;
      for (int i = 0; i < 3 && status == HEDDLE_OK; ++i)
        status = call->host->request_scratch(call, SIZE_MAX / 8, &scratch);
      return status;
    };
  });
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {2});
  const int32_t y = graph.Tensor("y", kFloat, {2});
  graph.CustomOp("Blow", {x}, {y});
  graph.Output(y);
  rig.Start(model);
  EXPECT_EQ(rig.Prepare(), HEDDLE_UNSUPPORTED);
  EXPECT_EQ(rig.error.info().phase, HEDDLE_PHASE_MEMORY);
  EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_SIZE_OVERFLOW);
}

// A fault in a loop floods no log, and its first cause is not lost.
TEST(RateLimit, KeepsTheFirstCause) {
  std::vector<std::string> lines;
  {
    Rig rig({.max_log_lines = 3});
    int run = 0;
    rig.AddOp("Chatty", [&](TestOp& op) {
      op.on_invoke = [&](heddle_op_call* call) {
        const std::string line = "line " + std::to_string(run++);
        call->host->log(call, HEDDLE_SEVERITY_WARNING, HEDDLE_REASON_DATA_OUT_OF_RANGE,
                        line.c_str());
        if (run == 50)
          call->host->log(call, HEDDLE_SEVERITY_INFO, HEDDLE_REASON_NOT_CONSTANT, "another");
        return CopyInput(call);
      };
    });
    ModelBuilder model;
    SubgraphSpec& graph = model.AddSubgraph("main");
    const int32_t x = graph.Input("x", kFloat, {2});
    const int32_t y = graph.Tensor("y", kFloat, {2});
    graph.CustomOp("Chatty", {x}, {y});
    graph.Output(y);
    rig.Start(model);
    for (int i = 0; i < 100; ++i) ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
    rig.interpreter.reset();
    rig.model.reset();
    rig.environment.reset();  // tells what it dropped
    for (const LogLine& line : rig.log) lines.push_back(line.message);
  }
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0], "line 0");
  EXPECT_EQ(lines[2], "line 2");
  EXPECT_EQ(lines[3], "another") << "other reasons have lines of their own";
  EXPECT_THAT(lines[4], HasSubstr("97"));
  EXPECT_THAT(lines[4], HasSubstr("line 3"));
}

}  // namespace
}  // namespace heddle::testing
