// SPDX-License-Identifier: Apache-2.0
// RESHAPE: the same elements in another shape, which is input 1 (int32; may be known only while
// running) or else the attribute. One dimension may be -1: what is left.
#include <cstring>
#include <vector>

#include "kernels/op_kernel.h"
#include "runtime/base/checked_math.h"

namespace heddle::kernels {
namespace {

struct Reshape {
  struct Node {
    std::vector<int32_t> shape;
    bool has_shape = false;
  };
  static constexpr heddle_in_place_pair kInPlace[] = {{0, 0}};

  static heddle_status Init(OpContext& op, Node& node) {
    std::span<const int32_t> shape;
    HEDDLE_OP_RETURN_IF_ERROR(op.Get(HEDDLE_ATTR_RESHAPE_NEW_SHAPE, &shape));
    node.shape.assign(shape.begin(), shape.end());
    // Old files mean a scalar by [0].
    if (node.shape.size() == 1 && node.shape[0] == 0) node.shape.clear();
    node.has_shape = !shape.empty();
    return HEDDLE_OK;
  }

  static heddle_status Resolve(const OpContext& op, std::span<const int32_t> wanted,
                               std::vector<int32_t>* dims) {
    const int32_t operand = op.HasInput(1) ? 1 : HEDDLE_NO_OPERAND;
    const auto fail = [&](heddle_reason reason, const char* why) {
      return op.Fail(HEDDLE_INVALID_MODEL, reason, operand, "cannot reshape ",
                     ShapeText(op.input_dims(0)), " to ", ShapeText(wanted), ": ", why);
    };
    int64_t count = 0;
    if (!ElementCount(op.input_dims(0), &count)) {
      return fail(HEDDLE_REASON_SIZE_OVERFLOW, "the input is too large");
    }
    dims->assign(wanted.begin(), wanted.end());
    int32_t* open = nullptr;
    for (int32_t& dim : *dims) {
      if (dim == -1) {
        if (open != nullptr) {
          return fail(HEDDLE_REASON_ATTRIBUTE_INVALID, "more than one dimension is -1");
        }
        open = &dim;
        dim = 1;
      } else if (dim < 0) {
        return fail(HEDDLE_REASON_ATTRIBUTE_INVALID, "a dimension is negative");
      }
    }
    int64_t known = 0;
    if (!ElementCount(*dims, &known)) {
      return fail(HEDDLE_REASON_SIZE_OVERFLOW, "the new shape is too large");
    }
    if (open != nullptr) {
      if (known == 0 || count % known != 0 || count / known > INT32_MAX) {
        return fail(HEDDLE_REASON_SHAPES_DIFFER, "no value of -1 makes the sizes equal");
      }
      *open = static_cast<int32_t>(count / known);
    } else if (known != count) {
      return fail(HEDDLE_REASON_SHAPES_DIFFER, "the sizes differ");
    }
    return HEDDLE_OK;
  }

  static std::span<const int32_t> ShapeInput(const OpContext& op) {
    return {op.InputData<int32_t>(1), op.input(1).bytes / sizeof(int32_t)};
  }

  static heddle_status Infer(OpContext& op, const Node& node) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 2, 1));
    const heddle_dtype dtype = op.input(0).dtype;
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, dtype));
    std::vector<int32_t> dims;
    if (op.HasInput(1)) {
      HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(1, HEDDLE_DTYPE_INT32));
      // A tensor that is not a list, as old files have it, leaves the word to the attribute.
      if (op.input(1).rank == 1) {
        if (!op.IsConstant(1)) return op.SetOutputDataDependent(0, dtype);
        HEDDLE_OP_RETURN_IF_ERROR(Resolve(op, ShapeInput(op), &dims));
        return SetShape(op, dims);
      }
    }
    if (!node.has_shape) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                     "has neither an input nor an attribute for the new shape");
    }
    HEDDLE_OP_RETURN_IF_ERROR(Resolve(op, node.shape, &dims));
    return SetShape(op, dims);
  }

  // The bytes of strings are known only while running.
  static heddle_status SetShape(const OpContext& op, std::span<const int32_t> dims) {
    if (op.input(0).dtype == HEDDLE_DTYPE_STRING) {
      return op.SetOutputDataDependent(0, HEDDLE_DTYPE_STRING);
    }
    return op.SetOutput(0, op.input(0).dtype, dims);
  }

  static heddle_status Invoke(OpContext& op, const Node& node) {
    const heddle_tensor& input = op.input(0);
    const bool by_input = op.HasInput(1) && op.input(1).rank == 1;
    void* output = op.output(0).data;
    if (input.dtype == HEDDLE_DTYPE_STRING || (by_input && !op.IsConstant(1))) {
      std::vector<int32_t> dims;
      HEDDLE_OP_RETURN_IF_ERROR(
          Resolve(op, by_input ? ShapeInput(op) : std::span<const int32_t>(node.shape), &dims));
      HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, dims, input.bytes, &output));
    }
    if (output != input.data && input.bytes != 0) std::memcpy(output, input.data, input.bytes);
    return HEDDLE_OK;
  }
};

}  // namespace

HEDDLE_OP(RESHAPE, 1, 1, Reshape);

}  // namespace heddle::kernels
