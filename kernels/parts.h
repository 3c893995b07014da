// SPDX-License-Identifier: Apache-2.0
// Ops that join tensors along a dimension or cut one apart: in each of `outer` rows of the whole,
// the parts' rows lie side by side.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/op_kernel.h"
#include "kernels/window.h"

namespace heddle::kernels {

struct Parts {
  int64_t outer = 0;
  int64_t whole = 0;          // bytes of a row of all parts
  std::vector<int64_t> runs;  // and of each part
};

// `outer`: the dimensions before the one that is cut.
heddle_status StartParts(const OpContext& op, std::span<const int32_t> outer, Parts* parts);
// Adds a part; `run`: its dimensions from the cut one on. `operand` as in OpContext::Fail.
heddle_status AddPart(const OpContext& op, int32_t operand, heddle_dtype dtype,
                      std::span<const int32_t> run, Parts* parts);

// fn(part, at, row, bytes) for every row of every part, in parallel: `bytes` of the whole from `at`
// on are row `row` of the part.
template <typename Fn>
heddle_status ForEachPart(const OpContext& op, const Parts& parts, const Fn& fn) {
  if (parts.whole == 0) return HEDDLE_OK;
  return op.ParallelFor(parts.outer, GrainFor(parts.whole), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t at = row * parts.whole;
      for (size_t i = 0; i < parts.runs.size(); ++i) {
        if (parts.runs[i] != 0) fn(i, at, row, static_cast<size_t>(parts.runs[i]));
        at += parts.runs[i];
      }
    }
  });
}

// whole[...] = inputs 0, 1, ...
heddle_status JoinInputs(const OpContext& op, const Parts& parts);
// outputs 0, 1, ... = input `whole`
heddle_status CutInput(const OpContext& op, const Parts& parts, size_t whole);

}  // namespace heddle::kernels
