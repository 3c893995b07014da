// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "heddle/heddle_plugin.h"
#include "runtime/base/status.h"
#include "runtime/op/registration.h"

// One accessor an op. A program that names only some of them links only those kernels.
extern "C" {
#define HEDDLE_BUILTIN_OP(CODE) const heddle_op* heddle_op_##CODE(void);
#include "kernels/builtin_ops.inc"
#undef HEDDLE_BUILTIN_OP
}

namespace heddle::kernels {

// Adds every op of the list.
Status AddBuiltinOps(OpResolver& resolver);

}  // namespace heddle::kernels
