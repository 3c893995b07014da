// SPDX-License-Identifier: Apache-2.0
// A loaded .tflite model: verified bytes and an immutable view of them. Every index, offset, shape
// and array in the view has been checked, so that readers need not check again (unless the model
// was loaded as trusted). Strings end with a NUL behind their last character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/heddle.h"
#include "runtime/base/allocator.h"
#include "runtime/base/log.h"
#include "runtime/base/platform.h"
#include "runtime/base/status.h"
#include "runtime/model/attributes.h"

namespace heddle {

inline constexpr int32_t kBuiltinCustom = 32;

// One entry of the op dictionary (operator_codes).
struct OperatorCode {
  int32_t builtin_code = 0;  // max(builtin_code, deprecated_builtin_code)
  int32_t version = 1;
  std::string_view custom_name;  // empty for builtins
  std::string name;              // builtin's name, custom name, or "UNKNOWN_<code>"
  size_t use_count = 0;          // operators that use it, over all subgraphs
  bool is_custom() const { return builtin_code == kBuiltinCustom; }
};

// What a VARIANT tensor holds.
struct VariantType {
  heddle_dtype dtype = HEDDLE_DTYPE_FLOAT32;
  bool has_rank = false;
  std::span<const int32_t> dims;
};

struct TensorDef {
  std::string_view name;
  heddle_dtype dtype = HEDDLE_DTYPE_FLOAT32;
  bool has_rank = true;  // false: the file does not tell the rank; dims is empty then
  std::span<const int32_t> dims;
  std::span<const int32_t> shape_signature;  // empty: none
  bool is_variable = false;
  bool is_constant = false;       // data holds its value (dense, or still sparse when is_sparse)
  std::span<const uint8_t> data;  // constants only; not necessarily aligned to the element size
  bool is_sparse = false;
  const void* sparsity = nullptr;         // flatbuffer table, read through runtime/model/sparsity.h
  heddle_quantization quantization = {};  // arrays borrowed from the model's bytes
  // BLOCKWISE: extents of a block in each dimension; empty: runs of quantization.block_size.
  std::span<const int32_t> block_shape;
  std::vector<VariantType> variant_types;
  uint32_t buffer = 0;           // entry of the file's buffers; tensors may share one
  uint32_t external_buffer = 0;  // id of an ExternalBufferDef, 0: none
  // Nothing in the file gives it a value: it is no graph input, no output of an operator, no
  // constant and no variable. What reads it cannot run (MISSING_PRODUCER while planning), unless it
  // is scratch of a custom op. Verification refuses such reads by builtin ops, but for weights
  // whose bytes were left out (external buffers, quantisation details without data).
  bool is_unset = false;
};

struct OperatorDef {
  uint32_t code = 0;                // index into operator_codes
  std::span<const int32_t> inputs;  // tensor indices; -1: absent
  std::span<const int32_t> outputs;
  std::span<const int32_t> intermediates;
  AttributeView attributes;
  std::span<const uint8_t> custom_options;
};

struct SubgraphDef {
  std::string_view name;
  std::vector<TensorDef> tensors;
  std::vector<OperatorDef> operators;
  std::span<const int32_t> inputs;
  std::span<const int32_t> outputs;
  // Pairs (before, after) of operator indices that must run in this order, from the file's
  // "model_control_dependencies" metadata.
  std::vector<std::pair<int32_t, int32_t>> control_edges;
};

// A constant that lies in another file; nothing here reads it.
struct ExternalBufferDef {
  uint32_t id = 0;
  std::string_view group;  // name of the file
  uint64_t offset = 0;
  uint64_t length = 0;
  std::string_view packing;
};

struct SignatureDef {
  struct Entry {
    std::string_view name;
    int32_t tensor = 0;
  };
  std::string_view key;
  size_t subgraph = 0;
  std::vector<Entry> inputs;
  std::vector<Entry> outputs;
};

struct MetadataDef {
  std::string_view name;
  std::span<const uint8_t> data;
};

struct ModelOptions {
  std::shared_ptr<Allocator> allocator;  // for copies; null: the C++ heap
  Logger* logger = nullptr;              // used during loading only
  bool copy = false;                     // FromMemory: copy the bytes instead of borrowing them
  bool trust = false;                    // skip verification
};

class Model {
 public:
  static StatusOr<std::shared_ptr<const Model>> FromFile(const char* path,
                                                         const ModelOptions& options);
  static StatusOr<std::shared_ptr<const Model>> FromDescriptor(int descriptor, uint64_t offset,
                                                               uint64_t length,
                                                               const ModelOptions& options);
  static StatusOr<std::shared_ptr<const Model>> FromMemory(const void* data, size_t bytes,
                                                           const ModelOptions& options);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  ~Model();

  std::span<const uint8_t> bytes() const { return bytes_; }
  std::string_view description() const { return description_; }
  // From the metadata of that name: "2.3.0"; empty if the file does not tell.
  std::string_view min_runtime_version() const { return min_runtime_version_; }
  bool copied() const { return copied_; }
  const std::vector<OperatorCode>& operator_codes() const { return operator_codes_; }
  const std::vector<SubgraphDef>& subgraphs() const { return subgraphs_; }
  const std::vector<SignatureDef>& signatures() const { return signatures_; }
  const std::vector<MetadataDef>& metadata() const { return metadata_; }
  const std::vector<ExternalBufferDef>& external_buffers() const { return external_buffers_; }

  const OperatorCode& CodeOf(const OperatorDef& op) const { return operator_codes_[op.code]; }

 private:
  friend class ModelBuilderAccess;  // runtime/model/view.h
  Model() = default;

  MappedFile file_;
  Block copy_;
  std::span<const uint8_t> bytes_;
  std::string_view description_;
  std::string min_runtime_version_;
  bool copied_ = false;
  std::vector<OperatorCode> operator_codes_;
  std::vector<SubgraphDef> subgraphs_;
  std::vector<SignatureDef> signatures_;
  std::vector<MetadataDef> metadata_;
  std::vector<ExternalBufferDef> external_buffers_;
  std::deque<std::vector<int64_t>> realigned_;   // arrays that some writers misalign
  std::deque<std::vector<float>> block_scales_;  // scales that the file keeps in tensors
};

}  // namespace heddle
