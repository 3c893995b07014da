// SPDX-License-Identifier: Apache-2.0
// CONCATENATION along one dimension: any type of whole bytes. Quantised inputs must have the
// output's scale, but uint8 ones are rescaled.
#include <cmath>
#include <cstring>

#include "kernels/axes.h"
#include "kernels/dispatch.h"
#include "kernels/parts.h"
#include "kernels/quantization.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

struct Concatenation {
  struct Node {
    int32_t axis = 0;
  };
  struct Plan {
    Parts parts;
    std::vector<bool> rescale;    // uint8 only
    std::vector<uint8_t> tables;  // [inputs, 256]
  };

  static heddle_status Init(OpContext& op, Node& node) {
    int32_t activation = 0;
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_CONCATENATION_AXIS, &node.axis));
    HEDDLE_OP_RETURN_IF_ERROR(
        op.Get(HEDDLE_ATTR_CONCATENATION_FUSED_ACTIVATION_FUNCTION, &activation));
    if (activation == HEDDLE_ACTIVATION_NONE) return HEDDLE_OK;
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_ATTRIBUTE_NOT_SUPPORTED, HEDDLE_NO_OPERAND,
                   "a fused activation is not supported");
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(
        op.ExpectOperands(std::max<size_t>(1, op.input_count()), SIZE_MAX, 1));
    size_t axis = 0;
    HEDDLE_OP_RETURN_IF_ERROR(ResolveAxis(op, 0, node.axis, &axis));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, op.input(0).dtype));
    const auto first = op.input_dims(0);
    std::vector<int32_t> dims(first.begin(), first.end());
    for (size_t i = 1; i < op.input_count(); ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(i, op.input(0).dtype));
      const auto other = op.input_dims(i);
      bool fits = other.size() == first.size();
      for (size_t d = 0; fits && d < dims.size(); ++d) fits = d == axis || other[d] == first[d];
      if (!fits) {
        return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, static_cast<int32_t>(i),
                       "input ", i, " has shape ", ShapeText(other), ", input 0 has ",
                       ShapeText(first), "; they may differ in dimension ", axis, " only");
      }
      if (!CheckedAdd(dims[axis], other[axis], &dims[axis])) {
        return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, static_cast<int32_t>(i),
                       "the sum of dimension ", axis, " is too large");
      }
    }
    return op.SetOutput(0, op.input(0).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    size_t axis = 0;
    HEDDLE_OP_RETURN_IF_ERROR(ResolveAxis(op, 0, node.axis, &axis));
    const heddle_dtype dtype = op.input(0).dtype;
    if (!DispatchWidth(dtype, [](auto) {})) return op.UnsupportedType(0);
    HEDDLE_OP_RETURN_IF_ERROR(StartParts(op, op.input_dims(0).first(axis), &plan.parts));
    for (size_t i = 0; i < op.input_count(); ++i) {
      HEDDLE_OP_RETURN_IF_ERROR(
          AddPart(op, static_cast<int32_t>(i), dtype, op.input_dims(i).subspan(axis), &plan.parts));
    }
    plan.rescale.resize(op.input_count());
    const bool may_be_quantized =
        dtype == HEDDLE_DTYPE_INT8 || dtype == HEDDLE_DTYPE_UINT8 || dtype == HEDDLE_DTYPE_INT16;
    if (!may_be_quantized || !IsQuantized(op.output(0))) return HEDDLE_OK;
    return PrepareQuantized(op, &plan);
  }

  static heddle_status PrepareQuantized(const OpContext& op, Plan* plan) {
    Affine out;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &out));
    for (size_t i = 0; i < op.input_count(); ++i) {
      const auto operand = static_cast<int32_t>(i);
      Affine in;
      HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, operand, &in));
      if (in.zero_point == out.zero_point && in.scale == out.scale) continue;
      if (op.input(0).dtype == HEDDLE_DTYPE_UINT8) {
        plan->rescale[i] = true;
        plan->tables.resize(op.input_count() * 256);
        FillTable(in, out, plan->tables.data() + i * 256);
        continue;
      }
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, operand,
                     "input ", i, " is quantised by ", in.scale, " and ", in.zero_point,
                     ", the output by ", out.scale, " and ", out.zero_point,
                     "; wanted is the same");
    }
    return HEDDLE_OK;
  }

  // In single precision and this order, as models define it.
  static void FillTable(Affine in, Affine out, uint8_t* table) {
    const float scale = in.scale * (1.0f / out.scale);
    const float bias = static_cast<float>(-in.zero_point) * scale;
    for (int q = 0; q < 256; ++q) {
      const double value =
          static_cast<double>(std::round(static_cast<float>(q) * scale + bias)) + out.zero_point;
      table[q] = static_cast<uint8_t>(value >= 0 ? std::min(value, 255.0) : 0.0);
    }
  }

  static heddle_status Invoke(OpContext& op, const Node&, const Plan& plan) {
    if (plan.tables.empty()) return JoinInputs(op, plan.parts);
    auto* output = op.OutputData<uint8_t>(0);
    return ForEachPart(op, plan.parts, [&](size_t i, int64_t at, int64_t row, size_t bytes) {
      const uint8_t* from = op.InputData<uint8_t>(i) + row * plan.parts.runs[i];
      if (!plan.rescale[i]) {
        std::memcpy(output + at, from, bytes);
        return;
      }
      const uint8_t* table = plan.tables.data() + i * 256;
      for (size_t b = 0; b < bytes; ++b) output[at + static_cast<int64_t>(b)] = table[from[b]];
    });
  }
};

}  // namespace

HEDDLE_OP(CONCATENATION, 1, 4, Concatenation);

}  // namespace heddle::kernels
