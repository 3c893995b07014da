// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "heddle/heddle.h"

namespace heddle::kernels::ref {

// An element of a BOOL tensor: a model's may hold any byte, ours hold 0 or 1.
struct Bool {
  static constexpr heddle_dtype kDtype = HEDDLE_DTYPE_BOOL;
  uint8_t byte = 0;
  Bool() = default;
  explicit Bool(bool value) : byte(value ? 1 : 0) {}
  operator bool() const { return byte != 0; }  // NOLINT(google-explicit-constructor): what it is
};

}  // namespace heddle::kernels::ref
