// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/view.h"

#include <algorithm>
#include <bit>

#include "heddle/heddle_attributes.h"
#include "runtime/base/checked_math.h"
#include "runtime/base/dtype.h"
#include "runtime/base/strings.h"
#include "runtime/model/builtin_names.h"

namespace heddle {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the view points into the file, whose numbers are little-endian");
static_assert(kBuiltinCustom == HEDDLE_BUILTIN_CUSTOM);

constexpr std::string_view kControlEdgesName = "model_control_dependencies";
constexpr std::string_view kMinRuntimeVersionName = "min_runtime_version";

std::string CodeName(const OperatorCode& code) {
  if (code.is_custom() && !code.custom_name.empty()) return std::string(code.custom_name);
  const char* name = BuiltinName(code.builtin_code);
  return name != nullptr ? name : StrCat("UNKNOWN_", code.builtin_code);
}

// Both unions hold tables only. A member that the schema does not know has not been verified, so
// nothing may look into it.
AttributeView AttributesOf(const schema::Operator& op) {
  if (op.builtin_options() != nullptr && op.builtin_options_type() <= schema::BuiltinOptions::MAX) {
    return {static_cast<const uint8_t*>(op.builtin_options()), 1,
            static_cast<uint8_t>(op.builtin_options_type())};
  }
  if (op.builtin_options_2() != nullptr &&
      op.builtin_options_2_type() <= schema::BuiltinOptions2::MAX) {
    return {static_cast<const uint8_t*>(op.builtin_options_2()), 2,
            static_cast<uint8_t>(op.builtin_options_2_type())};
  }
  return {};
}

}  // namespace

std::shared_ptr<Model> ModelBuilderAccess::NewModel() { return std::shared_ptr<Model>(new Model); }

Status ModelBuilderAccess::Build() {
  model_.description_ = ViewOf(root_.description());
  HEDDLE_RETURN_IF_ERROR(BuildOperatorCodes());
  const auto* subgraphs = root_.subgraphs();
  if (subgraphs == nullptr || subgraphs->size() == 0) {
    return BadModel(model_, HEDDLE_REASON_NO_SUBGRAPH, {}, "subgraphs", "has no subgraph");
  }
  if (!budget_.Spend(subgraphs->size())) return budget_.Exhausted(model_, {});
  for (const schema::SubGraph* subgraph : *subgraphs) {
    if (subgraph->tensors() == nullptr || file_tells_rank_) continue;
    if (!budget_.Spend(subgraph->tensors()->size())) return budget_.Exhausted(model_, {});
    file_tells_rank_ = std::any_of(subgraph->tensors()->begin(), subgraph->tensors()->end(),
                                   [](const schema::Tensor* tensor) { return tensor->has_rank(); });
  }
  model_.subgraphs_.reserve(subgraphs->size());
  for (flatbuffers::uoffset_t i = 0; i < subgraphs->size(); ++i) {
    HEDDLE_RETURN_IF_ERROR(BuildSubgraph(static_cast<int32_t>(i), *subgraphs->Get(i)));
  }
  HEDDLE_RETURN_IF_ERROR(BuildExternalBuffers());
  HEDDLE_RETURN_IF_ERROR(BuildSignatures());
  return BuildMetadata();
}

Status ModelBuilderAccess::BuildOperatorCodes() {
  const auto* codes = root_.operator_codes();
  if (codes == nullptr) return {};
  model_.operator_codes_.reserve(codes->size());
  for (const schema::OperatorCode* source : *codes) {
    OperatorCode& code = model_.operator_codes_.emplace_back();
    code.builtin_code = std::max(static_cast<int32_t>(source->builtin_code()),
                                 int32_t{source->deprecated_builtin_code()});
    code.version = source->version();
    code.custom_name = ViewOf(source->custom_code());
    if (!budget_.Spend(code.custom_name.size() + 1)) return budget_.Exhausted(model_, {});
    code.name = CodeName(code);
  }
  return {};
}

Status ModelBuilderAccess::BuildSubgraph(int32_t index, const schema::SubGraph& source) {
  SubgraphDef& subgraph = model_.subgraphs_.emplace_back();
  subgraph.name = ViewOf(source.name());
  subgraph.inputs = SpanOf(source.inputs());
  subgraph.outputs = SpanOf(source.outputs());
  if (const auto* tensors = source.tensors()) {
    if (!budget_.Spend(tensors->size())) return budget_.Exhausted(model_, {index});
    subgraph.tensors.reserve(tensors->size());
    for (flatbuffers::uoffset_t i = 0; i < tensors->size(); ++i) {
      const Site site{index, -1, static_cast<int32_t>(i)};
      HEDDLE_RETURN_IF_ERROR(BuildTensor(site, *tensors->Get(i), &subgraph.tensors.emplace_back()));
    }
    HEDDLE_RETURN_IF_ERROR(ReadBlockScales(index, &subgraph));
  }
  if (const auto* operators = source.operators()) {
    if (!budget_.Spend(operators->size())) return budget_.Exhausted(model_, {index});
    subgraph.operators.reserve(operators->size());
    for (flatbuffers::uoffset_t i = 0; i < operators->size(); ++i) {
      const Site site{index, static_cast<int32_t>(i), -1};
      HEDDLE_RETURN_IF_ERROR(
          BuildOperator(site, *operators->Get(i), &subgraph.operators.emplace_back()));
    }
  }
  if (!budget_.Spend(subgraph.inputs.size())) return budget_.Exhausted(model_, {index});
  MarkSources(&subgraph);
  return {};
}

Status ModelBuilderAccess::BuildOperator(const Site& site, const schema::Operator& source,
                                         OperatorDef* op) {
  op->code = source.opcode_index();
  if (op->code >= model_.operator_codes_.size()) {
    return BadModel(
        model_, HEDDLE_REASON_INDEX_OUT_OF_RANGE, site, "opcode_index",
        StrCat("uses operator code ", op->code, ", but there are ", model_.operator_codes_.size()));
  }
  ++model_.operator_codes_[op->code].use_count;
  op->inputs = SpanOf(source.inputs());
  op->outputs = SpanOf(source.outputs());
  op->intermediates = SpanOf(source.intermediates());
  op->attributes = AttributesOf(source);
  op->custom_options = SpanOf(source.custom_options());
  const uint64_t offset = source.large_custom_options_offset();
  if (source.custom_options() == nullptr && offset > 1) {
    const uint64_t bytes = source.large_custom_options_size();
    if (!RangeFits(offset, bytes, model_.bytes_.size())) {
      return BadModel(model_, HEDDLE_REASON_OFFSET_OUT_OF_RANGE, site,
                      "large_custom_options_offset",
                      StrCat("has custom options at offset ", offset, " of ", bytes,
                             " bytes, but the file has ", model_.bytes_.size()));
    }
    op->custom_options = model_.bytes_.subspan(offset, bytes);
  }
  if (!budget_.Spend(op->inputs.size() + op->outputs.size())) {
    return budget_.Exhausted(model_, site);
  }
  return {};
}

void ModelBuilderAccess::MarkSources(SubgraphDef* subgraph) {
  for (TensorDef& tensor : subgraph->tensors) {
    tensor.is_unset = !tensor.is_constant && !tensor.is_variable;
  }
  const auto mark = [&](std::span<const int32_t> indices) {
    for (const int32_t index : indices) {
      if (index >= 0 && static_cast<size_t>(index) < subgraph->tensors.size()) {
        subgraph->tensors[static_cast<size_t>(index)].is_unset = false;
      }
    }
  };
  mark(subgraph->inputs);
  for (const OperatorDef& op : subgraph->operators) mark(op.outputs);
  for (TensorDef& tensor : subgraph->tensors) {
    // Without elements the value is known, and files leave its buffer empty.
    size_t bytes;
    if (tensor.is_unset && tensor.has_rank && tensor.dtype != HEDDLE_DTYPE_STRING &&
        DenseBytes(tensor.dtype, tensor.dims, &bytes) && bytes == 0) {
      tensor.is_unset = false;
      tensor.is_constant = true;
    }
  }
}

Status ModelBuilderAccess::BufferBytes(uint32_t buffer, const Site& site, std::string_view below,
                                       std::span<const uint8_t>* bytes) {
  *bytes = {};
  if (buffer == 0) return {};
  const auto* buffers = root_.buffers();
  const uint32_t count = buffers == nullptr ? 0 : buffers->size();
  if (buffer >= count) {
    return BadModel(model_, HEDDLE_REASON_INDEX_OUT_OF_RANGE, site, below,
                    StrCat("uses buffer ", buffer, ", but there are ", count));
  }
  const schema::Buffer& source = *buffers->Get(buffer);
  if (source.data() != nullptr) {
    *bytes = SpanOf(source.data());
  } else if (source.offset() > 1) {
    if (!RangeFits(source.offset(), source.size(), model_.bytes_.size())) {
      return BadModel(model_, HEDDLE_REASON_OFFSET_OUT_OF_RANGE, site, below,
                      StrCat("uses buffer ", buffer, " with ", source.size(), " bytes at offset ",
                             source.offset(), ", but the file has ", model_.bytes_.size()));
    }
    *bytes = model_.bytes_.subspan(source.offset(), source.size());
  }
  return {};
}

Status ModelBuilderAccess::BuildExternalBuffers() {
  const auto* buffers = root_.external_buffers();
  if (buffers == nullptr) return {};
  const auto* groups = root_.external_buffer_groups();
  for (flatbuffers::uoffset_t i = 0; i < buffers->size(); ++i) {
    const schema::ExternalBuffer& source = *buffers->Get(i);
    if (groups == nullptr || source.group() >= groups->size()) {
      return BadModel(model_, HEDDLE_REASON_INDEX_OUT_OF_RANGE, {},
                      StrCat("external_buffers[", i, "].group"),
                      StrCat("has an external buffer in group ", source.group(), " of ",
                             groups == nullptr ? 0u : groups->size()));
    }
    model_.external_buffers_.push_back({source.id(), ViewOf(groups->Get(source.group())->name()),
                                        source.offset(), source.length(),
                                        ViewOf(source.packing())});
  }
  return {};
}

Status ModelBuilderAccess::BuildSignatures() {
  const auto* signatures = root_.signature_defs();
  if (signatures == nullptr) return {};
  model_.signatures_.reserve(signatures->size());
  for (flatbuffers::uoffset_t i = 0; i < signatures->size(); ++i) {
    const schema::SignatureDef& source = *signatures->Get(i);
    SignatureDef& signature = model_.signatures_.emplace_back();
    signature.key = ViewOf(source.signature_key());
    signature.subgraph = source.subgraph_index();
    const auto build = [&](const auto* maps, std::vector<SignatureDef::Entry>* entries) {
      if (maps == nullptr) return true;
      if (!budget_.Spend(maps->size())) return false;
      entries->reserve(maps->size());
      for (const schema::TensorMap* map : *maps) {
        entries->push_back({ViewOf(map->name()), static_cast<int32_t>(map->tensor_index())});
      }
      return true;
    };
    if (!build(source.inputs(), &signature.inputs) ||
        !build(source.outputs(), &signature.outputs)) {
      return budget_.Exhausted(model_, {});
    }
  }
  return {};
}

Status ModelBuilderAccess::BuildMetadata() {
  const auto* metadata = root_.metadata();
  if (metadata == nullptr) return {};
  model_.metadata_.reserve(metadata->size());
  for (flatbuffers::uoffset_t i = 0; i < metadata->size(); ++i) {
    const schema::Metadata& source = *metadata->Get(i);
    MetadataDef& entry = model_.metadata_.emplace_back();
    entry.name = ViewOf(source.name());
    HEDDLE_RETURN_IF_ERROR(
        BufferBytes(source.buffer(), {}, StrCat("metadata[", i, "].buffer"), &entry.data));
    if (entry.name == kMinRuntimeVersionName) {
      // Text in a field of fixed size, padded with NULs.
      const auto end = std::find(entry.data.begin(), entry.data.end(), 0);
      if (!budget_.Spend(entry.data.size())) return budget_.Exhausted(model_, {});
      model_.min_runtime_version_.assign(entry.data.begin(), end);
    } else if (entry.name == kControlEdgesName) {
      HEDDLE_RETURN_IF_ERROR(BuildControlEdges(entry.data));
    }
  }
  return {};
}

}  // namespace heddle
