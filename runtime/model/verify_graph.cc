// SPDX-License-Identifier: Apache-2.0
// Who writes which tensor, and that operators can be brought into an order.
#include <vector>

#include "runtime/base/strings.h"
#include "runtime/model/verify.h"

namespace heddle {
namespace {

// Who gives a tensor its value, if no operator does.
enum Source : int32_t { kNobody = -1, kGraphInput = -2, kConstant = -3, kVariable = -4 };

const char* SourceText(int32_t source) {
  switch (source) {
    case kGraphInput:
      return "an input of the subgraph";
    case kConstant:
      return "a constant";
    default:
      return "a variable";
  }
}

class GraphChecker {
 public:
  GraphChecker(const Model& model, int32_t subgraph)
      : model_(model),
        subgraph_(model.subgraphs()[static_cast<size_t>(subgraph)]),
        number_(subgraph) {}

  Status Check() {
    HEDDLE_RETURN_IF_ERROR(FindProducers());
    HEDDLE_RETURN_IF_ERROR(CheckReads());
    return InFileOrder() ? Status() : CheckOrder();
  }

 private:
  const TensorDef& TensorAt(int32_t index) const {
    return subgraph_.tensors[static_cast<size_t>(index)];
  }
  int32_t ProducerOf(int32_t tensor) const { return producer_[static_cast<size_t>(tensor)]; }

  Status Bad(heddle_reason reason, int32_t op, int32_t tensor, std::string_view list, size_t entry,
             std::string_view sentence) const {
    return BadModel(model_, reason, {number_, op}, StrCat(list, "[", entry, "]"), sentence)
        .Annotate([&](Fault& fault) {
          fault.tensor = tensor;
          fault.tensor_name = TensorAt(tensor).name;
        });
  }

  Status FindProducers() {
    producer_.assign(subgraph_.tensors.size(), kNobody);
    for (size_t t = 0; t < subgraph_.tensors.size(); ++t) {
      if (subgraph_.tensors[t].is_constant) producer_[t] = kConstant;
      if (subgraph_.tensors[t].is_variable) producer_[t] = kVariable;
    }
    for (const int32_t input : subgraph_.inputs)
      producer_[static_cast<size_t>(input)] = kGraphInput;
    for (size_t o = 0; o < subgraph_.operators.size(); ++o) {
      const auto op = static_cast<int32_t>(o);
      const auto outputs = subgraph_.operators[o].outputs;
      for (size_t i = 0; i < outputs.size(); ++i) {
        int32_t& producer = producer_[static_cast<size_t>(outputs[i])];
        if (producer != kNobody) {
          return Bad(HEDDLE_REASON_DUPLICATE_PRODUCER, op, outputs[i], "outputs", i,
                     producer >= 0 ? StrCat("writes tensor ", outputs[i], ", which operator ",
                                            producer, " writes already")
                                   : StrCat("writes tensor ", outputs[i], ", which is ",
                                            SourceText(producer)));
        }
        producer = op;
      }
    }
    return {};
  }

  // Custom ops may use a tensor as scratch. Weights without bytes describe a model that only a
  // delegate with the bytes can run.
  bool MayBeUnset(const OperatorDef& op, const TensorDef& tensor) const {
    return model_.CodeOf(op).is_custom() || tensor.external_buffer != 0 ||
           tensor.quantization.kind > HEDDLE_QUANTIZATION_AFFINE;
  }

  Status CheckReads() const {
    for (size_t o = 0; o < subgraph_.operators.size(); ++o) {
      const OperatorDef& op = subgraph_.operators[o];
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        const int32_t tensor = op.inputs[i];
        if (tensor < 0 || ProducerOf(tensor) != kNobody || MayBeUnset(op, TensorAt(tensor))) {
          continue;
        }
        return Bad(HEDDLE_REASON_MISSING_PRODUCER, static_cast<int32_t>(o), tensor, "inputs", i,
                   StrCat("reads tensor ", tensor, ", which nothing produces"));
      }
    }
    for (size_t i = 0; i < subgraph_.outputs.size(); ++i) {
      const int32_t tensor = subgraph_.outputs[i];
      if (ProducerOf(tensor) == kNobody) {
        return Bad(HEDDLE_REASON_MISSING_PRODUCER, -1, tensor, "outputs", i,
                   StrCat("gives tensor ", tensor, " out, which nothing produces"));
      }
    }
    return {};
  }

  // Nearly every file lists its operators in an order in which they can run.
  bool InFileOrder() const {
    for (size_t o = 0; o < subgraph_.operators.size(); ++o) {
      for (const int32_t input : subgraph_.operators[o].inputs) {
        if (input >= 0 && ProducerOf(input) >= static_cast<int32_t>(o)) return false;
      }
    }
    for (const auto& [before, after] : subgraph_.control_edges) {
      if (before >= after) return false;
    }
    return true;
  }

  // Depth-first along what each operator waits for; meeting an operator that is still open is a
  // cycle.
  Status CheckOrder() const {
    const size_t count = subgraph_.operators.size();
    std::vector<std::vector<int32_t>> waits_for(count);
    for (size_t o = 0; o < count; ++o) {
      for (const int32_t input : subgraph_.operators[o].inputs) {
        if (input >= 0 && ProducerOf(input) >= 0) waits_for[o].push_back(ProducerOf(input));
      }
    }
    for (const auto& [before, after] : subgraph_.control_edges) {
      waits_for[static_cast<size_t>(after)].push_back(before);
    }
    enum State : uint8_t { kNew, kOpen, kDone };
    std::vector<State> state(count, kNew);
    std::vector<size_t> next(count, 0);
    std::vector<int32_t> path;
    for (size_t root = 0; root < count; ++root) {
      if (state[root] != kNew) continue;
      path.assign(1, static_cast<int32_t>(root));
      state[root] = kOpen;
      while (!path.empty()) {
        const auto op = static_cast<size_t>(path.back());
        if (next[op] == waits_for[op].size()) {
          state[op] = kDone;
          path.pop_back();
          continue;
        }
        const int32_t waited = waits_for[op][next[op]++];
        State& waited_state = state[static_cast<size_t>(waited)];
        if (waited_state == kOpen) return Cycle(path, waited);
        if (waited_state == kNew) {
          waited_state = kOpen;
          path.push_back(waited);
        }
      }
    }
    return {};
  }

  Status Cycle(const std::vector<int32_t>& path, int32_t closing) const {
    constexpr size_t kMaxShown = 8;
    std::string text;
    size_t shown = 0;
    for (size_t i = path.size(); i-- > 0 && shown < kMaxShown; ++shown) {
      StrAppend(text, path[i], " <- ");
      if (path[i] == closing) break;
    }
    return BadModel(model_, HEDDLE_REASON_DATA_CYCLE, {number_, closing}, {},
                    StrCat("waits for its own result: ", text, path.back()));
  }

  const Model& model_;
  const SubgraphDef& subgraph_;
  int32_t number_;
  std::vector<int32_t> producer_;  // by tensor: an operator, or a Source
};

}  // namespace

Status VerifyGraphs(const Model& model, WorkBudget*) {
  // Linear in what the view holds, which was paid for while building it.
  for (size_t s = 0; s < model.subgraphs().size(); ++s) {
    HEDDLE_RETURN_IF_ERROR(GraphChecker(model, static_cast<int32_t>(s)).Check());
  }
  return {};
}

}  // namespace heddle
