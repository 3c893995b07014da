// SPDX-License-Identifier: Apache-2.0
// Checks of the operands that ops with state have: weights, biases and the state itself.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "kernels/op_kernel.h"
#include "kernels/ref/recurrent.h"

namespace heddle::kernels {

// Any of the schema's. For init.
heddle_status CheckRecurrentActivation(const OpContext& op, int32_t activation);

heddle_status ExpectShape(const OpContext& op, size_t input, std::initializer_list<int32_t> dims);

// A variable of this type and number of elements, whatever its shape.
heddle_status ExpectState(const OpContext& op, size_t input, heddle_dtype dtype,
                          std::initializer_list<int64_t> factors);

// Float data by float weights, or by int8 ones ("hybrid"). In old files those are called uint8.
bool IsHybridWeights(heddle_dtype dtype);

// An input that holds weights of float data.
struct WeightsPlan {
  int32_t input = -1;  // -1: there are none
  bool is_quantized = false;
  float scale = 1;
  std::vector<int32_t> row_sums;

  explicit operator bool() const { return input >= 0; }
  ref::Weights At(const OpContext& op) const;
};

// Reads an input's type, scale and, where data gets zero points (`asymmetric`), sums. Its shape is
// the caller's business: rank 1 or 2. An absent input gives none.
heddle_status PrepareWeights(const OpContext& op, size_t input, bool asymmetric,
                             WeightsPlan* weights);

}  // namespace heddle::kernels
