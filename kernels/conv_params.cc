// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv_params.h"

#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {
namespace {

heddle_status CheckBias(const OpContext& op, int32_t channels) {
  const auto dims = op.input_dims(2);
  int64_t count = 0;
  if (!ElementCount(dims, &count) || count != channels) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 2, "the bias has shape ",
                   ShapeText(dims), ", wanted are ", channels, " elements");
  }
  return HEDDLE_OK;
}

heddle_status BadBiasType(const OpContext& op, const char* wanted) {
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPES_DIFFER, 2, "the bias is ",
                 DtypeName(op.input(2).dtype), ", wanted is ", wanted, " for ",
                 DtypeName(op.input(0).dtype), " data");
}

// The types decide, not the op's version: converters write them in several combinations.
heddle_status ChooseKind(const OpContext& op, int32_t bias_attribute, SumKind* kind) {
  const bool has_bias = op.HasInput(2);
  const heddle_dtype bias = has_bias ? op.input(2).dtype : HEDDLE_DTYPE_INT32;
  switch (op.input(0).dtype) {
    case HEDDLE_DTYPE_FLOAT32:
      *kind = SumKind::kFloat;
      if (op.input(1).dtype != HEDDLE_DTYPE_FLOAT32) {
        return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPE_NOT_SUPPORTED, 1, "a filter of type ",
                       DtypeName(op.input(1).dtype), " with FLOAT32 data is not supported");
      }
      if (has_bias && bias != HEDDLE_DTYPE_FLOAT32) return BadBiasType(op, "FLOAT32");
      return HEDDLE_OK;
    case HEDDLE_DTYPE_UINT8:
      *kind = SumKind::kUint8;
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_UINT8));
      return bias == HEDDLE_DTYPE_INT32 ? HEDDLE_OK : BadBiasType(op, "INT32");
    case HEDDLE_DTYPE_INT8:
      *kind = SumKind::kInt8;
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_INT8));
      return bias == HEDDLE_DTYPE_INT32 ? HEDDLE_OK : BadBiasType(op, "INT32");
    case HEDDLE_DTYPE_INT16:
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_INT8));
      if (has_bias) {
        if (bias != HEDDLE_DTYPE_INT32 && bias != HEDDLE_DTYPE_INT64) {
          return BadBiasType(op, "INT32 or INT64");
        }
        *kind = bias == HEDDLE_DTYPE_INT32 ? SumKind::kInt16Bias32 : SumKind::kInt16Bias64;
      } else {
        *kind =
            bias_attribute == HEDDLE_DTYPE_INT32 ? SumKind::kInt16Bias32 : SumKind::kInt16Bias64;
      }
      return HEDDLE_OK;
    default:
      return op.UnsupportedType(0);
  }
}

}  // namespace

heddle_status PrepareSum(const OpContext& op, const SumAttributes& attributes, int32_t channels,
                         SumPlan* plan) {
  HEDDLE_OP_RETURN_IF_ERROR(ChooseKind(op, attributes.bias_type, &plan->kind));
  if (op.HasInput(2)) HEDDLE_OP_RETURN_IF_ERROR(CheckBias(op, channels));
  if (plan->kind == SumKind::kFloat) {
    const FloatRange range = ActivationRange(attributes.activation);
    plan->real = {range.min, range.max};
    return HEDDLE_OK;
  }

  Affine input;
  Affine output;
  std::vector<float> scales;
  int32_t filter_zero_point = 0;
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &input));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &output));
  const bool may_have_zero_point =
      plan->kind == SumKind::kUint8 ||
      (plan->kind == SumKind::kInt8 && attributes.filter_may_have_zero_point);
  HEDDLE_OP_RETURN_IF_ERROR(GetChannelScales(op, 1, attributes.filter_channel_dim, channels,
                                             &scales,
                                             may_have_zero_point ? &filter_zero_point : nullptr));
  const bool is_int16 = plan->kind == SumKind::kInt16Bias32 || plan->kind == SumKind::kInt16Bias64;
  if (is_int16) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, OpContext::kOutput(0), 0));
  }
  IntegerRange range;
  HEDDLE_OP_RETURN_IF_ERROR(QuantizedActivationRange(op, attributes.activation, output, &range));

  const int max_shift = plan->kind == SumKind::kInt16Bias64 ? kMaxShift64 : kMaxShift32;
  for (const float scale : scales) {
    const double factor = static_cast<double>(input.scale) * static_cast<double>(scale) /
                          static_cast<double>(output.scale);
    if (attributes.rescale_by_factor) {
      plan->factors.push_back(factor);
    } else {
      HEDDLE_OP_RETURN_IF_ERROR(
          MakeMultiplier(op, factor, max_shift, &plan->multipliers.emplace_back()));
    }
  }
  plan->quantized = {
      input.zero_point, filter_zero_point,        output.zero_point,    range.min,
      range.max,        plan->multipliers.data(), plan->factors.data(), scales.size() > 1 ? 1 : 0};
  return HEDDLE_OK;
}

}  // namespace heddle::kernels
