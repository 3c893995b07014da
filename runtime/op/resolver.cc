// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "runtime/base/strings.h"
#include "runtime/model/builtin_names.h"
#include "runtime/model/op_releases.h"
#include "runtime/op/registration.h"

namespace heddle {
namespace {

OpRegistrationRef FindVersion(const std::vector<OpRegistrationRef>& registrations,
                              int32_t version) {
  for (auto it = registrations.rbegin(); it != registrations.rend(); ++it) {
    if ((*it)->Covers(version)) return *it;
  }
  return nullptr;
}

void AppendRanges(const std::vector<OpRegistrationRef>& registrations,
                  std::vector<VersionRange>* ranges) {
  for (const OpRegistrationRef& registration : registrations) {
    ranges->push_back({registration->op().min_version, registration->op().max_version});
  }
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Levenshtein distance by rows; names are short.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

constexpr size_t kMaxNameForDistance = 256;

bool IsNear(std::string_view wanted, std::string_view held) {
  if (wanted.size() > kMaxNameForDistance || held.size() > kMaxNameForDistance) return false;
  const std::string a = Lower(wanted);
  const std::string b = Lower(held);
  if (a == b) return true;
  const size_t allowed = std::max(a.size(), b.size()) >= 5 ? 2 : 1;
  const size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  return difference <= allowed && EditDistance(a, b) <= allowed;
}

// "version 3", "versions 1 to 3", "versions 1 to 3 and 5": gaps are told.
std::string RangesText(std::vector<VersionRange> ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const VersionRange& a, const VersionRange& b) { return a.min < b.min; });
  std::vector<VersionRange> merged;
  for (const VersionRange& range : ranges) {
    // Compared so that INT32_MAX as an upper bound does not overflow.
    if (!merged.empty() && range.min - 1 <= merged.back().max) {
      merged.back().max = std::max(merged.back().max, range.max);
    } else {
      merged.push_back(range);
    }
  }
  const bool one = merged.size() == 1 && merged[0].min == merged[0].max;
  std::string text = one ? "version " : "versions ";
  for (size_t i = 0; i < merged.size(); ++i) {
    if (i > 0) text += i + 1 == merged.size() ? " and " : ", ";
    StrAppend(text, merged[i].min);
    if (merged[i].max != merged[i].min) StrAppend(text, " to ", merged[i].max);
  }
  return text;
}

std::optional<VersionRange> Envelope(const std::vector<VersionRange>& ranges) {
  if (ranges.empty()) return std::nullopt;
  VersionRange all = ranges[0];
  for (const VersionRange& range : ranges) {
    all.min = std::min(all.min, range.min);
    all.max = std::max(all.max, range.max);
  }
  return all;
}

Status Miss(const OperatorCode& code, heddle_reason reason, std::string message) {
  Fault fault;
  fault.code = HEDDLE_UNRESOLVED_OPS;
  fault.phase = HEDDLE_PHASE_RESOLVE;
  fault.reason = reason;
  fault.message = std::move(message);
  fault.op_name = code.name;
  fault.op_version = code.version;
  return Status(std::move(fault));
}

}  // namespace

Status OpResolver::Add(const heddle_op& op) {
  HEDDLE_ASSIGN_OR_RETURN(OpRegistrationRef registration, OpRegistration::Make(op));
  if (registration->is_custom()) {
    customs_[registration->name()].push_back(std::move(registration));
    return {};
  }
  const auto code = static_cast<size_t>(registration->op().builtin_code);
  if (code >= builtins_.size()) builtins_.resize(code + 1);
  builtins_[code].push_back(std::move(registration));
  return {};
}

void OpResolver::Merge(OpResolver other) {
  if (other.builtins_.size() > builtins_.size()) builtins_.resize(other.builtins_.size());
  for (size_t code = 0; code < other.builtins_.size(); ++code) {
    for (OpRegistrationRef& op : other.builtins_[code]) builtins_[code].push_back(std::move(op));
  }
  for (auto& [name, versions] : other.customs_) {
    Versions& own = customs_[name];
    for (OpRegistrationRef& op : versions) own.push_back(std::move(op));
  }
}

void OpResolver::Chain(const OpResolver& next) {
  // A copy: two resolvers that are chained to each other make no cycle, and later changes cannot
  // race with lookups.
  chain_.push_back(std::make_shared<const OpResolver>(next));
}

const OpResolver::Versions* OpResolver::FindBuiltin(int32_t code) const {
  if (code < 0 || static_cast<size_t>(code) >= builtins_.size()) return nullptr;
  return &builtins_[static_cast<size_t>(code)];
}

const OpResolver::Versions* OpResolver::FindCustom(std::string_view name) const {
  const auto it = customs_.find(name);
  return it == customs_.end() ? nullptr : &it->second;
}

OpRegistrationRef OpResolver::FindOp(int32_t builtin_code, int32_t version) const {
  if (const Versions* own = FindBuiltin(builtin_code)) {
    if (OpRegistrationRef found = FindVersion(*own, version)) return found;
  }
  for (const auto& next : chain_) {
    if (OpRegistrationRef found = next->FindOp(builtin_code, version)) return found;
  }
  return nullptr;
}

OpRegistrationRef OpResolver::FindOp(std::string_view custom_name, int32_t version) const {
  if (const Versions* own = FindCustom(custom_name)) {
    if (OpRegistrationRef found = FindVersion(*own, version)) return found;
  }
  for (const auto& next : chain_) {
    if (OpRegistrationRef found = next->FindOp(custom_name, version)) return found;
  }
  return nullptr;
}

OpRegistrationRef OpResolver::FindOp(const OperatorCode& code) const {
  return code.is_custom() ? FindOp(code.custom_name, code.version)
                          : FindOp(code.builtin_code, code.version);
}

void OpResolver::CollectRanges(int32_t builtin_code, std::vector<VersionRange>* ranges) const {
  if (const Versions* own = FindBuiltin(builtin_code)) AppendRanges(*own, ranges);
  for (const auto& next : chain_) next->CollectRanges(builtin_code, ranges);
}

void OpResolver::CollectRanges(std::string_view custom_name,
                               std::vector<VersionRange>* ranges) const {
  if (const Versions* own = FindCustom(custom_name)) AppendRanges(*own, ranges);
  for (const auto& next : chain_) next->CollectRanges(custom_name, ranges);
}

std::optional<VersionRange> OpResolver::VersionsOf(int32_t builtin_code) const {
  std::vector<VersionRange> ranges;
  CollectRanges(builtin_code, &ranges);
  return Envelope(ranges);
}

std::optional<VersionRange> OpResolver::VersionsOf(std::string_view custom_name) const {
  std::vector<VersionRange> ranges;
  CollectRanges(custom_name, &ranges);
  return Envelope(ranges);
}

void OpResolver::CollectNearMisses(std::string_view name, std::vector<std::string>* names) const {
  for (const auto& [held, versions] : customs_) {
    if (IsNear(name, held)) names->push_back(held);
  }
  for (const auto& next : chain_) next->CollectNearMisses(name, names);
}

Status OpResolver::ExplainMiss(const OperatorCode& code) const {
  if (code.is_custom() && code.custom_name.empty()) {
    return Miss(code, HEDDLE_REASON_CUSTOM_OP_NO_NAME, "a custom op has no name");
  }
  const char* release = code.is_custom() ? nullptr : FirstRelease(code.builtin_code, code.version);
  std::vector<VersionRange> ranges;
  if (code.is_custom()) {
    CollectRanges(code.custom_name, &ranges);
  } else {
    CollectRanges(code.builtin_code, &ranges);
  }
  if (const auto range = Envelope(ranges)) {
    std::string message =
        StrCat(code.is_custom() ? "custom op " : "op ", code.name, ": the model wants version ",
               code.version, ", registered is ", RangesText(std::move(ranges)));
    if (release != nullptr) {
      StrAppend(message, "; version ", code.version, " came with TFLite ", release);
    } else if (!code.is_custom()) {
      StrAppend(message, "; no TFLite release that this library knows of has version ",
                code.version);
    }
    // A version in a gap is older than something that is registered.
    return Miss(code,
                code.version > range->max ? HEDDLE_REASON_OP_VERSION_TOO_NEW
                                          : HEDDLE_REASON_OP_VERSION_TOO_OLD,
                std::move(message));
  }
  if (!code.is_custom()) {
    if (BuiltinName(code.builtin_code) == nullptr) {
      return Miss(code, HEDDLE_REASON_OP_CODE_UNKNOWN,
                  StrCat("builtin code ", code.builtin_code, " version ", code.version,
                         " is unknown to this runtime"));
    }
    std::string message = StrCat("op ", code.name, " version ", code.version, " is not registered");
    if (release != nullptr) StrAppend(message, "; this version came with TFLite ", release);
    return Miss(code, HEDDLE_REASON_OP_NOT_REGISTERED, std::move(message));
  }
  if (code.custom_name.substr(0, 4) == "Flex" && code.custom_name.size() > 4) {
    return Miss(
        code, HEDDLE_REASON_FLEX_OP,
        StrCat("custom op ", code.name, " is the TensorFlow op ", code.custom_name.substr(4),
               ", which needs a Flex delegate or reconversion"));
  }
  std::vector<std::string> near;
  CollectNearMisses(code.custom_name, &near);
  if (!near.empty()) {
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    std::string message = StrCat("custom op ", code.name, " is not registered; did you mean ");
    for (size_t i = 0; i < near.size(); ++i) StrAppend(message, i == 0 ? "" : " or ", near[i]);
    return Miss(code, HEDDLE_REASON_CUSTOM_OP_NEAR_MISS, message + "?");
  }
  return Miss(code, HEDDLE_REASON_CUSTOM_OP_UNKNOWN,
              StrCat("custom op ", code.name, " version ", code.version, " is not registered"));
}

Status OpResolver::Resolve(const Model& model,
                           std::vector<OpRegistrationRef>* registrations) const {
  registrations->clear();
  Status misses;
  for (size_t i = 0; i < model.operator_codes().size(); ++i) {
    const OperatorCode& code = model.operator_codes()[i];
    registrations->push_back(FindOp(code));
    if (registrations->back() != nullptr) continue;
    misses.Append(ExplainMiss(code).Annotate([&](Fault& fault) {
      fault.place = StrCat("operator_codes[", i, "]");
      StrAppend(fault.message, " (used ", code.use_count,
                code.use_count == 1 ? " time)" : " times)");
    }));
  }
  return misses;
}

size_t OpResolver::size() const {
  size_t count = 0;
  for (const Versions& versions : builtins_) count += versions.empty() ? 0 : 1;
  count += customs_.size();
  for (const auto& next : chain_) count += next->size();
  return count;
}

}  // namespace heddle
