// SPDX-License-Identifier: Apache-2.0
// What tests of the runtime use heddle.h through: handles that clean up, ops made of lambdas, and a
// Rig that holds environment, resolver, model and interpreter.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "heddle/heddle_plugin.h"
#include "tests/support/model_builder.h"

namespace heddle::testing {

template <auto destroy>
struct DestroyWith {
  template <typename T>
  void operator()(T* object) const {
    destroy(object);
  }
};
using EnvironmentPtr = std::unique_ptr<heddle_environment, DestroyWith<heddle_environment_destroy>>;
using ModelPtr = std::unique_ptr<heddle_model, DestroyWith<heddle_model_destroy>>;
using ResolverPtr = std::unique_ptr<heddle_op_resolver, DestroyWith<heddle_op_resolver_destroy>>;
using InterpreterPtr = std::unique_ptr<heddle_interpreter, DestroyWith<heddle_interpreter_destroy>>;
using BufferPtr = std::unique_ptr<heddle_buffer, DestroyWith<heddle_buffer_destroy>>;
using EventPtr = std::unique_ptr<heddle_event, DestroyWith<heddle_event_destroy>>;
using TokenPtr = std::unique_ptr<heddle_cancel_token, DestroyWith<heddle_cancel_token_destroy>>;

// The last error of a call: Holder error; f(..., error.out()).
class ErrorHolder {
 public:
  ErrorHolder() = default;
  ErrorHolder(const ErrorHolder&) = delete;
  ErrorHolder& operator=(const ErrorHolder&) = delete;
  ~ErrorHolder() { heddle_error_destroy(error_); }
  heddle_error** out() {
    heddle_error_destroy(error_);
    error_ = nullptr;
    return &error_;
  }
  bool has() const { return error_ != nullptr; }
  size_t count() const { return heddle_error_get_count(error_); }
  heddle_error_info info(size_t index = 0) const {
    heddle_error_info info = {};
    info.struct_size = sizeof(info);
    heddle_error_get_info(error_, index, &info);
    return info;
  }
  heddle_reason reason() const { return has() ? info().reason : HEDDLE_REASON_NONE; }
  std::string text() const { return heddle_error_get_message(error_); }

 private:
  heddle_error* error_ = nullptr;
};

// A custom op (or builtin) made of functions, which counts its calls. Outlives all that use it.
struct TestOp {
  using Callback = std::function<heddle_status(heddle_op_call*)>;
  std::string name;
  int32_t builtin_code = HEDDLE_BUILTIN_CUSTOM;
  int32_t min_version = 1;
  int32_t max_version = 1;
  uint32_t flags = 0;
  std::vector<heddle_in_place_pair> in_place;
  bool has_infer = true;
  Callback on_init;     // all optional
  Callback on_infer;    // default: outputs are like input 0
  Callback on_prepare;  // default: nothing
  Callback on_invoke;   // default: copies input 0 to every output
  std::atomic<int> inits{0}, frees{0}, infers{0}, prepares{0}, releases{0}, invokes{0};

  void AddTo(heddle_op_resolver* resolver);
};

// Default callbacks of TestOp.
heddle_status InferLikeInput(heddle_op_call* call);
heddle_status CopyInput(heddle_op_call* call);

template <typename T>
const T* In(const heddle_op_call* call, size_t input) {
  return static_cast<const T*>(call->inputs[input]->data);
}
template <typename T>
T* Out(const heddle_op_call* call, size_t output) {
  return static_cast<T*>(call->outputs[output]->data);
}
inline size_t FloatsIn(const heddle_op_call* call, size_t input) {
  return call->inputs[input]->bytes / sizeof(float);
}

struct LogLine {
  heddle_severity severity;
  heddle_reason reason;
  std::string message;
};

struct RigOptions {
  int32_t threads = 1;
  const heddle_allocator* allocator = nullptr;
  int32_t max_log_lines = 0;
};

// Destroys in an order that lets ops outlive their users.
class Rig {
 public:
  explicit Rig(const RigOptions& options = {});
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  // Registers an op beside the builtin ones. `setup` sets flags and functions before that.
  TestOp& AddOp(const std::string& name, const std::function<void(TestOp&)>& setup = {});

  // These fail the test if they fail.
  void Load(const ModelBuilder& model);
  void LoadBytes(std::vector<uint8_t> bytes);
  void LoadFile(const std::string& path);
  void Start(const heddle_interpreter_options* options = nullptr);
  void Start(const ModelBuilder& model) {
    Load(model);
    Start();
  }

  heddle_status Create(const heddle_interpreter_options* options = nullptr);
  heddle_status Prepare() { return heddle_interpreter_prepare(get(), error.out()); }
  heddle_status Invoke(const heddle_run_options* options = nullptr) {
    return heddle_interpreter_invoke(get(), options, error.out());
  }
  heddle_status Resize(size_t input, const std::vector<int32_t>& dims, bool strict = false) {
    return heddle_interpreter_resize_input(
        get(), input, dims.data(), static_cast<int32_t>(dims.size()), strict ? 1 : 0, error.out());
  }
  template <typename T>
  void Set(size_t input, const std::vector<T>& values) {
    const std::vector<uint8_t> bytes = BytesOf(values);
    ASSERT_EQ(heddle_interpreter_set_input(get(), input, bytes.data(), bytes.size(), error.out()),
              HEDDLE_OK)
        << error.text();
  }
  template <typename T>
  std::vector<T> Get(size_t output) {
    heddle_tensor_info info = OutputInfo(output);
    std::vector<T> values(static_cast<size_t>(info.bytes) / sizeof(T));
    EXPECT_EQ(heddle_interpreter_get_output(get(), output, values.data(),
                                            static_cast<size_t>(info.bytes), error.out()),
              HEDDLE_OK)
        << error.text();
    return values;
  }
  heddle_tensor_info OutputInfo(size_t output) {
    heddle_tensor_info info = {};
    info.struct_size = sizeof(info);
    EXPECT_EQ(heddle_interpreter_get_output_info(get(), output, &info), HEDDLE_OK);
    return info;
  }
  std::vector<int32_t> OutputDims(size_t output) {
    const heddle_tensor_info info = OutputInfo(output);
    return {info.dims, info.dims + std::max(info.rank, 0)};
  }
  heddle_memory_info Memory() {
    heddle_memory_info info = {};
    info.struct_size = sizeof(info);
    EXPECT_EQ(heddle_interpreter_get_memory(get(), &info), HEDDLE_OK);
    return info;
  }
  heddle_plan_step_info PlanStep(size_t position) {
    heddle_plan_step_info info = {};
    info.struct_size = sizeof(info);
    EXPECT_EQ(heddle_interpreter_get_plan_step(get(), position, &info), HEDDLE_OK);
    return info;
  }
  BufferPtr Buffer(size_t bytes);
  BufferPtr Borrow(void* data, size_t bytes, size_t padded,
                   heddle_release_callback release = nullptr, void* context = nullptr);
  size_t CountLog(heddle_reason reason);

  heddle_interpreter* get() const { return interpreter.get(); }

  ErrorHolder error;
  std::deque<TestOp> ops;
  std::mutex log_mutex;
  std::vector<LogLine> log;
  std::vector<uint8_t> bytes;  // of the model
  EnvironmentPtr environment;
  ResolverPtr resolver;
  ModelPtr model;
  InterpreterPtr interpreter;
};

}  // namespace heddle::testing
