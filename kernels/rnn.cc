// SPDX-License-Identifier: Apache-2.0
#include "kernels/rnn.h"

#include "kernels/ref/rnn.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

size_t Index(int32_t input) { return static_cast<size_t>(input); }

}  // namespace

heddle_status PrepareRnn(const OpContext& op, const RnnOperands& operands,
                         const RnnAttributes& attributes, int64_t batches, RnnPlan* plan) {
  plan->operands = &operands;
  const size_t weights = Index(operands.weights);
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(operands.input), HEDDLE_DTYPE_FLOAT32));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(weights, 2, 2));
  const int32_t inputs = op.input_dims(Index(operands.input)).back();
  const int32_t units = op.input_dims(weights)[0];
  plan->inputs = inputs;
  plan->units = units;
  if (units == 0) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, operands.weights,
                   "a layer without units is not supported");
  }
  HEDDLE_OP_RETURN_IF_ERROR(ExpectShape(op, weights, {units, inputs}));
  HEDDLE_OP_RETURN_IF_ERROR(ExpectShape(op, Index(operands.recurrent), {units, units}));
  HEDDLE_OP_RETURN_IF_ERROR(ExpectShape(op, Index(operands.bias), {units}));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(operands.bias), HEDDLE_DTYPE_FLOAT32));
  HEDDLE_OP_RETURN_IF_ERROR(
      ExpectState(op, Index(operands.state), HEDDLE_DTYPE_FLOAT32, {batches, units}));
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(operands.recurrent), op.input(weights).dtype));
  HEDDLE_OP_RETURN_IF_ERROR(PrepareWeights(op, weights, attributes.asymmetric, &plan->weights));
  HEDDLE_OP_RETURN_IF_ERROR(
      PrepareWeights(op, Index(operands.recurrent), attributes.asymmetric, &plan->recurrent));
  if (operands.aux_weights >= 0 && op.HasInput(Index(operands.aux_weights))) {
    const auto aux_dims = op.input_dims(Index(operands.aux));
    plan->aux_inputs = aux_dims.back();
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(operands.aux), HEDDLE_DTYPE_FLOAT32));
    HEDDLE_OP_RETURN_IF_ERROR(
        ExpectShape(op, Index(operands.aux_weights), {units, aux_dims.back()}));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(Index(operands.aux_weights), op.input(weights).dtype));
    HEDDLE_OP_RETURN_IF_ERROR(
        PrepareWeights(op, Index(operands.aux_weights), attributes.asymmetric, &plan->aux));
  }
  if (!plan->weights.is_quantized) return HEDDLE_OK;
  return op.RequestScratch(
      static_cast<size_t>(batches * (plan->inputs + plan->aux_inputs + plan->units)),
      &plan->scratch);
}

heddle_status RunRnn(const OpContext& op, const RnnPlan& plan, const RnnAttributes& attributes,
                     const Sequence& sequence, float* output, int64_t stride) {
  const RnnOperands& operands = *plan.operands;
  ref::RnnCell cell;
  cell.inputs = plan.inputs;
  cell.aux_inputs = plan.aux_inputs;
  cell.units = plan.units;
  cell.input = plan.weights.At(op);
  cell.aux = plan.aux.At(op);
  cell.recurrent = plan.recurrent.At(op);
  cell.bias = op.InputData<float>(Index(operands.bias));
  cell.activation = attributes.activation;
  cell.is_hybrid = plan.weights.is_quantized;
  cell.asymmetric = attributes.asymmetric;
  const auto* input = op.InputData<float>(Index(operands.input));
  const auto* aux = plan.aux_inputs > 0 ? op.InputData<float>(Index(operands.aux)) : nullptr;
  auto* state = op.VariableData<float>(Index(operands.state));
  auto* scratch = plan.scratch >= 0 ? op.Scratch<int8_t>(plan.scratch) : nullptr;
  const int64_t per_batch = plan.inputs + plan.aux_inputs + plan.units;
  const int64_t work = sequence.steps * plan.units * per_batch;
  return RunSequence(op, sequence, GrainFor(work), [&](int64_t b, int64_t row) {
    ref::RnnStep(cell, input + row * plan.inputs,
                 aux != nullptr ? aux + row * plan.aux_inputs : nullptr, state + b * plan.units,
                 scratch != nullptr ? scratch + b * per_batch : nullptr, output + row * stride);
  });
}

}  // namespace heddle::kernels
