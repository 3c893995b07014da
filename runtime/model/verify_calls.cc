// SPDX-License-Identifier: Apache-2.0
// Calls between subgraphs: IF, WHILE and other ops that name subgraphs in their options.
#include <algorithm>
#include <vector>

#include "runtime/base/strings.h"
#include "runtime/model/attributes.h"
#include "runtime/model/verify.h"

namespace heddle {
namespace {

// Each level holds plans and frames of its own; real models nest two or three deep.
constexpr int32_t kMaxCallDepth = 64;

struct Call {
  int32_t callee;
  int32_t op;
  const AttributeField* field;
};

class CallGraph {
 public:
  explicit CallGraph(const Model& model) : model_(model), calls_(model.subgraphs().size()) {}

  Status Collect(WorkBudget* budget) {
    for (size_t s = 0; s < calls_.size(); ++s) {
      const auto& operators = model_.subgraphs()[s].operators;
      for (size_t o = 0; o < operators.size(); ++o) {
        const Site site{static_cast<int32_t>(s), static_cast<int32_t>(o)};
        const AttributeView& attributes = operators[o].attributes;
        for (const AttributeField& field : FieldsOfTable(attributes.table_key())) {
          if (field.is_subgraph) HEDDLE_RETURN_IF_ERROR(Add(site, attributes, field, budget));
        }
      }
    }
    return {};
  }

  // Depth-first; the depth of a subgraph is the number of calls below it.
  Status Check() {
    enum State : uint8_t { kNew, kOpen, kDone };
    std::vector<State> state(calls_.size(), kNew);
    std::vector<int32_t> depth(calls_.size(), 0);
    std::vector<size_t> next(calls_.size(), 0);
    for (size_t root = 0; root < calls_.size(); ++root) {
      if (state[root] != kNew) continue;
      std::vector<int32_t> path(1, static_cast<int32_t>(root));
      state[root] = kOpen;
      while (!path.empty()) {
        const int32_t caller = path.back();
        const auto c = static_cast<size_t>(caller);
        if (next[c] == calls_[c].size()) {
          state[c] = kDone;
          path.pop_back();
          continue;
        }
        const Call& call = calls_[c][next[c]];
        const auto callee = static_cast<size_t>(call.callee);
        if (state[callee] == kOpen) return Cycle(path, call);
        if (state[callee] == kNew) {
          // Comes back to this call when the callee is done.
          state[callee] = kOpen;
          path.push_back(call.callee);
          continue;
        }
        ++next[c];
        depth[c] = std::max(depth[c], depth[callee] + 1);
        if (depth[c] > kMaxCallDepth) {
          return Bad(HEDDLE_REASON_CALL_DEPTH, caller, call,
                     StrCat("calls subgraph ", call.callee, ", below which calls nest ",
                            depth[callee], " deep; at most ", kMaxCallDepth, " are allowed"));
        }
      }
    }
    return {};
  }

 private:
  Status Bad(heddle_reason reason, int32_t caller, const Call& call,
             std::string_view sentence) const {
    return BadModel(model_, reason, {caller, call.op}, call.field->name, sentence);
  }

  Status Add(const Site& site, const AttributeView& attributes, const AttributeField& field,
             WorkBudget* budget) {
    const auto count = static_cast<int64_t>(model_.subgraphs().size());
    const auto add = [&](int64_t callee) -> Status {
      if (!budget->Spend(1)) return budget->Exhausted(model_, site);
      if (callee < 0 || callee >= count) {
        return BadModel(
            model_, HEDDLE_REASON_INDEX_OUT_OF_RANGE, site, field.name,
            StrCat("names subgraph ", callee, " as its ", field.name, ", but there are ", count));
      }
      calls_[static_cast<size_t>(site.subgraph)].push_back(
          {static_cast<int32_t>(callee), site.op, &field});
      return {};
    };
    if (field.kind == AttributeKind::kInt) {
      int64_t callee;
      if (attributes.GetInt(field.key, &callee) != AttributeError::kNone) return {};
      return add(callee);
    }
    AttributeArray array;
    if (attributes.GetArray(field.key, &array) != AttributeError::kNone) return {};
    const auto* callees = static_cast<const int32_t*>(array.data);
    for (size_t i = 0; i < array.count; ++i) HEDDLE_RETURN_IF_ERROR(add(callees[i]));
    return {};
  }

  Status Cycle(const std::vector<int32_t>& path, const Call& call) const {
    const auto start = std::find(path.begin(), path.end(), call.callee);
    constexpr ptrdiff_t kMaxShown = 8;
    std::string text;
    for (auto it = start; it != path.end() && it - start < kMaxShown; ++it) {
      StrAppend(text, *it, " -> ");
    }
    if (path.end() - start > kMaxShown) text += "... -> ";
    return Bad(HEDDLE_REASON_CALL_CYCLE, path.back(), call,
               StrCat("closes a cycle of subgraph calls: ", text, call.callee));
  }

  const Model& model_;
  std::vector<std::vector<Call>> calls_;  // by calling subgraph
};

}  // namespace

Status VerifyCalls(const Model& model, WorkBudget* budget) {
  CallGraph graph(model);
  HEDDLE_RETURN_IF_ERROR(graph.Collect(budget));
  return graph.Check();
}

}  // namespace heddle
