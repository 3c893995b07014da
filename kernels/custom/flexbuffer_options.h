// SPDX-License-Identifier: Apache-2.0
// The options of a custom op: a FlexBuffer map in the operator's custom options. It comes from a
// file that nobody vouches for, so it is verified before it is read.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/op_kernel.h"

namespace heddle::kernels {

class FlexbufferOptions {
 public:
  explicit FlexbufferOptions(const OpContext& op) : op_(op) {}

  // To be called first, in init: fails unless the options are a sound map.
  heddle_status Read();

  // An absent option leaves `value` alone unless it is `required`. Numbers convert among kinds as
  // long as they fit.
  heddle_status Get(const char* name, bool required, int32_t* value) const;
  heddle_status Get(const char* name, bool required, float* value) const;
  heddle_status Get(const char* name, bool required, bool* value) const;

 private:
  struct Number {
    bool is_present = false;
    bool is_float = false;
    int64_t integer = 0;
    double real = 0;
  };
  heddle_status Find(const char* name, bool required, Number* number) const;
  heddle_status Invalid(const char* name, const char* wanted) const;

  const OpContext& op_;
  std::span<const uint8_t> bytes_;
};

}  // namespace heddle::kernels
