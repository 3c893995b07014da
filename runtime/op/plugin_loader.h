// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/base/status.h"
#include "runtime/op/registration.h"

namespace heddle {

// Loads a shared library, asks it for its ops and registers them all, or none when one of them is
// at fault. The library is never unloaded: registrations point into it.
Status AddPluginOps(const char* path, OpResolver* resolver);

}  // namespace heddle
