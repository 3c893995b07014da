// SPDX-License-Identifier: Apache-2.0
// Ops that only move elements: their type matters by its width only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/op_kernel.h"
#include "kernels/ref/box.h"

namespace heddle::kernels {

// Whether elements have a fixed width that CopyBox moves: 2, 4, 8, 16, 32 or 64 bits.
bool IsMovable(heddle_dtype dtype);

// Strides of a dense tensor, in elements. The product of dims is known to fit.
std::vector<int64_t> DenseStrides(std::span<const int32_t> dims);

// Refuses shapes whose number of elements overflows. `operand` as in OpContext::Fail.
heddle_status CountElements(const OpContext& op, int32_t operand, std::span<const int32_t> dims,
                            int64_t* count);

// to[...] = from[...] over a box of (from, to) offsets in elements, in parallel. Where both are the
// same tensor the two sides must not meet.
using CopyPlan = ref::Box<2>;
heddle_status CopyBox(const OpContext& op, const CopyPlan& box, heddle_dtype dtype,
                      const void* from, void* to);

// `count` elements of 2 or 4 bits, by their numbers in `from` and `to`.
void CopyPackedRun(int bits, const void* from, int64_t from_index, void* to, int64_t to_index,
                   int64_t count);

// Zeros, and in what is left of the last byte too: for before the elements are set one by one.
void ClearPacked(int bits, int64_t count, void* data);

// `count` elements, the bits of each the low ones of `value`.
heddle_status FillElements(const OpContext& op, heddle_dtype dtype, uint64_t value, int64_t count,
                           void* to);
// The bits of the only element of a tensor.
uint64_t ElementBits(const heddle_tensor& tensor);

// A whole output seen as elements of input 0.
struct View {
  std::vector<int32_t> dims;  // of the output
  ref::Strided source;        // where its elements lie in the input ...
  int64_t base = 0;           // ... counted from here
};
// Writes output 0 with memory at `data`; strings bring their own.
heddle_status CopyView(const OpContext& op, const View& view, void* data);

// `inputs` operands and one output, of input 0's type, which can be moved or is STRING.
heddle_status ExpectMovable(const OpContext& op, size_t inputs);

// Ops that move values without looking: scale and zero point of both operands must be equal.
heddle_status ExpectEqualQuantization(const OpContext& op, int32_t a, int32_t b);

}  // namespace heddle::kernels
