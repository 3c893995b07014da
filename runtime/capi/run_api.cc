// SPDX-License-Identifier: Apache-2.0
// Running interpreters, and looking into them.
#include "runtime/capi/interpreter_access.h"

using heddle::Interpreter;
using heddle::Status;
using heddle::StrCat;
using heddle::capi::BadIndex;
using heddle::capi::Guard;
using heddle::capi::WithInterpreter;
using heddle::capi::WriteInfo;

namespace {

Status ReadRunOptions(const heddle_run_options* given, heddle::RunRequest* request) {
  heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
  HEDDLE_RETURN_IF_ERROR(heddle::capi::ReadOptions(given, "heddle_run_options", &options));
  if (options.precision < HEDDLE_PRECISION_EXACT || options.precision > HEDDLE_PRECISION_F16) {
    return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_BAD_ARGUMENT,
                  StrCat("precision is ", static_cast<int32_t>(options.precision)));
  }
  request->control.deadline = heddle::Deadline::FromTimeout(options.timeout_ns);
  if (options.cancel_token != nullptr) {
    request->cancel_token = options.cancel_token->token;
    request->control.cancel = request->cancel_token.get();
  }
  request->control.observer = options.observer;
  request->control.observer_context = options.observer_context;
  request->control.loop_limit = options.max_loop_iterations;
  request->priority = options.priority;
  return {};
}

struct CompleteOnFailure {
  std::shared_ptr<heddle::Event> event;
  ~CompleteOnFailure() {
    if (event != nullptr) event->Complete(Status::OutOfMemory());
  }
};

}  // namespace

heddle_status heddle_interpreter_invoke(heddle_interpreter* interpreter,
                                        const heddle_run_options* options, heddle_error** error) {
  return WithInterpreter(interpreter, error, [&](Interpreter& i, Interpreter::Lease&) -> Status {
    heddle::RunRequest request;
    HEDDLE_RETURN_IF_ERROR(ReadRunOptions(options, &request));
    return i.Invoke(request);
  });
}

heddle_status heddle_interpreter_invoke_async(heddle_interpreter* interpreter,
                                              const heddle_run_options* options,
                                              heddle_event** event, heddle_error** error) {
  return WithInterpreter(
      interpreter, error, [&](Interpreter& i, Interpreter::Lease& lease) -> Status {
        HEDDLE_REQUIRE(event);
        heddle::RunRequest request;
        HEDDLE_RETURN_IF_ERROR(ReadRunOptions(options, &request));
        auto handle = std::make_unique<heddle_event>();
        handle->event = std::make_shared<heddle::Event>();
        // While the lease is held, and whoever destroys the interpreter must not wait in vain.
        interpreter->last_event = handle->event;
        CompleteOnFailure guard{handle->event};
        HEDDLE_RETURN_IF_ERROR(i.InvokeAsync(interpreter->interpreter, std::move(lease),
                                             std::move(request), handle->event));
        guard.event.reset();
        *event = handle.release();
        return {};
      });
}

heddle_status heddle_interpreter_run(heddle_interpreter* interpreter,
                                     const heddle_run_options* options,
                                     heddle_buffer* const* inputs, size_t input_count,
                                     heddle_buffer* const* outputs, size_t output_count,
                                     heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(interpreter);
    if (input_count != 0) HEDDLE_REQUIRE(inputs);
    if (output_count != 0) HEDDLE_REQUIRE(outputs);
    if (!interpreter->ready.load(std::memory_order_acquire)) {
      return Status(
          HEDDLE_FAILED_PRECONDITION, HEDDLE_PHASE_API, HEDDLE_REASON_NOT_PREPARED,
          "the interpreter is still being made, or could not be made: wait for its event");
    }
    const auto unwrap = [](heddle_buffer* const* handles) {
      return [handles](size_t i) { return handles[i] != nullptr ? handles[i]->buffer : nullptr; };
    };
    heddle::RunRequest request;
    HEDDLE_RETURN_IF_ERROR(ReadRunOptions(options, &request));
    return interpreter->interpreter->Run(request, input_count, unwrap(inputs), output_count,
                                         unwrap(outputs));
  });
}

heddle_status heddle_interpreter_reset_variables(heddle_interpreter* interpreter,
                                                 heddle_error** error) {
  return WithInterpreter(interpreter, error,
                         [](Interpreter& i, Interpreter::Lease&) { return i.ResetVariables(); });
}

heddle_status heddle_interpreter_release_memory(heddle_interpreter* interpreter,
                                                heddle_error** error) {
  return WithInterpreter(interpreter, error,
                         [](Interpreter& i, Interpreter::Lease&) { return i.ReleaseMemory(); });
}

void heddle::capi::ApplyView(const heddle_tensor& view, heddle_tensor_info* info) {
  info->dtype = view.dtype;
  info->is_shape_known = (view.flags & HEDDLE_TENSOR_SHAPE_KNOWN) != 0 ? 1 : 0;
  info->rank = view.rank;
  info->dims = view.dims;
  info->bytes = view.bytes;
  info->is_constant = (view.flags & HEDDLE_TENSOR_CONSTANT) != 0 ? 1 : 0;
}

heddle_status heddle_interpreter_get_tensor(const heddle_interpreter* interpreter, size_t subgraph,
                                            size_t tensor, heddle_tensor_info* info,
                                            const void** data) {
  // The lease is the interpreter's, not part of what it looks like from outside.
  return WithInterpreter(const_cast<heddle_interpreter*>(interpreter), nullptr,
                         [&](Interpreter& i, Interpreter::Lease&) -> Status {
                           HEDDLE_REQUIRE(info);
                           const size_t subgraphs = i.model().subgraphs().size();
                           if (subgraph >= subgraphs)
                             return BadIndex("subgraph", subgraph, subgraphs);
                           const heddle::Subgraph& target = i.subgraph(subgraph);
                           const size_t tensors = target.def().tensors.size();
                           if (tensor >= tensors) return BadIndex("tensor", tensor, tensors);
                           heddle_tensor_info full =
                               heddle::capi::InfoOf(target.def().tensors[tensor]);
                           const void* memory = nullptr;
                           if (target.plan() != nullptr) {
                             const heddle_tensor& view = target.plan()->views[tensor];
                             heddle::capi::ApplyView(view, &full);
                             if (target.KeepsData(tensor)) memory = view.data;
                           }
                           HEDDLE_RETURN_IF_ERROR(heddle::capi::InfoStatus(WriteInfo(full, info)));
                           if (data != nullptr) *data = memory;
                           return {};
                         });
}

heddle_status heddle_interpreter_get_memory(const heddle_interpreter* interpreter,
                                            heddle_memory_info* info) {
  return WithInterpreter(const_cast<heddle_interpreter*>(interpreter), nullptr,
                         [&](Interpreter& i, Interpreter::Lease&) -> Status {
                           HEDDLE_REQUIRE(info);
                           HEDDLE_ASSIGN_OR_RETURN(const heddle_memory_info memory, i.Memory());
                           return heddle::capi::InfoStatus(WriteInfo(memory, info));
                         });
}

size_t heddle_interpreter_get_plan_step_count(const heddle_interpreter* interpreter) {
  size_t count = 0;
  WithInterpreter(const_cast<heddle_interpreter*>(interpreter), nullptr,
                  [&](Interpreter& i, Interpreter::Lease&) -> Status {
                    const heddle::ShapePlan* plan =
                        i.subgraph(static_cast<size_t>(i.entry_subgraph())).plan();
                    count = plan == nullptr ? 0 : plan->steps.size();
                    return {};
                  });
  return count;
}

heddle_status heddle_interpreter_get_plan_step(const heddle_interpreter* interpreter,
                                               size_t position, heddle_plan_step_info* info) {
  return WithInterpreter(
      const_cast<heddle_interpreter*>(interpreter), nullptr,
      [&](Interpreter& i, Interpreter::Lease&) -> Status {
        HEDDLE_REQUIRE(info);
        const heddle::ShapePlan* plan = i.subgraph(static_cast<size_t>(i.entry_subgraph())).plan();
        const size_t count = plan == nullptr ? 0 : plan->steps.size();
        if (position >= count) return BadIndex("plan step", position, count);
        const heddle::Step& step = plan->steps[position];
        const heddle::OperatorCode& code = i.model().CodeOf(*step.owner->def);
        heddle_plan_step_info full = {};
        full.struct_size = sizeof(full);
        full.subgraph = i.entry_subgraph();
        full.operator_index = step.owner->index;
        full.op_name = code.name.c_str();
        full.op_version = code.version;
        full.kernel = step.kernel;
        full.is_folded = step.is_folded ? 1 : 0;
        full.is_data_dependent = step.dynamic_inputs || step.dynamic_outputs ? 1 : 0;
        full.is_resolved = step.owner->registration != nullptr ? 1 : 0;
        return heddle::capi::InfoStatus(WriteInfo(full, info));
      });
}
