// SPDX-License-Identifier: Apache-2.0
#include "kernels/recurrent.h"

#include "kernels/quantization.h"
#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {

heddle_status CheckRecurrentActivation(const OpContext& op, int32_t activation) {
  if (activation >= HEDDLE_ACTIVATION_NONE && activation <= HEDDLE_ACTIVATION_SIGN_BIT) {
    return HEDDLE_OK;
  }
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                 "fused activation ", activation, " does not exist");
}

heddle_status ExpectShape(const OpContext& op, size_t input, std::initializer_list<int32_t> dims) {
  const auto actual = op.input_dims(input);
  if (std::equal(actual.begin(), actual.end(), dims.begin(), dims.end())) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, static_cast<int32_t>(input),
                 "input ", input, " has shape ", ShapeText(actual), ", wanted is ",
                 ShapeText({dims.begin(), dims.size()}));
}

heddle_status ExpectState(const OpContext& op, size_t input, heddle_dtype dtype,
                          std::initializer_list<int64_t> factors) {
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectVariable(input));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(input, dtype));
  int64_t wanted = 1;
  bool fits = true;
  for (const int64_t factor : factors) fits = fits && CheckedMul(wanted, factor, &wanted);
  int64_t count = 0;
  if (fits && ElementCount(op.input_dims(input), &count) && count == wanted) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, static_cast<int32_t>(input),
                 "the state in input ", input, " has shape ", ShapeText(op.input_dims(input)),
                 ", wanted are ", wanted, " elements");
}

bool IsHybridWeights(heddle_dtype dtype) {
  return dtype == HEDDLE_DTYPE_INT8 || dtype == HEDDLE_DTYPE_UINT8;
}

ref::Weights WeightsPlan::At(const OpContext& op) const {
  ref::Weights weights;
  if (input < 0) return weights;
  const auto i = static_cast<size_t>(input);
  weights.is_quantized = is_quantized;
  weights.scale = scale;
  if (is_quantized) {
    weights.quantized = op.InputData<int8_t>(i);
  } else {
    weights.real = op.InputData<float>(i);
  }
  weights.row_sums = row_sums.empty() ? nullptr : row_sums.data();
  return weights;
}

heddle_status PrepareWeights(const OpContext& op, size_t input, bool asymmetric,
                             WeightsPlan* weights) {
  *weights = {};
  if (!op.HasInput(input)) return HEDDLE_OK;
  weights->input = static_cast<int32_t>(input);
  if (op.input(input).dtype == HEDDLE_DTYPE_FLOAT32) return HEDDLE_OK;
  if (!IsHybridWeights(op.input(input).dtype)) return op.UnsupportedType(input);
  Affine affine;
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, weights->input, &affine));
  HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, weights->input, 0));
  weights->is_quantized = true;
  weights->scale = affine.scale;
  const auto dims = op.input_dims(input);
  if (!asymmetric || dims.size() != 2) return HEDDLE_OK;
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectConstant(input));
  weights->row_sums.resize(static_cast<size_t>(dims[0]));
  ref::SumRows(op.InputData<int8_t>(input), dims[0], dims[1], weights->row_sums.data());
  return HEDDLE_OK;
}

}  // namespace heddle::kernels
