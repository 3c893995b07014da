// SPDX-License-Identifier: Apache-2.0
#include "tools/metadata.h"

#include <cstring>
#include <string_view>

#include "tools/flat_reader.h"
#include "tools/zip.h"

namespace heddle::tools {
namespace {

// Facts of TFLite's metadata schema: field numbers of its tables and values of its enumerations.
constexpr std::string_view kEntryName = "TFLITE_METADATA";
constexpr std::string_view kIdentifier = "M001";
namespace model_field {
constexpr int kName = 0, kDescription = 1, kSubgraphs = 3;
}
namespace subgraph_field {
constexpr int kInputs = 2, kOutputs = 3;
}
namespace tensor_field {
constexpr int kName = 0, kContent = 3, kProcessUnits = 4, kFiles = 6;
}
namespace content_field {
constexpr int kPropertiesType = 0, kProperties = 1;
}
namespace unit_field {
constexpr int kOptionsType = 0, kOptions = 1;
}
namespace file_field {
constexpr int kName = 0, kType = 2;
}
constexpr uint8_t kNormalizationOptions = 1;
constexpr uint8_t kAudioProperties = 4;
constexpr int8_t kTensorAxisLabels = 2;

TensorMetadata ReadTensor(const FlatTable& table) {
  TensorMetadata tensor;
  tensor.name = table.String(tensor_field::kName);
  for (const FlatTable& unit : table.Tables(tensor_field::kProcessUnits)) {
    if (unit.Scalar<uint8_t>(unit_field::kOptionsType, 0) != kNormalizationOptions) continue;
    const FlatTable options = unit.Table(unit_field::kOptions);
    tensor.mean = options.Floats(0);
    tensor.deviation = options.Floats(1);
  }
  const FlatTable content = table.Table(tensor_field::kContent);
  if (content.Scalar<uint8_t>(content_field::kPropertiesType, 0) == kAudioProperties) {
    tensor.sample_rate = content.Table(content_field::kProperties).Scalar<uint32_t>(0, 0);
  }
  for (const FlatTable& file : table.Tables(tensor_field::kFiles)) {
    // A label file in another language carries its locale; the first one is the default.
    if (file.Scalar<int8_t>(file_field::kType, 0) == kTensorAxisLabels &&
        tensor.label_file.empty()) {
      tensor.label_file = file.String(file_field::kName);
    }
  }
  return tensor;
}

void ReadTable(const FlatTable& root, ModelMetadata* metadata) {
  metadata->name = root.String(model_field::kName);
  metadata->description = root.String(model_field::kDescription);
  const std::vector<FlatTable> subgraphs = root.Tables(model_field::kSubgraphs);
  if (subgraphs.empty()) return;
  for (const FlatTable& tensor : subgraphs[0].Tables(subgraph_field::kInputs)) {
    metadata->inputs.push_back(ReadTensor(tensor));
  }
  for (const FlatTable& tensor : subgraphs[0].Tables(subgraph_field::kOutputs)) {
    metadata->outputs.push_back(ReadTensor(tensor));
  }
}

}  // namespace

ModelMetadata ReadMetadata(const Model& model, const std::string& path) {
  ModelMetadata metadata;
  for (size_t i = 0; i < model.info().metadata_count; ++i) {
    const Model::Metadata entry = *model.metadata(i);
    if (entry.name == nullptr || entry.name != kEntryName) continue;
    bool damaged = false;
    ReadTable(FlatTable::Root({static_cast<const uint8_t*>(entry.data), entry.bytes}, kIdentifier,
                              &damaged),
              &metadata);
    if (damaged) metadata.notes.push_back("the model's metadata is damaged: parts are left out");
  }
  if (!ZipReader::LooksLikeZip(model.bytes())) return metadata;
  const Result<ZipReader> zip = ZipReader::Open(model.bytes(), path);
  if (!zip) {
    metadata.notes.emplace_back(zip.error().message());
    return metadata;
  }
  for (const ZipReader::Entry& entry : zip->entries()) metadata.files.push_back(entry.name);
  return metadata;
}

Result<std::vector<std::string>> ReadModelLabels(const Model& model, const std::string& path,
                                                 const std::string& label_file) {
  const Result<ZipReader> zip = ZipReader::Open(model.bytes(), path);
  if (!zip) return zip.error();
  for (const ZipReader::Entry& entry : zip->entries()) {
    if (entry.name != label_file) continue;
    const Result<Bytes> text = zip->Read(entry);
    if (!text) return text.error();
    return SplitLabels(*text);
  }
  return BadFile(path, "its metadata names the file '" + label_file +
                           "', which is not in the archive behind the model");
}

std::vector<std::string> SplitLabels(Span<const uint8_t> text) {
  std::vector<std::string> labels;
  std::string line;
  for (const uint8_t c : text) {
    if (c == '\n') {
      labels.push_back(std::move(line));
      line.clear();
    } else if (c != '\r') {
      line += static_cast<char>(c);
    }
  }
  if (!line.empty()) labels.push_back(std::move(line));
  return labels;
}

}  // namespace heddle::tools
