// SPDX-License-Identifier: Apache-2.0
// Every allocation of a model's life fails once: a clean error, nothing leaked, and the next try
// succeeds. And: a steady-state invoke allocates nothing.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "tests/exec/control_graphs.h"
#include "tests/kernels/op_case.h"
#include "tests/oom/allocations.h"
#include "tests/support/environment.h"

namespace heddle::testing {
namespace {

std::vector<uint8_t> DigitsModel(const std::string& name) {
  return ReadFileBytes(SourceFolder() + "/examples/models/" + name);
}

// Counts to 5 and adds 1 to a vector in each turn.
std::vector<uint8_t> LoopModel() {
  ModelBuilder model;
  SubgraphSpec& main = model.AddSubgraph("main");
  const int32_t counter = main.Input("counter", kInt, {});
  const int32_t values = main.Input("values", kFloat, {4});
  const int32_t count = main.Tensor("count", kInt, {});
  const int32_t sums = main.Tensor("sums", kFloat, {4});
  While(main, 1, 2, {counter, values}, {count, sums});
  main.Output(count);
  main.Output(sums);
  LessThan(model, {{"counter", kInt, {}}, {"values", kFloat, {4}}}, 5);
  SubgraphSpec& body = model.AddSubgraph("body");
  body.Input("counter", kInt, {});
  const int32_t x = body.Input("values", kFloat, {4});
  const int32_t next = CountUp(body);
  const int32_t one = body.Constant<float>("one_float", {1}, {1});
  const int32_t sum = body.Tensor("sum", kFloat, {4});
  Add(body, x, one, sum);
  body.Output(next);
  body.Output(sum);
  return model.Build();
}

// WHERE gives as many rows as the input has true elements; a sum follows.
std::vector<uint8_t> DynamicModel() {
  ModelBuilder model;
  SubgraphSpec& main = model.AddSubgraph("main");
  const int32_t mask = main.Input("mask", kBool, {6});
  const int32_t where = main.Tensor("where", HEDDLE_DTYPE_INT64, {});
  const int32_t twice = main.Tensor("twice", HEDDLE_DTYPE_INT64, {});
  main.Op(HEDDLE_BUILTIN_WHERE, {mask}, {where});
  Add(main, where, where, twice);
  main.Output(twice);
  return model.Build();
}

struct Session {
  heddle_environment* environment = nullptr;
  heddle_model* model = nullptr;
  heddle_interpreter* interpreter = nullptr;
  heddle_event* event = nullptr;
  std::array<heddle_buffer*, 4> buffers = {};

  void Close() {
    heddle_event_destroy(event);
    heddle_interpreter_destroy(interpreter);
    for (heddle_buffer* buffer : buffers) heddle_buffer_destroy(buffer);
    heddle_model_destroy(model);
    heddle_environment_destroy(environment);
    *this = {};
  }
};

void Discard(void*, heddle_severity, heddle_reason, const char*) {}

// The first failure ends a life; what exists by then is given back by Close.
#define STEP(call)                                    \
  do {                                                \
    const heddle_status step_status = (call);         \
    if (step_status != HEDDLE_OK) return step_status; \
  } while (0)

heddle_status Open(Session* session, const std::vector<uint8_t>& bytes, heddle_error** error) {
  const heddle_allocator allocator = CountedAllocator();
  heddle_log_sink sink = {};
  sink.struct_size = sizeof(sink);
  sink.log = Discard;
  heddle_environment_options options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  options.num_threads = 2;
  options.allocator = &allocator;
  options.log_sink = &sink;
  STEP(heddle_environment_create(&options, &session->environment, error));
  STEP(heddle_model_create_from_memory(session->environment, bytes.data(), bytes.size(),
                                       HEDDLE_MODEL_COPY, &session->model, error));
  STEP(heddle_interpreter_create(session->environment, session->model, nullptr,
                                 &session->interpreter, error));
  return heddle_interpreter_prepare(session->interpreter, error);
}

heddle_status MakeBuffers(Session* session, size_t inputs, size_t outputs, heddle_error** error) {
  for (size_t i = 0; i < inputs + outputs; ++i) {
    heddle_tensor_info info = {};
    info.struct_size = sizeof(info);
    if (i < inputs)
      heddle_interpreter_get_input_info(session->interpreter, i, &info);
    else
      heddle_interpreter_get_output_info(session->interpreter, i - inputs, &info);
    STEP(heddle_buffer_create(session->environment, info.bytes, &session->buffers[i], error));
  }
  return HEDDLE_OK;
}

heddle_status Live(Session* session, const std::vector<uint8_t>& bytes, bool dynamic,
                   heddle_error** error) {
  STEP(Open(session, bytes, error));
  const size_t inputs = heddle_interpreter_get_input_count(session->interpreter);
  const size_t outputs = heddle_interpreter_get_output_count(session->interpreter);
  for (size_t i = 0; i < inputs; ++i) {
    heddle_tensor_info info = {};
    info.struct_size = sizeof(info);
    heddle_interpreter_get_input_info(session->interpreter, i, &info);
    static const std::array<uint8_t, 4096> kOnes = [] {
      std::array<uint8_t, 4096> ones = {};
      ones[0] = ones[2] = 1;
      return ones;
    }();
    STEP(heddle_interpreter_set_input(session->interpreter, i, kOnes.data(), info.bytes, error));
  }
  STEP(heddle_interpreter_invoke(session->interpreter, nullptr, error));
  if (!dynamic) {
    STEP(MakeBuffers(session, inputs, outputs, error));
    STEP(heddle_interpreter_run(session->interpreter, nullptr, session->buffers.data(), inputs,
                                session->buffers.data() + inputs, outputs, error));
  }
  STEP(heddle_interpreter_invoke_async(session->interpreter, nullptr, &session->event, error));
  STEP(heddle_event_wait(session->event, UINT64_MAX, error));
  STEP(heddle_interpreter_reset_variables(session->interpreter, error));
  STEP(heddle_interpreter_release_memory(session->interpreter, error));
  return heddle_interpreter_invoke(session->interpreter, nullptr, error);
}

class EveryAllocation : public ::testing::TestWithParam<Failing> {};

void FailEach(const std::vector<uint8_t>& bytes, bool dynamic, Failing failing) {
  ASSERT_FALSE(bytes.empty());
  for (int64_t nth = 1;; ++nth) {
    ASSERT_LT(nth, 100000);
    Session session;
    heddle_error* error = nullptr;
    const int64_t live = LiveBlocks();
    StartCounting(failing, nth);
    const heddle_status status = Live(&session, bytes, dynamic, &error);
    int64_t failed = 0;
    StopCounting(&failed);
    const heddle_status told = error == nullptr ? HEDDLE_OK : HEDDLE_RESOURCE_EXHAUSTED;
    const std::string text = heddle_error_get_message(error);
    heddle_error_info info = {};
    info.struct_size = sizeof(info);
    if (error != nullptr) heddle_error_get_info(error, 0, &info);
    const heddle_status told_status = info.status;
    heddle_error_destroy(error);
    session.Close();
    const int64_t left = LiveBlocks() - live - (text.capacity() > 15 ? 1 : 0);
    if (failed == 0) {
      EXPECT_EQ(status, HEDDLE_OK) << text;
      EXPECT_EQ(left, 0);
      EXPECT_GT(nth, 50);  // the life allocates, so something was tested
      return;
    }
    ASSERT_EQ(left, 0) << "allocation " << nth << " failed, status " << status << ": " << text;
    // A lost log line is no failure; anything else is told as what it is.
    ASSERT_TRUE(status == HEDDLE_OK || status == HEDDLE_RESOURCE_EXHAUSTED)
        << nth << ": " << status << " " << text;
    ASSERT_EQ(status, told) << nth;
    if (status != HEDDLE_OK) {
      ASSERT_EQ(told_status, HEDDLE_RESOURCE_EXHAUSTED) << nth;
    }
  }
}

TEST_P(EveryAllocation, OfAClassifier) {
  FailEach(DigitsModel("digits_int8.tflite"), false, GetParam());
}
TEST_P(EveryAllocation, OfALoop) { FailEach(LoopModel(), false, GetParam()); }
TEST_P(EveryAllocation, OfADataDependentShape) { FailEach(DynamicModel(), true, GetParam()); }

INSTANTIATE_TEST_SUITE_P(Fails, EveryAllocation, ::testing::Values(Failing::kOnce, Failing::kFrom),
                         [](const auto& info) {
                           return info.param == Failing::kOnce ? "Once" : "FromThenOn";
                         });

// An interpreter that failed to prepare works once there is memory again.
TEST(AfterAFailure, TheSameInterpreterGoesOn) {
  const std::vector<uint8_t> bytes = DigitsModel("digits_float.tflite");
  bool reached_end = false;
  int failures = 0;
  for (int64_t nth = 1; !reached_end; ++nth) {
    Session session;
    ASSERT_EQ(Open(&session, bytes, nullptr), HEDDLE_OK);
    const std::array<int32_t, 4> dims = {3, 8, 8, 1};
    ASSERT_EQ(heddle_interpreter_resize_input(session.interpreter, 0, dims.data(), 4, 0, nullptr),
              HEDDLE_OK);
    StartCounting(Failing::kOnce, nth);
    const heddle_status failing = heddle_interpreter_invoke(session.interpreter, nullptr, nullptr);
    int64_t failed = 0;
    StopCounting(&failed);
    reached_end = failed == 0;
    // A thread that cannot start is no failure: the run goes on with fewer.
    EXPECT_TRUE(failing == HEDDLE_OK || failing == HEDDLE_RESOURCE_EXHAUSTED) << nth;
    if (failing != HEDDLE_OK) ++failures;
    EXPECT_EQ(heddle_interpreter_invoke(session.interpreter, nullptr, nullptr), HEDDLE_OK) << nth;
    heddle_tensor_info info = {};
    info.struct_size = sizeof(info);
    ASSERT_EQ(heddle_interpreter_get_output_info(session.interpreter, 0, &info), HEDDLE_OK);
    EXPECT_EQ(info.dims[0], 3);
    session.Close();
  }
  EXPECT_GT(failures, 20);
}

int64_t AllocationsOfInvokes(const std::vector<uint8_t>& bytes, bool by_run) {
  Session session;
  EXPECT_EQ(Open(&session, bytes, nullptr), HEDDLE_OK);
  const size_t inputs = heddle_interpreter_get_input_count(session.interpreter);
  const size_t outputs = heddle_interpreter_get_output_count(session.interpreter);
  if (by_run) {
    EXPECT_EQ(MakeBuffers(&session, inputs, outputs, nullptr), HEDDLE_OK);
  }
  const auto once = [&] {
    return by_run
               ? heddle_interpreter_run(session.interpreter, nullptr, session.buffers.data(),
                                        inputs, session.buffers.data() + inputs, outputs, nullptr)
               : heddle_interpreter_invoke(session.interpreter, nullptr, nullptr);
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(once(), HEDDLE_OK);
  StartCounting(Failing::kNone, 0);
  heddle_status status = HEDDLE_OK;
  for (int i = 0; i < 100 && status == HEDDLE_OK; ++i) status = once();
  const int64_t count = StopCounting();
  EXPECT_EQ(status, HEDDLE_OK);
  session.Close();
  return count;
}

// Allocations of 10 invokes after the first; 0 too where a shape is known only while running.
int64_t AllocationsOfCase(const OpCase& one) {
  Session session;
  int64_t count = 0;
  if (Open(&session, one.model, nullptr) == HEDDLE_OK) {
    bool known = true;
    for (size_t i = 0; i < heddle_interpreter_get_plan_step_count(session.interpreter); ++i) {
      heddle_plan_step_info step = {};
      step.struct_size = sizeof(step);
      heddle_interpreter_get_plan_step(session.interpreter, i, &step);
      known = known && step.is_data_dependent == 0;
    }
    const size_t inputs = heddle_interpreter_get_input_count(session.interpreter);
    for (size_t i = 0; i < inputs && i < one.inputs.size(); ++i) {
      heddle_interpreter_set_input(session.interpreter, i, one.inputs[i].data(),
                                   one.inputs[i].size(), nullptr);
    }
    const auto invoke = [&] {
      return heddle_interpreter_invoke(session.interpreter, nullptr, nullptr);
    };
    if (known && invoke() == HEDDLE_OK) {
      StartCounting(Failing::kNone, 0);
      for (int i = 0; i < 10; ++i) invoke();
      count = StopCounting();
    }
  }
  session.Close();
  return count;
}

TEST(SteadyState, OfAnyOpWithKnownShapesAllocatesNothing) {
  for (const std::string& op : OpsWithCases()) {
    for (const OpCase& one : ReadOpCases(op)) {
      EXPECT_EQ(AllocationsOfCase(one), 0) << op << ", case " << one.name;
    }
  }
}

TEST(SteadyState, OfAFloatClassifierAllocatesNothing) {
  EXPECT_EQ(AllocationsOfInvokes(DigitsModel("digits_float.tflite"), false), 0);
  EXPECT_EQ(AllocationsOfInvokes(DigitsModel("digits_float.tflite"), true), 0);
}
TEST(SteadyState, OfAnInt8ClassifierAllocatesNothing) {
  EXPECT_EQ(AllocationsOfInvokes(DigitsModel("digits_int8.tflite"), false), 0);
  EXPECT_EQ(AllocationsOfInvokes(DigitsModel("digits_int8.tflite"), true), 0);
}
TEST(SteadyState, OfALoopAllocatesNothing) {
  EXPECT_EQ(AllocationsOfInvokes(LoopModel(), false), 0);
  EXPECT_EQ(AllocationsOfInvokes(LoopModel(), true), 0);
}
TEST(SteadyState, OfDataDependentShapesThatRepeatAllocatesNothing) {
  EXPECT_EQ(AllocationsOfInvokes(DynamicModel(), false), 0);
}

}  // namespace
}  // namespace heddle::testing
