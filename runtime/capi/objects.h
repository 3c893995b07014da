// SPDX-License-Identifier: Apache-2.0
// The objects behind heddle.h's handles, and what every entry does: catch, check, report.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <tuple>
#include <utility>

#include "heddle/heddle.h"
#include "runtime/base/status.h"
#include "runtime/base/strings.h"
#include "runtime/exec/environment.h"
#include "runtime/exec/interpreter.h"
#include "runtime/memory/buffer.h"
#include "runtime/memory/weight_store.h"
#include "runtime/model/model.h"
#include "runtime/op/registration.h"
#include "runtime/sync/cancel_token.h"
#include "runtime/sync/event.h"

struct heddle_error {
  heddle::Status status;
  std::string text;
};

struct heddle_environment {
  std::shared_ptr<heddle::Environment> environment;
};

struct heddle_model {
  // The environment goes last: the model's memory comes from it.
  std::shared_ptr<heddle::Environment> environment;
  std::shared_ptr<heddle::WeightStore> weights;
  std::shared_ptr<const heddle::Model> model;
  // Attribute texts handed out, by subgraph, operator and position.
  mutable std::mutex mutex;
  mutable std::map<std::tuple<size_t, size_t, size_t>, std::string> texts;
};

struct heddle_op_resolver {
  heddle::OpResolver resolver;
};

struct heddle_buffer {
  std::shared_ptr<heddle::Environment> environment;
  std::shared_ptr<heddle::Buffer> buffer;
};

struct heddle_event {
  std::shared_ptr<heddle::Event> event;
};

struct heddle_cancel_token {
  std::shared_ptr<heddle::CancelToken> token;
};

struct heddle_interpreter {
  std::shared_ptr<heddle::Interpreter> interpreter;
  std::atomic<bool> ready{false};             // false while it is made in the background
  std::shared_ptr<heddle::Event> last_event;  // of the run or the making that may be in flight
  std::shared_ptr<heddle::Environment> environment;
};

namespace heddle::capi {

// Gives `status` to the caller: stores an error object if wanted.
heddle_status Finish(Status status, heddle_error** error) noexcept;

// Every fallible entry is a Guard around a body that returns a Status. The one place where
// exceptions end.
template <typename Body>
heddle_status Guard(heddle_error** error, Body&& body) noexcept {
  try {
    return Finish(body(), error);
  } catch (const std::bad_alloc&) {
    return Finish(Status::OutOfMemory(), error);
  }
}

inline Status NullArgument(const char* name) {
  return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_NULL_ARGUMENT,
                StrCat(name, " is NULL"));
}

#define HEDDLE_REQUIRE(argument) \
  if ((argument) == nullptr) return ::heddle::capi::NullArgument(#argument)

inline Status BadIndex(const char* what, size_t index, size_t count) {
  return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_BAD_ARGUMENT,
                StrCat(what, " ", index, " does not exist, there are ", count));
}

// Copies a caller's options over `*options`, which holds the defaults. Shorter structs leave them;
// longer ones must be zero behind what this library knows.
template <typename T>
Status ReadOptions(const T* given, const char* name, T* options) {
  if (given == nullptr) return {};
  const size_t size = given->struct_size;
  const auto error = [&](std::string message) {
    return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_STRUCT_SIZE,
                  std::move(message));
  };
  if (size < 2 * sizeof(size_t)) return error(StrCat(name, ".struct_size is ", size));
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (size_t i = sizeof(T); i < size; ++i) {
    if (bytes[i] != 0) return error(StrCat(name, " has fields that this library does not know"));
  }
  std::memcpy(options, given, std::min(size, sizeof(T)));
  options->struct_size = sizeof(T);
  return {};
}

// Fills a caller's info struct as far as the caller knows it. Fails if the caller has not said how
// far that is.
template <typename T>
[[nodiscard]] heddle_status WriteInfo(const T& full, T* info) {
  const size_t size = std::min(info->struct_size, sizeof(T));
  if (size <= sizeof(size_t)) return HEDDLE_INVALID_ARGUMENT;
  std::memcpy(reinterpret_cast<unsigned char*>(info) + sizeof(size_t),
              reinterpret_cast<const unsigned char*>(&full) + sizeof(size_t),
              size - sizeof(size_t));
  return HEDDLE_OK;
}

inline Status InfoStatus(heddle_status code) {
  if (code == HEDDLE_OK) return {};
  return Status(code, HEDDLE_PHASE_API, HEDDLE_REASON_STRUCT_SIZE, "info.struct_size is not set");
}

inline const char* CString(std::string_view text) {
  return text.data() != nullptr ? text.data() : "";
}

// Describes a tensor of the model's file.
heddle_tensor_info InfoOf(const TensorDef& def);

}  // namespace heddle::capi

namespace heddle {
// Ops of heddle_op_resolver_create_default; bundle/ supplies it, so that the runtime alone names no
// op.
Status AddDefaultOps(OpResolver& resolver);
// What the library was built with, comma-separated.
const char* Components();
}  // namespace heddle
