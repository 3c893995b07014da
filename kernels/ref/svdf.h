// SPDX-License-Identifier: Apache-2.0
// A layer of low rank: each filter makes one number of the input a step, remembers the last
// `memory` of them, and sums these by weights of time; a unit adds up `rank` filters.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "kernels/ref/fixed_point.h"
#include "kernels/ref/recurrent.h"

namespace heddle::kernels::ref {

struct SvdfShape {
  int64_t inputs = 0;
  int64_t units = 0;
  int64_t rank = 0;
  int64_t memory = 0;
};

// Makes room at the end of a filter's memory.
template <typename T>
void Forget(T* memory, int64_t size) {
  std::copy(memory + 1, memory + size, memory);
}

// One unit of one batch. `state`: the batch's, [units * rank, memory].
inline float SvdfUnit(const SvdfShape& shape, const Weights& feature, const Weights& time,
                      const DataRow& data, int64_t unit, float* state) {
  float sum = 0;
  for (int64_t f = unit * shape.rank; f < (unit + 1) * shape.rank; ++f) {
    float* memory = state + f * shape.memory;
    Forget(memory, shape.memory);
    memory[shape.memory - 1] = Product(feature, f, shape.inputs, data);
    float filter = 0;
    for (int64_t t = 0; t < shape.memory; ++t) {
      filter += WeightAt(time, f * shape.memory + t) * memory[t];
    }
    sum += filter;
  }
  return sum;
}

struct SvdfScales {
  int32_t input_zero_point = 0;
  int32_t state_zero_point = 0;
  int32_t output_zero_point = 0;
  Multiplier to_state;
  Multiplier to_output;
};

// State and weights of time are both int16, or both int8.
template <typename State>
int8_t SvdfUnit(const SvdfShape& shape, const SvdfScales& scales, const int8_t* feature,
                const State* time, int32_t bias, const int8_t* input, int64_t unit, State* state) {
  int32_t sum = 0;
  for (int64_t f = unit * shape.rank; f < (unit + 1) * shape.rank; ++f) {
    State* memory = state + f * shape.memory;
    Forget(memory, shape.memory);
    int32_t latest = 0;
    for (int64_t i = 0; i < shape.inputs; ++i) {
      latest =
          WrappingAdd(latest, feature[f * shape.inputs + i] * (input[i] - scales.input_zero_point));
    }
    memory[shape.memory - 1] =
        OffsetAndClamp<State>(Rescale(latest, scales.to_state), scales.state_zero_point,
                              std::numeric_limits<State>::min(), std::numeric_limits<State>::max());
    for (int64_t t = 0; t < shape.memory; ++t) {
      sum = WrappingAdd(sum, time[f * shape.memory + t] * (memory[t] - scales.state_zero_point));
    }
  }
  return OffsetAndClamp<int8_t>(Rescale(WrappingAdd(sum, bias), scales.to_output),
                                scales.output_zero_point, -128, 127);
}

}  // namespace heddle::kernels::ref
