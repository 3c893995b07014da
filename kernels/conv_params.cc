// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv_params.h"

#include <cmath>

#include "kernels/packed.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {
namespace {

bool Has(TypeSet set, heddle_dtype dtype) { return (set >> dtype & 1) != 0; }

int32_t Position(size_t operand) { return static_cast<int32_t>(operand); }

heddle_status CheckBias(const OpContext& op, size_t bias, int32_t channels) {
  const auto dims = op.input_dims(bias);
  int64_t count = 0;
  if (!ElementCount(dims, &count) || count != channels) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, Position(bias),
                   "the bias has shape ", ShapeText(dims), ", wanted are ", channels, " elements");
  }
  return HEDDLE_OK;
}

heddle_status ExpectFilter(const OpContext& op, const SumOperands& operands, TypeSet wanted) {
  const heddle_dtype filter = op.input(operands.filter).dtype;
  if (Has(wanted, filter)) return HEDDLE_OK;
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPE_NOT_SUPPORTED, Position(operands.filter),
                 "a filter of type ", DtypeName(filter), " with ",
                 DtypeName(op.input(operands.data).dtype), " data is not supported");
}

heddle_status ExpectBias(const OpContext& op, const SumOperands& operands, TypeSet wanted,
                         const char* words) {
  if (!op.HasInput(operands.bias) || Has(wanted, op.input(operands.bias).dtype)) return HEDDLE_OK;
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPES_DIFFER, Position(operands.bias),
                 "the bias is ", DtypeName(op.input(operands.bias).dtype), ", wanted is ", words,
                 " for ", DtypeName(op.input(operands.data).dtype), " data");
}

// The types decide, not the op's version: converters write them in several combinations.
heddle_status ChooseKind(const OpContext& op, const SumAttributes& a, SumKind* kind) {
  const SumOperands& operands = a.operands;
  switch (op.input(operands.data).dtype) {
    case HEDDLE_DTYPE_FLOAT32:
      HEDDLE_OP_RETURN_IF_ERROR(
          ExpectFilter(op, operands, Types({HEDDLE_DTYPE_FLOAT32}) | a.filters.with_float));
      *kind = op.input(operands.filter).dtype == HEDDLE_DTYPE_FLOAT32 ? SumKind::kFloat
                                                                      : SumKind::kHybrid;
      return ExpectBias(op, operands, Types({HEDDLE_DTYPE_FLOAT32}), "FLOAT32");
    case HEDDLE_DTYPE_UINT8:
      *kind = SumKind::kUint8;
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(operands.filter, HEDDLE_DTYPE_UINT8));
      return ExpectBias(op, operands, Types({HEDDLE_DTYPE_INT32}), "INT32");
    case HEDDLE_DTYPE_INT8:
      *kind = SumKind::kInt8;
      HEDDLE_OP_RETURN_IF_ERROR(
          ExpectFilter(op, operands, Types({HEDDLE_DTYPE_INT8}) | a.filters.with_int8));
      return ExpectBias(op, operands, Types({HEDDLE_DTYPE_INT32}), "INT32");
    case HEDDLE_DTYPE_INT16: {
      HEDDLE_OP_RETURN_IF_ERROR(
          ExpectFilter(op, operands, Types({HEDDLE_DTYPE_INT8}) | a.filters.with_int16));
      HEDDLE_OP_RETURN_IF_ERROR(ExpectBias(
          op, operands, Types({HEDDLE_DTYPE_INT32, HEDDLE_DTYPE_INT64}), "INT32 or INT64"));
      const bool narrow = op.HasInput(operands.bias)
                              ? op.input(operands.bias).dtype == HEDDLE_DTYPE_INT32
                              : a.bias_type == HEDDLE_DTYPE_INT32;
      *kind = narrow ? SumKind::kInt16Bias32 : SumKind::kInt16Bias64;
      return HEDDLE_OK;
    }
    default:
      return op.UnsupportedType(operands.data);
  }
}

// A scale for each run of elements along the filter's depth.
heddle_status GetBlockScales(const OpContext& op, size_t filter, SumPlan* plan) {
  const heddle_quantization& q = *op.input(filter).quantization;
  const auto dims = op.input_dims(filter);
  const int32_t block = q.block_size;
  const int32_t operand = Position(filter);
  if (op.input(filter).dtype != HEDDLE_DTYPE_INT4) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, operand,
                   "a filter of type ", DtypeName(op.input(filter).dtype),
                   " quantised by blocks is not supported");
  }
  if (q.zero_points_tensor >= 0) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, operand,
                   "zero points of blocks are not supported");
  }
  if (block < 1 || dims[1] % block != 0 ||
      q.count != static_cast<uint64_t>(dims[0]) * static_cast<uint64_t>(dims[1] / block)) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_BAD_QUANTIZATION, operand,
                   "the filter of shape ", ShapeText(dims), " has ", q.count,
                   " scales for blocks of ", block);
  }
  for (size_t i = 0; i < q.count; ++i) {
    if (std::isfinite(q.scales[i])) continue;
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_BAD_QUANTIZATION, operand, "block ", i,
                   " of the filter has scale ", q.scales[i]);
  }
  plan->filter_scales.assign(q.scales, q.scales + q.count);
  plan->block = block;
  plan->asymmetric = true;
  return HEDDLE_OK;
}

heddle_status GetHybridScales(const OpContext& op, const SumAttributes& a, int32_t channels,
                              SumPlan* plan) {
  if (a.filter_may_have_blocks &&
      op.input(a.operands.filter).quantization->kind == HEDDLE_QUANTIZATION_BLOCKWISE) {
    return GetBlockScales(op, a.operands.filter, plan);
  }
  HEDDLE_OP_RETURN_IF_ERROR(GetChannelScales(op, Position(a.operands.filter), a.filter_channel_dim,
                                             channels, &plan->filter_scales, nullptr));
  const auto& scales = plan->filter_scales;
  plan->asymmetric =
      a.hybrid_zero_point == HybridZeroPoint::kAlways ||
      (a.hybrid_zero_point == HybridZeroPoint::kIfScalesDiffer &&
       std::any_of(scales.begin(), scales.end(), [&](float s) { return s != scales.front(); }));
  return HEDDLE_OK;
}

heddle_status PrepareHybrid(const OpContext& op, const SumAttributes& a, int32_t channels,
                            int64_t rows, SumPlan* plan) {
  HEDDLE_OP_RETURN_IF_ERROR(GetHybridScales(op, a, channels, plan));
  plan->scales_in_turn = plan->asymmetric && a.scales_in_turn;
  const auto dims = op.input_dims(a.operands.data);
  int64_t elements = 0;
  int64_t row_bytes = 0;
  if (!ElementCount(dims, &elements) ||
      !CheckedMul<int64_t>(rows, sizeof(ref::RowQuantization), &row_bytes)) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, Position(a.operands.data),
                   "shape ", ShapeText(dims), " is too large");
  }
  plan->rows = rows;
  plan->row_size = rows == 0 ? 0 : elements / rows;
  HEDDLE_OP_RETURN_IF_ERROR(
      op.RequestScratch(static_cast<size_t>(elements), &plan->quantized_data));
  return op.RequestScratch(static_cast<size_t>(row_bytes), &plan->row_quantizations);
}

heddle_status PrepareQuantized(const OpContext& op, const SumAttributes& a, int32_t channels,
                               SumPlan* plan) {
  const int32_t data = Position(a.operands.data);
  Affine input;
  Affine output;
  std::vector<float> scales;
  int32_t filter_zero_point = 0;
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, data, &input));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &output));
  const bool may_have_zero_point = plan->kind == SumKind::kUint8 ||
                                   (plan->kind == SumKind::kInt8 && a.filter_may_have_zero_point &&
                                    op.input(a.operands.filter).dtype == HEDDLE_DTYPE_INT8);
  HEDDLE_OP_RETURN_IF_ERROR(GetChannelScales(op, Position(a.operands.filter), a.filter_channel_dim,
                                             channels, &scales,
                                             may_have_zero_point ? &filter_zero_point : nullptr));
  if (plan->kind == SumKind::kInt16Bias32 || plan->kind == SumKind::kInt16Bias64) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, data, 0));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, OpContext::kOutput(0), 0));
  }
  IntegerRange range;
  HEDDLE_OP_RETURN_IF_ERROR(QuantizedActivationRange(op, a.activation, output, &range));

  const int max_shift = plan->kind == SumKind::kInt16Bias64 ? kMaxShift64 : kMaxShift32;
  for (const float scale : scales) {
    // The oldest kind of convolution multiplies the scales in single precision.
    const double product = plan->kind == SumKind::kUint8 && !a.rescale_by_factor
                               ? double{input.scale * scale}
                               : static_cast<double>(input.scale) * static_cast<double>(scale);
    const double factor = product / static_cast<double>(output.scale);
    if (a.rescale_by_factor) {
      plan->factors.push_back(factor);
    } else {
      HEDDLE_OP_RETURN_IF_ERROR(
          MakeMultiplier(op, factor, max_shift, &plan->multipliers.emplace_back()));
    }
  }
  plan->quantized = {input.zero_point,
                     filter_zero_point,
                     output.zero_point,
                     range.min,
                     range.max,
                     a.rescale_by_factor ? nullptr : plan->multipliers.data(),
                     a.rescale_by_factor ? plan->factors.data() : nullptr,
                     scales.size() > 1 ? 1 : 0};
  return HEDDLE_OK;
}

}  // namespace

heddle_status PrepareSum(const OpContext& op, const SumAttributes& a, int32_t channels,
                         int64_t rows, SumPlan* plan) {
  plan->operands = a.operands;
  HEDDLE_OP_RETURN_IF_ERROR(ChooseKind(op, a, &plan->kind));
  if (op.HasInput(a.operands.bias)) {
    HEDDLE_OP_RETURN_IF_ERROR(CheckBias(op, a.operands.bias, channels));
  }
  if (IsPacked(op.input(a.operands.filter).dtype)) {
    HEDDLE_OP_RETURN_IF_ERROR(UnpackConstant(op, a.operands.filter, &plan->unpacked_filter));
  }
  const FloatRange range = ActivationRange(a.activation);
  plan->real = {range.min, range.max};
  switch (plan->kind) {
    case SumKind::kFloat:
      return HEDDLE_OK;
    case SumKind::kHybrid:
      return PrepareHybrid(op, a, channels, rows, plan);
    default:
      return PrepareQuantized(op, a, channels, plan);
  }
}

heddle_status internal::QuantizeRows(const OpContext& op, const SumPlan& plan) {
  const float* const data = op.InputData<float>(plan.operands.data);
  auto* const quantized = op.Scratch<int8_t>(plan.quantized_data);
  auto* const rows = op.Scratch<ref::RowQuantization>(plan.row_quantizations);
  const int64_t size = plan.row_size;
  return op.ParallelFor(plan.rows, GrainFor({size, 4}), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      rows[row] =
          ref::QuantizeRow(plan.asymmetric, data + row * size, size, quantized + row * size);
    }
  });
}

}  // namespace heddle::kernels
