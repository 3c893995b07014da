// SPDX-License-Identifier: Apache-2.0
#include "kernels/parts.h"

#include <cstring>

#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {

heddle_status StartParts(const OpContext& op, std::span<const int32_t> outer, Parts* parts) {
  *parts = {};
  if (ElementCount(outer, &parts->outer)) return HEDDLE_OK;
  return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, 0, "input 0 is too large");
}

heddle_status AddPart(const OpContext& op, int32_t operand, heddle_dtype dtype,
                      std::span<const int32_t> run, Parts* parts) {
  int64_t bytes = 0;
  if (!ElementCount(run, &bytes) || !CheckedMul<int64_t>(bytes, DtypeBits(dtype) / 8, &bytes) ||
      !CheckedAdd(parts->whole, bytes, &parts->whole)) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, operand,
                   "an operand is too large");
  }
  parts->runs.push_back(bytes);
  return HEDDLE_OK;
}

heddle_status JoinInputs(const OpContext& op, const Parts& parts) {
  auto* whole = op.OutputData<uint8_t>(0);
  return ForEachPart(op, parts, [&](size_t i, int64_t at, int64_t row, size_t bytes) {
    std::memcpy(whole + at, op.InputData<uint8_t>(i) + row * parts.runs[i], bytes);
  });
}

heddle_status CutInput(const OpContext& op, const Parts& parts, size_t whole) {
  const auto* from = op.InputData<uint8_t>(whole);
  return ForEachPart(op, parts, [&](size_t i, int64_t at, int64_t row, size_t bytes) {
    std::memcpy(op.OutputData<uint8_t>(i) + row * parts.runs[i], from + at, bytes);
  });
}

}  // namespace heddle::kernels
