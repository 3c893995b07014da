// SPDX-License-Identifier: Apache-2.0
// Writes .tflite models for tests.
//
//   ModelBuilder model;
//   SubgraphSpec& graph = model.AddSubgraph("main");
//   const int32_t x = graph.Input("x", HEDDLE_DTYPE_FLOAT32, {1, 4});
//   const int32_t y = graph.Constant<float>("y", {4}, {1, 2, 3, 4});
//   const int32_t sum = graph.Tensor("sum", HEDDLE_DTYPE_FLOAT32, {1, 4});
//   graph.Op(HEDDLE_BUILTIN_ADD, {x, y}, {sum}).Options([](FlatBufferBuilder& fbb) {
//     return schema::CreateAddOptions(fbb, schema::ActivationFunctionType::RELU);
//   });
//   graph.Output(sum);
//   std::vector<uint8_t> bytes = model.Build();
//
// Everything stays a plain struct until Build, which checks nothing: broken models are written the
// same way.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/heddle.h"
#include "heddle/heddle_attributes.h"
#include "runtime/base/dtype.h"
#include "schema/model_generated.h"

namespace heddle::testing {

using ::flatbuffers::FlatBufferBuilder;

template <typename T>
std::vector<uint8_t> BytesOf(const std::vector<T>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
// The bytes of a string tensor: count, offsets, characters.
std::vector<uint8_t> StringTensorBytes(const std::vector<std::string>& values);

struct TensorSpec {
  std::string name;
  heddle_dtype dtype = HEDDLE_DTYPE_FLOAT32;
  std::vector<int32_t> dims;
  std::vector<int32_t> shape_signature;
  bool has_rank = true;
  bool is_variable = false;
  std::optional<std::vector<uint8_t>> data;  // set: a buffer of its own
  uint32_t buffer = 0;                       // used if data is not set
  uint32_t external_buffer = 0;
  std::function<flatbuffers::Offset<schema::QuantizationParameters>(FlatBufferBuilder&)>
      quantization;
  std::function<flatbuffers::Offset<schema::SparsityParameters>(FlatBufferBuilder&)> sparsity;
  std::vector<std::pair<schema::TensorType, std::vector<int32_t>>> variant_types;

  TensorSpec& Quantized(float scale, int64_t zero_point) {
    return QuantizedPerAxis({scale}, {zero_point}, 0);
  }
  TensorSpec& QuantizedPerAxis(std::vector<float> scales, std::vector<int64_t> zero_points,
                               int32_t axis);
  TensorSpec& Variable() {
    is_variable = true;
    return *this;
  }
  TensorSpec& Signature(std::vector<int32_t> signature) {
    shape_signature = std::move(signature);
    return *this;
  }
};

struct OperatorSpec {
  uint32_t opcode_index = 0;
  std::vector<int32_t> inputs;  // -1: absent
  std::vector<int32_t> outputs;
  std::vector<int32_t> intermediates;
  std::vector<uint8_t> custom_options;
  uint64_t large_custom_options_offset = 0;
  uint64_t large_custom_options_size = 0;
  schema::BuiltinOptions options_type = schema::BuiltinOptions::NONE;
  schema::BuiltinOptions2 options_2_type = schema::BuiltinOptions2::NONE;
  std::function<flatbuffers::Offset<void>(FlatBufferBuilder&)> options;

  // write(FlatBufferBuilder&) gives the offset of an options table; its type says which one.
  template <typename Write>
  OperatorSpec& Options(const Write& write) {
    using Table = typename OffsetTarget<decltype(write(std::declval<FlatBufferBuilder&>()))>::type;
    options_type = schema::BuiltinOptionsTraits<Table>::enum_value;
    options_2_type = schema::BuiltinOptions2Traits<Table>::enum_value;
    options = [write](FlatBufferBuilder& fbb) { return write(fbb).Union(); };
    return *this;
  }

 private:
  template <typename T>
  struct OffsetTarget;
  template <typename T>
  struct OffsetTarget<flatbuffers::Offset<T>> {
    using type = T;
  };
};

struct OperatorCodeSpec {
  int32_t builtin_code = 0;
  int32_t version = 1;
  std::string custom_code;
  bool operator==(const OperatorCodeSpec&) const = default;
};

class ModelBuilder;

struct SubgraphSpec {
  ModelBuilder* model = nullptr;
  std::string name;
  std::deque<TensorSpec> tensors;
  std::deque<OperatorSpec> operators;
  std::vector<int32_t> inputs;
  std::vector<int32_t> outputs;

  // Each adds a tensor and returns its index.
  int32_t Tensor(std::string name, heddle_dtype dtype, std::vector<int32_t> dims);
  int32_t Input(std::string name, heddle_dtype dtype, std::vector<int32_t> dims);
  int32_t ConstantBytes(std::string name, heddle_dtype dtype, std::vector<int32_t> dims,
                        std::vector<uint8_t> data);
  template <typename T>
  int32_t Constant(std::string name, std::vector<int32_t> dims, const std::vector<T>& values) {
    return ConstantBytes(std::move(name), DtypeOf<T>(), std::move(dims), BytesOf(values));
  }
  int32_t ConstantBools(std::string name, std::vector<int32_t> dims, std::vector<uint8_t> values) {
    return ConstantBytes(std::move(name), HEDDLE_DTYPE_BOOL, std::move(dims), std::move(values));
  }
  int32_t ConstantStrings(std::string name, std::vector<int32_t> dims,
                          const std::vector<std::string>& values) {
    return ConstantBytes(std::move(name), HEDDLE_DTYPE_STRING, std::move(dims),
                         StringTensorBytes(values));
  }
  void Output(int32_t tensor) { outputs.push_back(tensor); }
  // The references stay valid while more are added.
  TensorSpec& tensor(int32_t index) { return tensors[static_cast<size_t>(index)]; }

  OperatorSpec& Op(int32_t builtin_code, std::vector<int32_t> inputs, std::vector<int32_t> outputs,
                   int32_t version = 1);
  OperatorSpec& CustomOp(std::string custom_code, std::vector<int32_t> inputs,
                         std::vector<int32_t> outputs, std::vector<uint8_t> custom_options = {},
                         int32_t version = 1);
};

struct BufferSpec {
  std::optional<std::vector<uint8_t>> data;
  uint64_t offset = 0;  // of bytes behind the flatbuffer
  uint64_t size = 0;
};

struct SignatureSpec {
  std::string key;
  uint32_t subgraph = 0;
  std::vector<std::pair<std::string, uint32_t>> inputs;
  std::vector<std::pair<std::string, uint32_t>> outputs;
};

struct ExternalBufferSpec {
  uint32_t id = 0;
  uint32_t group = 0;
  uint64_t offset = 0;
  uint64_t length = 0;
};

class ModelBuilder {
 public:
  ModelBuilder() = default;
  ModelBuilder(const ModelBuilder&) = delete;  // subgraphs point at their model
  ModelBuilder& operator=(const ModelBuilder&) = delete;

  // Public, so that tests can break what the functions below make right.
  uint32_t version = 3;
  std::string description;
  std::string identifier = "TFL3";
  std::deque<SubgraphSpec> subgraphs;
  std::vector<OperatorCodeSpec> operator_codes;
  std::vector<BufferSpec> buffers = {BufferSpec{}};  // tensors with data append theirs in Build
  std::vector<SignatureSpec> signatures;
  std::vector<std::pair<std::string, uint32_t>> metadata;  // name, buffer
  std::vector<std::string> external_groups;
  std::vector<ExternalBufferSpec> external_buffers;

  SubgraphSpec& AddSubgraph(std::string name = "");
  // Index of an entry of operator_codes, added if it is new.
  uint32_t OpCode(int32_t builtin_code, int32_t version = 1, std::string custom_code = "");
  uint32_t AddBuffer(std::vector<uint8_t> data);
  // Bytes elsewhere in the file.
  uint32_t AddBufferAt(uint64_t offset, uint64_t size);
  ModelBuilder& AddMetadata(std::string name, std::vector<uint8_t> data);
  ModelBuilder& AddSignature(std::string key, uint32_t subgraph,
                             std::vector<std::pair<std::string, uint32_t>> inputs,
                             std::vector<std::pair<std::string, uint32_t>> outputs);

  // May be called again after changes.
  std::vector<uint8_t> Build() const;
};

}  // namespace heddle::testing
