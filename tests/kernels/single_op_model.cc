// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/single_op_model.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <new>

#include "kernels/builtin_ops.h"
#include "runtime/op/run_single_op.h"
#include "schema/model_generated.h"

namespace heddle::testing {
namespace {

heddle_quantization QuantizationOf(const schema::Tensor& tensor) {
  heddle_quantization q = NoQuantization();
  const schema::QuantizationParameters* from = tensor.quantization();
  if (from == nullptr || from->scale() == nullptr || from->scale()->size() == 0) return q;
  q.kind = HEDDLE_QUANTIZATION_AFFINE;
  q.axis = from->quantized_dimension();
  q.count = from->scale()->size();
  q.scales = from->scale()->data();
  if (from->zero_point() != nullptr) {
    q.zero_points = from->zero_point()->data();
    q.zero_point_count = from->zero_point()->size();
  }
  return q;
}

OpTensor TensorOf(const schema::Tensor& tensor) {
  OpTensor result;
  result.dtype = static_cast<heddle_dtype>(tensor.type());
  if (tensor.shape() != nullptr) {
    result.dims.assign(tensor.shape()->begin(), tensor.shape()->end());
  }
  result.quantization = QuantizationOf(tensor);
  return result;
}

// A copy at an aligned address whose memory ends where the bytes end, so that the address sanitizer
// sees every read past them.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::span<const uint8_t> bytes)
      : data_(static_cast<uint8_t*>(::operator new(bytes.size(), kAlignment))),
        size_(bytes.size()) {
    if (size_ != 0) std::memcpy(data_.get(), bytes.data(), size_);
  }
  std::span<const uint8_t> span() const { return {data_.get(), size_}; }

 private:
  static constexpr std::align_val_t kAlignment{64};
  struct Delete {
    void operator()(uint8_t* data) const { ::operator delete(data, kAlignment); }
  };
  std::unique_ptr<uint8_t, Delete> data_;
  size_t size_;
};

// A registration whose invoke sees a host that splits every loop as far as possible.
heddle_op WithSplitLoops(const heddle_op& op) {
  heddle_op wrapped = op;
  wrapped.user_data = const_cast<heddle_op*>(&op);
  wrapped.invoke = [](heddle_op_call* call) {
    const heddle_host* const host = call->host;
    heddle_host splitting = *host;
    splitting.parallel_for = [](heddle_op_call*, int64_t count, int64_t,
                                void (*function)(void*, int64_t, int64_t), void* argument) {
      for (int64_t i = count; i-- > 0;) function(argument, i, i + 1);
      return HEDDLE_OK;
    };
    call->host = &splitting;
    const heddle_status status = static_cast<const heddle_op*>(call->user_data)->invoke(call);
    call->host = host;
    return status;
  };
  return wrapped;
}

std::shared_ptr<Allocator> LimitedAllocator(const size_t* limit) {
  heddle_allocator functions = {};
  functions.struct_size = sizeof(functions);
  functions.context = const_cast<size_t*>(limit);
  functions.allocate = [](void* context, size_t bytes, size_t alignment) -> void* {
    if (bytes > *static_cast<const size_t*>(context)) return nullptr;
    return ::operator new(bytes, std::align_val_t{alignment}, std::nothrow);
  };
  functions.deallocate = [](void*, void* pointer, size_t, size_t alignment) {
    ::operator delete(pointer, std::align_val_t{alignment});
  };
  return std::make_shared<Allocator>(functions);
}

using Variables = std::map<int32_t, std::unique_ptr<AlignedBytes>>;  // by tensor

std::vector<uint8_t> InitialValue(const OpTensor& tensor) {
  size_t size = 0;
  if (!DenseBytes(tensor.dtype, tensor.dims, &size)) size = 0;
  const heddle_quantization& q = tensor.quantization;
  const bool moved = tensor.dtype == HEDDLE_DTYPE_INT8 && q.zero_point_count != 0;
  return std::vector<uint8_t>(size, moved ? static_cast<uint8_t>(q.zero_points[0]) : uint8_t{0});
}

// One invoke; appends its outputs to `values`.
Status RunOnce(const schema::Model& model, const SingleOp& op,
               std::span<const std::vector<uint8_t>> inputs, bool constant_inputs,
               Variables* variables, std::vector<Value>* values) {
  const schema::SubGraph& graph = *model.subgraphs()->Get(0);
  const schema::Operator& node = *graph.operators()->Get(0);
  std::vector<std::unique_ptr<AlignedBytes>> memory;
  std::vector<OpTensor> op_inputs;
  for (const int32_t index : *node.inputs()) {
    if (index < 0) {
      op_inputs.emplace_back().is_absent = true;
      continue;
    }
    const schema::Tensor& tensor = *graph.tensors()->Get(static_cast<uint32_t>(index));
    OpTensor& input = op_inputs.emplace_back(TensorOf(tensor));
    const auto* begin =
        graph.inputs()->begin() == graph.inputs()->end() ? nullptr : graph.inputs()->data();
    const auto* end = begin == nullptr ? nullptr : begin + graph.inputs()->size();
    const auto* found = std::find(begin, end, index);
    if (begin != nullptr && found != end) {
      memory.push_back(std::make_unique<AlignedBytes>(inputs[static_cast<size_t>(found - begin)]));
      input.is_constant = constant_inputs;
      input.data = memory.back()->span();
    } else if (tensor.is_variable()) {
      std::unique_ptr<AlignedBytes>& variable = (*variables)[index];
      if (variable == nullptr) variable = std::make_unique<AlignedBytes>(InitialValue(input));
      input.is_variable = true;
      input.data = variable->span();
    } else {
      const auto* data = model.buffers()->Get(tensor.buffer())->data();
      memory.push_back(std::make_unique<AlignedBytes>(
          data == nullptr ? std::span<const uint8_t>()
                          : std::span<const uint8_t>(data->data(), data->size())));
      input.is_constant = true;
      input.data = memory.back()->span();
    }
  }
  std::vector<OpTensor> op_outputs;
  for (const int32_t index : *node.outputs()) {
    op_outputs.push_back(TensorOf(*graph.tensors()->Get(static_cast<uint32_t>(index))));
  }
  HEDDLE_RETURN_IF_ERROR(RunSingleOp(op, op_inputs, op_outputs));
  for (const OpTensor& output : op_outputs) {
    Value& value = values->emplace_back();
    value.dtype = output.dtype;
    value.dims = output.dims;
    const auto* data = static_cast<const uint8_t*>(output.storage.data());
    value.bytes.assign(data, data + output.bytes);
    for (size_t i = 0; i < kTensorPadding; ++i) {
      if (data[output.bytes + i] == 0) continue;
      return Status(HEDDLE_INTERNAL, HEDDLE_PHASE_INVOKE, HEDDLE_REASON_INTERNAL,
                    "the kernel wrote behind the end of an output");
    }
  }
  return {};
}

}  // namespace

StatusOr<std::vector<Value>> RunSingleOpModel(std::span<const uint8_t> bytes,
                                              std::span<const std::vector<uint8_t>> inputs,
                                              const RunOptions& options) {
  const AlignedBytes aligned(bytes);
  const schema::Model& model = *schema::GetModel(aligned.span().data());
  const schema::SubGraph& graph = *model.subgraphs()->Get(0);
  const schema::Operator& node = *graph.operators()->Get(0);
  const schema::OperatorCode& code = *model.operator_codes()->Get(node.opcode_index());

  OpResolver resolver;
  HEDDLE_RETURN_IF_ERROR(kernels::AddBuiltinOps(resolver));
  SingleOp op;
  op.version = code.version();
  op.reference = true;
  const int32_t builtin = std::max(static_cast<int32_t>(code.builtin_code()),
                                   static_cast<int32_t>(code.deprecated_builtin_code()));
  op.registration = resolver.FindOp(builtin, op.version);
  if (op.registration == nullptr) {
    return Status(HEDDLE_UNRESOLVED_OPS, HEDDLE_PHASE_RESOLVE, HEDDLE_REASON_OP_NOT_REGISTERED,
                  "no such op or version");
  }
  const heddle_op original = op.registration->op();
  if (options.split) {
    auto split = OpRegistration::Make(WithSplitLoops(original));
    if (!split.ok()) return std::move(split).status();
    op.registration = *split;
  }
  op.allocator = LimitedAllocator(&options.memory_limit);
  if (node.builtin_options() != nullptr) {
    op.attributes = AttributeView(static_cast<const uint8_t*>(node.builtin_options()), 1,
                                  static_cast<uint8_t>(node.builtin_options_type()));
  }

  std::vector<OpTensor> intermediates;
  if (node.intermediates() != nullptr) {
    for (const int32_t index : *node.intermediates()) {
      OpTensor& tensor = intermediates.emplace_back();
      tensor.is_absent = index < 0;
      if (index >= 0) tensor = TensorOf(*graph.tensors()->Get(static_cast<uint32_t>(index)));
    }
  }
  op.intermediates = intermediates;

  const size_t per_invoke = graph.inputs() == nullptr ? 0 : graph.inputs()->size();
  const size_t invokes = per_invoke == 0 ? 1 : inputs.size() / per_invoke;
  Variables variables;
  std::vector<Value> values;
  for (size_t i = 0; i < invokes; ++i) {
    HEDDLE_RETURN_IF_ERROR(RunOnce(model, op, inputs.subspan(i * per_invoke, per_invoke),
                                   options.constant_inputs, &variables, &values));
  }
  return values;
}

}  // namespace heddle::testing
