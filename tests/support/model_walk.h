// SPDX-License-Identifier: Apache-2.0
// Reads everything that a model's view leads to, so that the sanitizers see what verification let
// through. For programs that link heddle_model.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/model/model.h"
#include "runtime/model/sparsity.h"

namespace heddle::testing {

class ModelWalk {
 public:
  // A sum over all that was read, so that reading cannot be optimised away.
  static uint64_t Sum(const Model& model) {
    ModelWalk walk;
    walk.Text(model.description());
    walk.Text(model.min_runtime_version());
    for (const OperatorCode& code : model.operator_codes()) walk.Text(code.custom_name);
    for (const SubgraphDef& subgraph : model.subgraphs()) walk.Subgraph(model, subgraph);
    for (const SignatureDef& signature : model.signatures()) {
      walk.Text(signature.key);
      for (const auto& entry : signature.inputs) walk.Text(entry.name);
      for (const auto& entry : signature.outputs) walk.Text(entry.name);
    }
    for (const MetadataDef& entry : model.metadata()) {
      walk.Text(entry.name);
      walk.Array(entry.data);
    }
    return walk.sum_;
  }

 private:
  void Text(std::string_view text) {
    for (const char c : text) sum_ += static_cast<uint8_t>(c);
    sum_ += static_cast<uint8_t>(*(text.data() + text.size()));  // the NUL
  }
  template <typename T>
  void Array(std::span<const T> values) {
    for (const T& value : values) sum_ += static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  void Subgraph(const Model& model, const SubgraphDef& subgraph) {
    Text(subgraph.name);
    for (const TensorDef& tensor : subgraph.tensors) Tensor(tensor);
    for (const OperatorDef& op : subgraph.operators) {
      sum_ += model.CodeOf(op).name.size();
      for (const int32_t input : op.inputs) {
        if (input >= 0) sum_ += subgraph.tensors.at(static_cast<size_t>(input)).dims.size();
      }
      for (const int32_t output : op.outputs) {
        sum_ += subgraph.tensors.at(static_cast<size_t>(output)).dims.size();
      }
      Array(op.custom_options);
      for (const AttributeField& field : FieldsOfTable(op.attributes.table_key())) {
        sum_ += op.attributes.Text(field).size();
      }
    }
    for (const int32_t tensor : subgraph.inputs) {
      sum_ += subgraph.tensors.at(static_cast<size_t>(tensor)).dims.size();
    }
    for (const int32_t tensor : subgraph.outputs) {
      sum_ += subgraph.tensors.at(static_cast<size_t>(tensor)).dims.size();
    }
  }
  void Tensor(const TensorDef& tensor) {
    Text(tensor.name);
    Array(tensor.dims);
    Array(tensor.shape_signature);
    Array(tensor.data);
    Array(tensor.block_shape);
    for (const VariantType& variant : tensor.variant_types) Array(variant.dims);
    const heddle_quantization& quantization = tensor.quantization;
    for (size_t i = 0; i < quantization.count; ++i) sum_ += quantization.scales[i] > 0;
    Array(std::span(quantization.zero_points, quantization.zero_point_count));
    Array(std::span(quantization.axes, quantization.axis_count));
    if (tensor.is_sparse && tensor.is_constant) Sparsity(tensor);
  }
  void Sparsity(const TensorDef& tensor) {
    SparsityView view;
    SparsityFault fault;
    if (!ReadSparsity(tensor, &view, &fault)) return;
    for (const SparseLevel& level : view.levels) {
      for (size_t i = 0; i < level.segments.count; ++i) {
        sum_ += static_cast<uint64_t>(level.segments[i]);
      }
      for (size_t i = 0; i < level.indices.count; ++i) {
        sum_ += static_cast<uint64_t>(level.indices[i]);
      }
    }
  }

  uint64_t sum_ = 0;
};

}  // namespace heddle::testing
