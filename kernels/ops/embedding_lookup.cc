// SPDX-License-Identifier: Apache-2.0
// EMBEDDING_LOOKUP: rows of input 1 in the order of the indices in input 0; as they are, or as real
// numbers if the table is quantised and the output float32 or float16. The table has one scale, or
// one for each row.
#include <cstring>

#include "kernels/copy.h"
#include "kernels/indices.h"
#include "kernels/quantization.h"
#include "kernels/ref/half.h"
#include "kernels/ref/packed.h"
#include "kernels/window.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {
namespace {

struct EmbeddingLookup {
  struct Plan {
    int64_t row = 0;            // elements
    std::vector<float> scales;  // one, or one a row of the table; none: rows are copied
  };

  static bool Converts(const OpContext& op) {
    const heddle_dtype out = op.output(0).dtype;
    return out != op.input(1).dtype && (out == HEDDLE_DTYPE_FLOAT32 || out == HEDDLE_DTYPE_FLOAT16);
  }

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(0, HEDDLE_DTYPE_INT32));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(1, 2, ref::kMaxRank));
    const heddle_dtype dtype = op.input(1).dtype;
    if (!IsMovable(dtype)) return op.UnsupportedType(1);
    if (Converts(op)) {
      const bool integer = dtype == HEDDLE_DTYPE_INT8 || dtype == HEDDLE_DTYPE_UINT8 ||
                           dtype == HEDDLE_DTYPE_INT4 || dtype == HEDDLE_DTYPE_INT2;
      if (!integer) return op.UnsupportedType(1);
    } else {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    }
    const auto table = op.input_dims(1);
    std::vector<int32_t> dims(table.begin(), table.end());
    dims[0] = op.input_dims(0)[0];
    int64_t elements = 0;
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, OpContext::kOutput(0), dims, &elements));
    return op.SetOutput(0, op.output(0).dtype, dims);
  }

  static heddle_status Prepare(OpContext& op, Plan& plan) {
    const auto table = op.input_dims(1);
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 1, table, &plan.row));
    HEDDLE_OP_RETURN_IF_ERROR(CountElements(op, 1, table.subspan(1), &plan.row));
    if (!Converts(op)) return HEDDLE_OK;
    return GetChannelScales(op, 1, 0, table[0], &plan.scales, nullptr);
  }

  static heddle_status Invoke(OpContext& op, const Plan& plan) {
    const int32_t* indices = op.InputData<int32_t>(0);
    const int64_t count = op.input_dims(0)[0];
    HEDDLE_OP_RETURN_IF_ERROR(CheckIndices(op, 0, indices, count, op.input_dims(1)[0]));
    if (plan.row == 0) return HEDDLE_OK;
    if (!Converts(op)) return CopyRows(op, plan, indices, count);
    return op.ParallelFor(count, GrainFor(plan.row), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) ConvertRow(op, plan, indices[i], i);
    });
  }

  static heddle_status CopyRows(const OpContext& op, const Plan& plan, const int32_t* indices,
                                int64_t count) {
    const auto* from = op.InputData<uint8_t>(1);
    auto* to = op.OutputData<uint8_t>(0);
    const int64_t bits = DtypeBits(op.input(1).dtype);
    if (plan.row * bits % 8 != 0) {  // rows share bytes
      ClearPacked(static_cast<int>(bits), count * plan.row, to);
      for (int64_t i = 0; i < count; ++i) {
        CopyPackedRun(static_cast<int>(bits), from, indices[i] * plan.row, to, i * plan.row,
                      plan.row);
      }
      return HEDDLE_OK;
    }
    const int64_t bytes = plan.row * bits / 8;
    return op.ParallelFor(count, GrainFor(bytes), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        std::memcpy(to + i * bytes, from + indices[i] * bytes, static_cast<size_t>(bytes));
      }
    });
  }

  // Element i of the table. Bytes count as signed even in a table of uint8: what writes such tables
  // means them so.
  static int32_t Load(const heddle_tensor& table, int64_t i) {
    const auto bits = static_cast<int>(DtypeBits(table.dtype));
    if (bits == 8) return static_cast<const int8_t*>(table.data)[i];
    const int32_t value = ref::GetPacked(table.data, bits, i);
    const int32_t half = 1 << (bits - 1);
    return value >= half ? value - 2 * half : value;
  }

  static void ConvertRow(const OpContext& op, const Plan& plan, int64_t from, int64_t to) {
    const float scale = plan.scales[plan.scales.size() == 1 ? 0 : static_cast<size_t>(from)];
    const bool half = op.output(0).dtype == HEDDLE_DTYPE_FLOAT16;
    for (int64_t k = 0; k < plan.row; ++k) {
      const float value = static_cast<float>(Load(op.input(1), from * plan.row + k)) * scale;
      if (half) {
        op.OutputData<uint16_t>(0)[to * plan.row + k] = ref::FloatToHalf(value);
      } else {
        op.OutputData<float>(0)[to * plan.row + k] = value;
      }
    }
  }
};

}  // namespace

HEDDLE_OP(EMBEDDING_LOOKUP, 1, 5, EmbeddingLookup);

}  // namespace heddle::kernels
