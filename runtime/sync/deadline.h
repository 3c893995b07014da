// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "runtime/base/clock.h"

namespace heddle {

// A moment on the monotonic clock, or none.
struct Deadline {
  static constexpr uint64_t kNone = UINT64_MAX;
  uint64_t at_ns = kNone;

  // `timeout_ns` from now; 0 is no deadline, as in heddle_run_options. A sum that overflows is none
  // too: it lies centuries ahead.
  static Deadline FromTimeout(uint64_t timeout_ns) {
    return timeout_ns == 0 ? Deadline{} : At(MonotonicNs(), timeout_ns);
  }
  static constexpr Deadline At(uint64_t now_ns, uint64_t timeout_ns) {
    return Deadline{timeout_ns < kNone - now_ns ? now_ns + timeout_ns : kNone};
  }

  bool IsSet() const { return at_ns != kNone; }
  // Reads no clock where there is no deadline.
  bool Expired() const { return IsSet() && MonotonicNs() >= at_ns; }
};

}  // namespace heddle
