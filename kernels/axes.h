// SPDX-License-Identifier: Apache-2.0
// Lists of dimensions and sizes that arrive in a tensor: axes to reduce, a permutation, paddings.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/op_kernel.h"

namespace heddle::kernels {

// The values of input i: integers of 8 to 64 bits or bools, of rank `max_rank` at most.
heddle_status ReadIntegers(const OpContext& op, size_t i, int32_t max_rank,
                           std::vector<int64_t>* values);

// A shape that input i lists, of at most ref::kMaxRank dimensions.
heddle_status ReadShape(const OpContext& op, size_t i, std::vector<int32_t>* dims);

// The only value of input i.
heddle_status ReadInteger(const OpContext& op, size_t i, int64_t* value);

// The dimension of `input` that an attribute names, counted from the end if negative.
heddle_status ResolveAxis(const OpContext& op, size_t input, int64_t axis, size_t* resolved);
// The same from the only value of input i.
heddle_status ReadAxis(const OpContext& op, size_t input, size_t i, size_t* resolved);

// A dimension of input 0 that a value of input i names.
heddle_status AxisFromData(const OpContext& op, size_t i, int64_t axis, size_t* resolved);

// Axes of input i as a mask over the `rank` dimensions of input 0; negative ones count from the
// end, repeated ones count once.
heddle_status ReadAxes(const OpContext& op, size_t i, std::vector<bool>* reduced);

// The one axis in input i, int32 or int64, of a dimension of input 0; a negative one counts from
// the end.
heddle_status ReadAxis(const OpContext& op, size_t i, int64_t* axis);

}  // namespace heddle::kernels
