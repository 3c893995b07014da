// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "runtime/model/sparsity.h"
#include "runtime/model/verify.h"

namespace heddle {
namespace {

// Checks a compressed level under `parents` nodes: empty if right, else what is wrong.
std::string CompressedFault(const SparseLevel& level, int64_t parents) {
  const SparseIndices& segments = level.segments;
  if (segments.count == 0 || static_cast<int64_t>(segments.count - 1) != parents) {
    return StrCat("has ", segments.count, " segments for ", parents, " positions");
  }
  const auto end = static_cast<int64_t>(level.indices.count);
  if (segments[0] != 0 || segments[segments.count - 1] != end) {
    return StrCat("has segments that do not cover its ", end, " indices");
  }
  for (size_t i = 1; i < segments.count; ++i) {
    if (segments[i] < segments[i - 1] || segments[i] > end) {
      return StrCat("has segment ", i, " out of order");
    }
    int64_t last = -1;
    for (int64_t k = segments[i - 1]; k < segments[i]; ++k) {
      const int64_t index = level.indices[static_cast<size_t>(k)];
      if (index <= last || index >= level.size) {
        return StrCat("has index ", index, " out of order, or outside dimension ", level.dimension,
                      " of size ", level.size);
      }
      last = index;
    }
  }
  return {};
}

}  // namespace

Status VerifySparsity(const Model& model, const Site& site, const TensorDef& tensor,
                      WorkBudget* budget) {
  const auto bad = [&](std::string_view below, std::string_view sentence) {
    return BadModel(model, HEDDLE_REASON_BAD_SPARSITY, site, StrCat("sparsity.", below), sentence);
  };
  SparsityView view;
  SparsityFault fault;
  if (!ReadSparsity(tensor, &view, &fault)) return bad(fault.below, fault.sentence);
  int64_t nodes = 1;
  for (size_t i = 0; i < view.levels.size(); ++i) {
    const SparseLevel& level = view.levels[i];
    const std::string below = StrCat("dim_metadata[", i, "]");
    if (level.is_dense) {
      if (!CheckedMul(nodes, level.size, &nodes)) return bad(below, "has too many elements");
      continue;
    }
    if (!budget->Spend(level.segments.count + level.indices.count)) {
      return budget->Exhausted(model, site);
    }
    const std::string wrong = CompressedFault(level, nodes);
    if (!wrong.empty()) return bad(below, wrong);
    nodes = static_cast<int64_t>(level.indices.count);
  }
  int64_t bits;
  if (!CheckedMul<int64_t>(nodes, DtypeBits(tensor.dtype), &bits) || bits == 0 ||
      static_cast<uint64_t>(bits / 8 + (bits % 8 != 0)) != tensor.data.size()) {
    return BadModel(model, HEDDLE_REASON_BUFFER_SIZE_MISMATCH, site, "buffer",
                    StrCat("stores ", nodes, " sparse elements of type ", DtypeName(tensor.dtype),
                           ", but buffer ", tensor.buffer, " has ", tensor.data.size(), " bytes"));
  }
  return {};
}

}  // namespace heddle
