// SPDX-License-Identifier: Apache-2.0
// SVDF: input [batch, depth], feature weights [filters, depth], time weights [filters, memory],
// optional bias [units], and the state, a variable [batch, filters * memory]. float32; float32 by
// int8 weights (uint8 means the same bytes); int8 with int16 or int8 state and time weights.
#include "kernels/ref/svdf.h"

#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/window.h"

namespace heddle::kernels {
namespace {

constexpr size_t kInput = 0;
constexpr size_t kFeatureWeights = 1;
constexpr size_t kTimeWeights = 2;
constexpr size_t kBias = 3;
constexpr size_t kState = 4;

struct Svdf {
  struct Node {
    int32_t rank = 0;
    int32_t activation = 0;
    bool asymmetric = false;
  };
  struct Plan {
    ref::SvdfShape shape;
    ref::IntegerSvdfParams integer;
    Affine feature;
    Affine time;
    int32_t quantized = 0;  // scratch
    int32_t rows = 0;
    int32_t weights_sums = 0;
  };
  static constexpr uint32_t kFlags = HEDDLE_OP_STATEFUL;

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_SVDF_RANK, &node.rank));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_SVDF_FUSED_ACTIVATION_FUNCTION, &node.activation));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_SVDF_ASYMMETRIC_QUANTIZE_INPUTS, &node.asymmetric));
    if (node.rank < 1) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     "rank is ", node.rank, ", wanted is at least 1");
    }
    if (node.activation == HEDDLE_ACTIVATION_TANH) return HEDDLE_OK;
    return CheckActivation(op, node.activation);
  }

  static heddle_status ExpectDims(const OpContext& op, size_t i,
                                  std::initializer_list<int64_t> wanted) {
    const auto dims = op.input_dims(i);
    if (std::equal(dims.begin(), dims.end(), wanted.begin(), wanted.end())) return HEDDLE_OK;
    std::string text;
    for (const int64_t dim : wanted) text += StrCat(text.empty() ? "" : ",", dim);
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, static_cast<int32_t>(i),
                   "input ", i, " has shape ", ShapeText(dims), ", wanted is [", text, "]");
  }

  static heddle_status MakeShape(const OpContext& op, const Node& node, ref::SvdfShape* shape) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(3, 5, 1));
    if (!op.HasInput(kState)) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_MISSING_OPERAND, kState,
                     "input 4, the state, is required but absent");
    }
    for (const size_t i : {kInput, kFeatureWeights, kTimeWeights, kState}) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(i, 2, 2));
    }
    shape->batch = op.input_dims(kInput)[0];
    shape->depth = op.input_dims(kInput)[1];
    shape->filters = op.input_dims(kFeatureWeights)[0];
    shape->memory = op.input_dims(kTimeWeights)[1];
    shape->rank = node.rank;
    if (shape->filters % node.rank != 0 || shape->memory == 0) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, kTimeWeights,
                     shape->filters, " filters of memory ", shape->memory,
                     " do not make units of rank ", node.rank);
    }
    HEDDLE_OP_RETURN_IF_ERROR(ExpectDims(op, kFeatureWeights, {shape->filters, shape->depth}));
    HEDDLE_OP_RETURN_IF_ERROR(ExpectDims(op, kTimeWeights, {shape->filters, shape->memory}));
    HEDDLE_OP_RETURN_IF_ERROR(
        ExpectDims(op, kState, {shape->batch, shape->filters * shape->memory}));
    if (op.HasInput(kBias)) HEDDLE_OP_RETURN_IF_ERROR(ExpectDims(op, kBias, {shape->units()}));
    return op.ExpectVariable(kState);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    ref::SvdfShape shape;
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &shape));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(kInput).dtype));
    const int32_t dims[] = {static_cast<int32_t>(shape.batch), static_cast<int32_t>(shape.units())};
    return op.SetOutput(0, op.input(kInput).dtype, dims);
  }

  static heddle_status ExpectTypes(const OpContext& op, heddle_dtype bias, heddle_dtype state,
                                   heddle_dtype feature, heddle_dtype time) {
    if (op.HasInput(kBias)) HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kBias, bias));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kState, state));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kFeatureWeights, feature));
    return op.ExpectType(kTimeWeights, time);
  }

  static heddle_status PrepareHybrid(OpContext& op, Plan& plan) {
    const heddle_dtype weights = op.input(kFeatureWeights).dtype;
    HEDDLE_OP_RETURN_IF_ERROR(
        ExpectTypes(op, HEDDLE_DTYPE_FLOAT32, HEDDLE_DTYPE_FLOAT32, weights, weights));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kFeatureWeights, &plan.feature));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kTimeWeights, &plan.time));
    HEDDLE_OP_RETURN_IF_ERROR(op.RequestScratch(op.input(kInput).bytes / 4, &plan.quantized));
    HEDDLE_OP_RETURN_IF_ERROR(op.RequestScratch(
        static_cast<size_t>(plan.shape.batch) * sizeof(ref::RowQuantization), &plan.rows));
    return op.RequestScratch(static_cast<size_t>(plan.shape.filters) * sizeof(int32_t),
                             &plan.weights_sums);
  }

  static heddle_status PrepareInteger(OpContext& op, const Node& node, Plan& plan) {
    const heddle_dtype state_type = op.input(kState).dtype;
    if (!IsOneOf<int8_t, int16_t>(state_type)) return op.UnsupportedType(kState);
    HEDDLE_OP_RETURN_IF_ERROR(
        ExpectTypes(op, HEDDLE_DTYPE_INT32, state_type, HEDDLE_DTYPE_INT8, state_type));
    if (node.activation != HEDDLE_ACTIVATION_RELU) {
      // The output's range is the activation: a model says RELU and quantises so.
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_ATTRIBUTE_NOT_SUPPORTED, HEDDLE_NO_OPERAND,
                     "of int8 only fused activation RELU is supported");
    }
    Affine input, state, output;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kInput, &input));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kFeatureWeights, &plan.feature));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kTimeWeights, &plan.time));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, kState, &state));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &output));
    if (state_type == HEDDLE_DTYPE_INT16) {
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, kState, 0));
    }
    plan.integer.input_zero_point = input.zero_point;
    plan.integer.state_zero_point = state.zero_point;
    plan.integer.output_zero_point = output.zero_point;
    HEDDLE_OP_RETURN_IF_ERROR(MakeMultiplier(op, input.scale * plan.feature.scale / state.scale,
                                             kMaxShift32, &plan.integer.to_state));
    return MakeMultiplier(op, state.scale * plan.time.scale / output.scale, kMaxShift32,
                          &plan.integer.to_output);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &plan.shape));
    if (op.input(kInput).dtype == HEDDLE_DTYPE_INT8) return PrepareInteger(op, node, plan);
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(kInput, HEDDLE_DTYPE_FLOAT32));
    switch (op.input(kFeatureWeights).dtype) {
      case HEDDLE_DTYPE_FLOAT32:
        return ExpectTypes(op, HEDDLE_DTYPE_FLOAT32, HEDDLE_DTYPE_FLOAT32, HEDDLE_DTYPE_FLOAT32,
                           HEDDLE_DTYPE_FLOAT32);
      case HEDDLE_DTYPE_INT8:
      case HEDDLE_DTYPE_UINT8:
        return PrepareHybrid(op, plan);
      default:
        return op.UnsupportedType(kFeatureWeights);
    }
  }

  template <typename T>
  static ref::SvdfOperands<T> Operands(const OpContext& op, const Node& node, const Plan& plan) {
    ref::SvdfOperands<T> operands;
    operands.feature_weights = op.InputData<T>(kFeatureWeights);
    operands.time_weights = op.InputData<T>(kTimeWeights);
    operands.bias = op.InputData<float>(kBias);
    operands.feature_scale = plan.feature.scale;
    operands.time_scale = plan.time.scale;
    operands.tanh = node.activation == HEDDLE_ACTIVATION_TANH;
    const FloatRange range = ActivationRange(node.activation);
    operands.min = range.min;
    operands.max = range.max;
    return operands;
  }

  // Rows are few: quantised by one thread.
  static void QuantizeInput(const OpContext& op, bool asymmetric, const Plan& plan) {
    const auto* input = op.InputData<float>(kInput);
    auto* quantized = op.Scratch<int8_t>(plan.quantized);
    auto* rows = op.Scratch<ref::RowQuantization>(plan.rows);
    for (int64_t b = 0; b < plan.shape.batch; ++b) {
      const int64_t at = b * plan.shape.depth;
      rows[b] = ref::QuantizeRow(asymmetric, input + at, plan.shape.depth, quantized + at);
    }
    auto* sums = op.Scratch<int32_t>(plan.weights_sums);
    if (asymmetric) {
      ref::SumRows(op.InputData<int8_t>(kFeatureWeights), plan.shape.filters, plan.shape.depth,
                   sums);
    } else {
      std::fill_n(sums, plan.shape.filters, 0);
    }
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    const int64_t count = plan.shape.batch * plan.shape.units();
    const int64_t grain = GrainFor({plan.shape.rank, plan.shape.depth + plan.shape.memory});
    if (op.input(kInput).dtype == HEDDLE_DTYPE_INT8) {
      return DispatchInput<int8_t, int16_t>(op, kState, [&](auto tag) {
        using State = typename decltype(tag)::type;
        return op.ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
          ref::IntegerSvdf<State>(plan.shape, plan.integer, op.InputData<int8_t>(kFeatureWeights),
                                  op.InputData<State>(kTimeWeights), op.InputData<int32_t>(kBias),
                                  op.InputData<int8_t>(kInput), op.VariableData<State>(kState),
                                  op.OutputData<int8_t>(0), begin, end);
        });
      });
    }
    auto* state = op.VariableData<float>(kState);
    auto* output = op.OutputData<float>(0);
    if (op.input(kFeatureWeights).dtype == HEDDLE_DTYPE_FLOAT32) {
      return op.ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
        ref::Svdf(plan.shape, Operands<float>(op, node, plan), op.InputData<float>(kInput), state,
                  output, begin, end);
      });
    }
    QuantizeInput(op, node.asymmetric, plan);
    return op.ParallelFor(count, grain, [&](int64_t begin, int64_t end) {
      ref::HybridSvdf(plan.shape, Operands<int8_t>(op, node, plan),
                      op.Scratch<int8_t>(plan.quantized),
                      op.Scratch<ref::RowQuantization>(plan.rows),
                      op.Scratch<int32_t>(plan.weights_sums), state, output, begin, end);
    });
  }
};

}  // namespace

HEDDLE_OP(SVDF, 1, 4, Svdf);

}  // namespace heddle::kernels
