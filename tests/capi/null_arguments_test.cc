// SPDX-License-Identifier: Apache-2.0
// NULL where something is required, and positions that do not exist: errors, never crashes.
#include <functional>
#include <vector>

#include "heddle/heddle_plugin.h"
#include "tests/capi/session.h"

namespace {

template <typename T>
T Sized() {
  T info = {};
  info.struct_size = sizeof(info);
  return info;
}

class NullArguments : public ::testing::Test {
 protected:
  struct Case {
    const char* what;
    std::function<heddle_status(heddle_error**)> call;
  };
  // With and without somebody to take the error.
  void Check(const std::vector<Case>& cases, heddle_reason reason = HEDDLE_REASON_NULL_ARGUMENT) {
    for (const Case& c : cases) {
      EXPECT_EQ(c.call(s_.error.out()), HEDDLE_INVALID_ARGUMENT) << c.what;
      EXPECT_EQ(s_.error.reason(), reason) << c.what << ": " << s_.error.text();
      EXPECT_EQ(c.call(nullptr), HEDDLE_INVALID_ARGUMENT) << c.what;
    }
  }
  Session s_;
};

TEST_F(NullArguments, Environment) {
  heddle_buffer* buffer = nullptr;
  float memory[4];
  Check({
      {"environment_create", [](auto e) { return heddle_environment_create(nullptr, nullptr, e); }},
      {"buffer_create", [&](auto e) { return heddle_buffer_create(nullptr, 4, &buffer, e); }},
      {"buffer_create out",
       [&](auto e) { return heddle_buffer_create(s_.environment, 4, nullptr, e); }},
      {"borrowed",
       [&](auto e) {
         return heddle_buffer_create_borrowed(nullptr, memory, 16, 16, nullptr, nullptr, &buffer,
                                              e);
       }},
      {"borrowed data",
       [&](auto e) {
         return heddle_buffer_create_borrowed(s_.environment, nullptr, 16, 16, nullptr, nullptr,
                                              &buffer, e);
       }},
      {"borrowed out",
       [&](auto e) {
         return heddle_buffer_create_borrowed(s_.environment, memory, 16, 16, nullptr, nullptr,
                                              nullptr, e);
       }},
      {"event_wait", [](auto e) { return heddle_event_wait(nullptr, 0, e); }},
      {"event_on_done",
       [](auto e) {
         return heddle_event_on_done(nullptr, [](void*, heddle_status) {}, nullptr, e);
       }},
      {"token", [](auto e) { return heddle_cancel_token_create(nullptr, e); }},
  });
  EXPECT_EQ(buffer, nullptr);
  EXPECT_EQ(heddle_environment_get_num_threads(nullptr), 0);
  EXPECT_NE(heddle_environment_get_memory(nullptr, nullptr, nullptr), HEDDLE_OK);
  EXPECT_EQ(heddle_environment_get_memory(s_.environment, nullptr, nullptr), HEDDLE_OK);
  EXPECT_EQ(heddle_buffer_get_data(nullptr), nullptr);
  EXPECT_EQ(heddle_buffer_get_bytes(nullptr), 0u);
  EXPECT_EQ(heddle_buffer_get_padded_bytes(nullptr), 0u);
  EXPECT_EQ(heddle_event_is_done(nullptr), 0);
  heddle_cancel_token_cancel(nullptr);
  heddle_cancel_token_reset(nullptr);
  EXPECT_NE(heddle_library_get_info(nullptr), HEDDLE_OK);
}

TEST_F(NullArguments, Errors) {
  heddle_error_info info = {};
  info.struct_size = sizeof(info);
  EXPECT_EQ(heddle_error_get_count(nullptr), 0u);
  EXPECT_NE(heddle_error_get_info(nullptr, 0, &info), HEDDLE_OK);
  EXPECT_STREQ(heddle_error_get_message(nullptr), "");
  heddle_error* error = nullptr;
  ASSERT_NE(heddle_environment_create(nullptr, nullptr, &error), HEDDLE_OK);
  EXPECT_NE(heddle_error_get_info(error, 0, nullptr), HEDDLE_OK);
  EXPECT_NE(heddle_error_get_info(error, 1, &info), HEDDLE_OK);
  EXPECT_EQ(heddle_error_get_info(error, 0, &info), HEDDLE_OK);
  heddle_error_destroy(error);
}

TEST_F(NullArguments, Model) {
  heddle_model* model = nullptr;
  const char bytes[] = "x";
  Check({
      {"from_file",
       [&](auto e) { return heddle_model_create_from_file(nullptr, "x", 0, &model, e); }},
      {"from_file path",
       [&](auto e) {
         return heddle_model_create_from_file(s_.environment, nullptr, 0, &model, e);
       }},
      {"from_file out",
       [&](auto e) { return heddle_model_create_from_file(s_.environment, "x", 0, nullptr, e); }},
      {"from_memory",
       [&](auto e) { return heddle_model_create_from_memory(nullptr, bytes, 1, 0, &model, e); }},
      {"from_memory data",
       [&](auto e) {
         return heddle_model_create_from_memory(s_.environment, nullptr, 1, 0, &model, e);
       }},
      {"from_memory out",
       [&](auto e) {
         return heddle_model_create_from_memory(s_.environment, bytes, 1, 0, nullptr, e);
       }},
      {"from_descriptor",
       [&](auto e) { return heddle_model_create_from_descriptor(nullptr, 0, 0, 0, 0, &model, e); }},
      {"from_descriptor out",
       [&](auto e) {
         return heddle_model_create_from_descriptor(s_.environment, 0, 0, 0, 0, nullptr, e);
       }},
  });
  EXPECT_EQ(model, nullptr);
  const auto bad = [](heddle_status status) { EXPECT_NE(status, HEDDLE_OK); };
  auto model_info = Sized<heddle_model_info>();
  auto code = Sized<heddle_operator_code_info>();
  auto subgraph = Sized<heddle_subgraph_info>();
  auto tensor = Sized<heddle_tensor_info>();
  auto op = Sized<heddle_operator_info>();
  auto attribute = Sized<heddle_attribute_info>();
  auto signature = Sized<heddle_signature_info>();
  const heddle_model* none = nullptr;
  for (const heddle_model* m : {none, static_cast<const heddle_model*>(s_.model)}) {
    // With a model: a position that does not exist. Without: whatever the position.
    const size_t far = m == nullptr ? 0 : 9999;
    bad(heddle_model_get_operator_code(m, far, &code));
    bad(heddle_model_get_subgraph(m, far, &subgraph));
    bad(heddle_model_get_tensor(m, 0, far, &tensor));
    bad(heddle_model_get_tensor(m, far, far, &tensor));
    bad(heddle_model_get_operator(m, 0, far, &op));
    bad(heddle_model_get_attribute(m, 0, 0, far, &attribute));
    bad(heddle_model_get_attribute(m, 0, far, 0, &attribute));
    bad(heddle_model_get_signature(m, far, &signature));
    bad(heddle_model_get_signature_tensor(m, 0, 0, far, nullptr, nullptr));
    bad(heddle_model_get_signature_tensor(m, far, 0, far, nullptr, nullptr));
    bad(heddle_model_get_metadata(m, far, nullptr, nullptr, nullptr));
    EXPECT_EQ(heddle_model_get_tensor_data(m, 0, far), nullptr);
    EXPECT_EQ(heddle_model_get_attribute_count(m, 0, far), 0u);
  }
  bad(heddle_model_get_info(nullptr, &model_info));
  EXPECT_EQ(heddle_model_get_bytes(nullptr, nullptr), nullptr);
  EXPECT_NE(heddle_model_get_bytes(s_.model, nullptr), nullptr);
  bad(heddle_model_get_info(s_.model, nullptr));
  bad(heddle_model_get_operator_code(s_.model, 0, nullptr));
  bad(heddle_model_get_subgraph(s_.model, 0, nullptr));
  bad(heddle_model_get_tensor(s_.model, 0, 0, nullptr));
  bad(heddle_model_get_operator(s_.model, 0, 0, nullptr));
  bad(heddle_model_get_attribute(s_.model, 0, 0, 0, nullptr));
  bad(heddle_model_get_signature(s_.model, 0, nullptr));
}

TEST_F(NullArguments, Resolver) {
  heddle_op op = {};
  op.struct_size = sizeof(op);
  Check({
      {"create", [](auto e) { return heddle_op_resolver_create(nullptr, e); }},
      {"create_default", [](auto e) { return heddle_op_resolver_create_default(nullptr, e); }},
      {"add", [&](auto e) { return heddle_op_resolver_add(nullptr, &op, e); }},
      {"add op", [&](auto e) { return heddle_op_resolver_add(s_.resolver, nullptr, e); }},
      {"plugin", [](auto e) { return heddle_op_resolver_add_plugin(nullptr, "x", e); }},
      {"plugin path",
       [&](auto e) { return heddle_op_resolver_add_plugin(s_.resolver, nullptr, e); }},
      {"chain", [&](auto e) { return heddle_op_resolver_chain(nullptr, s_.resolver, e); }},
      {"chain next", [&](auto e) { return heddle_op_resolver_chain(s_.resolver, nullptr, e); }},
      {"check", [&](auto e) { return heddle_op_resolver_check_model(nullptr, s_.model, e); }},
      {"check model",
       [&](auto e) { return heddle_op_resolver_check_model(s_.resolver, nullptr, e); }},
  });
  EXPECT_NE(heddle_op_resolver_get_versions(nullptr, 0, nullptr, nullptr, nullptr), HEDDLE_OK);
  EXPECT_EQ(heddle_op_resolver_get_versions(s_.resolver, 0, nullptr, nullptr, nullptr), HEDDLE_OK);
}

TEST_F(NullArguments, Interpreter) {
  heddle_interpreter* made = nullptr;
  heddle_event* event = nullptr;
  float value = 0;
  const int32_t one = 1;
  heddle_buffer* buffers[1] = {s_.buffer};
  Check({
      {"create",
       [&](auto e) { return heddle_interpreter_create(nullptr, s_.model, nullptr, &made, e); }},
      {"create model",
       [&](auto e) {
         return heddle_interpreter_create(s_.environment, nullptr, nullptr, &made, e);
       }},
      {"create out",
       [&](auto e) {
         return heddle_interpreter_create(s_.environment, s_.model, nullptr, nullptr, e);
       }},
      {"create_async",
       [&](auto e) {
         return heddle_interpreter_create_async(nullptr, s_.model, nullptr, &made, &event, e);
       }},
      {"create_async out",
       [&](auto e) {
         return heddle_interpreter_create_async(s_.environment, s_.model, nullptr, nullptr, &event,
                                                e);
       }},
      {"create_async event",
       [&](auto e) {
         return heddle_interpreter_create_async(s_.environment, s_.model, nullptr, &made, nullptr,
                                                e);
       }},
      {"signature", [](auto e) { return heddle_interpreter_select_signature(nullptr, "x", e); }},
      {"resize",
       [&](auto e) { return heddle_interpreter_resize_input(nullptr, 0, &one, 1, 0, e); }},
      {"prepare", [](auto e) { return heddle_interpreter_prepare(nullptr, e); }},
      {"set", [&](auto e) { return heddle_interpreter_set_input(nullptr, 0, &value, 4, e); }},
      {"set data",
       [&](auto e) { return heddle_interpreter_set_input(s_.interpreter, 0, nullptr, 64, e); }},
      {"get", [&](auto e) { return heddle_interpreter_get_output(nullptr, 0, &value, 4, e); }},
      {"get data",
       [&](auto e) { return heddle_interpreter_get_output(s_.interpreter, 0, nullptr, 10, e); }},
      {"bind in", [&](auto e) { return heddle_interpreter_bind_input(nullptr, 0, s_.buffer, e); }},
      {"bind out",
       [&](auto e) { return heddle_interpreter_bind_output(nullptr, 0, s_.buffer, e); }},
      {"invoke", [](auto e) { return heddle_interpreter_invoke(nullptr, nullptr, e); }},
      {"async",
       [&](auto e) { return heddle_interpreter_invoke_async(nullptr, nullptr, &event, e); }},
      {"async event",
       [&](auto e) {
         return heddle_interpreter_invoke_async(s_.interpreter, nullptr, nullptr, e);
       }},
      {"run",
       [&](auto e) { return heddle_interpreter_run(nullptr, nullptr, buffers, 1, buffers, 1, e); }},
      {"run in",
       [&](auto e) {
         return heddle_interpreter_run(s_.interpreter, nullptr, nullptr, 1, buffers, 1, e);
       }},
      {"run out",
       [&](auto e) {
         return heddle_interpreter_run(s_.interpreter, nullptr, buffers, 1, nullptr, 1, e);
       }},
      {"reset", [](auto e) { return heddle_interpreter_reset_variables(nullptr, e); }},
      {"release", [](auto e) { return heddle_interpreter_release_memory(nullptr, e); }},
  });
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(event, nullptr);
  EXPECT_EQ(heddle_interpreter_invoke(s_.interpreter, nullptr, nullptr), HEDDLE_OK)
      << "none of these keeps it busy";
}

TEST_F(NullArguments, InterpreterQueries) {
  auto tensor = Sized<heddle_tensor_info>();
  auto memory = Sized<heddle_memory_info>();
  auto step = Sized<heddle_plan_step_info>();
  const auto bad = [](heddle_status status) { EXPECT_NE(status, HEDDLE_OK); };
  EXPECT_EQ(heddle_interpreter_invoke(s_.interpreter, nullptr, nullptr), HEDDLE_OK);
  heddle_interpreter* none = nullptr;
  for (heddle_interpreter* i : {none, s_.interpreter}) {
    const size_t far = i == nullptr ? 0 : 9999;
    EXPECT_EQ(heddle_interpreter_get_input_name(i, far), nullptr);
    EXPECT_EQ(heddle_interpreter_get_output_name(i, far), nullptr);
    EXPECT_EQ(heddle_interpreter_find_input(i, nullptr), -1);
    EXPECT_EQ(heddle_interpreter_find_output(i, nullptr), -1);
    EXPECT_EQ(heddle_interpreter_find_input(i, "no such name"), -1);
    EXPECT_EQ(heddle_interpreter_get_input_data(i, far), nullptr);
    EXPECT_EQ(heddle_interpreter_get_output_data(i, far), nullptr);
    bad(heddle_interpreter_get_input_info(i, far, &tensor));
    bad(heddle_interpreter_get_output_info(i, far, &tensor));
    bad(heddle_interpreter_get_input_info(i, 0, nullptr));
    bad(heddle_interpreter_get_output_info(i, 0, nullptr));
    bad(heddle_interpreter_get_tensor(i, far, 0, &tensor, nullptr));
    bad(heddle_interpreter_get_tensor(i, 0, far == 0 ? 0 : far, &tensor, nullptr));
    bad(heddle_interpreter_get_tensor(i, 0, 0, nullptr, nullptr));
    bad(heddle_interpreter_get_memory(i, nullptr));
    bad(heddle_interpreter_get_plan_step(i, far, &step));
    bad(heddle_interpreter_get_plan_step(i, 0, nullptr));
  }
  bad(heddle_interpreter_get_memory(nullptr, &memory));
  EXPECT_EQ(heddle_interpreter_get_input_count(nullptr), 0u);
  EXPECT_EQ(heddle_interpreter_get_output_count(nullptr), 0u);
  EXPECT_EQ(heddle_interpreter_get_plan_step_count(nullptr), 0u);
  EXPECT_EQ(heddle_interpreter_set_input(s_.interpreter, 7, &tensor, 4, nullptr),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_interpreter_bind_input(s_.interpreter, 7, nullptr, nullptr),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_interpreter_bind_output(s_.interpreter, 7, nullptr, nullptr),
            HEDDLE_INVALID_ARGUMENT);
}

TEST_F(NullArguments, EventCallbacks) {
  heddle_event* event = nullptr;
  ASSERT_EQ(heddle_interpreter_invoke_async(s_.interpreter, nullptr, &event, nullptr), HEDDLE_OK);
  EXPECT_EQ(heddle_event_on_done(event, nullptr, nullptr, s_.error.out()), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(s_.error.reason(), HEDDLE_REASON_NULL_ARGUMENT);
  EXPECT_EQ(heddle_event_wait(event, UINT64_MAX, nullptr), HEDDLE_OK);
  heddle_event_destroy(event);
}

TEST_F(NullArguments, Names) {
  EXPECT_STREQ(heddle_status_get_name(HEDDLE_RESOURCE_EXHAUSTED), "RESOURCE_EXHAUSTED");
  EXPECT_STREQ(heddle_reason_get_name(HEDDLE_REASON_COPY_PADDING), "COPY_PADDING");
  for (const int value : {998, 999}) {
    EXPECT_NE(heddle_status_get_name(static_cast<heddle_status>(value)), nullptr);
    EXPECT_NE(heddle_phase_get_name(static_cast<heddle_phase>(value)), nullptr);
    EXPECT_NE(heddle_reason_get_name(static_cast<heddle_reason>(value)), nullptr);
    EXPECT_NE(heddle_reason_get_words(static_cast<heddle_reason>(value)), nullptr);
    EXPECT_NE(heddle_reason_get_remedy(static_cast<heddle_reason>(value)), nullptr);
    EXPECT_STREQ(heddle_dtype_get_name(static_cast<heddle_dtype>(value)), "UNKNOWN");
    EXPECT_EQ(heddle_dtype_get_bits(static_cast<heddle_dtype>(value)), 0u);
  }
}

}  // namespace
