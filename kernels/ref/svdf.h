// SPDX-License-Identifier: Apache-2.0
// SVDF: a matrix of low rank by which the last `memory` inputs are filtered. Each filter projects
// the input to one number, keeps the last `memory` of them, and weighs them by its time weights;
// `rank` filters add up to a unit.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernels/ref/fixed_point.h"
#include "kernels/ref/hybrid.h"

namespace heddle::kernels::ref {

struct SvdfShape {
  int64_t batch = 0;
  int64_t depth = 0;
  int64_t filters = 0;
  int64_t memory = 0;
  int64_t rank = 1;
  int64_t units() const { return filters / rank; }
};

// Makes room for the newest value of one filter and returns its place.
template <typename T>
T* ShiftSvdfState(T* state, int64_t memory) {
  std::copy(state + 1, state + memory, state);
  return state + memory - 1;
}

// Weighs the states of one unit's filters. `time_weights` and `state` begin at its first filter.
template <typename T>
float SvdfUnit(const SvdfShape& shape, const T* time_weights, float time_scale,
               const float* state) {
  float unit = 0;
  for (int64_t r = 0; r < shape.rank; ++r) {
    float sum = 0;
    for (int64_t m = 0; m < shape.memory; ++m) {
      const int64_t i = r * shape.memory + m;
      sum += static_cast<float>(time_weights[i]) * time_scale * state[i];
    }
    unit += sum;
  }
  return unit;
}

// What one unit of one batch row needs. Weights: float, or int8 with a scale.
template <typename T>
struct SvdfOperands {
  const T* feature_weights;
  const T* time_weights;
  const float* bias;  // may be null
  float feature_scale = 1;
  float time_scale = 1;
  bool tanh = false;
  float min;
  float max;
};

template <typename T>
void FinishSvdfUnit(const SvdfShape& shape, const SvdfOperands<T>& p, int64_t unit,
                    const float* state, float* output) {
  float value =
      SvdfUnit(shape, p.time_weights + unit * shape.rank * shape.memory, p.time_scale, state);
  if (p.bias != nullptr) value += p.bias[unit];
  *output = p.tanh ? std::tanh(value) : std::min(std::max(value, p.min), p.max);
}

// Units [begin, end) of all batch rows, counted in one go.
inline void Svdf(const SvdfShape& shape, const SvdfOperands<float>& p, const float* input,
                 float* state, float* output, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t row = i / shape.units();
    const int64_t unit = i % shape.units();
    float* const unit_state = state + i * shape.rank * shape.memory;
    for (int64_t r = 0; r < shape.rank; ++r) {
      const float* const weights = p.feature_weights + (unit * shape.rank + r) * shape.depth;
      float sum = 0;
      for (int64_t d = 0; d < shape.depth; ++d) sum += weights[d] * input[row * shape.depth + d];
      *ShiftSvdfState(unit_state + r * shape.memory, shape.memory) = sum;
    }
    FinishSvdfUnit(shape, p, unit, unit_state, output + i);
  }
}

// The same by int8 weights: `quantized` has the rows of the input, `rows` their quantisation.
inline void HybridSvdf(const SvdfShape& shape, const SvdfOperands<int8_t>& p,
                       const int8_t* quantized, const RowQuantization* rows,
                       const int32_t* weights_sums, float* state, float* output, int64_t begin,
                       int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t row = i / shape.units();
    const int64_t unit = i % shape.units();
    float* const unit_state = state + i * shape.rank * shape.memory;
    for (int64_t r = 0; r < shape.rank; ++r) {
      const int64_t filter = unit * shape.rank + r;
      const int32_t sum = DotInt8(p.feature_weights + filter * shape.depth,
                                  quantized + row * shape.depth, shape.depth);
      *ShiftSvdfState(unit_state + r * shape.memory, shape.memory) =
          FromHybridSum(sum, weights_sums[filter], rows[row], p.feature_scale);
    }
    FinishSvdfUnit(shape, p, unit, unit_state, output + i);
  }
}

struct IntegerSvdfParams {
  int32_t input_zero_point = 0;
  int32_t state_zero_point = 0;
  int32_t output_zero_point = 0;
  Multiplier to_state;
  Multiplier to_output;
};

// Integers throughout; State, the type of the time weights too: int16, or int8 as in models for
// microcontrollers.
template <typename State>
void IntegerSvdf(const SvdfShape& shape, const IntegerSvdfParams& params,
                 const int8_t* feature_weights, const State* time_weights, const int32_t* bias,
                 const int8_t* input, State* state, int8_t* output, int64_t begin, int64_t end) {
  constexpr int32_t kMin = std::numeric_limits<State>::min();
  constexpr int32_t kMax = std::numeric_limits<State>::max();
  for (int64_t i = begin; i < end; ++i) {
    const int64_t row = i / shape.units();
    const int64_t unit = i % shape.units();
    int32_t result = bias != nullptr ? bias[unit] : 0;
    for (int64_t r = 0; r < shape.rank; ++r) {
      const int64_t filter = unit * shape.rank + r;
      int32_t sum = 0;
      for (int64_t d = 0; d < shape.depth; ++d) {
        const int32_t value = input[row * shape.depth + d] - params.input_zero_point;
        sum = WrappingAdd(sum, feature_weights[filter * shape.depth + d] * value);
      }
      State* const values = state + (i * shape.rank + r) * shape.memory;
      *ShiftSvdfState(values, shape.memory) =
          OffsetAndClamp<State>(Rescale(sum, params.to_state), params.state_zero_point, kMin, kMax);
      for (int64_t m = 0; m < shape.memory; ++m) {
        const int32_t value = values[m] - params.state_zero_point;
        result = WrappingAdd(result, time_weights[filter * shape.memory + m] * value);
      }
    }
    output[i] = OffsetAndClamp<int8_t>(Rescale(result, params.to_output), params.output_zero_point,
                                       -128, 127);
  }
}

}  // namespace heddle::kernels::ref
