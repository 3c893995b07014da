// SPDX-License-Identifier: Apache-2.0
// How entries reach an interpreter: ready, and not in use by another thread.
#pragma once

#include "runtime/capi/objects.h"

namespace heddle::capi {

// Runs body(Interpreter&, Lease&) while no other call or run uses the interpreter.
template <typename Body>
heddle_status WithInterpreter(heddle_interpreter* interpreter, heddle_error** error,
                              Body&& body) noexcept {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(interpreter);
    if (!interpreter->ready.load(std::memory_order_acquire)) {
      return Status(
          HEDDLE_FAILED_PRECONDITION, HEDDLE_PHASE_API, HEDDLE_REASON_NOT_PREPARED,
          "the interpreter is still being made, or could not be made: wait for its event");
    }
    Interpreter& target = *interpreter->interpreter;
    Interpreter::Lease lease = target.TryLease();
    if (!lease) return Interpreter::ConcurrentUse();
    return body(target, lease);
  });
}

// What a plan says of a tensor, over what the file says.
void ApplyView(const heddle_tensor& view, heddle_tensor_info* info);

}  // namespace heddle::capi
