// SPDX-License-Identifier: Apache-2.0
//
// Heddle for C++17: owners for the objects of heddle.h, errors as values. Header-only, needs
// neither exceptions nor run-time type information. Whatever a function leaves open is said in
// heddle.h; every class gives its C object with get(), so that both can be mixed.
//
//   auto environment = heddle::Environment::Create();
//   auto model = heddle::Model::FromFile(*environment, "model.tflite");
//   if (!model) return Fail(model.error().message());
//
// A Result is asked before it is used: `*result` of a failed one prints the error and aborts.
#ifndef HEDDLE_HEDDLE_HPP_
#define HEDDLE_HEDDLE_HPP_

#include <functional>
#include <initializer_list>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "heddle/heddle.h"           // IWYU pragma: export
#include "heddle/heddle_values.hpp"  // IWYU pragma: export

namespace heddle {
inline namespace cpp {

// ---- Options: the structs of heddle.h with their defaults filled in

struct EnvironmentOptions : heddle_environment_options {
  EnvironmentOptions() : heddle_environment_options(HEDDLE_ENVIRONMENT_OPTIONS_INIT) {}
};
struct InterpreterOptions : heddle_interpreter_options {
  InterpreterOptions() : heddle_interpreter_options(HEDDLE_INTERPRETER_OPTIONS_INIT) {}
};
struct RunOptions : heddle_run_options {
  RunOptions() : heddle_run_options(HEDDLE_RUN_OPTIONS_INIT) {}
};

inline heddle_library_info LibraryInfo() {
  auto info = internal::Sized<heddle_library_info>();
  (void)heddle_library_get_info(&info);
  return info;
}

// ---- Objects. All are move-only; they may be destroyed in any order.

class Environment : public internal::Owner<heddle_environment, heddle_environment_destroy> {
 public:
  using Owner::Owner;

  static Result<Environment> Create(const EnvironmentOptions& options = {}) {
    return internal::Make<Environment, heddle_environment>([&](auto** handle, auto** error) {
      return heddle_environment_create(&options, handle, error);
    });
  }
  int32_t num_threads() const { return heddle_environment_get_num_threads(get()); }
  struct Memory {
    uint64_t current_bytes = 0;
    uint64_t peak_bytes = 0;
  };
  Memory memory() const {
    Memory memory;
    (void)heddle_environment_get_memory(get(), &memory.current_bytes, &memory.peak_bytes);
    return memory;
  }
};

class Buffer : public internal::Owner<heddle_buffer, heddle_buffer_destroy> {
 public:
  using Owner::Owner;

  // Owned, zeroed, aligned and padded.
  static Result<Buffer> Create(const Environment& environment, size_t bytes) {
    return internal::Make<Buffer, heddle_buffer>([&](auto** handle, auto** error) {
      return heddle_buffer_create(environment.get(), bytes, handle, error);
    });
  }
  // The caller's memory; `padded_bytes` 0: reads may not go behind `bytes`.
  static Result<Buffer> Borrow(const Environment& environment, void* data, size_t bytes,
                               size_t padded_bytes = 0, heddle_release_callback release = nullptr,
                               void* context = nullptr) {
    return internal::Make<Buffer, heddle_buffer>([&](auto** handle, auto** error) {
      return heddle_buffer_create_borrowed(environment.get(), data, bytes,
                                           padded_bytes == 0 ? bytes : padded_bytes, release,
                                           context, handle, error);
    });
  }
  void* data() const { return heddle_buffer_get_data(get()); }
  size_t bytes() const { return heddle_buffer_get_bytes(get()); }
  size_t padded_bytes() const { return heddle_buffer_get_padded_bytes(get()); }
  // The memory as elements of a type.
  template <typename T>
  Span<T> as() const {
    return {static_cast<T*>(data()), bytes() / sizeof(T)};
  }
};

class Event : public internal::Owner<heddle_event, heddle_event_destroy> {
 public:
  using Owner::Owner;

  bool is_done() const { return heddle_event_is_done(get()) != 0; }
  // The run's own status, or HEDDLE_DEADLINE_EXCEEDED when the time passed first.
  Status Wait(uint64_t timeout_ns = UINT64_MAX) {
    return internal::Call(
        [&](auto** error) { return heddle_event_wait(get(), timeout_ns, error); });
  }
  // `function` runs once, on the completing thread, or at once if the event is done.
  Status OnDone(std::function<void(heddle_status)> function) {
    using Function = std::function<void(heddle_status)>;
    auto* owned = new (std::nothrow) Function(std::move(function));
    if (owned == nullptr) return Status(HEDDLE_RESOURCE_EXHAUSTED, nullptr);
    const auto call = [](void* context, heddle_status status) {
      const std::unique_ptr<Function> once(static_cast<Function*>(context));
      (*once)(status);
    };
    Status status = internal::Call(
        [&](auto** error) { return heddle_event_on_done(get(), call, owned, error); });
    if (!status.ok()) delete owned;
    return status;
  }
};

class CancelToken : public internal::Owner<heddle_cancel_token, heddle_cancel_token_destroy> {
 public:
  using Owner::Owner;

  static Result<CancelToken> Create() {
    return internal::Make<CancelToken, heddle_cancel_token>(heddle_cancel_token_create);
  }
  void Cancel() { heddle_cancel_token_cancel(get()); }
  void Reset() { heddle_cancel_token_reset(get()); }
};

// A loaded model. Strings and arrays in what it returns are borrowed from it.
class Model : public internal::Owner<heddle_model, heddle_model_destroy> {
 public:
  using Owner::Owner;

  static Result<Model> FromFile(const Environment& environment, const std::string& path,
                                uint32_t flags = HEDDLE_MODEL_DEFAULT) {
    return internal::Make<Model, heddle_model>([&](auto** handle, auto** error) {
      return heddle_model_create_from_file(environment.get(), path.c_str(), flags, handle, error);
    });
  }
  // Copies the bytes unless `flags` says otherwise.
  static Result<Model> FromMemory(const Environment& environment, const void* data, size_t bytes,
                                  uint32_t flags = HEDDLE_MODEL_COPY) {
    return internal::Make<Model, heddle_model>([&](auto** handle, auto** error) {
      return heddle_model_create_from_memory(environment.get(), data, bytes, flags, handle, error);
    });
  }
  static Result<Model> FromDescriptor(const Environment& environment, int descriptor,
                                      uint64_t offset = 0, uint64_t length = 0,
                                      uint32_t flags = HEDDLE_MODEL_DEFAULT) {
    return internal::Make<Model, heddle_model>([&](auto** handle, auto** error) {
      return heddle_model_create_from_descriptor(environment.get(), descriptor, offset, length,
                                                 flags, handle, error);
    });
  }
  heddle_model_info info() const {
    auto info = internal::Sized<heddle_model_info>();
    (void)heddle_model_get_info(get(), &info);
    return info;
  }
  Result<heddle_operator_code_info> operator_code(size_t index) const {
    return internal::Fill(
        "operator code", index, internal::Sized<heddle_operator_code_info>(),
        [&](auto* info) { return heddle_model_get_operator_code(get(), index, info); });
  }
  Result<heddle_subgraph_info> subgraph(size_t index) const {
    return internal::Fill(
        "subgraph", index, internal::Sized<heddle_subgraph_info>(),
        [&](auto* info) { return heddle_model_get_subgraph(get(), index, info); });
  }
  Result<heddle_tensor_info> tensor(size_t subgraph, size_t index) const {
    return internal::Fill("tensor", index, internal::Sized<heddle_tensor_info>(), [&](auto* info) {
      return heddle_model_get_tensor(get(), subgraph, index, info);
    });
  }
  // Data of a constant, null for other tensors.
  const void* tensor_data(size_t subgraph, size_t index) const {
    return heddle_model_get_tensor_data(get(), subgraph, index);
  }
  Result<heddle_operator_info> op(size_t subgraph, size_t index) const {
    return internal::Fill(
        "operator", index, internal::Sized<heddle_operator_info>(),
        [&](auto* info) { return heddle_model_get_operator(get(), subgraph, index, info); });
  }
  size_t attribute_count(size_t subgraph, size_t op) const {
    return heddle_model_get_attribute_count(get(), subgraph, op);
  }
  Result<heddle_attribute_info> attribute(size_t subgraph, size_t op, size_t index) const {
    return internal::Fill(
        "attribute", index, internal::Sized<heddle_attribute_info>(),
        [&](auto* info) { return heddle_model_get_attribute(get(), subgraph, op, index, info); });
  }
  Result<heddle_signature_info> signature(size_t index) const {
    return internal::Fill(
        "signature", index, internal::Sized<heddle_signature_info>(),
        [&](auto* info) { return heddle_model_get_signature(get(), index, info); });
  }
  struct SignatureTensor {
    const char* name = "";
    int32_t tensor = -1;
  };
  Result<SignatureTensor> signature_tensor(size_t signature, bool is_output, size_t index) const {
    return internal::Fill("signature tensor", index, SignatureTensor(), [&](auto* info) {
      return heddle_model_get_signature_tensor(get(), signature, is_output ? 1 : 0, index,
                                               &info->name, &info->tensor);
    });
  }
  struct Metadata {
    const char* name = "";
    const void* data = nullptr;
    size_t bytes = 0;
  };
  Result<Metadata> metadata(size_t index) const {
    return internal::Fill("metadata entry", index, Metadata(), [&](auto* info) {
      return heddle_model_get_metadata(get(), index, &info->name, &info->data, &info->bytes);
    });
  }
  // The whole file.
  Span<const uint8_t> bytes() const {
    size_t bytes = 0;
    const void* data = heddle_model_get_bytes(get(), &bytes);
    return {static_cast<const uint8_t*>(data), bytes};
  }
};

class OpResolver : public internal::Owner<heddle_op_resolver, heddle_op_resolver_destroy> {
 public:
  using Owner::Owner;

  static Result<OpResolver> Create() {  // empty
    return internal::Make<OpResolver, heddle_op_resolver>(heddle_op_resolver_create);
  }
  static Result<OpResolver> Default() {  // every op of this build
    return internal::Make<OpResolver, heddle_op_resolver>(heddle_op_resolver_create_default);
  }
  Status Add(const heddle_op& op) {  // heddle_plugin.h
    return internal::Call([&](auto** error) { return heddle_op_resolver_add(get(), &op, error); });
  }
  Status AddPlugin(const std::string& path) {
    return internal::Call(
        [&](auto** error) { return heddle_op_resolver_add_plugin(get(), path.c_str(), error); });
  }
  Status Chain(const OpResolver& next) {
    return internal::Call(
        [&](auto** error) { return heddle_op_resolver_chain(get(), next.get(), error); });
  }
  struct Versions {
    int32_t min = 0;
    int32_t max = 0;
  };
  // `custom_name` null: the builtin. Nothing if the op is not registered.
  std::optional<Versions> versions(int32_t builtin_code, const char* custom_name = nullptr) const {
    Versions found;
    if (heddle_op_resolver_get_versions(get(), builtin_code, custom_name, &found.min, &found.max) !=
        HEDDLE_OK) {
      return std::nullopt;
    }
    return found;
  }
  // Fails with one fault for each op of the model that is missing.
  Status CheckModel(const Model& model) const {
    return internal::Call(
        [&](auto** error) { return heddle_op_resolver_check_model(get(), model.get(), error); });
  }
};

class Interpreter : public internal::Owner<heddle_interpreter, heddle_interpreter_destroy> {
 public:
  using Owner::Owner;

  static Result<Interpreter> Create(const Environment& environment, const Model& model,
                                    const InterpreterOptions& options = {}) {
    return internal::Make<Interpreter, heddle_interpreter>([&](auto** handle, auto** error) {
      return heddle_interpreter_create(environment.get(), model.get(), &options, handle, error);
    });
  }
  // Made in the background: usable once the event is done without an error.
  static Result<std::pair<Interpreter, Event>> CreateAsync(const Environment& environment,
                                                           const Model& model,
                                                           const InterpreterOptions& options = {}) {
    heddle_event* event = nullptr;
    auto made = internal::Make<Interpreter, heddle_interpreter>([&](auto** handle, auto** error) {
      return heddle_interpreter_create_async(environment.get(), model.get(), &options, handle,
                                             &event, error);
    });
    if (!made) return made.error();
    return std::pair<Interpreter, Event>(*std::move(made), Event(event));
  }

  // A signature's key, or null for the first subgraph.
  Status SelectSignature(const char* key) {
    return internal::Call(
        [&](auto** error) { return heddle_interpreter_select_signature(get(), key, error); });
  }
  size_t input_count() const { return heddle_interpreter_get_input_count(get()); }
  size_t output_count() const { return heddle_interpreter_get_output_count(get()); }
  const char* input_name(size_t index) const {
    return heddle_interpreter_get_input_name(get(), index);
  }
  const char* output_name(size_t index) const {
    return heddle_interpreter_get_output_name(get(), index);
  }
  std::optional<size_t> FindInput(const std::string& name) const {
    return Position(heddle_interpreter_find_input(get(), name.c_str()));
  }
  std::optional<size_t> FindOutput(const std::string& name) const {
    return Position(heddle_interpreter_find_output(get(), name.c_str()));
  }
  Result<heddle_tensor_info> input_info(size_t index) const {
    return internal::Fill("input", index, internal::Sized<heddle_tensor_info>(), [&](auto* info) {
      return heddle_interpreter_get_input_info(get(), index, info);
    });
  }
  Result<heddle_tensor_info> output_info(size_t index) const {
    return internal::Fill("output", index, internal::Sized<heddle_tensor_info>(), [&](auto* info) {
      return heddle_interpreter_get_output_info(get(), index, info);
    });
  }

  // `strict`: only dimensions that the model marks as dynamic may change.
  Status Resize(size_t input, Span<const int32_t> dims, bool strict = false) {
    return internal::Call([&](auto** error) {
      return heddle_interpreter_resize_input(
          get(), input, dims.data(), static_cast<int32_t>(dims.size()), strict ? 1 : 0, error);
    });
  }
  Status Resize(size_t input, std::initializer_list<int32_t> dims, bool strict = false) {
    return Resize(input, Span<const int32_t>(dims.begin(), dims.size()), strict);
  }
  Status Prepare() {
    return internal::Call([&](auto** error) { return heddle_interpreter_prepare(get(), error); });
  }

  // The interpreter's own memory of an input or output, after Prepare.
  template <typename T>
  Result<Span<T>> input(size_t index) {
    return Typed<T>("input", index, input_info(index),
                    heddle_interpreter_get_input_data(get(), index));
  }
  template <typename T>
  Result<Span<const T>> output(size_t index) const {
    return Typed<const T>("output", index, output_info(index),
                          heddle_interpreter_get_output_data(get(), index));
  }
  void* input_data(size_t index) { return heddle_interpreter_get_input_data(get(), index); }
  const void* output_data(size_t index) const {
    return heddle_interpreter_get_output_data(get(), index);
  }
  // Copies of whole tensors, in and out.
  Status SetInput(size_t index, const void* data, size_t bytes) {
    return internal::Call([&](auto** error) {
      return heddle_interpreter_set_input(get(), index, data, bytes, error);
    });
  }
  Status GetOutput(size_t index, void* data, size_t bytes) {
    return internal::Call([&](auto** error) {
      return heddle_interpreter_get_output(get(), index, data, bytes, error);
    });
  }
  // Zero copy: a buffer in place of the interpreter's memory; null undoes it.
  Status BindInput(size_t index, const Buffer* buffer) {
    return internal::Call([&](auto** error) {
      return heddle_interpreter_bind_input(get(), index, buffer ? buffer->get() : nullptr, error);
    });
  }
  Status BindOutput(size_t index, const Buffer* buffer) {
    return internal::Call([&](auto** error) {
      return heddle_interpreter_bind_output(get(), index, buffer ? buffer->get() : nullptr, error);
    });
  }

  Status Invoke(const RunOptions& options = {}) {
    return internal::Call(
        [&](auto** error) { return heddle_interpreter_invoke(get(), &options, error); });
  }
  Result<Event> InvokeAsync(const RunOptions& options = {}) {
    return internal::Make<Event, heddle_event>([&](auto** handle, auto** error) {
      return heddle_interpreter_invoke_async(get(), &options, handle, error);
    });
  }
  // A run in any free slot, with one buffer for each input and each output. Thread-safe.
  Status Run(Span<heddle_buffer* const> inputs, Span<heddle_buffer* const> outputs,
             const RunOptions& options = {}) {
    return internal::Call([&](auto** error) {
      return heddle_interpreter_run(get(), &options, inputs.data(), inputs.size(), outputs.data(),
                                    outputs.size(), error);
    });
  }
  Status ResetVariables() {
    return internal::Call(
        [&](auto** error) { return heddle_interpreter_reset_variables(get(), error); });
  }
  Status ReleaseMemory() {
    return internal::Call(
        [&](auto** error) { return heddle_interpreter_release_memory(get(), error); });
  }

  // For tools: any tensor as it is now, memory, and the steps of the plan.
  struct Tensor {
    heddle_tensor_info info;
    const void* data;  // null unless preserve_all_tensors is on
  };
  Result<Tensor> tensor(size_t subgraph, size_t index) const {
    const void* data = nullptr;
    auto info =
        internal::Fill("tensor", index, internal::Sized<heddle_tensor_info>(), [&](auto* filled) {
          return heddle_interpreter_get_tensor(get(), subgraph, index, filled, &data);
        });
    if (!info) return info.error();
    return Tensor{*info, data};
  }
  heddle_memory_info memory() const {
    auto info = internal::Sized<heddle_memory_info>();
    (void)heddle_interpreter_get_memory(get(), &info);
    return info;
  }
  size_t plan_step_count() const { return heddle_interpreter_get_plan_step_count(get()); }
  Result<heddle_plan_step_info> plan_step(size_t position) const {
    return internal::Fill(
        "plan step", position, internal::Sized<heddle_plan_step_info>(),
        [&](auto* info) { return heddle_interpreter_get_plan_step(get(), position, info); });
  }

 private:
  static std::optional<size_t> Position(int32_t index) {
    if (index < 0) return std::nullopt;
    return static_cast<size_t>(index);
  }
  template <typename T, typename Data>
  static Result<Span<T>> Typed(const char* what, size_t index,
                               const Result<heddle_tensor_info>& info, Data* data) {
    if (!info) return info.error();
    constexpr heddle_dtype kWanted = DTypeOf<std::remove_const_t<T>>::value;
    const std::string which = std::string(what) + " " + std::to_string(index);
    if (info->dtype != kWanted) {
      return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_DTYPE_MISMATCH,
                    which + " is " + heddle_dtype_get_name(info->dtype) + ", not " +
                        heddle_dtype_get_name(kWanted));
    }
    if (data == nullptr && info->bytes > 0) {
      return Status(HEDDLE_FAILED_PRECONDITION, HEDDLE_REASON_NOT_PREPARED,
                    which + " has no memory yet: call Prepare or Invoke first");
    }
    return Span<T>(static_cast<T*>(data), static_cast<size_t>(info->bytes) / sizeof(T));
  }
};

}  // namespace cpp
}  // namespace heddle

#endif  // HEDDLE_HEDDLE_HPP_
