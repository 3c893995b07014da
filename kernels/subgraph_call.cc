// SPDX-License-Identifier: Apache-2.0
#include "kernels/subgraph_call.h"

#include <algorithm>
#include <cstring>

#include "runtime/base/dtype.h"

namespace heddle::kernels {

heddle_status InferSubgraph(const OpContext& op, int32_t index, TensorViews inputs,
                            TensorViews* outputs) {
  const heddle_tensor* const* views = nullptr;
  size_t count = 0;
  HEDDLE_OP_RETURN_IF_ERROR(op.call()->host->infer_subgraph(op.call(), index, inputs.data(),
                                                            inputs.size(), &views, &count));
  *outputs = {views, count};
  return HEDDLE_OK;
}

heddle_status InvokeSubgraph(const OpContext& op, int32_t index, TensorViews inputs,
                             TensorViews* outputs) {
  const heddle_tensor* const* views = nullptr;
  size_t count = 0;
  HEDDLE_OP_RETURN_IF_ERROR(op.call()->host->invoke_subgraph(op.call(), index, inputs.data(),
                                                             inputs.size(), &views, &count));
  *outputs = {views, count};
  return HEDDLE_OK;
}

heddle_status ExpectSubgraph(const OpContext& op, const char* role, int32_t index, size_t inputs,
                             size_t outputs) {
  size_t has_inputs = 0;
  size_t has_outputs = 0;
  HEDDLE_OP_RETURN_IF_ERROR(
      op.call()->host->get_subgraph_io(op.call(), index, &has_inputs, &has_outputs));
  if (has_inputs == inputs && has_outputs == outputs) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SUBGRAPH_MISMATCH, HEDDLE_NO_OPERAND, "the ",
                 role, ", subgraph ", index, ", has ", has_inputs, " inputs and ", has_outputs,
                 " outputs, wanted are ", inputs, " and ", outputs);
}

bool IsShapeKnown(const heddle_tensor& tensor) {
  return (tensor.flags & HEDDLE_TENSOR_SHAPE_KNOWN) != 0 && tensor.rank >= 0;
}

bool SameShape(const heddle_tensor& a, const heddle_tensor& b) {
  const auto a_dims = OpContext::Dims(a);
  const auto b_dims = OpContext::Dims(b);
  return IsShapeKnown(a) && IsShapeKnown(b) &&
         std::equal(a_dims.begin(), a_dims.end(), b_dims.begin(), b_dims.end());
}

heddle_status ReadCondition(const OpContext& op, int32_t operand, const heddle_tensor& tensor,
                            bool* value) {
  if (tensor.dtype != HEDDLE_DTYPE_BOOL || tensor.bytes != 1 || tensor.data == nullptr) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SUBGRAPH_MISMATCH, operand,
                   "the condition is ", DtypeName(tensor.dtype), " of shape ",
                   ShapeText(OpContext::Dims(tensor)), ", wanted is one BOOL");
  }
  *value = *static_cast<const uint8_t*>(tensor.data) != 0;
  return HEDDLE_OK;
}

std::vector<bool> DynamicOutputs(const OpContext& op) {
  std::vector<bool> dynamic(op.output_count());
  for (size_t i = 0; i < dynamic.size(); ++i) dynamic[i] = !IsShapeKnown(op.output(i));
  return dynamic;
}

heddle_status CopyToOutputs(const OpContext& op, const std::vector<bool>& dynamic,
                            TensorViews values) {
  for (size_t i = 0; i < dynamic.size(); ++i) {
    const heddle_tensor& value = *values[i];
    heddle_tensor& output = op.output(i);
    const auto operand = OpContext::kOutput(static_cast<int32_t>(i));
    if (value.dtype != output.dtype) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SUBGRAPH_MISMATCH, operand,
                     "the subgraph gives ", DtypeName(value.dtype), " for output ", i,
                     ", wanted is ", DtypeName(output.dtype));
    }
    void* data = output.data;
    if (dynamic[i]) {
      HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(i, OpContext::Dims(value), value.bytes, &data));
    } else if (value.bytes != output.bytes) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SUBGRAPH_MISMATCH, operand,
                     "the subgraph gives shape ", ShapeText(OpContext::Dims(value)), " for output ",
                     i, ", planned was ", ShapeText(OpContext::Dims(output)));
    }
    if (data != value.data && value.bytes != 0) std::memcpy(data, value.data, value.bytes);
  }
  return HEDDLE_OK;
}

}  // namespace heddle::kernels
