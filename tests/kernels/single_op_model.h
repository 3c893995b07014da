// SPDX-License-Identifier: Apache-2.0
// Runs the only operator of a .tflite model through RunSingleOp: no runtime needed.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "runtime/base/dtype.h"
#include "runtime/base/status.h"

namespace heddle::testing {

// A value with its own memory, aligned for every element type.
struct Value {
  heddle_dtype dtype = HEDDLE_DTYPE_FLOAT32;
  std::vector<int32_t> dims;
  std::vector<uint8_t> bytes;

  template <typename T>
  std::vector<T> As() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
  }
};

struct RunOptions {
  // Give ParallelFor's items to the kernel one by one, the last first.
  bool split = false;
  // Declare the subgraph's inputs as known while planning.
  bool constant_inputs = false;
  // Largest allocation; larger ones fail.
  size_t memory_limit = SIZE_MAX;
};

// `inputs`: bytes of the subgraph's inputs, in their order; constants come from the model. Absent
// optional inputs are -1 in the operator. Several times as many inputs as the subgraph has: that
// many invokes, one after the other, whose outputs follow each other; variables keep their values
// from one to the next. Fails too if the kernel wrote behind an output's end.
StatusOr<std::vector<Value>> RunSingleOpModel(std::span<const uint8_t> model,
                                              std::span<const std::vector<uint8_t>> inputs,
                                              const RunOptions& options = {});

}  // namespace heddle::testing
