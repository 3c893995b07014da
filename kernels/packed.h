// SPDX-License-Identifier: Apache-2.0
// Integers smaller than a byte, several of them in one, from the low bits up.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/op_kernel.h"

namespace heddle::kernels {

// INT4 or INT2.
bool IsPacked(heddle_dtype dtype);

// The elements of input i, which must be a constant of such a type. For prepare.
heddle_status UnpackConstant(const OpContext& op, size_t i, std::vector<int8_t>* elements);

}  // namespace heddle::kernels
