// SPDX-License-Identifier: Apache-2.0
// When ops came into TensorFlow Lite.
#pragma once

#include <cstdint>

namespace heddle {

// First TensorFlow Lite release that had this version of a builtin op ("2.3.0"); null if unknown.
const char* FirstRelease(int32_t builtin_code, int32_t version);

}  // namespace heddle
