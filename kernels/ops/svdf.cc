// SPDX-License-Identifier: Apache-2.0
// SVDF: input [batch, inputs], weights of features [filters, inputs], weights of time
// [filters, memory], bias [units] (optional), state [batch, memory * filters]. float32; float32 by
// int8 weights; int8 with an int16 state, or with an int8 state as microcontrollers have it.
#include "kernels/ref/svdf.h"

#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/recurrent.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

struct Svdf {
  enum Operand : size_t { kInput, kFeature, kTime, kBias, kState };
  static constexpr uint32_t kFlags = HEDDLE_OP_STATEFUL;

  struct Node {
    int32_t rank = 0;
    int32_t activation = 0;
    bool asymmetric = false;
  };
  struct Plan {
    int64_t batches = 0;
    ref::SvdfShape shape;
    WeightsPlan feature;
    WeightsPlan time;
    int32_t quantized = -1;  // scratch: [batch, inputs] int8
    int32_t rows = -1;       // scratch: DataRow [batch]
    ref::SvdfScales scales;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_SVDF_RANK, &node.rank));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_SVDF_FUSED_ACTIVATION_FUNCTION, &node.activation));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_SVDF_ASYMMETRIC_QUANTIZE_INPUTS, &node.asymmetric));
    if (node.rank < 1) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     "rank is ", node.rank, ", wanted is a positive number");
    }
    return CheckRecurrentActivation(op, node.activation);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(3, 5, 1));
    for (const size_t i : {kInput, kFeature, kTime}) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(i, 2, 2));
    }
    const int32_t filters = op.input_dims(kFeature)[0];
    if (filters % node.rank != 0) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, kFeature, filters,
                     " filters are no multiple of the rank ", node.rank);
    }
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(kInput).dtype));
    const int32_t dims[] = {op.input_dims(kInput)[0], filters / node.rank};
    return op.SetOutput(0, op.input(kInput).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    const int32_t inputs = op.input_dims(kInput)[1];
    const int32_t filters = op.input_dims(kFeature)[0];
    const int32_t memory = op.input_dims(kTime)[1];
    plan.batches = op.input_dims(kInput)[0];
    plan.shape = {inputs, filters / node.rank, node.rank, memory};
    HEDDLE_OP_RETURN_IF_ERROR(ExpectShape(op, kFeature, {filters, inputs}));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectShape(op, kTime, {filters, memory}));
    if (op.HasInput(kBias)) {
      HEDDLE_OP_RETURN_IF_ERROR(ExpectShape(op, kBias, {filters / node.rank}));
    }
    if (memory == 0) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, kTime,
                     "a memory of 0 steps is not supported");
    }
    if (!op.HasInput(kState)) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_MISSING_OPERAND, kState,
                     "input 4, the state, is required but absent");
    }
    const bool is_float = op.input(kInput).dtype == HEDDLE_DTYPE_FLOAT32;
    const heddle_dtype state_type = is_float ? HEDDLE_DTYPE_FLOAT32 : op.input(kTime).dtype;
    HEDDLE_OP_RETURN_IF_ERROR(ExpectState(op, kState, state_type, {plan.batches, memory, filters}));
    if (is_float) return PrepareFloat(op, node, plan);
    if (op.input(kInput).dtype != HEDDLE_DTYPE_INT8) return op.UnsupportedType(kInput);
    // The output's type clamps: RELU at its zero point, if that is the least number.
    if (node.activation != HEDDLE_ACTIVATION_NONE && node.activation != HEDDLE_ACTIVATION_RELU) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_ATTRIBUTE_NOT_SUPPORTED, HEDDLE_NO_OPERAND,
                     "fused activation ", node.activation, " is not supported for int8");
    }
    return PrepareInteger(op, plan);
  }

  static heddle_status PrepareFloat(OpContext& op, const Node& node, Plan& plan) {
    if (op.HasInput(kBias)) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kBias, HEDDLE_DTYPE_FLOAT32));
    }
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kTime, op.input(kFeature).dtype));
    HEDDLE_OP_RETURN_IF_ERROR(PrepareWeights(op, kFeature, node.asymmetric, &plan.feature));
    HEDDLE_OP_RETURN_IF_ERROR(PrepareWeights(op, kTime, false, &plan.time));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.RequestScratch(static_cast<size_t>(plan.batches) * sizeof(ref::DataRow), &plan.rows));
    if (!plan.feature.is_quantized) return HEDDLE_OK;
    return op.RequestScratch(op.input(kInput).bytes / sizeof(float), &plan.quantized);
  }

  static heddle_status PrepareInteger(OpContext& op, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kFeature, HEDDLE_DTYPE_INT8));
    if (!IsOneOf<int8_t, int16_t>(op.input(kTime).dtype)) return op.UnsupportedType(kTime);
    if (op.HasInput(kBias)) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kBias, HEDDLE_DTYPE_INT32));
    }
    Affine input;
    Affine feature;
    Affine time;
    Affine state;
    Affine output;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kInput, &input));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kFeature, &feature));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kTime, &time));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kState, &state));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &output));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, kFeature, 0));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, kTime, 0));
    if (op.input(kState).dtype == HEDDLE_DTYPE_INT16) {
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, kState, 0));
    }
    plan.scales.input_zero_point = input.zero_point;
    plan.scales.state_zero_point = state.zero_point;
    plan.scales.output_zero_point = output.zero_point;
    const double to_state = double{input.scale} * double{feature.scale} / double{state.scale};
    const double to_output = double{state.scale} * double{time.scale} / double{output.scale};
    HEDDLE_OP_RETURN_IF_ERROR(MakeMultiplier(op, to_state, kMaxShift32, &plan.scales.to_state));
    return MakeMultiplier(op, to_output, kMaxShift32, &plan.scales.to_output);
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    switch (op.input(kState).dtype) {
      case HEDDLE_DTYPE_FLOAT32:
        return InvokeFloat(op, node, plan);
      case HEDDLE_DTYPE_INT16:
        return InvokeInteger<int16_t>(op, plan);
      default:
        return InvokeInteger<int8_t>(op, plan);
    }
  }

  static heddle_status InvokeFloat(OpContext& op, const Node& node, const Plan& plan) {
    const ref::SvdfShape& shape = plan.shape;
    const ref::Weights feature = plan.feature.At(op);
    const ref::Weights time = plan.time.At(op);
    auto* rows = op.Scratch<ref::DataRow>(plan.rows);
    auto* quantized = plan.quantized >= 0 ? op.Scratch<int8_t>(plan.quantized) : nullptr;
    for (int64_t b = 0; b < plan.batches; ++b) {
      rows[b] = ref::MakeRow(feature.is_quantized, node.asymmetric,
                             op.InputData<float>(kInput) + b * shape.inputs, shape.inputs,
                             quantized != nullptr ? quantized + b * shape.inputs : nullptr);
    }
    const auto* bias = op.InputData<float>(kBias);
    auto* state = op.VariableData<float>(kState);
    auto* output = op.OutputData<float>(0);
    return ForUnits(op, plan, [&](int64_t b, int64_t unit) {
      const float sum =
          ref::SvdfUnit(shape, feature, time, rows[b], unit, state + b * StateSize(shape));
      output[b * shape.units + unit] =
          ref::Activate(node.activation, bias != nullptr ? sum + bias[unit] : sum);
    });
  }

  template <typename State>
  static heddle_status InvokeInteger(OpContext& op, const Plan& plan) {
    const ref::SvdfShape& shape = plan.shape;
    const auto* input = op.InputData<int8_t>(kInput);
    const auto* feature = op.InputData<int8_t>(kFeature);
    const auto* time = op.InputData<State>(kTime);
    const auto* bias = op.InputData<int32_t>(kBias);
    auto* state = op.VariableData<State>(kState);
    auto* output = op.OutputData<int8_t>(0);
    return ForUnits(op, plan, [&](int64_t b, int64_t unit) {
      output[b * shape.units + unit] =
          ref::SvdfUnit<State>(shape, plan.scales, feature, time, bias != nullptr ? bias[unit] : 0,
                               input + b * shape.inputs, unit, state + b * StateSize(shape));
    });
  }

  static int64_t StateSize(const ref::SvdfShape& shape) {
    return shape.units * shape.rank * shape.memory;
  }

  template <typename Fn>
  static heddle_status ForUnits(OpContext& op, const Plan& plan, const Fn& fn) {
    const ref::SvdfShape& shape = plan.shape;
    return op.ParallelFor(plan.batches * shape.units,
                          GrainFor(shape.rank * (shape.inputs + shape.memory)),
                          [&](int64_t begin, int64_t end) {
                            for (int64_t i = begin; i < end; ++i) {
                              fn(i / shape.units, i % shape.units);
                            }
                          });
  }
};

}  // namespace

HEDDLE_OP(SVDF, 1, 4, Svdf);

}  // namespace heddle::kernels
