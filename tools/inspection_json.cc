// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "tools/inspection.h"

namespace heddle::tools {
namespace {

Json Indices(const int32_t* values, size_t count) {
  Json list = Json::array();
  for (size_t i = 0; i < count; ++i) list.push_back(values[i]);
  return list;
}

Json OperatorCodes(const ModelSupport& support) {
  Json codes = Json::array();
  for (size_t i = 0; i < support.ops.size(); ++i) {
    const OpSupport& op = support.ops[i];
    Json code = {{"index", i},
                 {"name", op.info.name},
                 {"builtin_code", op.info.builtin_code},
                 {"custom", op.info.is_custom != 0},
                 {"version", op.info.version},
                 {"count", op.info.count},
                 {"registered", VersionsJson(op.registered)},
                 {"min_runtime_version", op.info.min_runtime_version},
                 {"runs", !op.fault.has_value()}};
    if (op.fault) {
      code["reason"] = heddle_reason_get_name(op.fault->reason);
      code["message"] = op.fault->message;
      code["next_step"] = op.fault->next_step;
    }
    codes.push_back(std::move(code));
  }
  return codes;
}

Json Attributes(const Model& model, size_t subgraph, size_t op) {
  Json attributes = Json::object();
  for (size_t a = 0; a < model.attribute_count(subgraph, op); ++a) {
    const heddle_attribute_info attribute = *model.attribute(subgraph, op, a);
    attributes[attribute.name] = attribute.text;
  }
  return attributes;
}

Json Operators(const Model& model) {
  Json operators = Json::array();
  for (size_t s = 0; s < model.info().subgraph_count; ++s) {
    for (size_t i = 0; i < model.subgraph(s)->operator_count; ++i) {
      const heddle_operator_info op = *model.op(s, i);
      const heddle_operator_code_info code = *model.operator_code(op.operator_code);
      operators.push_back({{"subgraph", s},
                           {"index", i},
                           {"op", code.name},
                           {"version", code.version},
                           {"operator_code", op.operator_code},
                           {"inputs", Indices(op.inputs, op.input_count)},
                           {"outputs", Indices(op.outputs, op.output_count)},
                           {"attributes", Attributes(model, s, i)}});
    }
  }
  return operators;
}

Json Tensors(const Model& model) {
  Json tensors = Json::array();
  for (size_t s = 0; s < model.info().subgraph_count; ++s) {
    for (size_t t = 0; t < model.subgraph(s)->tensor_count; ++t) {
      const heddle_tensor_info info = *model.tensor(s, t);
      Json tensor = {{"subgraph", s}, {"index", t}};
      tensor.update(TensorJson(info));
      tensor["constant"] = info.is_constant != 0;
      tensor["variable"] = info.is_variable != 0;
      tensor["sparse"] = info.is_sparse != 0;
      tensors.push_back(std::move(tensor));
    }
  }
  return tensors;
}

Json SignatureTensors(const Model& model, size_t signature, bool is_output, size_t count) {
  const size_t subgraph = model.signature(signature)->subgraph;
  Json tensors = Json::array();
  for (size_t i = 0; i < count; ++i) {
    const Model::SignatureTensor entry = *model.signature_tensor(signature, is_output, i);
    Json tensor = {{"name", entry.name}, {"tensor", entry.tensor}};
    const auto info = model.tensor(subgraph, static_cast<size_t>(entry.tensor));
    if (info) {
      tensor["tensor_name"] = info->name;
      tensor["dtype"] = heddle_dtype_get_name(info->dtype);
      tensor["shape"] = ShapeJson(*info);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

Json Signatures(const Model& model) {
  Json signatures = Json::array();
  for (size_t i = 0; i < model.info().signature_count; ++i) {
    const heddle_signature_info info = *model.signature(i);
    signatures.push_back({{"key", info.key},
                          {"subgraph", info.subgraph},
                          {"inputs", SignatureTensors(model, i, false, info.input_count)},
                          {"outputs", SignatureTensors(model, i, true, info.output_count)}});
  }
  return signatures;
}

Json Subgraphs(const Model& model) {
  Json subgraphs = Json::array();
  for (size_t s = 0; s < model.info().subgraph_count; ++s) {
    const heddle_subgraph_info info = *model.subgraph(s);
    subgraphs.push_back({{"index", s},
                         {"name", info.name},
                         {"tensor_count", info.tensor_count},
                         {"operator_count", info.operator_count},
                         {"inputs", Indices(info.inputs, info.input_count)},
                         {"outputs", Indices(info.outputs, info.output_count)}});
  }
  return subgraphs;
}

Json MetadataEntries(const Model& model) {
  Json entries = Json::array();
  for (size_t i = 0; i < model.info().metadata_count; ++i) {
    const Model::Metadata entry = *model.metadata(i);
    entries.push_back({{"name", entry.name}, {"bytes", entry.bytes}});
  }
  return entries;
}

Json Memory(const Inspection& inspection) {
  if (!inspection.plan.ok()) return nullptr;
  const heddle_memory_info& memory = inspection.memory;
  return {{"arena_bytes", memory.arena_bytes},
          {"arena_lower_bound_bytes", memory.arena_lower_bound_bytes},
          {"variable_bytes", memory.variable_bytes},
          {"shared_weight_bytes", memory.shared_weight_bytes}};
}

}  // namespace

Json InspectionJson(const Inspection& inspection) {
  const Model& model = *inspection.model;
  const heddle_model_info info = model.info();
  return {{"model", inspection.path},
          {"bytes", info.bytes},
          {"description", info.description},
          {"schema_version", info.schema_version},
          {"min_runtime_version", info.min_runtime_version},
          {"runs", inspection.plan.ok()},
          {"faults", FaultsJson(inspection.plan)},
          {"operator_codes", OperatorCodes(inspection.support)},
          {"signatures", Signatures(model)},
          {"subgraphs", Subgraphs(model)},
          {"operators", Operators(model)},
          {"tensors", Tensors(model)},
          {"metadata", MetadataEntries(model)},
          {"files", inspection.metadata.files},
          {"memory", Memory(inspection)},
          {"notes", inspection.metadata.notes}};
}

}  // namespace heddle::tools
