// SPDX-License-Identifier: Apache-2.0
// Ops that work on the last dimension, row by row.
#pragma once

#include <cstdint>

#include "kernels/op_kernel.h"

namespace heddle::kernels {

struct Rows {
  int64_t count = 0;  // 0 if they are empty
  int64_t depth = 0;
};

// Of input 0, whose rank is at least 1. For prepare.
heddle_status MakeRows(const OpContext& op, Rows* rows);

}  // namespace heddle::kernels
