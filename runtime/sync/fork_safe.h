// SPDX-License-Identifier: Apache-2.0
// What fork() leaves behind: in the child only the forking thread exists. Other threads' locks stay
// locked, and destroying a condition variable that had a waiter, or joining a thread, never
// returns.
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "runtime/base/platform.h"

namespace heddle {

// The process that an object was made in.
class ProcessMark {
 public:
  ProcessMark() : id_(ProcessId()) {}
  // One system call; keep it off fast paths.
  bool IsHere() const { return ProcessId() == id_; }

 private:
  uint64_t id_;
};

// Holds a T (mutex, condition variable, thread) whose destructor is left out in a forked child. The
// memory itself is given back there, so nothing leaks.
template <typename T>
class ForkSafe {
 public:
  ForkSafe() : value_() {}
  ForkSafe(const ForkSafe&) = delete;
  ForkSafe& operator=(const ForkSafe&) = delete;
  ~ForkSafe() {
    if (mark_.IsHere()) value_.~T();
  }
  T& operator*() { return value_; }
  T* operator->() { return &value_; }

 private:
  ProcessMark mark_;
  union {
    T value_;  // NOLINT(readability-identifier-naming): a private member, though of a union
  };
};

}  // namespace heddle
