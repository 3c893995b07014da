// SPDX-License-Identifier: Apache-2.0
// VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE: tensors that outlive a run, by name. A handle is the
// resource's id, one int32.
#include <cstring>
#include <vector>

#include "kernels/op_kernel.h"
#include "runtime/base/dtype.h"

namespace heddle::kernels {
namespace {

// Its bytes come from the host's allocator and stay while assigned values have the same size.
class Variable {
 public:
  explicit Variable(const heddle_allocator* allocator) : allocator_(allocator) {}
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { Release(); }

  bool Assign(heddle_dtype dtype, std::span<const int32_t> dims, const void* data, size_t bytes) {
    if (bytes != bytes_) {
      Release();
      if (bytes != 0) {
        data_ = allocator_->allocate(allocator_->context, bytes, kAlignment);
        if (data_ == nullptr) return false;
        bytes_ = bytes;
      }
    }
    if (bytes != 0) std::memcpy(data_, data, bytes);
    dtype_ = dtype;
    dims_.assign(dims.begin(), dims.end());
    assigned_ = true;
    return true;
  }
  std::unique_ptr<Variable> Clone() const {
    auto copy = std::make_unique<Variable>(allocator_);
    if (assigned_ && !copy->Assign(dtype_, dims_, data_, bytes_)) return nullptr;
    return copy;
  }

  bool is_assigned() const { return assigned_; }
  heddle_dtype dtype() const { return dtype_; }
  std::span<const int32_t> dims() const { return dims_; }
  const void* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  static constexpr size_t kAlignment = 64;
  void Release() {
    if (data_ != nullptr) {
      allocator_->deallocate(allocator_->context, data_, bytes_, kAlignment);
    }
    data_ = nullptr;
    bytes_ = 0;
    assigned_ = false;
  }

  const heddle_allocator* allocator_;
  heddle_dtype dtype_ = HEDDLE_DTYPE_FLOAT32;
  std::vector<int32_t> dims_;
  void* data_ = nullptr;
  size_t bytes_ = 0;
  bool assigned_ = false;
};

constexpr heddle_resource_type kVariableType = {
    sizeof(heddle_resource_type),
    "variable",
    [](heddle_op_call* call, void*, void** object) -> heddle_status {
      *object = new (std::nothrow) Variable(call->host->get_allocator(call));
      return *object != nullptr ? HEDDLE_OK : HEDDLE_RESOURCE_EXHAUSTED;
    },
    [](void* object) { delete static_cast<Variable*>(object); },
    [](const void* object, void** copy) -> heddle_status {
      try {
        *copy = static_cast<const Variable*>(object)->Clone().release();
      } catch (const std::bad_alloc&) {
        *copy = nullptr;
      }
      return *copy != nullptr ? HEDDLE_OK : HEDDLE_RESOURCE_EXHAUSTED;
    },
    [](const void* object) -> uint64_t { return static_cast<const Variable*>(object)->bytes(); },
};

struct VarHandle {
  struct Node {
    int32_t id = 0;
  };
  // No inputs: the handle is known while planning.
  static constexpr uint32_t kFlags = HEDDLE_OP_SHAPES_ONLY;

  static heddle_status Init(OpContext& op, Node& node) {
    heddle_op_call* call = op.call();
    const char* container = "";
    const char* name = "";
    size_t container_length = 0;
    size_t name_length = 0;
    HEDDLE_OP_RETURN_IF_ERROR(call->host->get_string(call, HEDDLE_ATTR_VAR_HANDLE_CONTAINER,
                                                     &container, &container_length));
    HEDDLE_OP_RETURN_IF_ERROR(
        call->host->get_string(call, HEDDLE_ATTR_VAR_HANDLE_SHARED_NAME, &name, &name_length));
    return call->host->get_resource_id(call, container, container_length, name, name_length,
                                       &node.id);
  }

  static heddle_status Infer(OpContext& op, const Node&) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(0, 0, 1));
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOutputType(0, HEDDLE_DTYPE_RESOURCE));
    return op.SetOutput(0, HEDDLE_DTYPE_RESOURCE, {});
  }

  static heddle_status Invoke(OpContext& op, const Node& node) {
    *op.OutputData<int32_t>(0) = node.id;
    return HEDDLE_OK;
  }
};

heddle_status CheckHandle(const OpContext& op) {
  HEDDLE_OP_RETURN_IF_ERROR(op.ExpectType(0, HEDDLE_DTYPE_RESOURCE));
  if (op.input(0).bytes == sizeof(int32_t)) return HEDDLE_OK;
  return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0,
                 "the handle has shape ", ShapeText(op.input_dims(0)), ", wanted is one element");
}

heddle_status OpenVariable(const OpContext& op, bool create, Variable** variable) {
  void* object = nullptr;
  HEDDLE_OP_RETURN_IF_ERROR(op.call()->host->resource_open(
      op.call(), *op.InputData<int32_t>(0), &kVariableType, create ? 1 : 0, nullptr, &object));
  *variable = static_cast<Variable*>(object);
  return HEDDLE_OK;
}

struct ReadVariable {
  static constexpr uint32_t kFlags = HEDDLE_OP_STATEFUL | HEDDLE_OP_SIDE_EFFECTS;

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(1, 1, 1));
    HEDDLE_OP_RETURN_IF_ERROR(CheckHandle(op));
    // The shape is that of what was assigned last.
    return op.SetOutputDataDependent(0, op.output(0).dtype);
  }

  static heddle_status Invoke(OpContext& op) {
    Variable* variable = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(OpenVariable(op, /*create=*/false, &variable));
    if (!variable->is_assigned()) {
      return op.Fail(HEDDLE_FAILED_PRECONDITION, HEDDLE_REASON_RESOURCE_UNKNOWN, 0,
                     "the variable has no value yet");
    }
    if (variable->dtype() != op.output(0).dtype) {
      return op.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_TYPES_DIFFER, OpContext::kOutput(0),
                     "the variable is ", DtypeName(variable->dtype()), ", the output is ",
                     DtypeName(op.output(0).dtype));
    }
    void* data = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(op.AllocateOutput(0, variable->dims(), variable->bytes(), &data));
    if (variable->bytes() != 0) std::memcpy(data, variable->data(), variable->bytes());
    return HEDDLE_OK;
  }
};

struct AssignVariable {
  static constexpr uint32_t kFlags = HEDDLE_OP_STATEFUL | HEDDLE_OP_SIDE_EFFECTS;

  static heddle_status Infer(OpContext& op) {
    HEDDLE_OP_RETURN_IF_ERROR(op.ExpectOperands(2, 2, 0));
    return CheckHandle(op);
  }

  static heddle_status Invoke(OpContext& op) {
    Variable* variable = nullptr;
    HEDDLE_OP_RETURN_IF_ERROR(OpenVariable(op, /*create=*/true, &variable));
    const heddle_tensor& value = op.input(1);
    if (variable->Assign(value.dtype, op.input_dims(1), value.data, value.bytes)) return HEDDLE_OK;
    return op.Fail(HEDDLE_RESOURCE_EXHAUSTED, HEDDLE_REASON_OUT_OF_MEMORY, 1, "no memory for ",
                   value.bytes, " bytes of the variable");
  }
};

}  // namespace

HEDDLE_OP(VAR_HANDLE, 1, 1, VarHandle);
HEDDLE_OP(READ_VARIABLE, 1, 1, ReadVariable);
HEDDLE_OP(ASSIGN_VARIABLE, 1, 1, AssignVariable);

}  // namespace heddle::kernels
