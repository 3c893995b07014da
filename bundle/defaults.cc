// SPDX-License-Identifier: Apache-2.0
// What the whole library brings by default: every op of the list.
#include "kernels/builtin_ops.h"
#include "runtime/capi/objects.h"

namespace heddle {

Status AddDefaultOps(OpResolver& resolver) { return kernels::AddBuiltinOps(resolver); }

const char* Components() { return "kernels"; }

}  // namespace heddle
