// SPDX-License-Identifier: Apache-2.0
#include "kernels/window.h"

#include <limits>
#include <utility>

namespace heddle::kernels {
namespace {

heddle_status CheckPositive(const OpContext& op, const char* name, int32_t value) {
  if (value > 0) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND, name,
                 " is ", value, ", wanted is at least 1");
}

}  // namespace

heddle_status MakeWindowAxis(const OpContext& op, const char* name, int32_t padding,
                             ref::WindowAxis* axis) {
  if (axis->filter < 1) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, HEDDLE_NO_OPERAND,
                   "the filter has ", name, " ", axis->filter, ", wanted is at least 1");
  }
  const int64_t extent = (int64_t{axis->filter} - 1) * axis->dilation + 1;
  int64_t output;
  int64_t padded = 0;
  if (padding == HEDDLE_PADDING_SAME) {
    output = (int64_t{axis->input} + axis->stride - 1) / axis->stride;
    padded = std::max<int64_t>(0, (output - 1) * axis->stride + extent - axis->input);
    if (axis->input == 0) padded = 0;
  } else {
    output = (int64_t{axis->input} + axis->stride - extent) / axis->stride;
    if (output < 0 || (int64_t{axis->input} + axis->stride < extent)) {
      return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0, "the filter covers ",
                     extent, " of ", name, ", more than the input's ", axis->input,
                     ", and padding is VALID");
    }
  }
  if (padded / 2 > std::numeric_limits<int32_t>::max()) {
    return op.Fail(HEDDLE_UNSUPPORTED, HEDDLE_REASON_SIZE_OVERFLOW, 0, "the filter covers ", extent,
                   " of ", name, ", too many to pad");
  }
  axis->output = static_cast<int32_t>(output);
  axis->pad = static_cast<int32_t>(padded / 2);
  return HEDDLE_OK;
}

heddle_status MakeTransposedAxis(const OpContext& op, const char* name, int32_t padding,
                                 ref::WindowAxis* axis) {
  ref::WindowAxis back = *axis;
  std::swap(back.input, back.output);
  HEDDLE_OP_RETURN_IF_ERROR(MakeWindowAxis(op, name, padding, &back));
  if (back.output != axis->input) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_DATA_OUT_OF_RANGE, 0, name, " ",
                   axis->output, " of the output would come from ", back.output,
                   " of the input, which has ", axis->input);
  }
  axis->pad = back.pad;
  return HEDDLE_OK;
}

heddle_status CheckWindowAttributes(const OpContext& op, const WindowAttributes& a) {
  if (a.padding != HEDDLE_PADDING_SAME && a.padding != HEDDLE_PADDING_VALID) {
    return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                   "padding ", a.padding, " does not exist");
  }
  HEDDLE_OP_RETURN_IF_ERROR(CheckPositive(op, "stride_h", a.stride_h));
  HEDDLE_OP_RETURN_IF_ERROR(CheckPositive(op, "stride_w", a.stride_w));
  HEDDLE_OP_RETURN_IF_ERROR(CheckPositive(op, "dilation_h_factor", a.dilation_h));
  return CheckPositive(op, "dilation_w_factor", a.dilation_w);
}

heddle_status MakeWindow(const OpContext& op, const WindowAttributes& a, int32_t filter_h,
                         int32_t filter_w, ref::Window* window) {
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectRank(0, 4, 4));
  const auto input = op.input_dims(0);
  window->h = {input[1], 0, filter_h, a.stride_h, a.dilation_h, 0};
  window->w = {input[2], 0, filter_w, a.stride_w, a.dilation_w, 0};
  HEDDLE_OP_RETURN_IF_ERROR(MakeWindowAxis(op, "height", a.padding, &window->h));
  return MakeWindowAxis(op, "width", a.padding, &window->w);
}

int64_t GrainFor(std::initializer_list<int64_t> factors) {
  constexpr int64_t kWorthAThread = 1 << 16;
  int64_t grain = kWorthAThread;
  for (const int64_t factor : factors) grain /= std::max<int64_t>(1, factor);
  return std::max<int64_t>(1, grain);
}

}  // namespace heddle::kernels
