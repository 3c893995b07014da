// SPDX-License-Identifier: Apache-2.0
#include "runtime/op/run_single_op.h"

#include <deque>
#include <utility>

#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "runtime/op/host.h"

namespace heddle {
namespace {

Status NotHere(const char* what) {
  return Status(HEDDLE_UNSUPPORTED, HEDDLE_PHASE_PLAN, HEDDLE_REASON_BAD_ARGUMENT,
                StrCat("an op that runs alone cannot use ", what));
}

// State of one run. Owns what the op made, so that every way out gives it back.
class SingleOpHost final : public OpHost {
 public:
  SingleOpHost(const SingleOp& op, std::span<const OpTensor> inputs, std::span<OpTensor> outputs)
      : op_(op),
        given_outputs_(outputs),
        allocator_(op.allocator != nullptr ? op.allocator : std::make_shared<Allocator>()),
        c_allocator_{sizeof(heddle_allocator), allocator_.get(), Allocate, Deallocate} {
    InitNodeContext(this, op.registration.get(), op.version, -1, -1, op.reference, &context_,
                    &call_);
    context_.attributes = op.attributes;
    context_.custom_options = op.custom_options;
    for (const OpTensor& input : inputs) AddInput(input);
    for (OpTensor& output : outputs) AddOutput(output);
    call_.inputs = inputs_.data();
    call_.input_count = inputs_.size();
    for (const OpTensor& tensor : op.intermediates) {
      intermediates_.push_back(tensor.is_absent ? nullptr : AddView(tensor));
    }
    call_.outputs = outputs_.data();
    call_.output_count = outputs_.size();
    call_.intermediates = intermediates_.data();
    call_.intermediate_count = intermediates_.size();
  }

  ~SingleOpHost() override {
    const heddle_op& registered = op_.registration->op();
    if (call_.plan_state != nullptr) registered.release(registered.user_data, call_.plan_state);
    if (call_.node_state != nullptr) registered.free(registered.user_data, call_.node_state);
    for (const auto& [object, destroy] : shared_) destroy(object);
  }

  Status Run() {
    HEDDLE_RETURN_IF_ERROR(CheckInputs());
    HEDDLE_RETURN_IF_ERROR(CallInit(&call_));
    HEDDLE_RETURN_IF_ERROR(CallInfer(&call_));
    for (size_t i = 0; i < outputs_.size(); ++i) HEDDLE_RETURN_IF_ERROR(AllocateKnown(i));
    void* plan_state = nullptr;
    HEDDLE_RETURN_IF_ERROR(CallPrepare(&call_, &plan_state));
    call_.plan_state = plan_state;
    HEDDLE_RETURN_IF_ERROR(CallInvoke(&call_));
    for (size_t i = 0; i < outputs_.size(); ++i) {
      if (outputs_[i]->data != nullptr) continue;
      return Status(HEDDLE_INTERNAL, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_OUTPUT_NOT_SET,
                    StrCat(context_.info.name, " did not allocate output ", i));
    }
    return {};
  }

  void Log(heddle_severity, heddle_reason, std::string_view) override {}
  const heddle_allocator* GetAllocator() override { return &c_allocator_; }

  Status SetOutput(heddle_op_call*, size_t output, heddle_dtype dtype,
                   std::span<const int32_t> dims) override {
    OpTensor& given = given_outputs_[output];
    given.dims.assign(dims.begin(), dims.end());
    heddle_tensor& view = *outputs_[output];
    view.dtype = given.dtype = dtype;
    view.flags = HEDDLE_TENSOR_SHAPE_KNOWN;
    view.rank = static_cast<int32_t>(given.dims.size());
    view.dims = given.dims.data();
    if (!DenseBytes(dtype, given.dims, &view.bytes)) {
      return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_PLAN, HEDDLE_REASON_SIZE_OVERFLOW,
                    StrCat("output ", output, " of shape ", ShapeText(dims), " has no size"));
    }
    given.bytes = view.bytes;
    return {};
  }

  Status SetOutputDataDependent(heddle_op_call*, size_t output, heddle_dtype dtype) override {
    given_outputs_[output].dtype = outputs_[output]->dtype = dtype;
    outputs_[output]->flags = HEDDLE_TENSOR_DYNAMIC;
    return {};
  }

  Status RequestScratch(heddle_op_call*, size_t bytes, int32_t* scratch) override {
    Block block = Block::Make(allocator_, bytes);
    if (!block) return Status::OutOfMemory();
    *scratch = static_cast<int32_t>(scratch_.size());
    scratch_.push_back(std::move(block));
    return {};
  }

  void* GetScratch(heddle_op_call*, int32_t scratch) override {
    const auto index = static_cast<size_t>(scratch);
    return scratch >= 0 && index < scratch_.size() ? scratch_[index].data() : nullptr;
  }

  Status GetShared(heddle_op_call* call, const SharedRequest& request, void** object) override {
    uint64_t bytes = 0;
    shared_.reserve(shared_.size() + 1);
    const heddle_status code = request.create(call, request.argument, object, &bytes);
    if (code != HEDDLE_OK) return TakeReported(call, code, Stage::kPrepare);
    shared_.emplace_back(*object, request.destroy);
    return {};
  }

  Status AllocateOutput(heddle_op_call* call, size_t output, std::span<const int32_t> dims,
                        size_t bytes, void** data) override {
    heddle_tensor& view = *outputs_[output];
    if (view.dtype == HEDDLE_DTYPE_STRING) {
      OpTensor& given = given_outputs_[output];
      given.dims.assign(dims.begin(), dims.end());
      view.rank = static_cast<int32_t>(given.dims.size());
      view.dims = given.dims.data();
      view.bytes = given.bytes = bytes;
      view.flags = HEDDLE_TENSOR_SHAPE_KNOWN;
    } else {
      HEDDLE_RETURN_IF_ERROR(SetOutput(call, output, view.dtype, dims));
    }
    view.data = nullptr;
    HEDDLE_RETURN_IF_ERROR(AllocateKnown(output));
    *data = view.data;
    return {};
  }

  Status ParallelFor(int64_t count, int64_t, void (*function)(void*, int64_t, int64_t),
                     void* argument) override {
    if (count > 0) function(argument, 0, count);
    return {};
  }
  int32_t NumThreads() override { return 1; }
  bool IsCancelled() override { return false; }
  uint64_t LoopLimit() override { return 0; }

  Status GetResourceId(std::string_view, std::string_view, int32_t*) override {
    return NotHere("resources");
  }
  Status OpenResource(heddle_op_call*, int32_t, const heddle_resource_type&, bool, void*,
                      void**) override {
    return NotHere("resources");
  }
  Status GetSubgraphIo(int32_t, size_t*, size_t*) override { return NotHere("subgraphs"); }
  Status InferSubgraph(heddle_op_call*, int32_t, std::span<const heddle_tensor* const>,
                       std::span<const heddle_tensor* const>*) override {
    return NotHere("subgraphs");
  }
  Status InvokeSubgraph(heddle_op_call*, int32_t, std::span<const heddle_tensor* const>,
                        std::span<const heddle_tensor* const>*) override {
    return NotHere("subgraphs");
  }

 private:
  static void* Allocate(void* context, size_t bytes, size_t alignment) {
    return static_cast<Allocator*>(context)->Allocate(bytes, alignment);
  }
  static void Deallocate(void* context, void* pointer, size_t bytes, size_t alignment) {
    static_cast<Allocator*>(context)->Deallocate(pointer, bytes, alignment);
  }

  heddle_tensor* AddView(const OpTensor& tensor) {
    heddle_tensor view = {};
    view.struct_size = sizeof(view);
    view.dtype = tensor.dtype;
    view.index = -1;
    view.name = "";
    view.quantization = &tensor.quantization;
    view.rank = static_cast<int32_t>(tensor.dims.size());
    view.dims = tensor.dims.data();
    views_.push_back(view);
    return &views_.back();
  }

  void AddInput(const OpTensor& input) {
    if (input.is_absent) {
      inputs_.push_back(nullptr);
      return;
    }
    heddle_tensor* view = AddView(input);
    view->flags = HEDDLE_TENSOR_SHAPE_KNOWN |
                  (input.is_constant ? uint32_t{HEDDLE_TENSOR_CONSTANT} : 0u) |
                  (input.is_variable ? uint32_t{HEDDLE_TENSOR_VARIABLE} : 0u);
    view->bytes = input.data.size();
    view->data = const_cast<uint8_t*>(input.data.data());
    inputs_.push_back(view);
  }

  void AddOutput(OpTensor& output) {
    heddle_tensor* view = AddView(output);
    view->flags = HEDDLE_TENSOR_SHAPE_KNOWN | HEDDLE_TENSOR_UNPROVEN;
    if (!DenseBytes(output.dtype, output.dims, &view->bytes)) view->bytes = 0;
    output.bytes = view->bytes;
    outputs_.push_back(view);
  }

  // Kernels trust that a tensor's bytes are those of its shape.
  Status CheckInputs() const {
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const heddle_tensor* input = inputs_[i];
      if (input == nullptr || input->dtype == HEDDLE_DTYPE_STRING) continue;
      size_t bytes = 0;
      if (DenseBytes(input->dtype, {input->dims, static_cast<size_t>(input->rank)}, &bytes) &&
          bytes == input->bytes) {
        continue;
      }
      return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_PREPARE,
                    HEDDLE_REASON_BUFFER_SIZE_MISMATCH,
                    StrCat(context_.info.name, ": inputs[", i, "] has ", input->bytes,
                           " bytes, its shape wants ", bytes));
    }
    return {};
  }

  Status AllocateKnown(size_t output) {
    heddle_tensor& view = *outputs_[output];
    if ((view.flags & HEDDLE_TENSOR_SHAPE_KNOWN) == 0) return {};
    OpTensor& given = given_outputs_[output];
    given.storage = Block::Make(allocator_, view.bytes);
    if (!given.storage) return Status::OutOfMemory();
    view.data = given.storage.data();
    return {};
  }

  const SingleOp& op_;
  std::span<OpTensor> given_outputs_;
  std::shared_ptr<Allocator> allocator_;
  heddle_allocator c_allocator_;
  NodeContext context_;
  heddle_op_call call_ = {};
  std::deque<heddle_tensor> views_;  // stable addresses
  std::vector<const heddle_tensor*> inputs_;
  std::vector<heddle_tensor*> outputs_;
  std::vector<const heddle_tensor*> intermediates_;
  std::vector<Block> scratch_;
  std::vector<std::pair<void*, void (*)(void*)>> shared_;
};

}  // namespace

Status RunSingleOp(const SingleOp& op, std::span<const OpTensor> inputs,
                   std::span<OpTensor> outputs) {
  SingleOpHost host(op, inputs, outputs);
  return host.Run();
}

}  // namespace heddle
