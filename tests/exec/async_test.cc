// SPDX-License-Identifier: Apache-2.0
// Runs in the background, told by events.
#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/exec/control_graphs.h"
#include "tests/exec/gate.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;

class Async : public ::testing::Test {
 protected:
  Async() {
    rig_.AddOp("Gate", [&](TestOp& op) { gate_.Make(op); });
    SubgraphSpec& graph = model_.AddSubgraph("main");
    const int32_t x = graph.Input("x", kFloat, {1});
    const int32_t y = graph.Tensor("y", kFloat, {1});
    graph.CustomOp("Gate", {x}, {y});
    graph.Output(y);
    rig_.Start(model_);
  }
  // The gate must open before its op goes.
  ~Async() override { gate_.Open(); }

  EventPtr Queue(heddle_interpreter* interpreter, const heddle_run_options* options = nullptr) {
    heddle_event* event = nullptr;
    EXPECT_EQ(heddle_interpreter_invoke_async(interpreter, options, &event, rig_.error.out()),
              HEDDLE_OK)
        << rig_.error.text();
    return EventPtr(event);
  }
  heddle_status Wait(const EventPtr& event) {
    return heddle_event_wait(event.get(), UINT64_MAX, rig_.error.out());
  }
  InterpreterPtr Another() {
    InterpreterPtr first(rig_.interpreter.release());
    rig_.Start();
    std::swap(first, rig_.interpreter);
    return first;
  }

  ModelBuilder model_;
  Gate gate_;
  Rig rig_;
};

TEST_F(Async, TheEventTellsTheEnd) {
  rig_.Set<float>(0, {42});
  const EventPtr event = Queue(rig_.get());
  gate_.WaitForVisitors(1);
  EXPECT_EQ(heddle_event_is_done(event.get()), 0);
  EXPECT_EQ(heddle_event_wait(event.get(), 1'000'000, rig_.error.out()), HEDDLE_DEADLINE_EXCEEDED);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_DEADLINE);
  EXPECT_EQ(heddle_event_wait(event.get(), 0, rig_.error.out()), HEDDLE_DEADLINE_EXCEEDED);
  gate_.Open();
  EXPECT_EQ(Wait(event), HEDDLE_OK) << rig_.error.text();
  EXPECT_EQ(heddle_event_is_done(event.get()), 1);
  EXPECT_EQ(Wait(event), HEDDLE_OK) << "any number of times";
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(42));
}

TEST_F(Async, TheEventCarriesTheError) {
  gate_.Fail();
  gate_.Open();
  const EventPtr event = Queue(rig_.get());
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Wait(event), HEDDLE_KERNEL_FAILED);
    EXPECT_STREQ(rig_.error.info().op_name, "Gate");
    EXPECT_EQ(rig_.error.info().operator_index, 0);
  }
}

TEST_F(Async, OtherUseIsRefusedMeanwhile) {
  ASSERT_EQ(rig_.Prepare(), HEDDLE_OK);
  const EventPtr event = Queue(rig_.get());
  gate_.WaitForVisitors(1);
  heddle_interpreter* i = rig_.get();
  heddle_error** error = rig_.error.out();
  const auto refused = [&](heddle_status status) {
    EXPECT_EQ(status, HEDDLE_FAILED_PRECONDITION);
    EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_CONCURRENT_USE);
    error = rig_.error.out();
  };
  const int32_t dims[] = {2};
  float value = 0;
  heddle_event* other = nullptr;
  const BufferPtr buffer = rig_.Buffer(4);
  error = rig_.error.out();
  heddle_buffer* buffers[] = {buffer.get()};
  refused(heddle_interpreter_invoke(i, nullptr, error));
  refused(heddle_interpreter_invoke_async(i, nullptr, &other, error));
  refused(heddle_interpreter_run(i, nullptr, buffers, 1, buffers, 1, error));
  refused(heddle_interpreter_prepare(i, error));
  refused(heddle_interpreter_resize_input(i, 0, dims, 1, 0, error));
  refused(heddle_interpreter_set_input(i, 0, &value, 4, error));
  refused(heddle_interpreter_get_output(i, 0, &value, 4, error));
  refused(heddle_interpreter_bind_input(i, 0, nullptr, error));
  refused(heddle_interpreter_bind_output(i, 0, nullptr, error));
  refused(heddle_interpreter_select_signature(i, nullptr, error));
  refused(heddle_interpreter_reset_variables(i, error));
  refused(heddle_interpreter_release_memory(i, error));
  EXPECT_EQ(heddle_interpreter_get_input_data(i, 0), nullptr);
  EXPECT_EQ(heddle_interpreter_get_output_data(i, 0), nullptr);
  EXPECT_EQ(heddle_interpreter_get_plan_step_count(i), 0u);
  heddle_tensor_info info = {};
  info.struct_size = sizeof(info);
  EXPECT_EQ(heddle_interpreter_get_output_info(i, 0, &info), HEDDLE_FAILED_PRECONDITION);
  EXPECT_EQ(heddle_interpreter_get_input_info(i, 0, &info), HEDDLE_FAILED_PRECONDITION);
  EXPECT_EQ(heddle_interpreter_get_tensor(i, 0, 0, &info, nullptr), HEDDLE_FAILED_PRECONDITION);
  heddle_memory_info memory = {};
  memory.struct_size = sizeof(memory);
  EXPECT_EQ(heddle_interpreter_get_memory(i, &memory), HEDDLE_FAILED_PRECONDITION);
  gate_.Open();
  EXPECT_EQ(Wait(event), HEDDLE_OK);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_OK) << "free again as soon as the event is done";
}

TEST_F(Async, PriorityThenOrder) {
  std::vector<InterpreterPtr> interpreters;
  for (int i = 0; i < 5; ++i) interpreters.push_back(Another());
  const EventPtr first = Queue(rig_.get());
  gate_.WaitForVisitors(1);  // the rest waits in the queue
  const int32_t priorities[] = {0, 5, 0, 5, -1};
  std::vector<EventPtr> events;
  for (size_t i = 0; i < 5; ++i) {
    const float x = static_cast<float>(i);
    ASSERT_EQ(heddle_interpreter_set_input(interpreters[i].get(), 0, &x, 4, nullptr), HEDDLE_OK);
    heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
    options.priority = priorities[i];
    events.push_back(Queue(interpreters[i].get(), &options));
  }
  gate_.Open();
  for (const EventPtr& event : events) EXPECT_EQ(Wait(event), HEDDLE_OK);
  EXPECT_EQ(Wait(first), HEDDLE_OK);
  EXPECT_THAT(gate_.Visitors(), ElementsAre(0, 1, 3, 0, 2, 4));
}

TEST_F(Async, CancelReachesWaitingAndRunning) {
  const InterpreterPtr other = Another();
  heddle_cancel_token* made = nullptr;
  ASSERT_EQ(heddle_cancel_token_create(&made, nullptr), HEDDLE_OK);
  TokenPtr token(made);
  heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
  options.cancel_token = token.get();
  const EventPtr running = Queue(rig_.get(), &options);
  gate_.WaitForVisitors(1);
  const EventPtr waiting = Queue(other.get(), &options);
  heddle_cancel_token_cancel(token.get());
  token.reset();  // the runs keep it
  gate_.Open();
  EXPECT_EQ(Wait(running), HEDDLE_CANCELLED) << "the op asked";
  EXPECT_EQ(Wait(waiting), HEDDLE_CANCELLED) << "before its first node";
  EXPECT_EQ(gate_.Visitors().size(), 1u);
}

TEST_F(Async, TheDeadlineCountsFromTheCall) {
  const InterpreterPtr other = Another();
  const EventPtr running = Queue(rig_.get());
  gate_.WaitForVisitors(1);
  heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
  options.timeout_ns = 1'000'000;
  const EventPtr waiting = Queue(other.get(), &options);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  gate_.Open();
  EXPECT_EQ(Wait(running), HEDDLE_OK);
  EXPECT_EQ(Wait(waiting), HEDDLE_DEADLINE_EXCEEDED);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_DEADLINE);
}

struct Told {
  std::atomic<int> times{0};
  heddle_status status = HEDDLE_INTERNAL;
  std::thread::id thread;
  static void Callback(void* context, heddle_status status) {
    auto& told = *static_cast<Told*>(context);
    told.status = status;
    told.thread = std::this_thread::get_id();
    ++told.times;
  }
};

TEST_F(Async, CallbacksAreCalledOnce) {
  Told before, after;
  {
    const EventPtr event = Queue(rig_.get());
    ASSERT_EQ(heddle_event_on_done(event.get(), Told::Callback, &before, rig_.error.out()),
              HEDDLE_OK);
    gate_.WaitForVisitors(1);
    EXPECT_EQ(before.times, 0);
    gate_.Open();
    EXPECT_EQ(Wait(event), HEDDLE_OK);
    ASSERT_EQ(heddle_event_on_done(event.get(), Told::Callback, &after, rig_.error.out()),
              HEDDLE_OK);
    EXPECT_EQ(after.times, 1) << "at once, since it is done";
    EXPECT_EQ(after.status, HEDDLE_OK);
    EXPECT_EQ(after.thread, std::this_thread::get_id());
  }
  while (before.times == 0) std::this_thread::yield();
  EXPECT_EQ(before.status, HEDDLE_OK);
  EXPECT_NE(before.thread, std::this_thread::get_id());
}

TEST_F(Async, ADroppedEventIsStillTold) {
  Told told;
  EventPtr event = Queue(rig_.get());
  ASSERT_EQ(heddle_event_on_done(event.get(), Told::Callback, &told, nullptr), HEDDLE_OK);
  event.reset();
  gate_.Open();
  rig_.interpreter.reset();  // waits
  while (told.times == 0) std::this_thread::yield();
  EXPECT_EQ(told.times, 1);
  EXPECT_EQ(gate_.Visitors().size(), 1u);
}

TEST_F(Async, ACallbackMayDestroyTheInterpreter) {
  struct Context {
    InterpreterPtr interpreter;
    std::atomic<bool> done{false};
  } context;
  context.interpreter = std::move(rig_.interpreter);
  const EventPtr event = Queue(context.interpreter.get());
  gate_.WaitForVisitors(1);
  ASSERT_EQ(heddle_event_on_done(
                event.get(),
                [](void* c, heddle_status) {
                  auto& held = *static_cast<Context*>(c);
                  held.interpreter.reset();
                  held.done = true;
                },
                &context, nullptr),
            HEDDLE_OK);
  gate_.Open();
  while (!context.done) std::this_thread::yield();
}

TEST_F(Async, ABufferDestroyedInFlightIsReleasedAfterTheRun) {
  alignas(64) float memory[1] = {7};
  std::atomic<int> released{0};
  heddle_buffer* made = nullptr;
  ASSERT_EQ(heddle_buffer_create_borrowed(
                rig_.environment.get(), memory, 4, 4,
                [](void* context, void*, size_t) { ++*static_cast<std::atomic<int>*>(context); },
                &released, &made, nullptr),
            HEDDLE_OK);
  BufferPtr buffer(made);
  ASSERT_EQ(heddle_interpreter_bind_input(rig_.get(), 0, buffer.get(), nullptr), HEDDLE_OK);
  const EventPtr event = Queue(rig_.get());
  gate_.WaitForVisitors(1);
  buffer.reset();  // does not block
  EXPECT_EQ(released, 0);
  gate_.Open();
  EXPECT_EQ(Wait(event), HEDDLE_OK);
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(7));
  EXPECT_EQ(released, 0) << "still bound";
  rig_.interpreter.reset();
  EXPECT_EQ(released, 1);
}

TEST_F(Async, InterpretersAreMadeInTheBackground) {
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  options.resolver = rig_.resolver.get();
  const EventPtr busy = Queue(rig_.get());
  gate_.WaitForVisitors(1);
  heddle_interpreter* made = nullptr;
  heddle_event* event = nullptr;
  ASSERT_EQ(heddle_interpreter_create_async(rig_.environment.get(), rig_.model.get(), &options,
                                            &made, &event, rig_.error.out()),
            HEDDLE_OK);
  const EventPtr ready(event);
  const InterpreterPtr interpreter(made);
  EXPECT_EQ(heddle_interpreter_prepare(made, rig_.error.out()), HEDDLE_FAILED_PRECONDITION);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_NOT_PREPARED);
  EXPECT_EQ(heddle_interpreter_get_input_count(made), 0u);
  rig_.model.reset();  // what it needs is kept
  rig_.resolver.reset();
  gate_.Open();
  EXPECT_EQ(Wait(ready), HEDDLE_OK) << rig_.error.text();
  EXPECT_EQ(heddle_interpreter_get_input_count(made), 1u);
  EXPECT_EQ(heddle_interpreter_invoke(made, nullptr, rig_.error.out()), HEDDLE_OK);
  EXPECT_EQ(Wait(busy), HEDDLE_OK);
}

TEST_F(Async, ABackgroundFailureIsTold) {
  rig_.ops.front().on_init = [](heddle_op_call* call) {
    return call->host->report(call, HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID,
                              HEDDLE_NO_OPERAND, "no");
  };
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  options.resolver = rig_.resolver.get();
  heddle_interpreter* made = nullptr;
  heddle_event* event = nullptr;
  ASSERT_EQ(heddle_interpreter_create_async(rig_.environment.get(), rig_.model.get(), &options,
                                            &made, &event, rig_.error.out()),
            HEDDLE_OK);
  const EventPtr ready(event);
  const InterpreterPtr interpreter(made);
  EXPECT_EQ(Wait(ready), HEDDLE_INVALID_MODEL);
  EXPECT_EQ(rig_.error.info().phase, HEDDLE_PHASE_INIT);
  EXPECT_EQ(heddle_interpreter_invoke(made, nullptr, rig_.error.out()), HEDDLE_FAILED_PRECONDITION);
}

}  // namespace
}  // namespace heddle::testing
