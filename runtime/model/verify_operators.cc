// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/strings.h"
#include "runtime/model/attributes.h"
#include "runtime/model/builtin_names.h"
#include "runtime/model/verify.h"

namespace heddle {
namespace {

class Checker {
 public:
  Checker(const Model& model, int32_t subgraph)
      : model_(model),
        subgraph_(model.subgraphs()[static_cast<size_t>(subgraph)]),
        number_(subgraph) {}

  // `list` names the array in the place. `optional`: -1 is allowed.
  Status Tensors(int32_t op, std::string_view list, std::span<const int32_t> indices,
                 bool optional) const {
    const auto count = static_cast<int64_t>(subgraph_.tensors.size());
    for (size_t i = 0; i < indices.size(); ++i) {
      const int32_t index = indices[i];
      if (index == -1 && optional) continue;
      const auto bad = [&](heddle_reason reason, std::string_view sentence) {
        return BadModel(model_, reason, {number_, op}, StrCat(list, "[", i, "]"), sentence)
            .Annotate([&](Fault& fault) { fault.tensor = index; });
      };
      if (index < 0 || index >= count) {
        return bad(HEDDLE_REASON_INDEX_OUT_OF_RANGE,
                   StrCat("refers to tensor ", index, ", but there are ", count));
      }
      const TensorDef& tensor = subgraph_.tensors[static_cast<size_t>(index)];
      // Writers put -1 into shapes of tensors that nothing uses; elsewhere it has no meaning.
      if (!tensor.has_rank && !tensor.shape_signature.empty()) {
        return bad(HEDDLE_REASON_BAD_SHAPE, StrCat("refers to tensor ", index, " of shape ",
                                                   ShapeText(tensor.shape_signature)));
      }
    }
    return {};
  }

  Status Operator(int32_t index, const OperatorDef& op) const {
    HEDDLE_RETURN_IF_ERROR(Tensors(index, "inputs", op.inputs, true));
    HEDDLE_RETURN_IF_ERROR(Tensors(index, "outputs", op.outputs, false));
    HEDDLE_RETURN_IF_ERROR(Tensors(index, "intermediates", op.intermediates, true));
    return Options(index, op);
  }

 private:
  Status Options(int32_t index, const OperatorDef& op) const {
    const Site site{number_, index, -1};
    const OperatorCode& code = model_.CodeOf(op);
    const bool is_known = !code.is_custom() && BuiltinName(code.builtin_code) != nullptr;
    const uint32_t want = is_known ? OptionsTableOf(code.builtin_code) : 0;
    if (is_known && op.attributes.has_table() && op.attributes.table_key() != want) {
      return BadModel(model_, HEDDLE_REASON_BAD_OPTIONS, site, "builtin_options",
                      "has the options of another op");
    }
    for (const AttributeField& field : FieldsOfTable(op.attributes.table_key())) {
      if (field.kind != AttributeKind::kInts && field.kind != AttributeKind::kFloats) continue;
      AttributeArray array;
      if (op.attributes.GetArray(field.key, &array) != AttributeError::kNone) continue;
      if (reinterpret_cast<uintptr_t>(array.data) % array.width != 0) {
        return BadModel(model_, HEDDLE_REASON_MALFORMED, site, field.name,
                        StrCat("has a misaligned array ", field.name));
      }
    }
    if (op.attributes.has_table()) return {};
    // Every field has a default, but subgraph 0 as a default makes no sense.
    for (const AttributeField& field : FieldsOfTable(want)) {
      if (want != 0 && field.is_subgraph && field.kind == AttributeKind::kInt) {
        return BadModel(model_, HEDDLE_REASON_BAD_OPTIONS, site, "builtin_options",
                        "lacks the options that name its subgraphs");
      }
    }
    return {};
  }

  const Model& model_;
  const SubgraphDef& subgraph_;
  int32_t number_;
};

}  // namespace

Status VerifyOperators(const Model& model, WorkBudget* budget) {
  for (size_t s = 0; s < model.subgraphs().size(); ++s) {
    const SubgraphDef& subgraph = model.subgraphs()[s];
    const Checker checker(model, static_cast<int32_t>(s));
    if (!budget->Spend(subgraph.inputs.size() + subgraph.outputs.size())) {
      return budget->Exhausted(model, {static_cast<int32_t>(s)});
    }
    HEDDLE_RETURN_IF_ERROR(checker.Tensors(-1, "inputs", subgraph.inputs, false));
    HEDDLE_RETURN_IF_ERROR(checker.Tensors(-1, "outputs", subgraph.outputs, false));
    for (size_t o = 0; o < subgraph.operators.size(); ++o) {
      const OperatorDef& op = subgraph.operators[o];
      // The other arrays were paid for while building.
      if (!budget->Spend(op.intermediates.size())) {
        return budget->Exhausted(model, {static_cast<int32_t>(s), static_cast<int32_t>(o)});
      }
      HEDDLE_RETURN_IF_ERROR(checker.Operator(static_cast<int32_t>(o), op));
    }
  }
  return {};
}

}  // namespace heddle
