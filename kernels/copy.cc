// SPDX-License-Identifier: Apache-2.0
#include "kernels/copy.h"

#include <algorithm>
#include <cstring>

#include "kernels/dispatch.h"
#include "kernels/quantization.h"
#include "kernels/ref/packed.h"
#include "kernels/string_tensor.h"
#include "kernels/window.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

heddle_status CopyStrings(const OpContext& op, const View& view) {
  StringTensor input;
  HEDDLE_OP_RETURN_IF_ERROR(StringTensor::Open(op, 0, &input));
  return WriteStrings(op, view.dims,
                      [&](int64_t i) { return input[view.base + view.source.Offset(i)]; });
}

}  // namespace

bool IsMovable(heddle_dtype dtype) {
  const uint32_t bits = DtypeBits(dtype);
  return bits == 2 || bits == 4 || DispatchWidth(dtype, [](auto) {});
}

std::vector<int64_t> DenseStrides(std::span<const int32_t> dims) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  return strides;
}

heddle_status CountElements(const OpContext& op, int32_t operand, std::span<const int32_t> dims,
                            int64_t* count) {
  if (ElementCount(dims, count)) return HEDDLE_OK;
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, operand, "shape ",
                 ShapeText(dims), " is too large");
}

heddle_status CopyBox(const OpContext& op, const CopyPlan& box, heddle_dtype dtype,
                      const void* from, void* to) {
  if (box.count == 0) return HEDDLE_OK;
  const int64_t run = box.row();
  const int64_t from_step = box.step(0);
  const int64_t to_step = box.step(1);
  const auto bits = static_cast<int>(DtypeBits(dtype));
  if (bits < 8) {  // neighbours share bytes: one thread for all
    ref::ForEachRow(box, 0, box.rows(), [&](const std::array<int64_t, 2>& offsets) {
      for (int64_t i = 0; i < run; ++i) {
        CopyPackedRun(bits, from, offsets[0] + i * from_step, to, offsets[1] + i * to_step, 1);
      }
    });
    return HEDDLE_OK;
  }
  heddle_status status = HEDDLE_OK;
  DispatchWidth(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    status = op.ParallelFor(box.rows(), GrainFor(run), [&](int64_t begin, int64_t end) {
      ref::ForEachRow(box, begin, end, [&](const std::array<int64_t, 2>& offsets) {
        const T* source = static_cast<const T*>(from) + offsets[0];
        T* target = static_cast<T*>(to) + offsets[1];
        if (from_step == 1 && to_step == 1) {
          std::memcpy(target, source, static_cast<size_t>(run) * sizeof(T));
          return;
        }
        for (int64_t i = 0; i < run; ++i) target[i * to_step] = source[i * from_step];
      });
    });
  });
  return status;
}

void CopyPackedRun(int bits, const void* from, int64_t from_index, void* to, int64_t to_index,
                   int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    ref::SetPacked(to, bits, to_index + i, ref::GetPacked(from, bits, from_index + i));
  }
}

void ClearPacked(int bits, int64_t count, void* data) {
  std::memset(data, 0, static_cast<size_t>((count * bits + 7) / 8));
}

heddle_status FillElements(const OpContext& op, heddle_dtype dtype, uint64_t value, int64_t count,
                           void* to) {
  heddle_status status = HEDDLE_OK;
  const auto bits = static_cast<int>(DtypeBits(dtype));
  if (bits < 8) {
    ClearPacked(bits, count, to);
    for (int64_t i = 0; i < count; ++i) {
      ref::SetPacked(to, bits, i, static_cast<uint8_t>(value & ((1u << bits) - 1)));
    }
    return status;
  }
  DispatchWidth(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    status = op.ParallelFor(count, GrainFor(1), [&](int64_t begin, int64_t end) {
      std::fill(static_cast<T*>(to) + begin, static_cast<T*>(to) + end, static_cast<T>(value));
    });
  });
  return status;
}

uint64_t ElementBits(const heddle_tensor& tensor) {
  uint64_t bits = 0;  // little-endian, as models are
  std::memcpy(&bits, tensor.data, std::min(tensor.bytes, sizeof(bits)));
  return bits;
}

heddle_status CopyView(const OpContext& op, const View& view, void* data) {
  if (op.input(0).dtype == HEDDLE_DTYPE_STRING) return CopyStrings(op, view);
  const ref::Strided& source = view.source;
  if (source.count == 0) return HEDDLE_OK;
  const uint32_t bits = DtypeBits(op.input(0).dtype);
  if (bits < 8) ClearPacked(static_cast<int>(bits), source.count, data);
  CopyPlan box;
  box.base = {view.base, 0};
  int64_t stride = source.count;
  for (int d = 0; d < source.rank; ++d) {
    stride /= source.dims[d];
    box.Append(source.dims[d], {source.strides[d], stride});
  }
  return CopyBox(op, box, op.input(0).dtype, op.input(0).data, data);
}

heddle_status ExpectMovable(const OpContext& op, size_t inputs) {
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(inputs, inputs, 1));
  const heddle_dtype dtype = op.input(0).dtype;
  if (dtype != HEDDLE_DTYPE_STRING && !IsMovable(dtype)) return op.UnsupportedType(0);
  return op.ExpectOutputType(0, dtype);
}

heddle_status ExpectEqualQuantization(const OpContext& op, int32_t a, int32_t b) {
  const auto first = [&](int32_t operand) {
    const heddle_quantization& q = *OperandTensor(op, operand).quantization;
    return std::pair(q.count != 0 ? q.scales[0] : 0.0f,
                     q.zero_point_count != 0 ? q.zero_points[0] : 0);
  };
  if (first(a) == first(b)) return HEDDLE_OK;
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_QUANTIZATION_NOT_SUPPORTED, b, OperandName(b),
                 " is quantised by ", first(b).first, " and ", first(b).second, ", ",
                 OperandName(a), " by ", first(a).first, " and ", first(a).second,
                 "; wanted is the same");
}

}  // namespace heddle::kernels
