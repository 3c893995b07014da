// SPDX-License-Identifier: Apache-2.0
#include "kernels/lstm_basic.h"

#include <cmath>
#include <cstring>

#include "kernels/quantization.h"
#include "kernels/recurrent.h"
#include "kernels/ref/lstm_basic.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

enum Input : size_t { kData, kLastOutput, kWeights, kBias, kLastState, kInputs };
enum Output : size_t { kOutput, kState, kConcatenated, kSums, kOutputs };

bool IsFloat(const OpContext& op) { return op.input(kData).dtype == HEDDLE_DTYPE_FLOAT32; }

// T: data; S: state and sums.
template <typename T, typename S, typename SumOf>
heddle_status Run(const OpContext& op, const BasicLstmPlan& plan, const SumOf& sum_of) {
  const int64_t depth = plan.inputs + plan.cells;
  const auto* data = op.InputData<T>(kData);
  const auto* last_output = op.InputData<T>(kLastOutput);
  const auto* last_state = op.InputData<S>(kLastState);
  auto* output = op.OutputData<T>(kOutput);
  auto* state = op.OutputData<S>(kState);
  auto* concatenated = op.OutputData<T>(kConcatenated);
  auto* sums = op.OutputData<S>(kSums);
  HEDDLE_OP_RETURN_IF_ERROR(op.ParallelFor(
      plan.batches, GrainFor(4 * plan.cells * depth), [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          T* row = concatenated + b * depth;
          std::copy_n(data + b * plan.inputs, plan.inputs, row);
          std::copy_n(last_output + b * plan.cells, plan.cells, row + plan.inputs);
          S* row_sums = sums + b * 4 * plan.cells;
          for (int64_t i = 0; i < 4 * plan.cells; ++i) row_sums[i] = sum_of(i, depth, row);
          for (int64_t c = 0; c < plan.cells; ++c) {
            const int64_t at = b * plan.cells + c;
            ref::BasicLstmCell(row_sums, plan.cells, c, last_state[at], state + at, output + at);
          }
        }
      }));
  // Variables carry the result into the next run.
  if (op.IsVariable(kLastOutput) && op.input(kLastOutput).bytes != 0) {
    std::memcpy(op.VariableData<T>(kLastOutput), output, op.input(kLastOutput).bytes);
  }
  if (op.IsVariable(kLastState) && op.input(kLastState).bytes != 0) {
    std::memcpy(op.VariableData<S>(kLastState), state, op.input(kLastState).bytes);
  }
  return HEDDLE_OK;
}

}  // namespace

heddle_status InferBasicLstm(const OpContext& op) {
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(kInputs, kInputs, kOutputs));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(kData, 2, 2));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(kLastOutput, 2, 2));
  const int32_t batches = op.input_dims(kData)[0];
  const int32_t inputs = op.input_dims(kData)[1];
  const int32_t cells = op.input_dims(kLastOutput)[1];
  int32_t depth = 0;
  int32_t gates = 0;
  if (!CheckedAdd(inputs, cells, &depth) || !CheckedMul(cells, 4, &gates)) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, HEDDLE_NO_OPERAND,
                   "there are too many inputs and cells");
  }
  HEDDLE_OP_RETURN_IF_ERROR(ExpectShape(op, kLastOutput, {batches, cells}));
  HEDDLE_OP_RETURN_IF_ERROR(ExpectShape(op, kLastState, {batches, cells}));
  HEDDLE_OP_RETURN_IF_ERROR(ExpectShape(op, kWeights, {gates, depth}));
  HEDDLE_OP_RETURN_IF_ERROR(ExpectShape(op, kBias, {gates}));
  const heddle_dtype data = op.input(kData).dtype;
  const heddle_dtype state = IsFloat(op) ? data : HEDDLE_DTYPE_INT16;
  const int32_t widths[kOutputs] = {cells, cells, depth, gates};
  const heddle_dtype types[kOutputs] = {data, state, data, state};
  for (size_t i = 0; i < kOutputs; ++i) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(i, types[i]));
    const int32_t dims[] = {batches, widths[i]};
    HEDDLE_OP_RETURN_IF_ERROR(op.SetOutput(i, types[i], dims));
  }
  return HEDDLE_OK;
}

heddle_status PrepareBasicLstm(const OpContext& op, BasicLstmPlan* plan) {
  plan->batches = op.input_dims(kData)[0];
  plan->inputs = op.input_dims(kData)[1];
  plan->cells = op.input_dims(kLastOutput)[1];
  const heddle_dtype data = op.input(kData).dtype;
  const bool is_float = IsFloat(op);
  if (!is_float && data != HEDDLE_DTYPE_UINT8) return op.UnsupportedType(kData);
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kLastOutput, data));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kWeights, data));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kBias, is_float ? data : HEDDLE_DTYPE_INT32));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kLastState, is_float ? data : HEDDLE_DTYPE_INT16));
  if (is_float) return HEDDLE_OK;
  Affine weights;
  Affine bias;
  Affine state;
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kWeights, &weights));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kBias, &bias));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(kState), &state));
  if (std::abs(std::log2(double{state.scale}) + 11) >= 1e-3) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED,
                   OpContext::kOutput(kState), "the state has scale ", state.scale,
                   ", wanted is 2^-11");
  }
  plan->weights_zero_point = weights.zero_point;
  return MakeMultiplier(op, 4096 * double{bias.scale}, kMaxShift32, &plan->scale);
}

heddle_status RunBasicLstm(const OpContext& op, const BasicLstmPlan& plan) {
  if (IsFloat(op)) {
    const auto* weights = op.InputData<float>(kWeights);
    const auto* bias = op.InputData<float>(kBias);
    return Run<float, float>(op, plan, [=](int64_t i, int64_t depth, const float* row) {
      return ref::BasicLstmSum(weights + i * depth, row, depth, bias[i]);
    });
  }
  const auto* weights = op.InputData<uint8_t>(kWeights);
  const auto* bias = op.InputData<int32_t>(kBias);
  return Run<uint8_t, int16_t>(op, plan, [=, &plan](int64_t i, int64_t depth, const uint8_t* row) {
    return ref::BasicLstmSum(weights + i * depth, plan.weights_zero_point, row, depth, bias[i],
                             plan.scale);
  });
}

}  // namespace heddle::kernels
