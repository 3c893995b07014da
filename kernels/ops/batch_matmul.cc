// SPDX-License-Identifier: Apache-2.0
// BATCH_MATMUL: [..., rows, depth] by [..., depth, columns], either one transposed by attribute,
// batches stretched to a common shape. float32; int8 to int8, or to int32 as plain integers; int16
// by int16 or int8; float32 by int8 (hybrid). The second may have a scale for each column.
#include "kernels/ref/batch_matmul.h"

#include <limits>

#include "kernels/conv_params.h"
#include "kernels/dispatch.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

// There is no fused activation, which elsewhere takes infinities away.
constexpr ref::FloatSum kUnbounded{-std::numeric_limits<float>::infinity(),
                                   std::numeric_limits<float>::infinity()};

struct BatchMatMul {
  enum class Kind : uint8_t { kFloat, kHybrid, kInt8, kInt8Plain, kInt16, kInt16ByInt8 };
  static constexpr int32_t kMaxRank = 5;

  struct Node {
    bool adj[2] = {false, false};
    bool asymmetric = false;
  };
  struct Plan {
    ref::BatchMatMulShape shape;
    Kind kind = Kind::kFloat;
    // An operand whose rows do not lie along the depth is transposed into scratch.
    bool transposed[2] = {false, false};
    int64_t matrices[2] = {0, 0};
    int32_t scratch[2] = {0, 0};
    ref::QuantizedSum quantized;
    std::vector<ref::Multiplier> multipliers;
    std::vector<float> scales;  // of operand 1
    // Hybrid: the rows of operand 0, quantised.
    int32_t quantized_rows = 0;
    int32_t row_quantizations = 0;
  };

  static heddle_status Init(OpContext& op, Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_BATCH_MAT_MUL_ADJ_X, &node.adj[0]));
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_BATCH_MAT_MUL_ADJ_Y, &node.adj[1]));
    return op.Get(HEDDLE_ATTR_BATCH_MAT_MUL_ASYMMETRIC_QUANTIZE_INPUTS, &node.asymmetric);
  }

  static heddle_status MakeShape(const OpContext& op, const Node& node,
                                 ref::BatchMatMulShape* shape, std::vector<int32_t>* dims) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 2, kMaxRank));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 2, kMaxRank));
    const std::span<const int32_t> x = op.input_dims(0);
    const std::span<const int32_t> y = op.input_dims(1);
    const auto x_matrix = x.last(2);
    const auto y_matrix = y.last(2);
    shape->rows = x_matrix[node.adj[0] ? 1 : 0];
    shape->depth = x_matrix[node.adj[0] ? 0 : 1];
    shape->columns = y_matrix[node.adj[1] ? 0 : 1];
    bool fits = shape->depth == y_matrix[node.adj[1] ? 1 : 0];
    shape->batch_dims = static_cast<int>(std::max(x.size(), y.size())) - 2;
    int64_t matrices[2] = {1, 1};
    for (int d = shape->batch_dims - 1; d >= 0; --d) {
      const size_t from_end = static_cast<size_t>(shape->batch_dims - d) + 2;
      const int32_t a = x.size() < from_end ? 1 : x[x.size() - from_end];
      const int32_t b = y.size() < from_end ? 1 : y[y.size() - from_end];
      fits = fits && (a == b || a == 1 || b == 1);
      shape->dims[d] = a == 1 ? b : a;
      shape->strides[0][d] = a == 1 ? 0 : matrices[0];
      shape->strides[1][d] = b == 1 ? 0 : matrices[1];
      // Too many matrices to count are all empty: any of them will do.
      if (!CheckedMul<int64_t>(matrices[0], a, &matrices[0])) matrices[0] = 0;
      if (!CheckedMul<int64_t>(matrices[1], b, &matrices[1])) matrices[1] = 0;
    }
    if (!fits) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPES_DIFFER, 1, "matrices of shapes ",
                     ShapeText(x), " and ", ShapeText(y), " cannot be multiplied",
                     node.adj[0] ? ", the first transposed" : "",
                     node.adj[1] ? ", the second transposed" : "");
    }
    for (int d = 0; d < shape->batch_dims; ++d) {
      dims->push_back(static_cast<int32_t>(shape->dims[d]));
    }
    int64_t elements = 0;
    const bool small = ElementCount(*dims, &shape->batches);
    dims->push_back(static_cast<int32_t>(shape->rows));
    dims->push_back(static_cast<int32_t>(shape->columns));
    if (!small || !ElementCount(*dims, &elements)) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, OpContext::kOutput(0),
                     "shape ", ShapeText(*dims), " is too large");
    }
    return HEDDLE_OK;
  }

  static heddle_status ChooseKind(const OpContext& op, Kind* kind) {
    const heddle_dtype x = op.input(0).dtype;
    const heddle_dtype y = op.input(1).dtype;
    if (x == HEDDLE_DTYPE_FLOAT32 && (y == x || y == HEDDLE_DTYPE_INT8)) {
      *kind = y == x ? Kind::kFloat : Kind::kHybrid;
    } else if (x == HEDDLE_DTYPE_INT8 && y == x) {
      const bool plain = op.output(0).dtype == HEDDLE_DTYPE_INT32;
      *kind = plain ? Kind::kInt8Plain : Kind::kInt8;
      if (plain) return HEDDLE_OK;
    } else if (x == HEDDLE_DTYPE_INT16 && (y == x || y == HEDDLE_DTYPE_INT8)) {
      *kind = y == x ? Kind::kInt16 : Kind::kInt16ByInt8;
    } else if (IsOneOf<float, int8_t, int16_t>(x)) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_TYPE_NOT_SUPPORTED, 1, "a matrix of type ",
                     DtypeName(y), " after one of ", DtypeName(x), " is not supported");
    } else {
      return op.UnsupportedType(0);
    }
    return op.ExpectOutputType(0, x);
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    ref::BatchMatMulShape shape;
    std::vector<int32_t> dims;
    Kind kind;
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &shape, &dims));
    HEDDLE_OP_RETURN_IF_ERROR(ChooseKind(op, &kind));
    return op.SetOutput(0, op.output(0).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    std::vector<int32_t> dims;
    HEDDLE_OP_RETURN_IF_ERROR(MakeShape(op, node, &plan.shape, &dims));
    HEDDLE_OP_RETURN_IF_ERROR(ChooseKind(op, &plan.kind));
    plan.transposed[0] = node.adj[0];
    plan.transposed[1] = !node.adj[1];
    for (const size_t i : {0, 1}) {
      const auto matrix_dims = op.input_dims(i);
      // The matrices of an empty operand may be too many to count, and are never looked at.
      if (op.input(i).bytes == 0 ||
          !ElementCount(matrix_dims.first(matrix_dims.size() - 2), &plan.matrices[i])) {
        plan.matrices[i] = 0;
      }
      if (plan.transposed[i]) {
        HEDDLE_OP_RETURN_IF_ERROR(op.RequestScratch(op.input(i).bytes, &plan.scratch[i]));
      }
    }
    switch (plan.kind) {
      case Kind::kFloat:
      case Kind::kInt8Plain:
        return HEDDLE_OK;
      case Kind::kHybrid:
        return PrepareHybrid(op, node, &plan);
      default:
        return PrepareQuantized(op, node, &plan);
    }
  }

  static heddle_status GetColumnScales(const OpContext& op, const Node& node, Plan* plan,
                                       int32_t* zero_point) {
    const int32_t column_dim = op.input(1).rank - (node.adj[1] ? 2 : 1);
    return GetChannelScales(op, 1, column_dim, static_cast<int32_t>(plan->shape.columns),
                            &plan->scales, zero_point);
  }

  static heddle_status PrepareHybrid(const OpContext& op, const Node& node, Plan* plan) {
    HEDDLE_OP_RETURN_IF_ERROR(GetColumnScales(op, node, plan, nullptr));
    const auto elements = static_cast<int64_t>(op.input(0).bytes / sizeof(float));
    const int64_t rows = plan->matrices[0] * plan->shape.rows;  // at most the elements, or 0
    HEDDLE_OP_RETURN_IF_ERROR(
        op.RequestScratch(static_cast<size_t>(elements), &plan->quantized_rows));
    return op.RequestScratch(static_cast<size_t>(rows) * sizeof(ref::RowQuantization),
                             &plan->row_quantizations);
  }

  static heddle_status PrepareQuantized(const OpContext& op, const Node& node, Plan* plan) {
    Affine x;
    Affine output;
    int32_t y_zero_point = 0;
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, 0, &x));
    HEDDLE_OP_RETURN_IF_ERROR(GetAffine(op, OpContext::kOutput(0), &output));
    const bool is_int8 = plan->kind == Kind::kInt8;
    if (!is_int8) {
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, 0, 0));
      HEDDLE_OP_RETURN_IF_ERROR(ExpectZeroPoint(op, OpContext::kOutput(0), 0));
    }
    HEDDLE_OP_RETURN_IF_ERROR(GetColumnScales(op, node, plan, is_int8 ? &y_zero_point : nullptr));
    for (const float scale : plan->scales) {
      const double factor = static_cast<double>(x.scale) * static_cast<double>(scale) /
                            static_cast<double>(output.scale);
      HEDDLE_OP_RETURN_IF_ERROR(MakeMultiplier(op, factor, is_int8 ? kMaxShift32 : kMaxShift64,
                                               &plan->multipliers.emplace_back()));
    }
    const IntegerRange range = RangeOf(op.output(0).dtype);
    plan->quantized = {x.zero_point,      y_zero_point,
                       output.zero_point, range.min,
                       range.max,         plan->multipliers.data(),
                       nullptr,           plan->scales.size() > 1 ? 1 : 0};
    return HEDDLE_OK;
  }

  // Operand i with its rows along the depth.
  template <typename T>
  static heddle_status Rows(const OpContext& op, const Plan& plan, size_t i, const T** rows) {
    *rows = op.InputData<T>(i);
    if (!plan.transposed[i]) return HEDDLE_OK;
    auto* const out = op.Scratch<T>(plan.scratch[i]);
    const T* const in = *rows;
    *rows = out;
    const int64_t width = i == 0 ? plan.shape.rows : plan.shape.columns;
    return op.ParallelFor(plan.matrices[i], GrainFor({plan.shape.depth, width}),
                          [&](int64_t begin, int64_t end) {
                            ref::TransposeMatrices(plan.shape.depth, width, in, out, begin, end);
                          });
  }

  // Multiplies row by row; params_of(row of operand 0).
  template <typename Bias, typename In, typename Filter, typename Out, typename ParamsOf>
  static heddle_status Multiply(const OpContext& op, const Plan& plan, const In* x, const Filter* y,
                                Out* output, const ParamsOf& params_of) {
    const ref::BatchMatMulShape& shape = plan.shape;
    return op.ParallelFor(
        shape.batches * shape.rows * shape.columns, GrainFor(shape.depth),
        [&](int64_t begin, int64_t end) {
          while (begin < end) {
            const int64_t row = begin / shape.columns;
            const int64_t stop = std::min(end, (row + 1) * shape.columns);
            const int64_t x_row = shape.Matrix(0, row / shape.rows) * shape.rows + row % shape.rows;
            ref::RowByMatrix<Bias>(shape, params_of(x_row), x, y, output, begin, stop);
            begin = stop;
          }
        });
  }

  template <typename In, typename Filter, typename Out, typename Bias, typename Params>
  static heddle_status Run(const OpContext& op, const Plan& plan, const Params& params) {
    const In* x = nullptr;
    const Filter* y = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(Rows(op, plan, 0, &x));
    HEDDLE_OP_RETURN_IF_ERROR(Rows(op, plan, 1, &y));
    return Multiply<Bias>(op, plan, x, y, op.OutputData<Out>(0),
                          [&](int64_t) -> const Params& { return params; });
  }

  static heddle_status RunHybrid(const OpContext& op, const Node& node, const Plan& plan) {
    const float* x = nullptr;
    const int8_t* y = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(Rows(op, plan, 0, &x));
    HEDDLE_OP_RETURN_IF_ERROR(Rows(op, plan, 1, &y));
    auto* const quantized = op.Scratch<int8_t>(plan.quantized_rows);
    auto* const rows = op.Scratch<ref::RowQuantization>(plan.row_quantizations);
    const int64_t depth = plan.shape.depth;
    HEDDLE_OP_RETURN_IF_ERROR(op.ParallelFor(
        plan.matrices[0] * plan.shape.rows, GrainFor({depth, 4}), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            rows[row] =
                ref::QuantizeRow(node.asymmetric, x + row * depth, depth, quantized + row * depth);
          }
        }));
    // Rows without elements have no quantisation either.
    const bool empty = plan.matrices[0] == 0;
    return Multiply<float>(op, plan, quantized, y, op.OutputData<float>(0), [&](int64_t row) {
      return ref::HybridSum{kUnbounded, empty ? ref::RowQuantization{} : rows[row],
                            plan.scales.data(), plan.scales.size() > 1 ? 1 : 0};
    });
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    switch (plan.kind) {
      case Kind::kFloat:
        return Run<float, float, float, float>(op, plan, kUnbounded);
      case Kind::kInt8:
        return Run<int8_t, int8_t, int8_t, int32_t>(op, plan, plan.quantized);
      case Kind::kInt8Plain:
        return Run<int8_t, int8_t, int32_t, int32_t>(op, plan, ref::PlainSum{});
      case Kind::kInt16:
        return Run<int16_t, int16_t, int16_t, int64_t>(op, plan, plan.quantized);
      case Kind::kInt16ByInt8:
        return Run<int16_t, int8_t, int16_t, int64_t>(op, plan, plan.quantized);
      case Kind::kHybrid:
        break;
    }
    return RunHybrid(op, node, plan);
  }
};

}  // namespace

HEDDLE_OP(BATCH_MATMUL, 1, 4, BatchMatMul);

}  // namespace heddle::kernels
