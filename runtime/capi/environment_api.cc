// SPDX-License-Identifier: Apache-2.0
#include "runtime/capi/objects.h"

using heddle::Status;
using heddle::StrCat;
using heddle::capi::Guard;

namespace {

std::string VersionText(uint32_t version) {
  return StrCat(version >> 24, ".", (version >> 16) & 0xff, ".", version & 0xffff);
}

Status CheckHeader(uint32_t header_version) {
  if (header_version <= HEDDLE_VERSION_NUMBER) return {};
  heddle_library_info library = {};
  library.struct_size = sizeof(library);
  heddle_library_get_info(&library);
  return Status(HEDDLE_VERSION_MISMATCH, HEDDLE_PHASE_API, HEDDLE_REASON_LIBRARY_TOO_OLD,
                StrCat("the program was built with heddle.h ", VersionText(header_version),
                       ", the library is ", library.version_text, " (", library.build_id,
                       "), loaded from ", library.path));
}

}  // namespace

heddle_status heddle_environment_create(const heddle_environment_options* given,
                                        heddle_environment** environment, heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(environment);
    heddle_environment_options options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
    // The version first: a newer struct may look strange for reasons that it explains.
    if (given != nullptr && given->struct_size >= 2 * sizeof(size_t)) {
      HEDDLE_RETURN_IF_ERROR(CheckHeader(given->header_version));
    }
    HEDDLE_RETURN_IF_ERROR(
        heddle::capi::ReadOptions(given, "heddle_environment_options", &options));
    if (options.num_threads < 0 || options.num_threads > 1024) {
      return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_BAD_ARGUMENT,
                    StrCat("num_threads is ", options.num_threads, ", allowed are 0 to 1024"));
    }
    heddle_allocator allocator = {};
    if (options.allocator != nullptr) {
      HEDDLE_RETURN_IF_ERROR(
          heddle::capi::ReadOptions(options.allocator, "heddle_allocator", &allocator));
      HEDDLE_REQUIRE(allocator.allocate);
      HEDDLE_REQUIRE(allocator.deallocate);
      options.allocator = &allocator;
    }
    heddle_log_sink sink = {};
    if (options.log_sink != nullptr) {
      HEDDLE_RETURN_IF_ERROR(heddle::capi::ReadOptions(options.log_sink, "heddle_log_sink", &sink));
      HEDDLE_REQUIRE(sink.log);
      options.log_sink = &sink;
    }
    auto made = std::make_unique<heddle_environment>();
    made->environment = std::make_shared<heddle::Environment>(options);
    *environment = made.release();
    return {};
  });
}

void heddle_environment_destroy(heddle_environment* environment) { delete environment; }

int32_t heddle_environment_get_num_threads(const heddle_environment* environment) {
  return environment == nullptr ? 0 : environment->environment->pool().max_threads();
}

heddle_status heddle_environment_get_memory(const heddle_environment* environment,
                                            uint64_t* current_bytes, uint64_t* peak_bytes) {
  if (environment == nullptr) return HEDDLE_INVALID_ARGUMENT;
  if (current_bytes != nullptr)
    *current_bytes = environment->environment->allocator()->current_bytes();
  if (peak_bytes != nullptr) *peak_bytes = environment->environment->allocator()->peak_bytes();
  return HEDDLE_OK;
}

heddle_status heddle_buffer_create(heddle_environment* environment, size_t bytes,
                                   heddle_buffer** buffer, heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(environment);
    HEDDLE_REQUIRE(buffer);
    auto made = std::make_unique<heddle_buffer>();
    made->environment = environment->environment;
    HEDDLE_ASSIGN_OR_RETURN(made->buffer,
                            heddle::Buffer::Make(environment->environment->allocator(), bytes));
    *buffer = made.release();
    return {};
  });
}

heddle_status heddle_buffer_create_borrowed(heddle_environment* environment, void* data,
                                            size_t bytes, size_t padded_bytes,
                                            heddle_release_callback release, void* context,
                                            heddle_buffer** buffer, heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(environment);
    HEDDLE_REQUIRE(buffer);
    auto made = std::make_unique<heddle_buffer>();
    made->environment = environment->environment;
    HEDDLE_ASSIGN_OR_RETURN(made->buffer,
                            heddle::Buffer::Borrow(data, bytes, padded_bytes, release, context));
    *buffer = made.release();
    return {};
  });
}

void* heddle_buffer_get_data(const heddle_buffer* buffer) {
  return buffer == nullptr ? nullptr : buffer->buffer->data();
}
size_t heddle_buffer_get_bytes(const heddle_buffer* buffer) {
  return buffer == nullptr ? 0 : buffer->buffer->bytes();
}
size_t heddle_buffer_get_padded_bytes(const heddle_buffer* buffer) {
  return buffer == nullptr ? 0 : buffer->buffer->padded_bytes();
}
void heddle_buffer_destroy(heddle_buffer* buffer) { delete buffer; }

int32_t heddle_event_is_done(const heddle_event* event) {
  return event != nullptr && event->event->IsDone() ? 1 : 0;
}

heddle_status heddle_event_wait(heddle_event* event, uint64_t timeout_ns, heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(event);
    if (event->event->Wait(timeout_ns)) {
      // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the copy moves into the result
      return event->event->Result();
    }
    if (!event->event->Usable()) {
      return Status(HEDDLE_FAILED_PRECONDITION, HEDDLE_PHASE_API, HEDDLE_REASON_FORKED,
                    "the run was started before fork() in another process");
    }
    return Status(HEDDLE_DEADLINE_EXCEEDED, HEDDLE_PHASE_API, HEDDLE_REASON_DEADLINE,
                  StrCat("the event was not done within ", timeout_ns, " ns"));
  });
}

heddle_status heddle_event_on_done(heddle_event* event, heddle_event_callback callback,
                                   void* context, heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(event);
    HEDDLE_REQUIRE(callback);
    return event->event->OnDone(callback, context);
  });
}

void heddle_event_destroy(heddle_event* event) { delete event; }

heddle_status heddle_cancel_token_create(heddle_cancel_token** token, heddle_error** error) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(token);
    auto made = std::make_unique<heddle_cancel_token>();
    made->token = std::make_shared<heddle::CancelToken>();
    *token = made.release();
    return {};
  });
}

void heddle_cancel_token_cancel(heddle_cancel_token* token) {
  if (token != nullptr) token->token->Cancel();
}
void heddle_cancel_token_reset(heddle_cancel_token* token) {
  if (token != nullptr) token->token->Reset();
}
void heddle_cancel_token_destroy(heddle_cancel_token* token) { delete token; }
