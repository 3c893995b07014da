// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/single_op_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <new>

#include "kernels/builtin_ops.h"
#include "runtime/base/half.h"
#include "runtime/model/sparsity.h"
#include "runtime/op/run_single_op.h"
#include "schema/model_generated.h"

namespace heddle::testing {
namespace {

// `scales`: receives those that lie in another tensor, as FLOAT16.
heddle_quantization QuantizationOf(const schema::Model& model, const schema::Tensor& tensor,
                                   std::vector<float>* scales) {
  heddle_quantization q = NoQuantization();
  const schema::QuantizationParameters* from = tensor.quantization();
  if (from != nullptr && from->details_as_BlockwiseQuantization() != nullptr) {
    const auto& blocks = *from->details_as_BlockwiseQuantization();
    const auto& graph = *model.subgraphs()->Get(0);
    const auto& holder = *graph.tensors()->Get(static_cast<uint32_t>(blocks.scales()));
    const auto* data = model.buffers()->Get(holder.buffer())->data();
    for (uint32_t i = 0; i + 1 < data->size(); i += 2) {
      scales->push_back(HalfToFloat(static_cast<uint16_t>(data->Get(i) | data->Get(i + 1) << 8)));
    }
    q.kind = HEDDLE_QUANTIZATION_BLOCKWISE;
    q.block_size = blocks.block_size();
    q.scales_tensor = blocks.scales();
    q.zero_points_tensor = blocks.zero_points();
    q.count = scales->size();
    q.scales = scales->data();
    return q;
  }
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

OpTensor TensorOf(const schema::Model& model, const schema::Tensor& tensor,
                  std::vector<float>* scales) {
  OpTensor result;
  result.dtype = static_cast<heddle_dtype>(tensor.type());
  if (tensor.shape() != nullptr) {
    result.dims.assign(tensor.shape()->begin(), tensor.shape()->end());
  }
  result.quantization = QuantizationOf(model, tensor, scales);
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

// The value of a constant: dense, as hosts show it to ops.
std::vector<uint8_t> ConstantBytes(const schema::Model& model, const schema::Tensor& tensor) {
  const auto* data = model.buffers()->Get(tensor.buffer())->data();
  std::vector<uint8_t> bytes;
  if (data != nullptr) bytes.assign(data->begin(), data->end());
  if (tensor.sparsity() == nullptr) return bytes;
  TensorDef def;
  def.dtype = static_cast<heddle_dtype>(tensor.type());
  def.dims = {tensor.shape()->data(), tensor.shape()->size()};
  def.data = bytes;
  def.sparsity = tensor.sparsity();
  size_t size = 0;
  EXPECT_TRUE(DenseBytes(def.dtype, def.dims, &size));
  std::vector<uint8_t> dense(size);
  EXPECT_TRUE(Densify(def, dense));
  return dense;
}

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
  std::deque<std::vector<float>> block_scales;
  std::vector<OpTensor> op_inputs;
  for (const int32_t index : *node.inputs()) {
    if (index < 0) {
      op_inputs.emplace_back().is_absent = true;
      continue;
    }
    const schema::Tensor& tensor = *graph.tensors()->Get(static_cast<uint32_t>(index));
    OpTensor& input = op_inputs.emplace_back(TensorOf(model, tensor, &block_scales.emplace_back()));
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
      memory.push_back(std::make_unique<AlignedBytes>(ConstantBytes(model, tensor)));
      input.is_constant = true;
      input.data = memory.back()->span();
    }
  }
  std::vector<OpTensor> op_outputs;
  for (const int32_t index : *node.outputs()) {
    op_outputs.push_back(TensorOf(model, *graph.tensors()->Get(static_cast<uint32_t>(index)),
                                  &block_scales.emplace_back()));
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
  op.registration = code.custom_code() != nullptr
                        ? resolver.FindOp(code.custom_code()->string_view(), op.version)
                        : resolver.FindOp(builtin, op.version);
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
  if (node.custom_options() != nullptr) {
    op.custom_options = {node.custom_options()->data(), node.custom_options()->size()};
  }

  std::vector<OpTensor> intermediates;
  std::deque<std::vector<float>> block_scales;
  if (node.intermediates() != nullptr) {
    for (const int32_t index : *node.intermediates()) {
      OpTensor& tensor = intermediates.emplace_back();
      tensor.is_absent = index < 0;
      if (index < 0) continue;
      tensor = TensorOf(model, *graph.tensors()->Get(static_cast<uint32_t>(index)),
                        &block_scales.emplace_back());
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
