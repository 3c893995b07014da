// SPDX-License-Identifier: Apache-2.0
#include "kernels/quantization.h"

#include <cmath>
#include <limits>

#include "runtime/base/dtype.h"

namespace heddle::kernels {
namespace {

heddle_status BadQuantization(const OpContext& op, int32_t operand, const std::string& what) {
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_BAD_QUANTIZATION, operand,
                 OperandName(operand), " ", what);
}

heddle_status CheckScale(const OpContext& op, int32_t operand, float scale) {
  if (std::isfinite(scale) && scale > 0) return HEDDLE_OK;
  return BadQuantization(op, operand, StrCat("has scale ", scale, ", wanted is a positive number"));
}

heddle_status CheckZeroPoint(const OpContext& op, int32_t operand, int64_t zero_point) {
  const heddle_dtype dtype = OperandTensor(op, operand).dtype;
  const IntegerRange range = RangeOf(dtype);
  if (zero_point >= range.min && zero_point <= range.max) return HEDDLE_OK;
  return BadQuantization(op, operand,
                         StrCat("has zero point ", zero_point, ", outside ", DtypeName(dtype)));
}

heddle_status CheckAffine(const OpContext& op, int32_t operand) {
  const heddle_quantization& q = *OperandTensor(op, operand).quantization;
  if (q.kind == HEDDLE_QUANTIZATION_NONE ||
      (q.kind == HEDDLE_QUANTIZATION_AFFINE && q.count == 0)) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_BAD_QUANTIZATION, operand,
                   OperandName(operand), " has no quantisation");
  }
  if (q.kind != HEDDLE_QUANTIZATION_AFFINE) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, operand,
                   OperandName(operand), " is not quantised by scales and zero points");
  }
  if (q.zero_point_count > 1 && q.zero_point_count != q.count) {
    return BadQuantization(
        op, operand, StrCat("has ", q.count, " scales but ", q.zero_point_count, " zero points"));
  }
  return HEDDLE_OK;
}

}  // namespace

const heddle_tensor& OperandTensor(const OpContext& op, int32_t operand) {
  return operand >= 0 ? op.input(static_cast<size_t>(operand))
                      : op.output(static_cast<size_t>(-1 - operand));
}

std::string OperandName(int32_t operand) {
  return operand >= 0 ? StrCat("input ", operand) : StrCat("output ", -1 - operand);
}

bool IsQuantized(const heddle_tensor& tensor) {
  return tensor.quantization->kind != HEDDLE_QUANTIZATION_NONE &&
         (tensor.quantization->kind != HEDDLE_QUANTIZATION_AFFINE ||
          tensor.quantization->count != 0);
}

heddle_status GetAffine(const OpContext& op, int32_t operand, Affine* affine) {
  HEDDLE_OP_RETURN_IF_ERROR(CheckAffine(op, operand));
  const heddle_quantization& q = *OperandTensor(op, operand).quantization;
  if (q.count != 1) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, operand,
                   OperandName(operand), " has ", q.count, " scales, wanted is one");
  }
  HEDDLE_OP_RETURN_IF_ERROR(CheckScale(op, operand, q.scales[0]));
  const int64_t zero_point = q.zero_point_count != 0 ? q.zero_points[0] : 0;
  HEDDLE_OP_RETURN_IF_ERROR(CheckZeroPoint(op, operand, zero_point));
  affine->scale = q.scales[0];
  affine->zero_point = static_cast<int32_t>(zero_point);
  return HEDDLE_OK;
}

heddle_status GetChannelScales(const OpContext& op, int32_t operand, int32_t channel_dim,
                               int32_t channels, std::vector<float>* scales, int32_t* zero_point) {
  HEDDLE_OP_RETURN_IF_ERROR(CheckAffine(op, operand));
  const heddle_quantization& q = *OperandTensor(op, operand).quantization;
  if (q.count != 1) {
    if (q.count != static_cast<size_t>(channels) || q.axis != channel_dim) {
      return BadQuantization(
          op, operand,
          StrCat("has ", q.count, " scales along dimension ", q.axis, ", wanted is one or ",
                 channels, " along dimension ", channel_dim));
    }
  }
  for (size_t i = 0; i < q.count; ++i) {
    HEDDLE_OP_RETURN_IF_ERROR(CheckScale(op, operand, q.scales[i]));
  }
  for (size_t i = 0; i < q.zero_point_count; ++i) {
    HEDDLE_OP_RETURN_IF_ERROR(CheckZeroPoint(op, operand, q.zero_points[i]));
    if (q.zero_points[i] != 0 && (zero_point == nullptr || q.count != 1)) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, operand,
                     OperandName(operand), " has zero point ", q.zero_points[i], ", wanted is 0");
    }
  }
  if (zero_point != nullptr) {
    *zero_point = q.zero_point_count != 0 ? static_cast<int32_t>(q.zero_points[0]) : 0;
  }
  scales->assign(q.scales, q.scales + q.count);
  return HEDDLE_OK;
}

heddle_status GetAffines(const OpContext& op, int32_t operand, int32_t channels,
                         std::vector<Affine>* affines) {
  HEDDLE_OP_RETURN_IF_ERROR(CheckAffine(op, operand));
  const heddle_quantization& q = *OperandTensor(op, operand).quantization;
  if (q.count != static_cast<size_t>(channels)) {
    return BadQuantization(op, operand,
                           StrCat("has ", q.count, " scales along dimension ", q.axis,
                                  ", which has ", channels, " elements"));
  }
  affines->resize(q.count);
  for (size_t i = 0; i < q.count; ++i) {
    const int64_t zero_point =
        q.zero_point_count == 0 ? 0 : q.zero_points[q.zero_point_count == 1 ? 0 : i];
    HEDDLE_OP_RETURN_IF_ERROR(CheckScale(op, operand, q.scales[i]));
    HEDDLE_OP_RETURN_IF_ERROR(CheckZeroPoint(op, operand, zero_point));
    (*affines)[i] = {q.scales[i], static_cast<int32_t>(zero_point)};
  }
  return HEDDLE_OK;
}

heddle_status ExpectZeroPoint(const OpContext& op, int32_t operand, int32_t zero_point) {
  Affine affine;
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, operand, &affine));
  if (affine.zero_point == zero_point) return HEDDLE_OK;
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, operand,
                 OperandName(operand), " has zero point ", affine.zero_point, ", wanted is ",
                 zero_point);
}

heddle_status ExpectSameQuantization(const OpContext& op, Affine* affine) {
  Affine output;
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, affine));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &output));
  if (std::abs(affine->scale - output.scale) <= 1e-6f && affine->zero_point == output.zero_point) {
    return HEDDLE_OK;
  }
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED,
                 OpContext::kOutput(0), "the output is quantised by ", output.scale, " and ",
                 output.zero_point, ", the input by ", affine->scale, " and ", affine->zero_point,
                 "; wanted is the same");
}

heddle_status ExpectNoQuantization(const OpContext& op) {
  for (size_t i = 0; i < op.input_count(); ++i) {
    if (IsQuantized(op.input(i))) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED,
                     static_cast<int32_t>(i), "input ", i, " is quantised, wanted are plain ",
                     DtypeName(op.input(i).dtype));
    }
  }
  if (!IsQuantized(op.output(0))) return HEDDLE_OK;
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED,
                 OpContext::kOutput(0), "the output is quantised, wanted are plain ",
                 DtypeName(op.output(0).dtype));
}

heddle_status ExpectAllSameQuantization(const OpContext& op) {
  if (!IsQuantized(op.input(0))) return ExpectNoQuantization(op);
  Affine first;
  HEDDLE_OP_RETURN_IF_ERROR(ExpectSameQuantization(op, &first));
  for (size_t i = 1; i < op.input_count(); ++i) {
    Affine other;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, static_cast<int32_t>(i), &other));
    if (std::abs(first.scale - other.scale) <= 1e-6f && first.zero_point == other.zero_point) {
      continue;
    }
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED,
                   static_cast<int32_t>(i), "input ", i, " is quantised by ", other.scale, " and ",
                   other.zero_point, ", input 0 by ", first.scale, " and ", first.zero_point,
                   "; wanted is the same");
  }
  return HEDDLE_OK;
}

heddle_status ExpectFixedQuantization(const OpContext& op, Affine wanted) {
  Affine output;
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &output));
  if (std::abs(output.scale - wanted.scale) <= 0.001f * wanted.scale &&
      output.zero_point == wanted.zero_point) {
    return HEDDLE_OK;
  }
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED,
                 OpContext::kOutput(0), "the output is quantised by ", output.scale, " and ",
                 output.zero_point, ", wanted is ", wanted.scale, " and ", wanted.zero_point);
}

heddle_status MakeMultiplier(const OpContext& op, double real, int max_shift,
                             ref::Multiplier* multiplier) {
  if (std::isfinite(real) && real >= 0) {
    *multiplier = ref::QuantizeMultiplier(real);
    if (multiplier->shift <= max_shift) return HEDDLE_OK;
  }
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, HEDDLE_NO_OPERAND,
                 "the scales need a factor of ", real, ", which is too large for a multiplier");
}

IntegerRange RangeOf(heddle_dtype dtype) {
  switch (dtype) {
    case HEDDLE_DTYPE_INT8:
      return {-128, 127};
    case HEDDLE_DTYPE_UINT8:
      return {0, 255};
    case HEDDLE_DTYPE_INT16:
      return {-32768, 32767};
    default:
      return {std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()};
  }
}

heddle_status CheckActivation(const OpContext& op, int32_t activation) {
  switch (activation) {
    case HEDDLE_ACTIVATION_NONE:
    case HEDDLE_ACTIVATION_RELU:
    case HEDDLE_ACTIVATION_RELU_N1_TO_1:
    case HEDDLE_ACTIVATION_RELU6:
      return HEDDLE_OK;
    case HEDDLE_ACTIVATION_TANH:
    case HEDDLE_ACTIVATION_SIGN_BIT:
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_ATTRIBUTE_NOT_SUPPORTED, HEDDLE_NO_OPERAND,
                     "fused activation ",
                     activation == HEDDLE_ACTIVATION_TANH ? "TANH" : "SIGN_BIT",
                     " is not supported");
    default:
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     "fused activation ", activation, " does not exist");
  }
}

FloatRange ActivationRange(int32_t activation) {
  // Open ends are the largest numbers: what passes them, infinities too, becomes those, as in LiteRT.
  constexpr float kMax = std::numeric_limits<float>::max();
  switch (activation) {
    case HEDDLE_ACTIVATION_RELU:
      return {0, kMax};
    case HEDDLE_ACTIVATION_RELU_N1_TO_1:
      return {-1, 1};
    case HEDDLE_ACTIVATION_RELU6:
      return {0, 6};
    default:
      return {-kMax, kMax};
  }
}

IntegerRange QuantizedRange(const OpContext& op, FloatRange real, Affine output) {
  const IntegerRange type = RangeOf(op.output(0).dtype);
  // In double: a tiny scale makes bounds that pass the type's, and those do not bind.
  const auto quantize = [&](float value) {
    const double rounded = std::round(double{value / output.scale}) + output.zero_point;
    return static_cast<int32_t>(std::clamp<double>(rounded, type.min, type.max));
  };
  return {quantize(real.min), quantize(real.max)};
}

heddle_status QuantizedActivationRange(const OpContext& op, int32_t activation, Affine output,
                                       IntegerRange* range) {
  *range = QuantizedRange(op, ActivationRange(activation), output);
  return HEDDLE_OK;
}

}  // namespace heddle::kernels
