// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/dtype.h"
#include "runtime/capi/objects.h"
#include "runtime/model/op_releases.h"

using heddle::Model;
using heddle::Status;
using heddle::StatusOr;
using heddle::capi::BadIndex;
using heddle::capi::CString;
using heddle::capi::Guard;
using heddle::capi::WriteInfo;

namespace {

// Checks what the three ways to load have in common, loads, and makes the handle.
template <typename Load>
heddle_status CreateModel(heddle_environment* environment, uint32_t flags, heddle_model** model,
                          heddle_error** error, Load&& load) {
  return Guard(error, [&]() -> Status {
    HEDDLE_REQUIRE(environment);
    HEDDLE_REQUIRE(model);
    constexpr uint32_t kKnownFlags = HEDDLE_MODEL_COPY | HEDDLE_MODEL_TRUST;
    if ((flags & ~kKnownFlags) != 0) {
      return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_API, HEDDLE_REASON_BAD_ARGUMENT,
                    heddle::StrCat("unknown model flags ", flags & ~kKnownFlags));
    }
    heddle::ModelOptions options;
    options.allocator = environment->environment->allocator();
    options.logger = &environment->environment->logger();
    options.copy = (flags & HEDDLE_MODEL_COPY) != 0;
    options.trust = (flags & HEDDLE_MODEL_TRUST) != 0;
    auto made = std::make_unique<heddle_model>();
    made->environment = environment->environment;
    made->weights = std::make_shared<heddle::WeightStore>();
    HEDDLE_ASSIGN_OR_RETURN(made->model, load(options));
    *model = made.release();
    return {};
  });
}

}  // namespace

heddle_status heddle_model_create_from_file(heddle_environment* environment, const char* path,
                                            uint32_t flags, heddle_model** model,
                                            heddle_error** error) {
  return CreateModel(
      environment, flags, model, error,
      [&](const heddle::ModelOptions& options) -> StatusOr<std::shared_ptr<const Model>> {
        HEDDLE_REQUIRE(path);
        return Model::FromFile(path, options);
      });
}

heddle_status heddle_model_create_from_memory(heddle_environment* environment, const void* data,
                                              size_t bytes, uint32_t flags, heddle_model** model,
                                              heddle_error** error) {
  return CreateModel(
      environment, flags, model, error,
      [&](const heddle::ModelOptions& options) -> StatusOr<std::shared_ptr<const Model>> {
        HEDDLE_REQUIRE(data);
        return Model::FromMemory(data, bytes, options);
      });
}

heddle_status heddle_model_create_from_descriptor(heddle_environment* environment, int descriptor,
                                                  uint64_t offset, uint64_t length, uint32_t flags,
                                                  heddle_model** model, heddle_error** error) {
  return CreateModel(environment, flags, model, error, [&](const heddle::ModelOptions& options) {
    return Model::FromDescriptor(descriptor, offset, length, options);
  });
}

void heddle_model_destroy(heddle_model* model) { delete model; }

heddle_status heddle_model_get_info(const heddle_model* model, heddle_model_info* info) {
  if (model == nullptr || info == nullptr) return HEDDLE_INVALID_ARGUMENT;
  const Model& m = *model->model;
  heddle_model_info full = {};
  full.struct_size = sizeof(full);
  full.description = CString(m.description());
  full.min_runtime_version = CString(m.min_runtime_version());
  full.schema_version = 3;
  full.bytes = m.bytes().size();
  full.subgraph_count = m.subgraphs().size();
  full.operator_code_count = m.operator_codes().size();
  full.signature_count = m.signatures().size();
  full.metadata_count = m.metadata().size();
  full.copied = m.copied() ? 1 : 0;
  return WriteInfo(full, info);
}

heddle_status heddle_model_get_operator_code(const heddle_model* model, size_t index,
                                             heddle_operator_code_info* info) {
  if (model == nullptr || info == nullptr) return HEDDLE_INVALID_ARGUMENT;
  if (index >= model->model->operator_codes().size()) return HEDDLE_NOT_FOUND;
  const heddle::OperatorCode& code = model->model->operator_codes()[index];
  heddle_operator_code_info full = {};
  full.struct_size = sizeof(full);
  full.builtin_code = code.builtin_code;
  full.name = code.name.c_str();
  full.is_custom = code.is_custom() ? 1 : 0;
  full.version = code.version;
  full.count = code.use_count;
  const char* release =
      code.is_custom() ? nullptr : heddle::FirstRelease(code.builtin_code, code.version);
  full.min_runtime_version = release != nullptr ? release : "";
  return WriteInfo(full, info);
}

namespace {

const heddle::SubgraphDef* FindSubgraph(const heddle_model* model, size_t index) {
  if (model == nullptr || index >= model->model->subgraphs().size()) return nullptr;
  return &model->model->subgraphs()[index];
}

const heddle::TensorDef* FindTensor(const heddle_model* model, size_t subgraph, size_t tensor) {
  const heddle::SubgraphDef* def = FindSubgraph(model, subgraph);
  return def != nullptr && tensor < def->tensors.size() ? &def->tensors[tensor] : nullptr;
}

const heddle::OperatorDef* FindOperator(const heddle_model* model, size_t subgraph, size_t index) {
  const heddle::SubgraphDef* def = FindSubgraph(model, subgraph);
  return def != nullptr && index < def->operators.size() ? &def->operators[index] : nullptr;
}

}  // namespace

heddle_status heddle_model_get_subgraph(const heddle_model* model, size_t index,
                                        heddle_subgraph_info* info) {
  if (model == nullptr || info == nullptr) return HEDDLE_INVALID_ARGUMENT;
  const heddle::SubgraphDef* def = FindSubgraph(model, index);
  if (def == nullptr) return HEDDLE_NOT_FOUND;
  heddle_subgraph_info full = {};
  full.struct_size = sizeof(full);
  full.name = CString(def->name);
  full.tensor_count = def->tensors.size();
  full.operator_count = def->operators.size();
  full.inputs = def->inputs.data();
  full.input_count = def->inputs.size();
  full.outputs = def->outputs.data();
  full.output_count = def->outputs.size();
  return WriteInfo(full, info);
}

heddle_tensor_info heddle::capi::InfoOf(const TensorDef& def) {
  heddle_tensor_info full = {};
  full.struct_size = sizeof(full);
  full.name = CString(def.name);
  full.dtype = def.dtype;
  full.rank = def.has_rank ? static_cast<int32_t>(def.dims.size()) : -1;
  full.dims = def.dims.data();
  full.shape_signature = def.shape_signature.empty() ? nullptr : def.shape_signature.data();
  size_t bytes = 0;
  if (def.is_constant) {
    bytes = def.data.size();
  } else if (!DenseBytes(def.dtype, def.dims, &bytes)) {
    bytes = 0;
  }
  full.bytes = bytes;
  full.is_variable = def.is_variable ? 1 : 0;
  full.is_constant = def.is_constant ? 1 : 0;
  full.is_sparse = def.is_sparse ? 1 : 0;
  full.is_shape_known = def.has_rank ? 1 : 0;
  full.quantization = &def.quantization;
  return full;
}

heddle_status heddle_model_get_tensor(const heddle_model* model, size_t subgraph, size_t tensor,
                                      heddle_tensor_info* info) {
  if (model == nullptr || info == nullptr) return HEDDLE_INVALID_ARGUMENT;
  const heddle::TensorDef* def = FindTensor(model, subgraph, tensor);
  if (def == nullptr) return HEDDLE_NOT_FOUND;
  return WriteInfo(heddle::capi::InfoOf(*def), info);
}

const void* heddle_model_get_tensor_data(const heddle_model* model, size_t subgraph,
                                         size_t tensor) {
  const heddle::TensorDef* def = FindTensor(model, subgraph, tensor);
  return def != nullptr && def->is_constant ? def->data.data() : nullptr;
}

heddle_status heddle_model_get_operator(const heddle_model* model, size_t subgraph, size_t index,
                                        heddle_operator_info* info) {
  if (model == nullptr || info == nullptr) return HEDDLE_INVALID_ARGUMENT;
  const heddle::OperatorDef* def = FindOperator(model, subgraph, index);
  if (def == nullptr) return HEDDLE_NOT_FOUND;
  heddle_operator_info full = {};
  full.struct_size = sizeof(full);
  full.operator_code = def->code;
  full.inputs = def->inputs.data();
  full.input_count = def->inputs.size();
  full.outputs = def->outputs.data();
  full.output_count = def->outputs.size();
  return WriteInfo(full, info);
}

size_t heddle_model_get_attribute_count(const heddle_model* model, size_t subgraph, size_t index) {
  const heddle::OperatorDef* def = FindOperator(model, subgraph, index);
  return def == nullptr ? 0 : heddle::FieldsOfTable(def->attributes.table_key()).size();
}

heddle_status heddle_model_get_attribute(const heddle_model* model, size_t subgraph, size_t index,
                                         size_t attribute, heddle_attribute_info* info) {
  return Guard(nullptr, [&]() -> Status {
    HEDDLE_REQUIRE(model);
    HEDDLE_REQUIRE(info);
    const size_t count = heddle_model_get_attribute_count(model, subgraph, index);
    if (attribute >= count) return BadIndex("attribute", attribute, count);
    const heddle::OperatorDef& def = *FindOperator(model, subgraph, index);
    const heddle::AttributeField& field =
        heddle::FieldsOfTable(def.attributes.table_key())[attribute];
    const std::lock_guard<std::mutex> lock(model->mutex);
    std::string& text = model->texts[{subgraph, index, attribute}];
    if (text.empty()) text = def.attributes.Text(field);
    const heddle_attribute_info full = {sizeof(heddle_attribute_info), field.name, text.c_str()};
    return heddle::capi::InfoStatus(WriteInfo(full, info));
  });
}

heddle_status heddle_model_get_signature(const heddle_model* model, size_t index,
                                         heddle_signature_info* info) {
  if (model == nullptr || info == nullptr) return HEDDLE_INVALID_ARGUMENT;
  if (index >= model->model->signatures().size()) return HEDDLE_NOT_FOUND;
  const heddle::SignatureDef& def = model->model->signatures()[index];
  heddle_signature_info full = {};
  full.struct_size = sizeof(full);
  full.key = CString(def.key);
  full.subgraph = def.subgraph;
  full.input_count = def.inputs.size();
  full.output_count = def.outputs.size();
  return WriteInfo(full, info);
}

heddle_status heddle_model_get_signature_tensor(const heddle_model* model, size_t signature,
                                                int32_t is_output, size_t index, const char** name,
                                                int32_t* tensor) {
  if (model == nullptr) return HEDDLE_INVALID_ARGUMENT;
  if (signature >= model->model->signatures().size()) return HEDDLE_NOT_FOUND;
  const heddle::SignatureDef& def = model->model->signatures()[signature];
  const auto& entries = is_output != 0 ? def.outputs : def.inputs;
  if (index >= entries.size()) return HEDDLE_NOT_FOUND;
  if (name != nullptr) *name = CString(entries[index].name);
  if (tensor != nullptr) *tensor = entries[index].tensor;
  return HEDDLE_OK;
}

heddle_status heddle_model_get_metadata(const heddle_model* model, size_t index, const char** name,
                                        const void** data, size_t* bytes) {
  if (model == nullptr) return HEDDLE_INVALID_ARGUMENT;
  if (index >= model->model->metadata().size()) return HEDDLE_NOT_FOUND;
  const heddle::MetadataDef& entry = model->model->metadata()[index];
  if (name != nullptr) *name = CString(entry.name);
  if (data != nullptr) *data = entry.data.data();
  if (bytes != nullptr) *bytes = entry.data.size();
  return HEDDLE_OK;
}

const void* heddle_model_get_bytes(const heddle_model* model, size_t* bytes) {
  if (model == nullptr) return nullptr;
  if (bytes != nullptr) *bytes = model->model->bytes().size();
  return model->model->bytes().data();
}
