// SPDX-License-Identifier: Apache-2.0
#include <set>
#include <vector>

#include "runtime/base/strings.h"
#include "runtime/model/verify.h"

namespace heddle {
namespace {

class SignatureChecker {
 public:
  SignatureChecker(const Model& model, size_t index, WorkBudget* budget)
      : model_(model), signature_(model.signatures()[index]), index_(index), budget_(*budget) {}

  Status Check() {
    if (signature_.subgraph >= model_.subgraphs().size()) {
      return Bad(HEDDLE_REASON_INDEX_OUT_OF_RANGE, "subgraph_index",
                 StrCat("is for subgraph ", signature_.subgraph, ", but there are ",
                        model_.subgraphs().size()));
    }
    const SubgraphDef& subgraph = model_.subgraphs()[signature_.subgraph];
    HEDDLE_RETURN_IF_ERROR(CheckEntries("inputs", signature_.inputs, subgraph.inputs));
    return CheckEntries("outputs", signature_.outputs, subgraph.outputs);
  }

  Status Bad(heddle_reason reason, std::string_view below, std::string_view sentence) const {
    return BadModel(model_, reason, {}, StrCat("signature_defs[", index_, "].", below),
                    StrCat("has a signature \"", signature_.key, "\" that ", sentence))
        .Annotate([&](Fault& fault) {
          if (signature_.subgraph < model_.subgraphs().size()) {
            fault.subgraph = static_cast<int32_t>(signature_.subgraph);
          }
        });
  }

 private:
  Status CheckEntries(std::string_view list, const std::vector<SignatureDef::Entry>& entries,
                      std::span<const int32_t> graph_tensors) {
    const auto count = static_cast<int64_t>(model_.subgraphs()[signature_.subgraph].tensors.size());
    if (!budget_.Spend(graph_tensors.size())) return budget_.Exhausted(model_, {});
    const std::set<int32_t> allowed(graph_tensors.begin(), graph_tensors.end());
    std::set<std::string_view> names;
    for (size_t i = 0; i < entries.size(); ++i) {
      const SignatureDef::Entry& entry = entries[i];
      const std::string below = StrCat(list, "[", i, "]");
      if (!budget_.Spend(entry.name.size() + 1)) return budget_.Exhausted(model_, {});
      if (entry.tensor < 0 || entry.tensor >= count) {
        return Bad(HEDDLE_REASON_INDEX_OUT_OF_RANGE, below,
                   StrCat("names tensor ", entry.tensor, ", but there are ", count));
      }
      if (allowed.count(entry.tensor) == 0) {
        return Bad(HEDDLE_REASON_SIGNATURE_MISMATCH, below,
                   StrCat("names tensor ", entry.tensor, ", which is not among the ", list,
                          " of subgraph ", signature_.subgraph));
      }
      if (!names.insert(entry.name).second) {
        return Bad(HEDDLE_REASON_SIGNATURE_MISMATCH, below,
                   StrCat("has the name \"", entry.name, "\" twice among its ", list));
      }
    }
    return {};
  }

  const Model& model_;
  const SignatureDef& signature_;
  size_t index_;
  WorkBudget& budget_;
};

}  // namespace

Status VerifySignatures(const Model& model, WorkBudget* budget) {
  std::set<std::string_view> keys;
  for (size_t i = 0; i < model.signatures().size(); ++i) {
    const SignatureDef& signature = model.signatures()[i];
    SignatureChecker checker(model, i, budget);
    if (!budget->Spend(signature.key.size() + 1)) return budget->Exhausted(model, {});
    if (signature.key.empty() || !keys.insert(signature.key).second) {
      return checker.Bad(HEDDLE_REASON_SIGNATURE_MISMATCH, "signature_key",
                         signature.key.empty() ? "has no key" : "is there twice");
    }
    HEDDLE_RETURN_IF_ERROR(checker.Check());
  }
  return {};
}

}  // namespace heddle
