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
#define HEDDLE_BUILTIN_CUSTOM_OP(NAME) const heddle_op* heddle_op_##NAME(void);
#include "kernels/custom_ops.inc"
#undef HEDDLE_BUILTIN_CUSTOM_OP
}

namespace heddle::kernels {

// Adds every op of both lists.
Status AddBuiltinOps(OpResolver& resolver);

}  // namespace heddle::kernels
