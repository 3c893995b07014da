// SPDX-License-Identifier: Apache-2.0
// The runtime alone: an application that links this registers the ops that it needs, and no others
// are linked.
#include "runtime/capi/objects.h"

namespace heddle {

Status AddDefaultOps(OpResolver&) { return {}; }

const char* Components() { return "runtime"; }

}  // namespace heddle
