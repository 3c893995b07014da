// SPDX-License-Identifier: Apache-2.0
// How a kernel is written: a struct with the states of a node and the functions of its life, and
// one HEDDLE_OP line.
//
//   struct Softmax {
//     // Attributes, from init. Optional.
//     struct Node { float beta = 1; };
//     // For one set of shapes, from prepare. Optional.
//     struct Plan { ref::SoftmaxParams params; };
//     static heddle_status Init(OpContext& op, Node& node);  // optional
//     // Types and shapes of the outputs.
//     static heddle_status Infer(OpContext& op, const Node& node);
//     static heddle_status Prepare(OpContext& op, const Node& node, Plan& plan);  // optional
//     static heddle_status Invoke(OpContext& op, const Node& node, const Plan& plan);
//   };
//   HEDDLE_OP(SOFTMAX, 1, 3, Softmax);
//
// Prepare checks everything and Invoke trusts it, but for values in the data. Neither allocates in
// Invoke.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <type_traits>

#include "heddle/heddle_attributes.h"
#include "heddle/heddle_plugin.h"
#include "runtime/base/strings.h"

namespace heddle::kernels {

// A callback's call, in C++ terms. Cheap to copy.
class OpContext {
 public:
  explicit OpContext(heddle_op_call* call) : call_(call) {}

  heddle_op_call* call() const { return call_; }
  int32_t version() const { return call_->node->version; }
  bool reference() const { return (call_->node->flags & HEDDLE_NODE_REFERENCE) != 0; }

  size_t input_count() const { return call_->input_count; }
  size_t output_count() const { return call_->output_count; }
  bool HasInput(size_t i) const { return i < call_->input_count && call_->inputs[i] != nullptr; }
  bool HasOutput(size_t i) const { return i < call_->output_count && call_->outputs[i] != nullptr; }
  const heddle_tensor& input(size_t i) const { return *call_->inputs[i]; }
  heddle_tensor& output(size_t i) const { return *call_->outputs[i]; }
  std::span<const int32_t> input_dims(size_t i) const { return Dims(input(i)); }
  std::span<const int32_t> output_dims(size_t i) const { return Dims(output(i)); }
  bool IsConstant(size_t i) const {
    return HasInput(i) && (input(i).flags & HEDDLE_TENSOR_CONSTANT) != 0;
  }
  bool IsVariable(size_t i) const {
    return HasInput(i) && (input(i).flags & HEDDLE_TENSOR_VARIABLE) != 0;
  }
  // Tensors that tell scales of values inside the op.
  size_t intermediate_count() const { return call_->intermediate_count; }
  bool HasIntermediate(size_t i) const {
    return i < call_->intermediate_count && call_->intermediates[i] != nullptr;
  }
  const heddle_tensor& intermediate(size_t i) const { return *call_->intermediates[i]; }
  template <typename T>
  const T* InputData(size_t i) const {
    return HasInput(i) ? static_cast<const T*>(input(i).data) : nullptr;
  }
  // A variable that the op keeps its state in.
  template <typename T>
  T* VariableData(size_t i) const {
    return static_cast<T*>(input(i).data);
  }
  template <typename T>
  T* OutputData(size_t i) const {
    return static_cast<T*>(output(i).data);
  }
  static std::span<const int32_t> Dims(const heddle_tensor& tensor) {
    return {tensor.dims, tensor.rank > 0 ? static_cast<size_t>(tensor.rank) : 0};
  }

  // Attributes. Failing reports; the value is then left alone.
  heddle_status Get(uint32_t key, int64_t* value) const {
    return call_->host->get_int(call_, key, value);
  }
  heddle_status Get(uint32_t key, int32_t* value) const;
  heddle_status Get(uint32_t key, bool* value) const;
  heddle_status Get(uint32_t key, float* value) const;
  // The array's int32 elements; empty if absent.
  heddle_status Get(uint32_t key, std::span<const int32_t>* values) const;

  // Fails with a sentence made of `pieces`. `operand`: input position, kOutput(i), or
  // HEDDLE_NO_OPERAND.
  template <typename... Pieces>
  heddle_status Fail(heddle_status status, heddle_reason reason, int32_t operand,
                     const Pieces&... pieces) const {
    const std::string message = StrCat(pieces...);
    return call_->host->report(call_, status, reason, operand, message.c_str());
  }
  static constexpr int32_t kOutput(int32_t i) { return -1 - i; }

  // Checks that every kernel starts with.
  heddle_status ExpectOperands(size_t min_inputs, size_t max_inputs,
                               size_t outputs) const;  // required ones present
  heddle_status ExpectType(size_t input, heddle_dtype dtype) const;
  heddle_status ExpectOutputType(size_t output, heddle_dtype dtype) const;
  heddle_status ExpectConstant(size_t input) const;
  heddle_status ExpectVariable(size_t input) const;
  heddle_status ExpectRank(size_t input, int32_t min_rank, int32_t max_rank) const;
  heddle_status UnsupportedType(size_t input) const;

  heddle_status SetOutput(size_t i, heddle_dtype dtype, std::span<const int32_t> dims) const {
    return call_->host->set_output(call_, i, dtype, dims.data(), static_cast<int32_t>(dims.size()));
  }
  heddle_status SetOutputDataDependent(size_t i, heddle_dtype dtype) const {
    return call_->host->set_output_data_dependent(call_, i, dtype);
  }
  heddle_status RequestScratch(size_t bytes, int32_t* scratch) const {
    return call_->host->request_scratch(call_, bytes, scratch);
  }
  template <typename T>
  T* Scratch(int32_t scratch) const {
    return static_cast<T*>(call_->host->get_scratch(call_, scratch));
  }
  void SetKernelName(const char* name) const { call_->host->set_kernel_name(call_, name); }
  heddle_status AllocateOutput(size_t i, std::span<const int32_t> dims, size_t bytes,
                               void** data) const {
    return call_->host->allocate_output(call_, i, dims.data(), static_cast<int32_t>(dims.size()),
                                        bytes, data);
  }
  // fn(begin, end) over [0, count), in ranges of at least `grain`.
  template <typename Fn>
  heddle_status ParallelFor(int64_t count, int64_t grain, const Fn& fn) const {
    return call_->host->parallel_for(
        call_, count, grain,
        [](void* argument, int64_t begin, int64_t end) {
          (*static_cast<const Fn*>(argument))(begin, end);
        },
        const_cast<Fn*>(&fn));
  }

 private:
  heddle_op_call* call_;
};

#define HEDDLE_OP_RETURN_IF_ERROR(expression)                   \
  do {                                                          \
    const heddle_status heddle_op_status = (expression);        \
    if (heddle_op_status != HEDDLE_OK) return heddle_op_status; \
  } while (0)

namespace internal {

struct Nothing {};

template <typename Kernel, typename = void>
struct NodeOf {
  using type = Nothing;
};
template <typename Kernel>
struct NodeOf<Kernel, std::void_t<typename Kernel::Node>> {
  using type = typename Kernel::Node;
};
template <typename Kernel, typename = void>
struct PlanOf {
  using type = Nothing;
};
template <typename Kernel>
struct PlanOf<Kernel, std::void_t<typename Kernel::Plan>> {
  using type = typename Kernel::Plan;
};

heddle_status OutOfMemory(heddle_op_call* call);

// Turns a kernel struct into C callbacks. Exceptions (only bad_alloc can come) end here.
template <typename Kernel>
struct Adapter {
  using Node = typename NodeOf<Kernel>::type;
  using Plan = typename PlanOf<Kernel>::type;
  static constexpr bool kHasNode = !std::is_same_v<Node, Nothing>;
  static constexpr bool kHasPlan = !std::is_same_v<Plan, Nothing>;

  static const Node& NodeState(heddle_op_call* call) {
    static constexpr Nothing kNothing;
    if constexpr (kHasNode)
      return *static_cast<const Node*>(call->node_state);
    else
      return kNothing;
  }

  static heddle_status Init(heddle_op_call* call, void** state) {
    try {
      auto node = std::make_unique<Node>();
      OpContext op(call);
      if constexpr (requires { Kernel::Init(op, *node); })
        HEDDLE_OP_RETURN_IF_ERROR(Kernel::Init(op, *node));
      *state = node.release();
      return HEDDLE_OK;
    } catch (const std::bad_alloc&) {
      return OutOfMemory(call);
    }
  }
  static void Free(void*, void* state) { delete static_cast<Node*>(state); }

  static heddle_status Infer(heddle_op_call* call) {
    try {
      OpContext op(call);
      if constexpr (kHasNode)
        return Kernel::Infer(op, NodeState(call));
      else
        return Kernel::Infer(op);
    } catch (const std::bad_alloc&) {
      return OutOfMemory(call);
    }
  }

  static heddle_status Prepare(heddle_op_call* call, void** state) {
    try {
      OpContext op(call);
      if constexpr (kHasPlan) {
        auto plan = std::make_unique<Plan>();
        if constexpr (kHasNode)
          HEDDLE_OP_RETURN_IF_ERROR(Kernel::Prepare(op, NodeState(call), *plan));
        else
          HEDDLE_OP_RETURN_IF_ERROR(Kernel::Prepare(op, *plan));
        *state = plan.release();
        return HEDDLE_OK;
      } else if constexpr (kHasNode) {
        return Kernel::Prepare(op, NodeState(call));
      } else {
        return Kernel::Prepare(op);
      }
    } catch (const std::bad_alloc&) {
      return OutOfMemory(call);
    }
  }
  static void Release(void*, void* state) { delete static_cast<Plan*>(state); }

  static heddle_status Invoke(heddle_op_call* call) {
    try {
      OpContext op(call);
      if constexpr (kHasNode && kHasPlan) {
        return Kernel::Invoke(op, NodeState(call), *static_cast<const Plan*>(call->plan_state));
      } else if constexpr (kHasPlan) {
        return Kernel::Invoke(op, *static_cast<const Plan*>(call->plan_state));
      } else if constexpr (kHasNode) {
        return Kernel::Invoke(op, NodeState(call));
      } else {
        return Kernel::Invoke(op);
      }
    } catch (const std::bad_alloc&) {
      return OutOfMemory(call);
    }
  }

  static constexpr bool HasPrepare() {
    if constexpr (kHasPlan && kHasNode)
      return requires(OpContext op, Node n, Plan p) { Kernel::Prepare(op, n, p); };
    else if constexpr (kHasPlan)
      return requires(OpContext op, Plan p) { Kernel::Prepare(op, p); };
    else if constexpr (kHasNode)
      return requires(OpContext op, Node n) { Kernel::Prepare(op, n); };
    else
      return requires(OpContext op) { Kernel::Prepare(op); };
  }

  static constexpr heddle_op Make(int32_t builtin_code, const char* custom_name,
                                  int32_t min_version, int32_t max_version) {
    heddle_op op = {};
    op.struct_size = sizeof(heddle_op);
    op.builtin_code = builtin_code;
    op.custom_name = custom_name;
    op.min_version = min_version;
    op.max_version = max_version;
    if constexpr (requires { Kernel::kFlags; }) op.flags = Kernel::kFlags;
    if constexpr (requires { Kernel::kInPlace; }) {
      op.in_place = Kernel::kInPlace;
      op.in_place_count = std::size(Kernel::kInPlace);
    }
    if constexpr (kHasNode) {
      op.init = Init;
      op.free = Free;
    }
    op.infer = Infer;
    if constexpr (HasPrepare()) {
      op.prepare = Prepare;
      op.release = Release;
    }
    op.invoke = Invoke;
    return op;
  }
};

}  // namespace internal
}  // namespace heddle::kernels

// Registers the builtin CODE for versions [MIN, MAX]: defines heddle_op_CODE(), which
// kernels/builtin_ops.inc lists. Optional members of the kernel struct: kFlags (heddle_op_flags)
// and kInPlace (array of heddle_in_place_pair).
#define HEDDLE_OP(CODE, MIN, MAX, ...) \
  HEDDLE_OP_ACCESSOR(CODE, HEDDLE_BUILTIN_##CODE, nullptr, MIN, MAX, __VA_ARGS__)
// The same for the custom op of that name, which kernels/custom_ops.inc lists.
#define HEDDLE_CUSTOM_OP(NAME, MIN, MAX, ...) \
  HEDDLE_OP_ACCESSOR(NAME, HEDDLE_BUILTIN_CUSTOM, #NAME, MIN, MAX, __VA_ARGS__)
#define HEDDLE_OP_ACCESSOR(SYMBOL, CODE, NAME, MIN, MAX, ...)                          \
  extern "C" const heddle_op* heddle_op_##SYMBOL(void) {                               \
    static constexpr heddle_op kOp =                                                   \
        ::heddle::kernels::internal::Adapter<__VA_ARGS__>::Make(CODE, NAME, MIN, MAX); \
    return &kOp;                                                                       \
  }                                                                                    \
  static_assert(true, "a semicolon follows")
