// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/base/half.h"

namespace heddle::kernels::ref {

using heddle::FloatToHalf;
using heddle::HalfToFloat;

}  // namespace heddle::kernels::ref
