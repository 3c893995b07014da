// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/dtype.h"

#include "runtime/base/checked_math.h"

namespace heddle {
namespace {

struct DtypeRow {
  const char* name;
  uint32_t bits;
};

constexpr DtypeRow kRows[] = {
#define HEDDLE_ROW(name, number, bits) {#name, bits},
    HEDDLE_DTYPE_LIST(HEDDLE_ROW)
#undef HEDDLE_ROW
};
constexpr int32_t kCount = static_cast<int32_t>(sizeof(kRows) / sizeof(kRows[0]));

#define HEDDLE_CHECK_ROW(name, number, bits) static_assert(HEDDLE_DTYPE_##name == (number));
HEDDLE_DTYPE_LIST(HEDDLE_CHECK_ROW)
#undef HEDDLE_CHECK_ROW

}  // namespace

bool IsKnownDtype(int32_t number) { return number >= 0 && number < kCount; }

const char* DtypeName(heddle_dtype dtype) {
  return IsKnownDtype(dtype) ? kRows[dtype].name : "UNKNOWN";
}

uint32_t DtypeBits(heddle_dtype dtype) { return IsKnownDtype(dtype) ? kRows[dtype].bits : 0; }

bool DenseBytes(heddle_dtype dtype, std::span<const int32_t> dims, size_t* bytes) {
  uint32_t bits = DtypeBits(dtype);
  if (dtype == HEDDLE_DTYPE_RESOURCE || dtype == HEDDLE_DTYPE_VARIANT) bits = 32;
  if (bits == 0) return false;
  int64_t count;
  if (!ElementCount(dims, &count)) return false;
  int64_t total_bits;
  if (!CheckedMul<int64_t>(count, bits, &total_bits)) return false;
  // Leave room for padding and alignment behind the largest tensor.
  constexpr int64_t kMaxBytes = INT64_MAX / 16;
  if (total_bits / 8 > kMaxBytes) return false;
  *bytes = static_cast<size_t>((total_bits + 7) / 8);
  return true;
}

}  // namespace heddle
