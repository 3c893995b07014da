// SPDX-License-Identifier: Apache-2.0
// Builds a Model's view from its flatbuffer. Internal to runtime/model.
#pragma once

#include <optional>
#include <string_view>

#include "runtime/model/fault.h"
#include "runtime/model/model.h"
#include "schema/model_generated.h"

namespace heddle {

// Fills the parts of a Model. Checks what building needs (indices and ranges that it follows);
// everything else is verify.h's.
class ModelBuilderAccess {
 public:
  static std::shared_ptr<Model> NewModel();
  static Block& Copy(Model& model) { return model.copy_; }
  static MappedFile& File(Model& model) { return model.file_; }
  static void SetBytes(Model& model, std::span<const uint8_t> bytes, bool copied) {
    model.bytes_ = bytes;
    model.copied_ = copied;
  }

  ModelBuilderAccess(Model* model, const schema::Model& root, WorkBudget* budget)
      : model_(*model), root_(root), budget_(*budget) {}
  Status Build();

 private:
  Status BuildOperatorCodes();
  Status BuildSubgraph(int32_t index, const schema::SubGraph& source);
  Status BuildOperator(const Site& site, const schema::Operator& source, OperatorDef* op);
  // view_tensor.cc
  Status BuildTensor(const Site& site, const schema::Tensor& source, TensorDef* tensor);
  Status BuildType(const Site& site, schema::TensorType source, std::string_view below,
                   heddle_dtype* dtype);
  Status BuildQuantization(const Site& site, const schema::QuantizationParameters& source,
                           TensorDef* tensor);
  // The array in place, or a copy that is aligned: several writers ignore the alignment of numbers
  // of 8 bytes.
  std::span<const int64_t> Aligned(const flatbuffers::Vector<int64_t>& vector);
  // Reads the scales of blocks from the tensors that hold them, once all tensors are known.
  Status ReadBlockScales(int32_t index, SubgraphDef* subgraph);
  // Tells what has no source of values, once all operators are known.
  void MarkSources(SubgraphDef* subgraph);
  Status BuildSignatures();
  Status BuildMetadata();
  Status BuildExternalBuffers();
  // control_edges.cc
  Status BuildControlEdges(std::span<const uint8_t> data);

  // Bytes of a buffer, empty if it has none.
  Status BufferBytes(uint32_t buffer, const Site& site, std::string_view below,
                     std::span<const uint8_t>* bytes);

  Model& model_;
  const schema::Model& root_;
  WorkBudget& budget_;
  bool file_tells_rank_ = false;
};

template <typename T>
std::span<const T> SpanOf(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? std::span<const T>()
                           : std::span<const T>(vector->data(), vector->size());
}
// Never null, so that it can be handed out as a C string.
inline std::string_view ViewOf(const flatbuffers::String* text) {
  return text == nullptr ? std::string_view("") : std::string_view(text->c_str(), text->size());
}

}  // namespace heddle
