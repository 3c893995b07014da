// SPDX-License-Identifier: Apache-2.0
// A digit classifier through the exported C API alone.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "heddle/heddle.h"

class Error {
 public:
  Error() = default;
  Error(const Error&) = delete;
  Error& operator=(const Error&) = delete;
  ~Error() { heddle_error_destroy(error_); }
  heddle_error** out() {
    heddle_error_destroy(error_);
    error_ = nullptr;
    return &error_;
  }
  bool has() const { return error_ != nullptr; }
  heddle_reason reason() const {
    heddle_error_info info = {};
    info.struct_size = sizeof(info);
    if (heddle_error_get_info(error_, 0, &info) != HEDDLE_OK) return HEDDLE_REASON_NONE;
    return info.reason;
  }
  std::string text() const { return heddle_error_get_message(error_); }

 private:
  heddle_error* error_ = nullptr;
};

struct Session {
  heddle_environment* environment = nullptr;
  heddle_model* model = nullptr;
  heddle_op_resolver* resolver = nullptr;
  heddle_interpreter* interpreter = nullptr;
  heddle_buffer* buffer = nullptr;
  Error error;

  Session() {
    const char* source = std::getenv("HEDDLE_SOURCE_DIR");
    const std::string path =
        std::string(source != nullptr ? source : ".") + "/examples/models/digits_int8.tflite";
    EXPECT_EQ(heddle_environment_create(nullptr, &environment, error.out()), HEDDLE_OK);
    EXPECT_EQ(heddle_model_create_from_file(environment, path.c_str(), 0, &model, error.out()),
              HEDDLE_OK)
        << error.text();
    EXPECT_EQ(heddle_op_resolver_create_default(&resolver, error.out()), HEDDLE_OK);
    EXPECT_EQ(heddle_interpreter_create(environment, model, nullptr, &interpreter, error.out()),
              HEDDLE_OK)
        << error.text();
    EXPECT_EQ(heddle_buffer_create(environment, 64, &buffer, error.out()), HEDDLE_OK);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    heddle_buffer_destroy(buffer);
    heddle_interpreter_destroy(interpreter);
    heddle_op_resolver_destroy(resolver);
    heddle_model_destroy(model);
    heddle_environment_destroy(environment);
  }
};
