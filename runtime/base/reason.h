// SPDX-License-Identifier: Apache-2.0
// Names and texts of the public enums. The list of reasons itself is HEDDLE_REASON_LIST in
// heddle.h.
#pragma once

#include "heddle/heddle.h"

namespace heddle {

const char* StatusName(heddle_status status);
const char* PhaseName(heddle_phase phase);
const char* ReasonName(heddle_reason reason);
const char* ReasonWords(heddle_reason reason);
const char* ReasonRemedy(heddle_reason reason);

}  // namespace heddle
