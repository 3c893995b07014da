// SPDX-License-Identifier: Apache-2.0
// "model_control_dependencies" metadata: which operators must run before which, beyond what the
// data says. Numbers are written in groups of 7 bits, lowest first, the high bit set in all but the
// last; signed ones as 2n or -2n-1. Version (1), then for each subgraph the number of pairs and the
// pairs.
#include "runtime/base/strings.h"
#include "runtime/model/view.h"

namespace heddle {
namespace {

constexpr uint32_t kVersion = 1;

class Reader {
 public:
  explicit Reader(std::span<const uint8_t> data) : data_(data) {}

  bool Read(uint32_t* value) {
    uint64_t result = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      if (position_ == data_.size()) return false;
      const uint8_t byte = data_[position_++];
      result |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) {
        *value = static_cast<uint32_t>(result);
        return result <= UINT32_MAX;
      }
    }
    return false;
  }
  bool Read(int32_t* value) {
    uint32_t raw;
    if (!Read(&raw)) return false;
    const auto half = static_cast<int32_t>(raw / 2);
    *value = raw % 2 == 0 ? half : -half - 1;
    return true;
  }
  size_t left() const { return data_.size() - position_; }

 private:
  std::span<const uint8_t> data_;
  size_t position_ = 0;
};

}  // namespace

Status ModelBuilderAccess::BuildControlEdges(std::span<const uint8_t> data) {
  const auto malformed = [&](std::string_view what) {
    return BadModel(model_, HEDDLE_REASON_MALFORMED, {}, "metadata.model_control_dependencies",
                    StrCat("has malformed control dependencies: ", what));
  };
  // Several entries may have this name; the last counts.
  if (!budget_.Spend(data.size())) return budget_.Exhausted(model_, {});
  Reader reader(data);
  uint32_t version;
  uint32_t count;
  if (!reader.Read(&version) || !reader.Read(&count)) return malformed("too short");
  if (version != kVersion) return malformed(StrCat("version ", version, " is unknown"));
  if (count != model_.subgraphs_.size()) {
    return malformed(StrCat("they are for ", count, " subgraphs of ", model_.subgraphs_.size()));
  }
  for (uint32_t i = 0; i < count; ++i) {
    SubgraphDef& subgraph = model_.subgraphs_[i];
    const auto operators = static_cast<int64_t>(subgraph.operators.size());
    uint32_t pairs;
    // A pair takes two bytes at least: no reservation beyond the data.
    if (!reader.Read(&pairs) || pairs > reader.left() / 2) return malformed("too short");
    subgraph.control_edges.clear();
    subgraph.control_edges.reserve(pairs);
    for (uint32_t pair = 0; pair < pairs; ++pair) {
      int32_t before;
      int32_t after;
      if (!reader.Read(&before) || !reader.Read(&after)) return malformed("too short");
      if (before < 0 || before >= operators || after < 0 || after >= operators) {
        return BadModel(model_, HEDDLE_REASON_INDEX_OUT_OF_RANGE, {static_cast<int32_t>(i)},
                        "control_edges",
                        StrCat("has a control dependency of operator ", after, " on operator ",
                               before, ", but there are ", operators));
      }
      subgraph.control_edges.emplace_back(before, after);
    }
  }
  if (reader.left() != 0) return malformed("bytes are left over");
  return {};
}

}  // namespace heddle
