// SPDX-License-Identifier: Apache-2.0
// Geometry of the ops that slide a 2-D window over an NHWC image: convolutions and pools.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "kernels/op_kernel.h"
#include "kernels/ref/window.h"

namespace heddle::kernels {

// Attributes that all of them have.
struct WindowAttributes {
  int32_t padding = HEDDLE_PADDING_SAME;
  int32_t stride_h = 1;
  int32_t stride_w = 1;
  int32_t dilation_h = 1;
  int32_t dilation_w = 1;
};

// Strides and dilations positive, padding known. For init.
heddle_status CheckWindowAttributes(const OpContext& op, const WindowAttributes& attributes);

// Sets output and pad of an axis whose other fields are set.
heddle_status MakeWindowAxis(const OpContext& op, const char* name, int32_t padding,
                             ref::WindowAxis* axis);
// The same for a transposed convolution, which has `output` too (from operand 0, for messages): its
// window, laid on the output, must give the input.
heddle_status MakeTransposedAxis(const OpContext& op, const char* name, int32_t padding,
                                 ref::WindowAxis* axis);

// The window of filter_h x filter_w over the height and width of input 0 (rank 4). For infer and
// prepare.
heddle_status MakeWindow(const OpContext& op, const WindowAttributes& attributes, int32_t filter_h,
                         int32_t filter_w, ref::Window* window);

// How many items a thread should take at least, if one costs the product of `factors`
// multiplications or so.
int64_t GrainFor(std::initializer_list<int64_t> factors);
inline int64_t GrainFor(int64_t work) { return GrainFor({work}); }

}  // namespace heddle::kernels
