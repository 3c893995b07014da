// SPDX-License-Identifier: Apache-2.0
#include "tools/labels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tools/numbers.h"

namespace heddle::tools {
namespace {

// The one label file of an archive without metadata; "" if there is none or a choice.
std::string OnlyLabelFile(const std::vector<std::string>& files) {
  std::string found;
  for (const std::string& file : files) {
    const bool is_text = file.size() > 4 && file.compare(file.size() - 4, 4, ".txt") == 0;
    if (!is_text || file.find("label") == std::string::npos) continue;
    if (!found.empty()) return "";
    found = file;
  }
  return found;
}

}  // namespace

Result<std::vector<Labels>> LabelsOfOutputs(const SessionOptions& session, const Loaded& loaded,
                                            const ModelMetadata& metadata,
                                            const std::string& label_file) {
  const Entry entry = EntryOf(loaded.model, session.signature);
  const std::vector<int32_t> listed = EntryOf(loaded.model, "").outputs;
  std::vector<Labels> labels(entry.outputs.size());
  if (!label_file.empty()) {
    const Result<Bytes> text = ReadFile(label_file);
    if (!text) return text.error();
    std::fill(labels.begin(), labels.end(), SplitLabels(*text));
    return labels;
  }
  const std::string only = metadata.outputs.empty() ? OnlyLabelFile(metadata.files) : "";
  for (size_t i = 0; i < labels.size(); ++i) {
    std::string file = only;
    const auto found = std::find(listed.begin(), listed.end(), entry.outputs[i]);
    const auto position = static_cast<size_t>(found - listed.begin());
    if (entry.subgraph == 0 && position < metadata.outputs.size()) {
      file = metadata.outputs[position].label_file;
    }
    if (file.empty()) continue;
    Result<Labels> read = ReadModelLabels(loaded.model, session.model, file);
    if (!read) return read.error();
    labels[i] = *std::move(read);
  }
  return labels;
}

std::vector<Choice> Largest(Span<const double> values, size_t count) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const size_t kept = std::min(count, order.size());
  const auto middle = order.begin() + static_cast<ptrdiff_t>(kept);
  // NaN compares as smallest, so that the order is one.
  const auto value = [&](size_t i) { return values[i] != values[i] ? -INFINITY : values[i]; };
  std::partial_sort(order.begin(), middle, order.end(), [&](size_t a, size_t b) {
    return value(a) > value(b) || (value(a) == value(b) && a < b);
  });
  std::vector<Choice> choices;
  choices.reserve(kept);
  for (size_t i = 0; i < kept; ++i) choices.push_back({order[i], values[order[i]]});
  return choices;
}

bool FitLabels(const heddle_tensor_info& info, const Labels& labels) {
  const Span<const int32_t> dims = Dims(info);
  return !labels.empty() && !dims.empty() && NumberBits(info.dtype) > 0 &&
         dims[dims.size() - 1] == static_cast<int64_t>(labels.size());
}

}  // namespace heddle::tools
