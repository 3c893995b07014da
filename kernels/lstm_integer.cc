// SPDX-License-Identifier: Apache-2.0
// LSTM cells on int8 data: scales become multipliers, zero points become biases.
#include <cmath>

#include "kernels/lstm.h"
#include "kernels/quantization.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

// Intermediate tensors: sums of the four gates (with norms), then the hidden values.
constexpr size_t kHiddenIntermediate = 4;
constexpr size_t kIntermediates = 5;

size_t Index(int32_t input) { return static_cast<size_t>(input); }

heddle_status GetIntermediate(const OpContext& op, size_t i, Affine* affine) {
  if (op.HasIntermediate(i)) {
    const heddle_quantization& q = *op.intermediate(i).quantization;
    const int64_t zero_point =
        q.kind == HEDDLE_QUANTIZATION_AFFINE && q.zero_point_count > 0 ? q.zero_points[0] : 0;
    if (q.kind == HEDDLE_QUANTIZATION_AFFINE && q.count >= 1 && std::isfinite(q.scales[0]) &&
        q.scales[0] > 0 && zero_point >= -32768 && zero_point <= 32767) {
      *affine = {q.scales[0], static_cast<int32_t>(zero_point)};
      return HEDDLE_OK;
    }
  }
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_BAD_QUANTIZATION, HEDDLE_NO_OPERAND,
                 "intermediate tensor ", i, " has no quantisation that fits");
}

// Constant, of this type, with one scale and zero point 0.
heddle_status GetConstantScale(const OpContext& op, int32_t input, heddle_dtype dtype,
                               float* scale) {
  Affine affine;
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(input), dtype));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectConstant(Index(input)));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, input, &affine));
  HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, input, 0));
  *scale = affine.scale;
  return HEDDLE_OK;
}

// bias + factor * the sum of each row of the matrix.
std::vector<int32_t> EffectiveBias(const OpContext& op, int32_t matrix, int32_t factor,
                                   const int32_t* bias) {
  const auto dims = op.input_dims(Index(matrix));
  std::vector<int32_t> result(static_cast<size_t>(dims[0]));
  ref::SumRows(op.InputData<int8_t>(Index(matrix)), dims[0], dims[1], result.data());
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] =
        ref::WrappingAdd(ref::WrappingMul(result[i], factor), bias != nullptr ? bias[i] : 0);
  }
  return result;
}

struct LstmScales {
  Affine input;
  Affine output;  // of the output state
  int cell_log2 = 0;
};

heddle_status PrepareGate(const OpContext& op, int g, const LstmScales& scales,
                          LstmIntegerPlan* plan) {
  const LstmGateOperands& from = plan->operands->gates[g];
  ref::LstmIntegerGate& gate = plan->cell.gates[g];
  const bool has_norm = plan->form.has_norm;
  Affine sum = {std::ldexp(1.0f, -12), 0};
  if (has_norm) HEDDLE_OP_RETURN_IF_ERROR(GetIntermediate(op, static_cast<size_t>(g), &sum));
  float input = 0;
  float recurrent = 0;
  HEDDLE_OP_RETURN_IF_ERROR(GetConstantScale(op, from.input, HEDDLE_DTYPE_INT8, &input));
  HEDDLE_OP_RETURN_IF_ERROR(GetConstantScale(op, from.recurrent, HEDDLE_DTYPE_INT8, &recurrent));
  HEDDLE_OP_RETURN_IF_ERROR(
      MakeMultiplier(op, input * scales.input.scale / sum.scale, kMaxShift32, &gate.input_scale));
  HEDDLE_OP_RETURN_IF_ERROR(MakeMultiplier(op, recurrent * scales.output.scale / sum.scale,
                                           kMaxShift32, &gate.recurrent_scale));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(from.bias), HEDDLE_DTYPE_INT32));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectConstant(Index(from.bias)));
  const auto* bias = op.InputData<int32_t>(Index(from.bias));
  plan->biases[g][0] =
      EffectiveBias(op, from.input, -scales.input.zero_point, has_norm ? nullptr : bias);
  plan->biases[g][1] = EffectiveBias(op, from.recurrent, -scales.output.zero_point, nullptr);
  if (plan->form.has_peephole && from.peephole >= 0) {
    float peephole = 0;
    HEDDLE_OP_RETURN_IF_ERROR(GetConstantScale(op, from.peephole, HEDDLE_DTYPE_INT16, &peephole));
    const auto factor =
        static_cast<float>(std::ldexp(double{peephole}, scales.cell_log2) / double{sum.scale});
    HEDDLE_OP_RETURN_IF_ERROR(MakeMultiplier(op, factor, kMaxShift32, &gate.peephole_scale));
  }
  if (!has_norm) return HEDDLE_OK;
  float norm = 0;
  HEDDLE_OP_RETURN_IF_ERROR(GetConstantScale(op, from.norm, HEDDLE_DTYPE_INT16, &norm));
  constexpr int kNormFractionBits = 12;
  HEDDLE_OP_RETURN_IF_ERROR(
      MakeMultiplier(op, norm, kMaxShift32 - kNormFractionBits, &gate.norm_scale));
  gate.norm_scale.shift += kNormFractionBits;
  // What a variance of 0 counts as.
  gate.least_variance = std::max(1, static_cast<int32_t>(10000 * std::min(norm, 1e5f)));
  return HEDDLE_OK;
}

heddle_status PrepareProjection(const OpContext& op, const LstmScales& scales, const Affine& hidden,
                                LstmIntegerPlan* plan) {
  if (!plan->form.has_projection) return HEDDLE_OK;
  const LstmOperands& operands = *plan->operands;
  float weights = 0;
  HEDDLE_OP_RETURN_IF_ERROR(GetConstantScale(op, operands.projection, HEDDLE_DTYPE_INT8, &weights));
  HEDDLE_OP_RETURN_IF_ERROR(MakeMultiplier(op, weights * hidden.scale / scales.output.scale,
                                           kMaxShift32, &plan->cell.projection_scale));
  const int32_t* bias = nullptr;
  if (op.HasInput(Index(operands.projection_bias))) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(operands.projection_bias), HEDDLE_DTYPE_INT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectConstant(Index(operands.projection_bias)));
    bias = op.InputData<int32_t>(Index(operands.projection_bias));
  }
  plan->projection_bias = EffectiveBias(op, operands.projection, hidden.zero_point, bias);
  return HEDDLE_OK;
}

}  // namespace

heddle_status PrepareIntegerLstm(const OpContext& op, const LstmOperands& operands,
                                 const LstmAttributes& attributes, int64_t batches,
                                 LstmIntegerPlan* plan) {
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(operands.input), HEDDLE_DTYPE_INT8));
  if (op.intermediate_count() != kIntermediates) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_WRONG_OPERAND_COUNT, HEDDLE_NO_OPERAND, "has ",
                   op.intermediate_count(),
                   " intermediate tensors, wanted are 5; gates of 8 bits, which have 12, are not "
                   "supported");
  }
  HEDDLE_OP_RETURN_IF_ERROR(CheckLstm(op, operands, batches, &plan->form));
  if (plan->form.is_diagonal) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED,
                   operands.gates[ref::kOutputGate].recurrent,
                   "diagonal recurrent weights are not supported for int8");
  }
  plan->operands = &operands;
  LstmScales scales;
  Affine cells;
  Affine hidden;
  Affine output;
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, operands.input, &scales.input));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, operands.output_state, &scales.output));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, operands.cell_state, &cells));
  HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &output));
  HEDDLE_OP_RETURN_IF_ERROR(GetIntermediate(op, kHiddenIntermediate, &hidden));
  const double log2 = std::log2(double{cells.scale});
  const double whole = std::round(log2);
  // Tables of tanh exist for 0 to 6 integer bits.
  if (std::abs(log2 - whole) >= 1e-3 || whole < -15 || whole > -9) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED,
                   operands.cell_state, "the cells have scale ", cells.scale,
                   ", wanted is a power of two from 2^-15 to 2^-9");
  }
  scales.cell_log2 = static_cast<int>(whole);
  ref::LstmIntegerCell& cell = plan->cell;
  cell.sizes = plan->form.sizes;
  cell.has_input_gate = plan->form.has_input_gate;
  cell.cell_integer_bits = 15 + scales.cell_log2;
  cell.hidden_zero_point = hidden.zero_point;
  cell.output_zero_point = scales.output.zero_point;
  cell.cell_clip = static_cast<int16_t>(std::min(attributes.cell_clip / cells.scale, 32767.0f));
  cell.projection_clip =
      static_cast<int8_t>(std::min(attributes.projection_clip / output.scale, 127.0f));
  const auto hidden_factor =
      static_cast<float>(std::ldexp(std::ldexp(1.0, -15) / double{hidden.scale}, -15));
  HEDDLE_OP_RETURN_IF_ERROR(MakeMultiplier(op, hidden_factor, kMaxShift32, &cell.hidden_scale));
  for (int g = 0; g < ref::kLstmGates; ++g) {
    if (g == ref::kInputGate && !cell.has_input_gate) continue;
    HEDDLE_OP_RETURN_IF_ERROR(PrepareGate(op, g, scales, plan));
  }
  HEDDLE_OP_RETURN_IF_ERROR(PrepareProjection(op, scales, hidden, plan));
  const auto count = static_cast<size_t>(batches * cell.sizes.cells);
  HEDDLE_OP_RETURN_IF_ERROR(
      op.RequestScratch(count * ref::kLstmGates * sizeof(int16_t), &plan->gate_scratch));
  return op.RequestScratch(count, &plan->hidden_scratch);
}

heddle_status RunIntegerLstm(const OpContext& op, const LstmIntegerPlan& plan,
                             const Sequence& sequence) {
  const LstmOperands& operands = *plan.operands;
  ref::LstmIntegerCell cell = plan.cell;
  for (int g = 0; g < ref::kLstmGates; ++g) {
    const LstmGateOperands& from = operands.gates[g];
    ref::LstmIntegerGate& gate = cell.gates[g];
    if (g == ref::kInputGate && !cell.has_input_gate) continue;
    gate.input = op.InputData<int8_t>(Index(from.input));
    gate.recurrent = op.InputData<int8_t>(Index(from.recurrent));
    gate.input_bias = plan.biases[g][0].data();
    gate.recurrent_bias = plan.biases[g][1].data();
    if (plan.form.has_peephole && from.peephole >= 0) {
      gate.peephole = op.InputData<int16_t>(Index(from.peephole));
    }
    if (plan.form.has_norm) {
      gate.norm = op.InputData<int16_t>(Index(from.norm));
      gate.norm_bias = op.InputData<int32_t>(Index(from.bias));
    }
  }
  if (plan.form.has_projection) {
    cell.projection = op.InputData<int8_t>(Index(operands.projection));
    cell.projection_bias = plan.projection_bias.data();
  }
  const ref::LstmSizes& sizes = cell.sizes;
  const auto* input = op.InputData<int8_t>(Index(operands.input));
  auto* cells = op.VariableData<int16_t>(Index(operands.cell_state));
  auto* last_output = op.VariableData<int8_t>(Index(operands.output_state));
  auto* gates = op.Scratch<int16_t>(plan.gate_scratch);
  auto* hidden = op.Scratch<int8_t>(plan.hidden_scratch);
  auto* output = op.OutputData<int8_t>(0);
  const int64_t work =
      sequence.steps * ref::kLstmGates * sizes.cells * (sizes.inputs + sizes.outputs);
  return RunSequence(op, sequence, GrainFor(work), [&](int64_t b, int64_t row) {
    const ref::LstmIntegerScratch scratch = {gates + b * ref::kLstmGates * sizes.cells,
                                             hidden + b * sizes.cells};
    ref::LstmStep(cell, input + row * sizes.inputs, cells + b * sizes.cells,
                  last_output + b * sizes.outputs, scratch, output + row * sizes.outputs);
  });
}

}  // namespace heddle::kernels
