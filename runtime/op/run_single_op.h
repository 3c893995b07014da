// SPDX-License-Identifier: Apache-2.0
// Runs one op on tensors that the caller holds: for op tests, constant folding, calibration and
// bisection.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/base/allocator.h"
#include "runtime/base/dtype.h"
#include "runtime/base/status.h"
#include "runtime/model/attributes.h"
#include "runtime/op/registration.h"

namespace heddle {

// A tensor and its value. Quantisation arrays are borrowed.
struct OpTensor {
  heddle_dtype dtype = HEDDLE_DTYPE_FLOAT32;
  std::vector<int32_t> dims;
  heddle_quantization quantization = NoQuantization();
  bool is_constant = false;       // inputs: known while planning
  bool is_absent = false;         // inputs: an optional one that is left out
  bool is_variable = false;       // inputs: the op may write `data`, which must be writable
  std::span<const uint8_t> data;  // inputs: the value, aligned to its element
  Block storage;                  // outputs: receives the value
  size_t bytes = 0;               // outputs: bytes of the value in storage
};

struct SingleOp {
  OpRegistrationRef registration;
  int32_t version = 1;
  AttributeView attributes;
  std::span<const uint8_t> custom_options;
  std::span<const OpTensor> intermediates;  // types and quantisations alone
  bool reference = false;
  std::shared_ptr<Allocator> allocator;  // null: the C++ heap
};

// Runs init, infer, prepare, invoke, release and free. In `outputs`, dtype and quantization are
// given by the caller (dims too for an op without infer); dims, storage and bytes are set. Ops that
// call subgraphs or open resources are refused.
Status RunSingleOp(const SingleOp& op, std::span<const OpTensor> inputs,
                   std::span<OpTensor> outputs);

}  // namespace heddle
