// SPDX-License-Identifier: Apache-2.0
// Ops whose output's shape hangs on the values of some inputs: known while planning if those are
// constants, else only while running. Wraps a kernel written once for both:
//
//   struct Tile {
//     struct Node {};
//     using Plan = View;                                  // has dims, those of output 0
//     static constexpr size_t kShapeInputs[] = {1};
//     static heddle_status Check(const OpContext& op, const Node& node);  // operands and types
//     static heddle_status Resolve(const OpContext& op, const Node& node, Plan* plan);
//     static heddle_status Run(const OpContext& op, const Node& node, const Plan& plan, void*
//     data);
//   };
//   HEDDLE_OP(TILE, 1, 3, LateShape<Tile>);
//
// Output 0 has the type that the file gives it. One of strings is allocated by Run itself.
#pragma once

#include "kernels/copy.h"
#include "kernels/op_kernel.h"

namespace heddle::kernels {

template <typename Kernel>
struct LateShape {
  using Node = typename Kernel::Node;
  using Plan = typename Kernel::Plan;

  static heddle_status Init(OpContext& op, Node& node) {
    if constexpr (requires { Kernel::Init(op, node); }) {
      return Kernel::Init(op, node);
    } else {
      return HEDDLE_OK;
    }
  }

  static bool IsKnown(const OpContext& op) {
    for (const size_t i : Kernel::kShapeInputs) {
      if (op.HasInput(i) && !op.IsConstant(i)) return false;
    }
    return true;
  }
  static bool HasStrings(const OpContext& op) { return op.output(0).dtype == HEDDLE_DTYPE_STRING; }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(Kernel::Check(op, node));
    const heddle_dtype dtype = op.output(0).dtype;
    if (!IsKnown(op)) return op.SetOutputDataDependent(0, dtype);
    Plan plan;
    HEDDLE_OP_RETURN_IF_ERROR(Kernel::Resolve(op, node, &plan));
    if (HasStrings(op)) return op.SetOutputDataDependent(0, dtype);
    return op.SetOutput(0, dtype, plan.dims);
  }

  static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan) {
    return IsKnown(op) ? Kernel::Resolve(op, node, &plan) : HEDDLE_OK;
  }

  static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan) {
    if (IsKnown(op)) {
      return Kernel::Run(op, node, plan, HasStrings(op) ? nullptr : op.output(0).data);
    }
    Plan late;
    HEDDLE_OP_RETURN_IF_ERROR(Kernel::Resolve(op, node, &late));
    void* data = nullptr;
    if (!HasStrings(op)) HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, late.dims, 0, &data));
    return Kernel::Run(op, node, late, data);
  }
};

// A kernel whose output is a view of input 0: Resolve alone makes it.
struct ViewKernel {
  struct Node {};
  using Plan = View;

  template <typename Node>
  static heddle_status Run(const OpContext& op, const Node&, const View& view, void* data) {
    return CopyView(op, view, data);
  }
};

}  // namespace heddle::kernels
