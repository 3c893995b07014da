// SPDX-License-Identifier: Apache-2.0
// Making interpreters, their inputs and outputs.
#include "runtime/base/dtype.h"
#include "runtime/capi/interpreter_access.h"

using heddle::Interpreter;
using heddle::Status;
using heddle::StrCat;
using heddle::capi::BadIndex;
using heddle::capi::CString;
using heddle::capi::Guard;
using heddle::capi::WithInterpreter;
using heddle::capi::WriteInfo;

namespace {

struct CreateRequest {
  std::shared_ptr<heddle::Environment> environment;
  std::shared_ptr<const heddle::Model> model;
  std::shared_ptr<heddle::WeightStore> weights;
  heddle::OpResolver resolver;
  heddle::InterpreterOptions options;

  heddle::StatusOr<std::shared_ptr<Interpreter>> Make() const {
    return Interpreter::Make(environment, model, weights, resolver, options);
  }
};

Status ReadRequest(heddle_environment* environment, const heddle_model* model,
                   const heddle_interpreter_options* given, heddle_interpreter** interpreter,
                   CreateRequest* request) {
  HEDDLE_REQUIRE(environment);
  HEDDLE_REQUIRE(model);
  HEDDLE_REQUIRE(interpreter);
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  HEDDLE_RETURN_IF_ERROR(heddle::capi::ReadOptions(given, "heddle_interpreter_options", &options));
  if (options.num_threads < 0 || options.slots < 0) {
    return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_BAD_ARGUMENT,
                  StrCat("num_threads is ", options.num_threads, ", slots is ", options.slots));
  }
  if (options.kernels != HEDDLE_KERNELS_DEFAULT && options.kernels != HEDDLE_KERNELS_REFERENCE) {
    return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_BAD_ARGUMENT,
                  StrCat("kernels is ", static_cast<int32_t>(options.kernels)));
  }
  request->environment = environment->environment;
  request->model = model->model;
  request->weights = model->weights;
  if (options.resolver != nullptr) {
    request->resolver = options.resolver->resolver;
  } else {
    HEDDLE_RETURN_IF_ERROR(heddle::AddDefaultOps(request->resolver));
  }
  request->options.num_threads = options.num_threads;
  request->options.slots = options.slots == 0 ? 1 : options.slots;
  request->options.reference = options.kernels == HEDDLE_KERNELS_REFERENCE;
  request->options.preserve_all = options.preserve_all_tensors != 0;
  if (options.max_plan_cache_bytes != 0)
    request->options.max_plan_cache_bytes = options.max_plan_cache_bytes;
  if (options.max_dynamic_bytes != 0)
    request->options.max_dynamic_bytes = options.max_dynamic_bytes;
  return {};
}

// Makes an interpreter on the submission thread. The handle outlives it: destroy waits for the
// event.
class CreateSubmission final : public heddle::Submission {
 public:
  CreateSubmission(CreateRequest request, heddle_interpreter* target,
                   std::shared_ptr<heddle::Event> event)
      : request_(std::move(request)), target_(target), event_(std::move(event)) {}

  void Run() override {
    auto made = request_.Make();
    if (!made.ok()) {
      Finish(std::move(made).status());
      return;
    }
    target_->interpreter = std::move(made).value();
    target_->ready.store(true, std::memory_order_release);
    Finish({});
  }
  void Fail(Status status) noexcept override { Finish(std::move(status)); }

 private:
  void Finish(Status status) noexcept {
    request_ = {};  // the model and the environment may go as soon as the event is done
    event_->Complete(std::move(status));
  }
  CreateRequest request_;
  heddle_interpreter* target_;
  std::shared_ptr<heddle::Event> event_;
};

}  // namespace

heddle_status heddle_interpreter_create(heddle_environment* environment, const heddle_model* model,
                                        const heddle_interpreter_options* options,
                                        heddle_interpreter** interpreter, heddle_error** error) {
  return Guard(error, [&]() -> Status {
    CreateRequest request;
    HEDDLE_RETURN_IF_ERROR(ReadRequest(environment, model, options, interpreter, &request));
    auto made = std::make_unique<heddle_interpreter>();
    HEDDLE_ASSIGN_OR_RETURN(made->interpreter, request.Make());
    made->environment = environment->environment;
    made->ready.store(true, std::memory_order_release);
    *interpreter = made.release();
    return {};
  });
}

heddle_status heddle_interpreter_create_async(heddle_environment* environment,
                                              const heddle_model* model,
                                              const heddle_interpreter_options* options,
                                              heddle_interpreter** interpreter,
                                              heddle_event** event, heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(event);
    CreateRequest request;
    HEDDLE_RETURN_IF_ERROR(ReadRequest(environment, model, options, interpreter, &request));
    auto made = std::make_unique<heddle_interpreter>();
    auto handle = std::make_unique<heddle_event>();
    handle->event = std::make_shared<heddle::Event>();
    made->environment = environment->environment;
    made->last_event = handle->event;
    HEDDLE_RETURN_IF_ERROR(environment->environment->submissions().Submit(
        0, std::make_unique<CreateSubmission>(std::move(request), made.get(), handle->event)));
    *interpreter = made.release();
    *event = handle.release();
    return {};
  });
}

void heddle_interpreter_destroy(heddle_interpreter* interpreter) {
  if (interpreter == nullptr) return;
  // A run in flight uses memory that the caller may give back after this call. On the submission
  // thread itself, in an event's callback, there is none left to wait for.
  if (interpreter->last_event != nullptr &&
      !interpreter->environment->submissions().IsSubmissionThread()) {
    interpreter->last_event->Wait(UINT64_MAX);
  }
  delete interpreter;
}

heddle_status heddle_interpreter_select_signature(heddle_interpreter* interpreter, const char* key,
                                                  heddle_error** error) {
  return WithInterpreter(interpreter, error, [&](Interpreter& i, Interpreter::Lease&) {
    return i.SelectSignature(key != nullptr ? key : "", key == nullptr);
  });
}

namespace {

// For the functions that cannot fail: null while the interpreter is being made.
Interpreter* Ready(const heddle_interpreter* interpreter) {
  if (interpreter == nullptr || !interpreter->ready.load(std::memory_order_acquire)) return nullptr;
  return interpreter->interpreter.get();
}

}  // namespace

size_t heddle_interpreter_get_input_count(const heddle_interpreter* interpreter) {
  const Interpreter* i = Ready(interpreter);
  return i == nullptr ? 0 : i->input_count();
}

size_t heddle_interpreter_get_output_count(const heddle_interpreter* interpreter) {
  const Interpreter* i = Ready(interpreter);
  return i == nullptr ? 0 : i->output_count();
}

const char* heddle_interpreter_get_input_name(const heddle_interpreter* interpreter, size_t index) {
  const Interpreter* i = Ready(interpreter);
  return i == nullptr || index >= i->input_count() ? nullptr : i->InputName(index);
}

const char* heddle_interpreter_get_output_name(const heddle_interpreter* interpreter,
                                               size_t index) {
  const Interpreter* i = Ready(interpreter);
  return i == nullptr || index >= i->output_count() ? nullptr : i->OutputName(index);
}

int32_t heddle_interpreter_find_input(const heddle_interpreter* interpreter, const char* name) {
  const Interpreter* i = Ready(interpreter);
  return i == nullptr || name == nullptr ? -1 : i->FindInput(name);
}

int32_t heddle_interpreter_find_output(const heddle_interpreter* interpreter, const char* name) {
  const Interpreter* i = Ready(interpreter);
  return i == nullptr || name == nullptr ? -1 : i->FindOutput(name);
}

heddle_status heddle_interpreter_get_input_info(const heddle_interpreter* interpreter, size_t index,
                                                heddle_tensor_info* info) {
  // The lease is the interpreter's, not part of what it looks like from outside.
  return WithInterpreter(
      const_cast<heddle_interpreter*>(interpreter), nullptr,
      [&](Interpreter& i, Interpreter::Lease&) -> Status {
        HEDDLE_REQUIRE(info);
        if (index >= i.input_count()) return BadIndex("input", index, i.input_count());
        const auto& defs = i.model().subgraphs()[static_cast<size_t>(i.entry_subgraph())].tensors;
        heddle_tensor_info full =
            heddle::capi::InfoOf(defs[static_cast<size_t>(i.InputTensor(index))]);
        const std::span<const int32_t> dims = i.InputDims(index);
        size_t bytes = 0;
        full.name = i.InputName(index);
        full.rank = static_cast<int32_t>(dims.size());
        full.dims = dims.data();
        full.bytes = heddle::DenseBytes(full.dtype, dims, &bytes) ? bytes : 0;
        full.is_shape_known = 1;
        return heddle::capi::InfoStatus(WriteInfo(full, info));
      });
}

heddle_status heddle_interpreter_get_output_info(const heddle_interpreter* interpreter,
                                                 size_t index, heddle_tensor_info* info) {
  return WithInterpreter(
      const_cast<heddle_interpreter*>(interpreter), nullptr,
      [&](Interpreter& i, Interpreter::Lease&) -> Status {
        HEDDLE_REQUIRE(info);
        if (index >= i.output_count()) return BadIndex("output", index, i.output_count());
        const auto& defs = i.model().subgraphs()[static_cast<size_t>(i.entry_subgraph())].tensors;
        heddle_tensor_info full =
            heddle::capi::InfoOf(defs[static_cast<size_t>(i.OutputTensor(index))]);
        full.name = i.OutputName(index);
        if (const heddle_tensor* view = i.OutputView(index)) heddle::capi::ApplyView(*view, &full);
        return heddle::capi::InfoStatus(WriteInfo(full, info));
      });
}

void* heddle_interpreter_get_input_data(heddle_interpreter* interpreter, size_t index) {
  void* data = nullptr;
  WithInterpreter(interpreter, nullptr, [&](Interpreter& i, Interpreter::Lease&) -> Status {
    if (index >= i.input_count()) return BadIndex("input", index, i.input_count());
    if (!i.IsPrepared()) return {};
    HEDDLE_ASSIGN_OR_RETURN(data, i.InputData(index, 0));
    return {};
  });
  return data;
}

const void* heddle_interpreter_get_output_data(heddle_interpreter* interpreter, size_t index) {
  const void* data = nullptr;
  WithInterpreter(interpreter, nullptr, [&](Interpreter& i, Interpreter::Lease&) -> Status {
    if (index >= i.output_count()) return BadIndex("output", index, i.output_count());
    if (const heddle_tensor* view = i.OutputView(index)) data = view->data;
    return {};
  });
  return data;
}

heddle_status heddle_interpreter_resize_input(heddle_interpreter* interpreter, size_t index,
                                              const int32_t* dims, int32_t rank, int32_t strict,
                                              heddle_error** error) {
  return WithInterpreter(interpreter, error, [&](Interpreter& i, Interpreter::Lease&) -> Status {
    if (index >= i.input_count()) return BadIndex("input", index, i.input_count());
    if (rank < 0 || rank > 64 || (rank > 0 && dims == nullptr)) {
      return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_BAD_ARGUMENT,
                    StrCat("resize of input ", index, " to rank ", rank));
    }
    return i.ResizeInput(index, {dims, static_cast<size_t>(rank)}, strict != 0);
  });
}

heddle_status heddle_interpreter_prepare(heddle_interpreter* interpreter, heddle_error** error) {
  return WithInterpreter(interpreter, error,
                         [&](Interpreter& i, Interpreter::Lease&) { return i.Prepare(); });
}

heddle_status heddle_interpreter_set_input(heddle_interpreter* interpreter, size_t index,
                                           const void* data, size_t bytes, heddle_error** error) {
  return WithInterpreter(interpreter, error, [&](Interpreter& i, Interpreter::Lease&) -> Status {
    if (index >= i.input_count()) return BadIndex("input", index, i.input_count());
    if (bytes != 0) HEDDLE_REQUIRE(data);
    return i.SetInput(index, data, bytes);
  });
}

heddle_status heddle_interpreter_get_output(heddle_interpreter* interpreter, size_t index,
                                            void* data, size_t bytes, heddle_error** error) {
  return WithInterpreter(interpreter, error, [&](Interpreter& i, Interpreter::Lease&) -> Status {
    if (index >= i.output_count()) return BadIndex("output", index, i.output_count());
    if (bytes != 0) HEDDLE_REQUIRE(data);
    return i.GetOutput(index, data, bytes);
  });
}

heddle_status heddle_interpreter_bind_input(heddle_interpreter* interpreter, size_t index,
                                            heddle_buffer* buffer, heddle_error** error) {
  return WithInterpreter(interpreter, error, [&](Interpreter& i, Interpreter::Lease&) -> Status {
    if (index >= i.input_count()) return BadIndex("input", index, i.input_count());
    i.BindInput(index, buffer != nullptr ? buffer->buffer : nullptr);
    return {};
  });
}

heddle_status heddle_interpreter_bind_output(heddle_interpreter* interpreter, size_t index,
                                             heddle_buffer* buffer, heddle_error** error) {
  return WithInterpreter(interpreter, error, [&](Interpreter& i, Interpreter::Lease&) -> Status {
    if (index >= i.output_count()) return BadIndex("output", index, i.output_count());
    i.BindOutput(index, buffer != nullptr ? buffer->buffer : nullptr);
    return {};
  });
}
