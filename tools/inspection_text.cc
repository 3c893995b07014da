// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <vector>

#include "tools/inspection.h"
#include "tools/table.h"

namespace heddle::tools {
namespace {

constexpr size_t kLineWidth = 100;

// "image", beside the tensor's own name where a signature gives another.
struct Port {
  std::string name;
  int32_t tensor;
};

std::string SignatureShape(const heddle_tensor_info& info) {
  if (info.shape_signature == nullptr) return "";
  const Span<const int32_t> signature(info.shape_signature, Dims(info).size());
  const bool differs = !std::equal(signature.begin(), signature.end(), Dims(info).begin());
  return differs ? ShapeText(signature) : "";
}

std::string PortTable(const Model& model, size_t subgraph, const std::vector<Port>& inputs,
                      const std::vector<Port>& outputs) {
  Table table({{"", Table::kLeft},
               {"name", Table::kFlexible},
               {"tensor", Table::kRight},
               {"type", Table::kLeft},
               {"shape", Table::kLeft},
               {"open shape", Table::kLeft},
               {"quantisation", Table::kFlexible}});
  for (const auto* ports : {&inputs, &outputs}) {
    for (size_t i = 0; i < ports->size(); ++i) {
      const Port& port = (*ports)[i];
      const auto info = model.tensor(subgraph, static_cast<size_t>(port.tensor));
      if (!info) continue;
      table.Add({(ports == &inputs ? "in " : "out ") + std::to_string(i), port.name,
                 std::to_string(port.tensor), heddle_dtype_get_name(info->dtype), ShapeText(*info),
                 SignatureShape(*info), QuantizationText(info->quantization)});
    }
  }
  return table.Text();
}

std::string EntryPoints(const Model& model) {
  std::string text;
  for (size_t s = 0; s < model.info().signature_count; ++s) {
    const heddle_signature_info info = *model.signature(s);
    std::vector<Port> ports[2];
    for (const bool is_output : {false, true}) {
      const size_t count = is_output ? info.output_count : info.input_count;
      for (size_t i = 0; i < count; ++i) {
        const Model::SignatureTensor entry = *model.signature_tensor(s, is_output, i);
        ports[is_output ? 1 : 0].push_back({entry.name, entry.tensor});
      }
    }
    text += "signature '" + Shorten(Printable(info.key), 70) + "', subgraph " +
            std::to_string(info.subgraph) + "\n" +
            PortTable(model, info.subgraph, ports[0], ports[1]);
  }
  if (!text.empty()) return text;
  const heddle_subgraph_info info = *model.subgraph(0);
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  inputs.reserve(info.input_count);
  for (size_t i = 0; i < info.input_count; ++i) {
    inputs.push_back({model.tensor(0, static_cast<size_t>(info.inputs[i]))->name, info.inputs[i]});
  }
  for (size_t i = 0; i < info.output_count; ++i) {
    const auto tensor = static_cast<size_t>(info.outputs[i]);
    outputs.push_back({model.tensor(0, tensor)->name, info.outputs[i]});
  }
  return "inputs and outputs (no signature)\n" + PortTable(model, 0, inputs, outputs);
}

std::string FaultText(const heddle_error_info& fault) {
  std::string text = Wrapped(Printable(fault.message), 2);
  if (fault.place[0] != '\0') text += Wrapped(std::string("at ") + fault.place, 4);
  if (fault.next_step[0] != '\0') text += Wrapped(std::string("-> ") + fault.next_step, 4);
  return text;
}

std::string OpTable(const ModelSupport& support) {
  Table table({{"op", Table::kFlexible},
               {"count", Table::kRight},
               {"version", Table::kRight},
               {"registered", Table::kRight},
               {"since TFLite", Table::kRight},
               {"", Table::kLeft}});
  std::string reasons;
  for (const OpSupport& op : support.ops) {
    const std::string since = op.info.min_runtime_version;
    table.Add(
        {op.info.name, Grouped(op.info.count), std::to_string(op.info.version),
         VersionsText(op.registered), since.empty() ? "-" : since,
         op.fault ? std::string("CANNOT RUN: ") + heddle_reason_get_name(op.fault->reason) : ""});
    // Several entries may name the same op and version.
    const std::string reason = op.fault ? FaultText(*op.fault) : "";
    if (reasons.find(reason) == std::string::npos) reasons += reason;
  }
  return "ops\n" + table.Text() + reasons;
}

std::string TensorTable(const Model& model, size_t subgraph) {
  const heddle_subgraph_info info = *model.subgraph(subgraph);
  Table table({{"", Table::kRight},
               {"name", Table::kFlexible},
               {"type", Table::kLeft},
               {"shape", Table::kFlexible},
               {"bytes", Table::kRight},
               {"kind", Table::kLeft},
               {"quantisation", Table::kFlexible}});
  for (size_t t = 0; t < info.tensor_count; ++t) {
    const heddle_tensor_info tensor = *model.tensor(subgraph, t);
    std::string kind;
    if (tensor.is_constant != 0) kind = "constant";
    if (tensor.is_variable != 0) kind = "variable";
    if (tensor.is_sparse != 0) kind = "sparse";
    table.Add({std::to_string(t), tensor.name, heddle_dtype_get_name(tensor.dtype),
               ShapeText(tensor), Grouped(tensor.bytes), kind,
               QuantizationText(*tensor.quantization)});
  }
  return "tensors of subgraph " + std::to_string(subgraph) + " '" +
         Shorten(Printable(info.name), 60) + "'\n" + table.Text();
}

std::string Numbers(const int32_t* values, size_t count) {
  return ShapeText(Span<const int32_t>(values, count));
}

// "name=value" pieces, broken into lines.
std::string AttributeLines(const Model& model, size_t subgraph, size_t op) {
  constexpr size_t kIndent = 6;
  std::string text;
  std::string line;
  for (size_t a = 0; a < model.attribute_count(subgraph, op); ++a) {
    const heddle_attribute_info attribute = *model.attribute(subgraph, op, a);
    const std::string piece = Shorten(Printable(std::string(attribute.name) + "=" + attribute.text),
                                      kLineWidth - kIndent);
    if (!line.empty() && kIndent + line.size() + 1 + piece.size() > kLineWidth) {
      text += std::string(kIndent, ' ') + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + piece;
  }
  if (!line.empty()) text += std::string(kIndent, ' ') + line + "\n";
  return text;
}

std::string OperatorList(const Model& model, size_t subgraph) {
  const heddle_subgraph_info info = *model.subgraph(subgraph);
  std::string text = "operators of subgraph " + std::to_string(subgraph) + " '" +
                     Shorten(Printable(info.name), 60) + "'\n";
  for (size_t i = 0; i < info.operator_count; ++i) {
    const heddle_operator_info op = *model.op(subgraph, i);
    const heddle_operator_code_info code = *model.operator_code(op.operator_code);
    const std::string line = "  " + std::to_string(i) + "  " + Printable(code.name) + " version " +
                             std::to_string(code.version) + "  " +
                             Numbers(op.inputs, op.input_count) + " -> " +
                             Numbers(op.outputs, op.output_count);
    text += Shorten(line, kLineWidth) + "\n" + AttributeLines(model, subgraph, i);
  }
  return text;
}

std::string Head(const Inspection& inspection) {
  const Model& model = *inspection.model;
  const heddle_model_info info = model.info();
  size_t operators = 0;
  size_t tensors = 0;
  for (size_t s = 0; s < info.subgraph_count; ++s) {
    operators += model.subgraph(s)->operator_count;
    tensors += model.subgraph(s)->tensor_count;
  }
  std::string text = Shorten(Printable(BaseName(inspection.path)), 45) + ": " +
                     BytesText(info.bytes) + ", " + Counted(info.subgraph_count, "subgraph") +
                     ", " + Counted(operators, "operator") + ", " + Counted(tensors, "tensor") +
                     "\n";
  if (info.description[0] != '\0') text += Wrapped(Printable(info.description), 2);
  if (info.min_runtime_version[0] != '\0') {
    text += "  its metadata asks for TFLite " + Printable(info.min_runtime_version) + "\n";
  }
  if (info.copied != 0) text += "  the file is misaligned: its bytes were copied\n";
  return text;
}

std::string MetadataText(const Inspection& inspection) {
  const Model& model = *inspection.model;
  std::string text;
  for (size_t i = 0; i < model.info().metadata_count; ++i) {
    const Model::Metadata entry = *model.metadata(i);
    text += "  " + Shorten(Printable(entry.name), 80) + ", " + BytesText(entry.bytes) + "\n";
  }
  for (const std::string& file : inspection.metadata.files)
    text += "  file " + Shorten(Printable(file), 90) + "\n";
  return text.empty() ? "" : "metadata\n" + text;
}

std::string MemoryText(const Inspection& inspection) {
  if (!inspection.plan.ok()) {
    std::string text = "this model cannot run here\n";
    if (!inspection.support.check.ok()) return text + "  ops are missing: see above\n";
    const size_t faults = inspection.plan.fault_count();
    for (size_t i = 0; i < faults; ++i) text += FaultText(inspection.plan.fault(i));
    return faults > 0 ? text : text + Wrapped(inspection.plan.message(), 2);
  }
  const heddle_memory_info& memory = inspection.memory;
  return "memory\n  arena " + Grouped(memory.arena_bytes) + " bytes, lower bound " +
         Grouped(memory.arena_lower_bound_bytes) + "; variables " + Grouped(memory.variable_bytes) +
         ", packed weights " + Grouped(memory.shared_weight_bytes) + "\n";
}

}  // namespace

std::string InspectionText(const Inspection& inspection, const InspectionParts& parts) {
  const Model& model = *inspection.model;
  std::string text = Head(inspection) + EntryPoints(model) + OpTable(inspection.support) +
                     MetadataText(inspection) + MemoryText(inspection);
  for (size_t s = 0; s < model.info().subgraph_count; ++s) {
    if (parts.operators) text += OperatorList(model, s);
    if (parts.tensors) text += TensorTable(model, s);
  }
  return text;
}

}  // namespace heddle::tools
