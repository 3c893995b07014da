// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/fault.h"

#include "runtime/base/strings.h"

namespace heddle {
namespace {

template <typename T>
const T* ElementOrNull(const std::vector<T>& items, int32_t index) {
  return index >= 0 && static_cast<size_t>(index) < items.size()
             ? &items[static_cast<size_t>(index)]
             : nullptr;
}

// The entry of the op dictionary, null while the model is not that far.
const OperatorCode* CodeAt(const Model& model, const Site& site) {
  const auto* subgraph = ElementOrNull(model.subgraphs(), site.subgraph);
  if (subgraph == nullptr) return nullptr;
  const auto* op = ElementOrNull(subgraph->operators, site.op);
  return op == nullptr ? nullptr
                       : ElementOrNull(model.operator_codes(), static_cast<int32_t>(op->code));
}

const TensorDef* TensorAt(const Model& model, const Site& site) {
  const auto* subgraph = ElementOrNull(model.subgraphs(), site.subgraph);
  return subgraph == nullptr ? nullptr : ElementOrNull(subgraph->tensors, site.tensor);
}

}  // namespace

std::string PlaceText(const Site& site) {
  if (site.subgraph < 0) return {};
  std::string place = StrCat("subgraphs[", site.subgraph, "]");
  if (site.op >= 0) {
    StrAppend(place, ".operators[", site.op, "]");
  } else if (site.tensor >= 0) {
    StrAppend(place, ".tensors[", site.tensor, "]");
  }
  return place;
}

std::string SiteText(const Model& model, const Site& site) {
  if (site.subgraph < 0) return "the model";
  std::string subgraph = StrCat("subgraph ", site.subgraph);
  if (site.op >= 0) {
    const OperatorCode* code = CodeAt(model, site);
    if (code == nullptr) return StrCat("operator ", site.op, " of ", subgraph);
    return StrCat("operator ", site.op, " (", code->name, ") of ", subgraph);
  }
  if (site.tensor >= 0) {
    const TensorDef* tensor = TensorAt(model, site);
    if (tensor == nullptr || tensor->name.empty()) {
      return StrCat("tensor ", site.tensor, " of ", subgraph);
    }
    return StrCat("tensor ", site.tensor, " (", tensor->name, ") of ", subgraph);
  }
  return subgraph;
}

Status BadModel(const Model& model, heddle_reason reason, const Site& site, std::string_view below,
                std::string_view sentence) {
  Fault fault;
  fault.code = HEDDLE_INVALID_MODEL;
  fault.phase = HEDDLE_PHASE_VERIFY;
  fault.reason = reason;
  fault.place = PlaceText(site);
  if (!below.empty()) StrAppend(fault.place, fault.place.empty() ? "" : ".", below);
  fault.message = StrCat(SiteText(model, site), " ", sentence);
  fault.subgraph = site.subgraph;
  fault.operator_index = site.op;
  fault.tensor = site.tensor;
  if (const OperatorCode* code = CodeAt(model, site)) {
    fault.op_name = code->name;
    fault.op_version = code->version;
  }
  if (const TensorDef* tensor = TensorAt(model, site)) fault.tensor_name = tensor->name;
  return Status(std::move(fault));
}

}  // namespace heddle
