// SPDX-License-Identifier: Apache-2.0
#include "tools/outputs.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "tools/convert.h"
#include "tools/npy.h"
#include "tools/table.h"

namespace heddle::tools {
namespace {

constexpr size_t kMostValues = 16;  // printed one by one
constexpr size_t kMostJsonValues = 100;
constexpr size_t kMostRows = 10;  // of labels, in the text

size_t CountOf(const heddle_tensor_info& info) {
  size_t count = 1;
  for (const int32_t dim : Dims(info)) count *= static_cast<size_t>(dim);
  return count;
}

std::vector<double> RealValues(const heddle_tensor_info& info, const void* data, size_t count) {
  const Affine affine = AffineOf(info);
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = RealValue(info, affine, data, i);
  return values;
}

void AddStatistics(const std::vector<double>& values, bool dequantised, Json* json,
                   std::string* text) {
  double low = INFINITY;
  double high = -INFINITY;
  double sum = 0;
  size_t numbers = 0;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
    sum += value;
    ++numbers;
  }
  const size_t nans = values.size() - numbers;
  if (nans > 0) (*json)["nan_count"] = nans;
  if (nans > 0) *text += ", " + Counted(nans, "NaN");
  if (numbers == 0) return;
  const double mean = sum / static_cast<double>(numbers);
  const auto number = [](double value) { return NumberText(Number::Of(value)); };
  // JSON has no infinity: it is null there.
  (*json)["min"] = low;
  (*json)["max"] = high;
  (*json)["mean"] = mean;
  *text += ", min " + number(low) + " max " + number(high) + " mean " + number(mean);
  if (dequantised) *text += " (dequantised)";
}

void AddValues(const heddle_tensor_info& info, const void* data, size_t count, Json* json,
               std::string* text) {
  if (count > kMostJsonValues) return;
  Json list = Json::array();
  std::string line;
  for (size_t i = 0; i < count; ++i) {
    const Number number = ReadNumber(info.dtype, data, i);
    number.is_integer ? list.push_back(number.integer) : list.push_back(number.real);
    line += " " + NumberText(number);
  }
  (*json)["values"] = std::move(list);
  if (count <= kMostValues && count > 0) *text += "   " + line + "\n";
}

void AddLabels(const std::vector<double>& values, const Labels& labels, size_t top, Json* json,
               std::string* text) {
  const size_t rows = values.size() / labels.size();
  Json all = Json::array();
  for (size_t row = 0; row < rows; ++row) {
    Json choices = Json::array();
    const Span<const double> of_row(values.data() + row * labels.size(), labels.size());
    if (rows > 1 && row < kMostRows) *text += "  row " + std::to_string(row) + "\n";
    size_t place = 0;
    for (const Choice& choice : Largest(of_row, top)) {
      const std::string& label = labels[choice.index];
      choices.push_back({{"label", label}, {"index", choice.index}, {"confidence", choice.value}});
      if (row >= kMostRows) continue;
      *text += "    " + std::to_string(++place) + ". " + Printable(label) + "  " +
               Fixed(choice.value, 4) + "\n";
    }
    all.push_back(std::move(choices));
  }
  (*json)["top"] = std::move(all);
  if (rows > kMostRows) {
    *text += "  and " + Counted(rows - kMostRows, "more row") + " (--json has them all)\n";
  }
}

Result<std::string> WriteTensor(const heddle_tensor_info& info, const void* data,
                                const std::string& folder, const std::string& prefix) {
  const std::optional<Array> array = ArrayOfTensor(info, data);
  if (!array) return std::string();
  const std::string file = prefix + FileNamePart(info.name) + ".npy";
  const Bytes npy = FormatNpy(*array);
  Status written = WriteFile(folder + "/" + file, npy);
  if (!written.ok()) return written;
  return file;
}

}  // namespace

Result<Report> ReportOutputs(const Interpreter& interpreter, const std::vector<Labels>& labels,
                             const OutputOptions& options) {
  Report report;
  for (size_t i = 0; i < interpreter.output_count(); ++i) {
    Result<heddle_tensor_info> info = interpreter.output_info(i);
    if (!info) return info.error();
    info->name = interpreter.output_name(i);  // the signature's name where there is one
    const void* data = interpreter.output_data(i);
    Json json = {{"name", info->name},
                 {"index", i},
                 {"dtype", heddle_dtype_get_name(info->dtype)},
                 {"shape", ShapeJson(*info)},
                 {"file", nullptr},
                 {"quantization", QuantizationJson(*info->quantization)}};
    std::string text = "output " + std::to_string(i) + " '" + Printable(info->name) + "' " +
                       heddle_dtype_get_name(info->dtype) + " " + ShapeText(*info);
    std::string values_text;
    const size_t count = CountOf(*info);
    if (NumberBits(info->dtype) > 0 && (data != nullptr || count == 0)) {
      const std::vector<double> values = RealValues(*info, data, count);
      AddStatistics(values, AffineOf(*info).is_set, &json, &text);
      AddValues(*info, data, count, &json, &values_text);
      if (i < labels.size() && FitLabels(*info, labels[i])) {
        AddLabels(values, labels[i], options.top, &json, &values_text);
      }
    } else if (info->dtype == HEDDLE_DTYPE_STRING && data != nullptr) {
      const std::vector<std::string> strings = DecodeStrings(data);
      if (strings.size() <= kMostJsonValues) json["values"] = strings;
      for (size_t s = 0; s < std::min(strings.size(), kMostValues); ++s) {
        values_text += "    \"" + Printable(strings[s]) + "\"\n";
      }
    }
    if (!options.folder.empty()) {
      const Result<std::string> file =
          WriteTensor(*info, data, options.folder, std::to_string(i) + "_");
      if (!file) return file.error();
      if (file->empty()) {
        report.notes.push_back("output " + std::to_string(i) + " is " +
                               heddle_dtype_get_name(info->dtype) + ": not written");
      } else {
        json["file"] = *file;
        text += ", in " + *file;
      }
    }
    report.json.push_back(std::move(json));
    report.text += text + "\n" + values_text;
  }
  return report;
}

Result<Report> DumpTensors(const Interpreter& interpreter, const Model& model,
                           const std::string& folder) {
  Report report;
  size_t written = 0;
  for (size_t s = 0; s < model.info().subgraph_count; ++s) {
    for (size_t t = 0; t < model.subgraph(s)->tensor_count; ++t) {
      const Result<Interpreter::Tensor> tensor = interpreter.tensor(s, t);
      if (!tensor || tensor->data == nullptr) continue;  // never computed in this run
      const std::string prefix = std::to_string(s) + "_" + std::to_string(t) + "_";
      const Result<std::string> file = WriteTensor(tensor->info, tensor->data, folder, prefix);
      if (!file) return file.error();
      if (file->empty()) continue;
      report.json.push_back({{"subgraph", s},
                             {"tensor", t},
                             {"name", tensor->info.name},
                             {"dtype", heddle_dtype_get_name(tensor->info.dtype)},
                             {"shape", ShapeJson(tensor->info)},
                             {"quantization", QuantizationJson(*tensor->info.quantization)},
                             {"file", *file}});
      ++written;
    }
  }
  report.text = Counted(written, "tensor") + " in " + folder + "\n";
  return report;
}

}  // namespace heddle::tools
