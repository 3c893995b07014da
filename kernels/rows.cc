// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows.h"

#include "runtime/base/checked_math.h"

namespace heddle::kernels {

heddle_status MakeRows(const OpContext& op, Rows* rows) {
  const auto dims = op.input_dims(0);
  rows->depth = dims.back();
  if (!ElementCount(dims.first(dims.size() - 1), &rows->count)) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, 0, "shape ", ShapeText(dims),
                   " is too large");
  }
  if (rows->depth == 0) rows->count = 0;
  return HEDDLE_OK;
}

}  // namespace heddle::kernels
