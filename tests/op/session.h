// SPDX-License-Identifier: Apache-2.0
// An environment, a model and an interpreter through the C API, with their faults as text.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "tests/support/model_builder.h"

namespace heddle::testing {

// What an error object says; takes it over.
struct ErrorFaults {
  struct Fault {
    heddle_status status;
    heddle_phase phase;
    heddle_reason reason;
    std::string message, next_step, place, op_name;
    int32_t subgraph, operator_index, plan_position, op_version;
  };
  std::vector<Fault> faults;

  explicit ErrorFaults(heddle_error* error) {
    for (size_t i = 0; error != nullptr && i < heddle_error_get_count(error); ++i) {
      heddle_error_info info = {};
      info.struct_size = sizeof(info);
      EXPECT_EQ(heddle_error_get_info(error, i, &info), HEDDLE_OK);
      faults.push_back({info.status, info.phase, info.reason, info.message, info.next_step,
                        info.place, info.op_name, info.subgraph, info.operator_index,
                        info.plan_position, info.op_version});
    }
    heddle_error_destroy(error);
  }
};

struct Session {
  heddle_environment* environment = nullptr;
  heddle_op_resolver* resolver = nullptr;
  heddle_model* model = nullptr;
  heddle_interpreter* interpreter = nullptr;
  std::vector<uint8_t> bytes;

  Session() {
    heddle_environment_options options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
    options.num_threads = 2;
    EXPECT_EQ(heddle_environment_create(&options, &environment, nullptr), HEDDLE_OK);
    EXPECT_EQ(heddle_op_resolver_create(&resolver, nullptr), HEDDLE_OK);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    heddle_interpreter_destroy(interpreter);
    heddle_model_destroy(model);
    heddle_op_resolver_destroy(resolver);
    heddle_environment_destroy(environment);
  }

  void AddDefaultOps() {
    heddle_op_resolver* builtins = nullptr;
    ASSERT_EQ(heddle_op_resolver_create_default(&builtins, nullptr), HEDDLE_OK);
    EXPECT_EQ(heddle_op_resolver_chain(resolver, builtins, nullptr), HEDDLE_OK);
    heddle_op_resolver_destroy(builtins);
  }
  void AddPlugin(const std::string& path) {
    heddle_error* error = nullptr;
    EXPECT_EQ(heddle_op_resolver_add_plugin(resolver, path.c_str(), &error), HEDDLE_OK)
        << heddle_error_get_message(error);
  }
  void LoadModel(const ModelBuilder& builder) {
    bytes = builder.Build();
    heddle_error* error = nullptr;
    ASSERT_EQ(heddle_model_create_from_memory(environment, bytes.data(), bytes.size(),
                                              HEDDLE_MODEL_DEFAULT, &model, &error),
              HEDDLE_OK)
        << heddle_error_get_message(error);
  }
  // The status, and what is wrong.
  heddle_status Create(std::vector<ErrorFaults::Fault>* faults = nullptr) {
    heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
    options.resolver = resolver;
    heddle_error* error = nullptr;
    const heddle_status status =
        heddle_interpreter_create(environment, model, &options, &interpreter, &error);
    Take(error, faults);
    return status;
  }
  heddle_status Prepare(std::vector<ErrorFaults::Fault>* faults = nullptr) {
    heddle_error* error = nullptr;
    const heddle_status status = heddle_interpreter_prepare(interpreter, &error);
    Take(error, faults);
    return status;
  }
  heddle_status Invoke(std::vector<ErrorFaults::Fault>* faults = nullptr) {
    heddle_error* error = nullptr;
    const heddle_status status = heddle_interpreter_invoke(interpreter, nullptr, &error);
    Take(error, faults);
    return status;
  }
  heddle_status CheckModel(std::vector<ErrorFaults::Fault>* faults = nullptr) {
    heddle_error* error = nullptr;
    const heddle_status status = heddle_op_resolver_check_model(resolver, model, &error);
    Take(error, faults);
    return status;
  }
  void SetInput(const std::vector<float>& values) {
    EXPECT_EQ(heddle_interpreter_set_input(interpreter, 0, values.data(),
                                           values.size() * sizeof(float), nullptr),
              HEDDLE_OK);
  }
  std::vector<float> Output(size_t count) {
    std::vector<float> values(count);
    EXPECT_EQ(heddle_interpreter_get_output(interpreter, 0, values.data(), count * sizeof(float),
                                            nullptr),
              HEDDLE_OK);
    return values;
  }

 private:
  static void Take(heddle_error* error, std::vector<ErrorFaults::Fault>* faults) {
    ErrorFaults taken(error);
    if (faults != nullptr) *faults = std::move(taken.faults);
  }
};

}  // namespace heddle::testing
