// SPDX-License-Identifier: Apache-2.0
// Calls of subgraphs by IF, WHILE and CALL_ONCE.
#pragma once

#include <span>
#include <vector>

#include "kernels/op_kernel.h"

namespace heddle::kernels {

using TensorViews = std::span<const heddle_tensor* const>;

// Shapes of the subgraph's outputs. The views are valid until the same subgraph is asked again.
heddle_status InferSubgraph(const OpContext& op, int32_t index, TensorViews inputs,
                            TensorViews* outputs);
heddle_status InvokeSubgraph(const OpContext& op, int32_t index, TensorViews inputs,
                             TensorViews* outputs);

// The subgraph must take and give this many tensors. For infer.
heddle_status ExpectSubgraph(const OpContext& op, const char* role, int32_t index, size_t inputs,
                             size_t outputs);

bool IsShapeKnown(const heddle_tensor& tensor);
// Both known and equal.
bool SameShape(const heddle_tensor& a, const heddle_tensor& b);

// The one bool that a condition is, for invoke.
heddle_status ReadCondition(const OpContext& op, int32_t operand, const heddle_tensor& tensor,
                            bool* value);

// Outputs whose shapes are known only after a run. For prepare.
std::vector<bool> DynamicOutputs(const OpContext& op);
// Writes value i to output i: shape, if it is dynamic, and contents.
heddle_status CopyToOutputs(const OpContext& op, const std::vector<bool>& dynamic,
                            TensorViews values);

}  // namespace heddle::kernels
