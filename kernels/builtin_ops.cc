// SPDX-License-Identifier: Apache-2.0
#include "kernels/builtin_ops.h"

namespace heddle::kernels {

Status AddBuiltinOps(OpResolver& resolver) {
#define HEDDLE_BUILTIN_OP(CODE) HEDDLE_RETURN_IF_ERROR(resolver.Add(*heddle_op_##CODE()));
#include "kernels/builtin_ops.inc"
#undef HEDDLE_BUILTIN_OP
#define HEDDLE_BUILTIN_CUSTOM_OP(NAME) HEDDLE_RETURN_IF_ERROR(resolver.Add(*heddle_op_##NAME()));
#include "kernels/custom_ops.inc"
#undef HEDDLE_BUILTIN_CUSTOM_OP
  return {};
}

}  // namespace heddle::kernels
