// SPDX-License-Identifier: Apache-2.0
#include "kernels/lstm.h"

#include "kernels/window.h"

namespace heddle::kernels {
namespace {

bool Has(const OpContext& op, int32_t input) {
  return input >= 0 && op.HasInput(static_cast<size_t>(input));
}

heddle_status MissingOrNot(const OpContext& op, int32_t input, bool wanted) {
  if (Has(op, input) == wanted) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_MISSING_OPERAND,
                 wanted ? input : HEDDLE_NO_OPERAND, "input ", input,
                 wanted ? " is absent" : " is present", ", which does not fit the other weights");
}

// Present if and only if `wanted`, and then of this shape.
heddle_status ExpectOptional(const OpContext& op, int32_t input, bool wanted,
                             std::initializer_list<int32_t> dims) {
  if (input < 0) return HEDDLE_OK;
  HEDDLE_OP_RETURN_IF_ERROR(MissingOrNot(op, input, wanted));
  return wanted ? ExpectShape(op, static_cast<size_t>(input), dims) : HEDDLE_OK;
}

heddle_status CheckGate(const OpContext& op, const LstmGateOperands& gate, const LstmForm& form,
                        bool present) {
  const auto cells = static_cast<int32_t>(form.sizes.cells);
  const auto outputs = static_cast<int32_t>(form.sizes.outputs);
  const auto inputs = static_cast<int32_t>(form.sizes.inputs);
  const auto aux = static_cast<int32_t>(form.sizes.aux_inputs);
  HEDDLE_OP_RETURN_IF_ERROR(ExpectOptional(op, gate.input, present, {cells, inputs}));
  if (form.is_diagonal) {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectOptional(op, gate.recurrent, present, {cells}));
  } else {
    HEDDLE_OP_RETURN_IF_ERROR(ExpectOptional(op, gate.recurrent, present, {cells, outputs}));
  }
  if (aux > 0) HEDDLE_OP_RETURN_IF_ERROR(ExpectOptional(op, gate.aux, present, {cells, aux}));
  HEDDLE_OP_RETURN_IF_ERROR(
      ExpectOptional(op, gate.peephole, present && form.has_peephole, {cells}));
  HEDDLE_OP_RETURN_IF_ERROR(ExpectOptional(op, gate.bias, present, {cells}));
  return ExpectOptional(op, gate.norm, present && form.has_norm, {cells});
}

size_t Index(int32_t input) { return static_cast<size_t>(input); }

heddle_status ExpectFloats(const OpContext& op, std::initializer_list<int32_t> inputs) {
  for (const int32_t input : inputs) {
    if (!Has(op, input)) continue;
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(input), HEDDLE_DTYPE_FLOAT32));
  }
  return HEDDLE_OK;
}

}  // namespace

heddle_status CheckLstmAttributes(const OpContext& op, const LstmAttributes& attributes) {
  HEDDLE_OP_RETURN_IF_ERROR(CheckRecurrentActivation(op, attributes.activation));
  if (attributes.cell_clip >= 0 && attributes.projection_clip >= 0) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                 "cells are clipped at ", attributes.cell_clip, " and the projection at ",
                 attributes.projection_clip, ", wanted are numbers that are not negative");
}

heddle_status GetLstmOutputs(const OpContext& op, const LstmOperands& operands, int32_t* outputs) {
  for (const int32_t input :
       {operands.gates[ref::kOutputGate].input, operands.gates[ref::kOutputGate].recurrent}) {
    HEDDLE_OP_RETURN_IF_ERROR(MissingOrNot(op, input, true));
  }
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(Index(operands.gates[ref::kOutputGate].input), 2, 2));
  const size_t recurrent = Index(operands.gates[ref::kOutputGate].recurrent);
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(recurrent, 1, 2));
  *outputs = op.input_dims(recurrent).back();
  return HEDDLE_OK;
}

heddle_status CheckLstm(const OpContext& op, const LstmOperands& operands, int64_t batches,
                        LstmForm* form) {
  int32_t outputs = 0;
  HEDDLE_OP_RETURN_IF_ERROR(GetLstmOutputs(op, operands, &outputs));
  const LstmGateOperands& last = operands.gates[ref::kOutputGate];
  const LstmGateOperands& first = operands.gates[ref::kInputGate];
  form->sizes.inputs = op.input_dims(Index(operands.input)).back();
  form->sizes.aux_inputs =
      Has(op, last.aux) && Has(op, operands.aux) ? op.input_dims(Index(operands.aux)).back() : 0;
  form->sizes.cells = op.input_dims(Index(last.input))[0];
  form->sizes.outputs = outputs;
  form->has_input_gate = Has(op, first.input);
  form->has_peephole = Has(op, last.peephole);
  form->has_norm = Has(op, operands.gates[ref::kForgetGate].norm);
  form->has_projection = Has(op, operands.projection);
  form->is_diagonal = op.input_dims(Index(last.recurrent)).size() == 1;
  for (int g = 0; g < ref::kLstmGates; ++g) {
    HEDDLE_OP_RETURN_IF_ERROR(
        CheckGate(op, operands.gates[g], *form, g != ref::kInputGate || form->has_input_gate));
  }
  const auto cells = static_cast<int32_t>(form->sizes.cells);
  HEDDLE_OP_RETURN_IF_ERROR(
      ExpectOptional(op, operands.projection, form->has_projection, {outputs, cells}));
  const bool has_bias = Has(op, operands.projection_bias);
  if (has_bias && !form->has_projection) return MissingOrNot(op, operands.projection_bias, false);
  HEDDLE_OP_RETURN_IF_ERROR(ExpectOptional(op, operands.projection_bias, has_bias, {outputs}));
  if (cells == 0 || outputs == 0) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, last.recurrent,
                   "a cell without values is not supported");
  }
  // Without a projection the hidden values are the output; a diagonal meets one output a cell.
  if ((!form->has_projection || form->is_diagonal) && cells != outputs) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, last.recurrent, "there are ",
                   cells, " cells and ", outputs, " outputs, and no projection between them");
  }
  for (const int32_t state : {operands.output_state, operands.cell_state}) {
    HEDDLE_OP_RETURN_IF_ERROR(MissingOrNot(op, state, true));
  }
  const heddle_dtype data = op.input(Index(operands.input)).dtype;
  const bool is_float = data == HEDDLE_DTYPE_FLOAT32;
  HEDDLE_OP_RETURN_IF_ERROR(
      ExpectState(op, Index(operands.output_state), data, {batches, form->sizes.outputs}));
  return ExpectState(op, Index(operands.cell_state), is_float ? data : HEDDLE_DTYPE_INT16,
                     {batches, form->sizes.cells});
}

heddle_status PrepareLstm(const OpContext& op, const LstmOperands& operands,
                          const LstmAttributes& attributes, int64_t batches, LstmPlan* plan) {
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(operands.input), HEDDLE_DTYPE_FLOAT32));
  HEDDLE_OP_RETURN_IF_ERROR(CheckLstm(op, operands, batches, &plan->form));
  plan->operands = &operands;
  const heddle_dtype weights = op.input(Index(operands.gates[ref::kOutputGate].input)).dtype;
  plan->is_hybrid = IsHybridWeights(weights);
  const auto prepare = [&](int32_t input, WeightsPlan* result) -> heddle_status {
    if (!Has(op, input)) return HEDDLE_OK;
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(input), weights));
    return PrepareWeights(op, Index(input), attributes.asymmetric, result);
  };
  for (int g = 0; g < ref::kLstmGates; ++g) {
    const LstmGateOperands& gate = operands.gates[g];
    LstmPlan::Gate& planned = plan->gates[g];
    HEDDLE_OP_RETURN_IF_ERROR(ExpectFloats(op, {gate.bias, gate.norm}));
    HEDDLE_OP_RETURN_IF_ERROR(prepare(gate.input, &planned.input));
    if (plan->form.sizes.aux_inputs > 0) {
      HEDDLE_OP_RETURN_IF_ERROR(prepare(gate.aux, &planned.aux));
    }
    HEDDLE_OP_RETURN_IF_ERROR(prepare(gate.peephole, &planned.peephole));
    if (plan->form.is_diagonal && Has(op, gate.recurrent)) {  // a diagonal stays float
      HEDDLE_OP_RETURN_IF_ERROR(ExpectFloats(op, {gate.recurrent}));
      HEDDLE_OP_RETURN_IF_ERROR(
          PrepareWeights(op, Index(gate.recurrent), false, &planned.recurrent));
    } else {
      HEDDLE_OP_RETURN_IF_ERROR(prepare(gate.recurrent, &planned.recurrent));
    }
  }
  HEDDLE_OP_RETURN_IF_ERROR(prepare(operands.projection, &plan->projection));
  HEDDLE_OP_RETURN_IF_ERROR(ExpectFloats(op, {operands.projection_bias}));
  const ref::LstmSizes& sizes = plan->form.sizes;
  const int64_t bytes = sizes.inputs + sizes.aux_inputs + sizes.outputs + sizes.cells;
  HEDDLE_OP_RETURN_IF_ERROR(op.RequestScratch(
      static_cast<size_t>(batches * ref::kLstmGates * sizes.cells) * sizeof(float),
      &plan->real_scratch));
  if (!plan->is_hybrid) return HEDDLE_OK;
  return op.RequestScratch(static_cast<size_t>(batches * bytes), &plan->int8_scratch);
}

heddle_status RunLstm(const OpContext& op, const LstmPlan& plan, const LstmAttributes& attributes,
                      const Sequence& sequence, const float* aux, const LstmTarget& target) {
  const ref::LstmSizes& sizes = plan.form.sizes;
  const LstmOperands& operands = *plan.operands;
  ref::LstmCell cell;
  cell.sizes = sizes;
  cell.has_input_gate = plan.form.has_input_gate;
  const auto floats = [&](int32_t input) {
    return Has(op, input) ? op.InputData<float>(Index(input)) : nullptr;
  };
  for (int g = 0; g < ref::kLstmGates; ++g) {
    const LstmPlan::Gate& planned = plan.gates[g];
    ref::LstmGate& gate = cell.gates[g];
    gate.input = planned.input.At(op);
    gate.aux = planned.aux.At(op);
    gate.recurrent = planned.recurrent.At(op);
    gate.is_diagonal = plan.form.is_diagonal;
    gate.has_peephole = plan.form.has_peephole && operands.gates[g].peephole >= 0;
    gate.peephole = planned.peephole.At(op);
    gate.norm = plan.form.has_norm ? floats(operands.gates[g].norm) : nullptr;
    gate.bias = floats(operands.gates[g].bias);
  }
  cell.has_projection = plan.form.has_projection;
  cell.projection = plan.projection.At(op);
  cell.projection_bias = floats(operands.projection_bias);
  cell.activation = attributes.activation;
  cell.cell_clip = attributes.cell_clip;
  cell.projection_clip = attributes.projection_clip;
  cell.is_hybrid = plan.is_hybrid;
  cell.asymmetric = attributes.asymmetric;

  const auto* input = floats(operands.input);
  auto* cells = op.VariableData<float>(Index(operands.cell_state));
  auto* last_output = op.VariableData<float>(Index(operands.output_state));
  auto* real_scratch = op.Scratch<float>(plan.real_scratch);
  auto* int8_scratch = plan.is_hybrid ? op.Scratch<int8_t>(plan.int8_scratch) : nullptr;
  const int64_t per_batch = sizes.inputs + sizes.aux_inputs + sizes.outputs + sizes.cells;
  const int64_t work = sequence.steps * ref::kLstmGates * sizes.cells * per_batch;
  return RunSequence(op, sequence, GrainFor(work), [&](int64_t b, int64_t row) {
    ref::LstmScratch scratch = {};
    scratch.gates = real_scratch + b * ref::kLstmGates * sizes.cells;
    if (int8_scratch != nullptr) {
      scratch.input = int8_scratch + b * per_batch;
      scratch.aux = scratch.input + sizes.inputs;
      scratch.output = scratch.aux + sizes.aux_inputs;
      scratch.hidden = scratch.output + sizes.outputs;
    }
    ref::LstmStep(cell, input + row * sizes.inputs,
                  aux != nullptr ? aux + row * sizes.aux_inputs : nullptr, cells + b * sizes.cells,
                  last_output + b * sizes.outputs, scratch,
                  target.data + row * target.stride + target.offset);
  });
}

}  // namespace heddle::kernels
