// SPDX-License-Identifier: Apache-2.0
#include "tests/support/model_builder.h"

#include <algorithm>

namespace heddle::testing {
namespace {

using flatbuffers::Offset;

constexpr int32_t kPlaceholderCode = HEDDLE_BUILTIN_PLACEHOLDER_FOR_GREATER_OP_CODES;

flatbuffers::Offset<flatbuffers::String> StringOrNone(FlatBufferBuilder& fbb,
                                                      const std::string& text) {
  return text.empty() ? 0 : fbb.CreateString(text);
}

Offset<schema::Tensor> WriteTensor(FlatBufferBuilder& fbb, const TensorSpec& tensor,
                                   uint32_t buffer) {
  const auto shape = fbb.CreateVector(tensor.dims);
  const auto name = fbb.CreateString(tensor.name);
  Offset<flatbuffers::Vector<int32_t>> signature = 0;
  if (!tensor.shape_signature.empty()) signature = fbb.CreateVector(tensor.shape_signature);
  Offset<schema::QuantizationParameters> quantization = 0;
  if (tensor.quantization) quantization = tensor.quantization(fbb);
  Offset<schema::SparsityParameters> sparsity = 0;
  if (tensor.sparsity) sparsity = tensor.sparsity(fbb);
  Offset<flatbuffers::Vector<Offset<schema::VariantSubType>>> variants = 0;
  if (!tensor.variant_types.empty()) {
    std::vector<Offset<schema::VariantSubType>> subtypes;
    for (const auto& [type, dims] : tensor.variant_types) {
      subtypes.push_back(schema::CreateVariantSubType(fbb, fbb.CreateVector(dims), type, true));
    }
    variants = fbb.CreateVector(subtypes);
  }
  return schema::CreateTensor(fbb, shape, static_cast<schema::TensorType>(tensor.dtype), buffer,
                              name, quantization, tensor.is_variable, sparsity, signature,
                              tensor.has_rank, variants, tensor.external_buffer);
}

Offset<schema::Operator> WriteOperator(FlatBufferBuilder& fbb, const OperatorSpec& op) {
  const auto inputs = fbb.CreateVector(op.inputs);
  const auto outputs = fbb.CreateVector(op.outputs);
  Offset<void> options = 0;
  if (op.options) options = op.options(fbb);
  Offset<flatbuffers::Vector<uint8_t>> custom_options = 0;
  if (!op.custom_options.empty()) custom_options = fbb.CreateVector(op.custom_options);
  Offset<flatbuffers::Vector<int32_t>> intermediates = 0;
  if (!op.intermediates.empty()) intermediates = fbb.CreateVector(op.intermediates);
  const bool second = op.options_2_type != schema::BuiltinOptions2::NONE;
  return schema::CreateOperator(fbb, op.opcode_index, inputs, outputs, op.options_type,
                                second ? Offset<void>(0) : options, custom_options,
                                schema::CustomOptionsFormat::FLEXBUFFERS, 0, intermediates,
                                op.large_custom_options_offset, op.large_custom_options_size,
                                op.options_2_type, second ? options : Offset<void>(0));
}

Offset<schema::Buffer> WriteBuffer(FlatBufferBuilder& fbb, const BufferSpec& buffer) {
  Offset<flatbuffers::Vector<uint8_t>> data = 0;
  if (buffer.data) {
    fbb.ForceVectorAlignment(buffer.data->size(), 1, 16);
    data = fbb.CreateVector(*buffer.data);
  }
  return schema::CreateBuffer(fbb, data, buffer.offset, buffer.size);
}

Offset<schema::OperatorCode> WriteCode(FlatBufferBuilder& fbb, const OperatorCodeSpec& code) {
  const auto custom = StringOrNone(fbb, code.custom_code);
  const auto deprecated = static_cast<int8_t>(std::min(code.builtin_code, kPlaceholderCode));
  return schema::CreateOperatorCode(fbb, deprecated, custom, code.version,
                                    static_cast<schema::BuiltinOperator>(code.builtin_code));
}

// A vector of what `write` makes of each item.
template <typename Items, typename Write>
auto WriteAll(FlatBufferBuilder& fbb, const Items& items, Write write) {
  std::vector<decltype(write(*items.begin()))> offsets;
  for (const auto& item : items) offsets.push_back(write(item));
  return fbb.CreateVector(offsets);
}

Offset<flatbuffers::Vector<Offset<schema::TensorMap>>> WriteTensorMaps(
    FlatBufferBuilder& fbb, const std::vector<std::pair<std::string, uint32_t>>& entries) {
  return WriteAll(fbb, entries, [&](const auto& entry) {
    return schema::CreateTensorMap(fbb, fbb.CreateString(entry.first), entry.second);
  });
}

// Data that tensors carry goes to new buffers at the end.
Offset<schema::SubGraph> WriteSubgraph(FlatBufferBuilder& fbb, const SubgraphSpec& subgraph,
                                       std::vector<BufferSpec>* buffers) {
  const auto tensors = WriteAll(fbb, subgraph.tensors, [&](const TensorSpec& tensor) {
    if (!tensor.data) return WriteTensor(fbb, tensor, tensor.buffer);
    buffers->push_back({tensor.data, 0, 0});
    return WriteTensor(fbb, tensor, static_cast<uint32_t>(buffers->size()) - 1);
  });
  const auto operators = WriteAll(fbb, subgraph.operators,
                                  [&](const OperatorSpec& op) { return WriteOperator(fbb, op); });
  const auto name = StringOrNone(fbb, subgraph.name);
  const auto inputs = fbb.CreateVector(subgraph.inputs);
  const auto outputs = fbb.CreateVector(subgraph.outputs);
  return schema::CreateSubGraph(fbb, tensors, inputs, outputs, operators, name);
}

}  // namespace

std::vector<uint8_t> StringTensorBytes(const std::vector<std::string>& values) {
  const auto count = static_cast<int32_t>(values.size());
  std::vector<int32_t> head = {count};
  int32_t offset = 4 * (count + 2);
  for (const std::string& value : values) {
    head.push_back(offset);
    offset += static_cast<int32_t>(value.size());
  }
  head.push_back(offset);
  std::vector<uint8_t> bytes = BytesOf(head);
  for (const std::string& value : values) bytes.insert(bytes.end(), value.begin(), value.end());
  return bytes;
}

TensorSpec& TensorSpec::QuantizedPerAxis(std::vector<float> scales,
                                         std::vector<int64_t> zero_points, int32_t axis) {
  quantization = [scales, zero_points, axis](FlatBufferBuilder& fbb) {
    const auto scale = fbb.CreateVector(scales);
    const auto zero_point = fbb.CreateVector(zero_points);
    return schema::CreateQuantizationParameters(fbb, 0, 0, scale, zero_point,
                                                schema::QuantizationDetails::NONE, 0, axis);
  };
  return *this;
}

int32_t SubgraphSpec::Tensor(std::string tensor_name, heddle_dtype dtype,
                             std::vector<int32_t> dims) {
  TensorSpec& added = tensors.emplace_back();
  added.name = std::move(tensor_name);
  added.dtype = dtype;
  added.dims = std::move(dims);
  return static_cast<int32_t>(tensors.size()) - 1;
}

int32_t SubgraphSpec::Input(std::string tensor_name, heddle_dtype dtype,
                            std::vector<int32_t> dims) {
  inputs.push_back(Tensor(std::move(tensor_name), dtype, std::move(dims)));
  return inputs.back();
}

int32_t SubgraphSpec::ConstantBytes(std::string tensor_name, heddle_dtype dtype,
                                    std::vector<int32_t> dims, std::vector<uint8_t> data) {
  const int32_t index = Tensor(std::move(tensor_name), dtype, std::move(dims));
  tensor(index).data = std::move(data);
  return index;
}

OperatorSpec& SubgraphSpec::Op(int32_t builtin_code, std::vector<int32_t> op_inputs,
                               std::vector<int32_t> op_outputs, int32_t version) {
  OperatorSpec& op = operators.emplace_back();
  op.opcode_index = model->OpCode(builtin_code, version);
  op.inputs = std::move(op_inputs);
  op.outputs = std::move(op_outputs);
  return op;
}

OperatorSpec& SubgraphSpec::CustomOp(std::string custom_code, std::vector<int32_t> op_inputs,
                                     std::vector<int32_t> op_outputs,
                                     std::vector<uint8_t> custom_options, int32_t version) {
  OperatorSpec& op = operators.emplace_back();
  op.opcode_index = model->OpCode(HEDDLE_BUILTIN_CUSTOM, version, std::move(custom_code));
  op.inputs = std::move(op_inputs);
  op.outputs = std::move(op_outputs);
  op.custom_options = std::move(custom_options);
  return op;
}

SubgraphSpec& ModelBuilder::AddSubgraph(std::string name) {
  SubgraphSpec& subgraph = subgraphs.emplace_back();
  subgraph.model = this;
  subgraph.name = std::move(name);
  return subgraph;
}

uint32_t ModelBuilder::OpCode(int32_t builtin_code, int32_t op_version, std::string custom_code) {
  const OperatorCodeSpec code{builtin_code, op_version, std::move(custom_code)};
  const auto found = std::find(operator_codes.begin(), operator_codes.end(), code);
  const auto index = static_cast<uint32_t>(found - operator_codes.begin());
  if (found == operator_codes.end()) operator_codes.push_back(code);
  return index;
}

uint32_t ModelBuilder::AddBuffer(std::vector<uint8_t> data) {
  buffers.push_back({std::move(data), 0, 0});
  return static_cast<uint32_t>(buffers.size()) - 1;
}

uint32_t ModelBuilder::AddBufferAt(uint64_t offset, uint64_t size) {
  buffers.push_back({std::nullopt, offset, size});
  return static_cast<uint32_t>(buffers.size()) - 1;
}

ModelBuilder& ModelBuilder::AddMetadata(std::string name, std::vector<uint8_t> data) {
  metadata.emplace_back(std::move(name), AddBuffer(std::move(data)));
  return *this;
}

ModelBuilder& ModelBuilder::AddSignature(std::string key, uint32_t subgraph,
                                         std::vector<std::pair<std::string, uint32_t>> inputs,
                                         std::vector<std::pair<std::string, uint32_t>> outputs) {
  signatures.push_back({std::move(key), subgraph, std::move(inputs), std::move(outputs)});
  return *this;
}

std::vector<uint8_t> ModelBuilder::Build() const {
  FlatBufferBuilder fbb;
  std::vector<BufferSpec> all_buffers = buffers;
  const auto subgraph_vector = WriteAll(fbb, subgraphs, [&](const SubgraphSpec& subgraph) {
    return WriteSubgraph(fbb, subgraph, &all_buffers);
  });
  const auto code_vector =
      WriteAll(fbb, operator_codes, [&](const auto& code) { return WriteCode(fbb, code); });
  const auto buffer_vector =
      WriteAll(fbb, all_buffers, [&](const auto& buffer) { return WriteBuffer(fbb, buffer); });
  const auto metadata_vector = WriteAll(fbb, metadata, [&](const auto& entry) {
    return schema::CreateMetadata(fbb, fbb.CreateString(entry.first), entry.second);
  });
  const auto signature_vector = WriteAll(fbb, signatures, [&](const SignatureSpec& signature) {
    const auto inputs = WriteTensorMaps(fbb, signature.inputs);
    const auto outputs = WriteTensorMaps(fbb, signature.outputs);
    const auto key = fbb.CreateString(signature.key);
    return schema::CreateSignatureDef(fbb, inputs, outputs, key, signature.subgraph);
  });
  const auto group_vector = WriteAll(fbb, external_groups, [&](const std::string& group) {
    return schema::CreateExternalBufferGroup(fbb, fbb.CreateString(group));
  });
  const auto external_vector = WriteAll(fbb, external_buffers, [&](const auto& buffer) {
    return schema::CreateExternalBuffer(fbb, buffer.id, buffer.group, buffer.offset, buffer.length);
  });
  const auto description_offset = StringOrNone(fbb, description);
  fbb.Finish(schema::CreateModel(fbb, version, code_vector, subgraph_vector, description_offset,
                                 buffer_vector, 0, metadata_vector, signature_vector, group_vector,
                                 external_vector),
             identifier.c_str());
  return {fbb.GetBufferPointer(), fbb.GetBufferPointer() + fbb.GetSize()};
}

}  // namespace heddle::testing
