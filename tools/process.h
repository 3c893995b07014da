// SPDX-License-Identifier: Apache-2.0
// Facts about this process.
#pragma once

#include <cstdint>

namespace heddle::tools {

// Most memory that was resident at once, in bytes; 0 if the system does not tell.
uint64_t PeakMemoryBytes();
// Whether stderr is a terminal: progress is shown only there.
bool IsTerminal();

}  // namespace heddle::tools
