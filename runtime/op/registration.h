// SPDX-License-Identifier: Apache-2.0
// Registrations as the host keeps them, and the resolver that finds them by code or name and
// version.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "heddle/heddle_plugin.h"
#include "runtime/base/status.h"
#include "runtime/model/model.h"

namespace heddle {

// A copy of a heddle_op with the defaults of newer fields filled in and every entry checked.
class OpRegistration {
 public:
  static StatusOr<std::shared_ptr<const OpRegistration>> Make(const heddle_op& op);

  const heddle_op& op() const { return op_; }
  const std::string& name() const { return name_; }  // builtin's name or custom name
  bool is_custom() const { return op_.builtin_code == kBuiltinCustom; }
  bool has_flag(uint32_t flag) const { return (op_.flags & flag) != 0; }
  bool Covers(int32_t version) const {
    return version >= op_.min_version && version <= op_.max_version;
  }

 private:
  OpRegistration() = default;
  heddle_op op_ = {};
  std::string name_;
  std::vector<heddle_in_place_pair> in_place_;
};

using OpRegistrationRef = std::shared_ptr<const OpRegistration>;

struct VersionRange {
  int32_t min = 0;
  int32_t max = 0;
};

// Finds registrations: builtins by an array indexed with the code, customs by a hash map. Not
// thread-safe while it is changed; safe to share afterwards. Registrations are shared, so none that
// was found can dangle.
class OpResolver {
 public:
  // Later registrations win for the versions that they share with earlier ones.
  Status Add(const heddle_op& op);
  // Takes over the registrations of `other`, which win over those held. Its chain is not taken.
  void Merge(OpResolver other);
  // Asks a copy of `next`, as it is now, for what this resolver does not have; first hit wins in
  // the order of chaining.
  void Chain(const OpResolver& next);

  // Null if nobody has it.
  OpRegistrationRef FindOp(int32_t builtin_code, int32_t version) const;
  OpRegistrationRef FindOp(std::string_view custom_name, int32_t version) const;
  OpRegistrationRef FindOp(const OperatorCode& code) const;

  // Lowest and highest version registered, here or in the chain.
  std::optional<VersionRange> VersionsOf(int32_t builtin_code) const;
  std::optional<VersionRange> VersionsOf(std::string_view custom_name) const;

  // Why FindOp(code) finds nothing: one fault that names the op, the version wanted and what there
  // is instead.
  Status ExplainMiss(const OperatorCode& code) const;
  // Looks up every code of the model, used or not. All misses become one status; entries of missing
  // ops are null.
  Status Resolve(const Model& model, std::vector<OpRegistrationRef>* registrations) const;

  size_t size() const;

 private:
  using Versions = std::vector<OpRegistrationRef>;
  struct StringHash {
    using is_transparent = void;  // NOLINT(readability-identifier-naming): the library's name
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using CustomMap = std::unordered_map<std::string, Versions, StringHash, std::equal_to<>>;

  const Versions* FindBuiltin(int32_t code) const;
  const Versions* FindCustom(std::string_view name) const;
  // Ranges of all registrations, here and in the chain, in the order of lookup.
  void CollectRanges(int32_t builtin_code, std::vector<VersionRange>* ranges) const;
  void CollectRanges(std::string_view custom_name, std::vector<VersionRange>* ranges) const;
  void CollectNearMisses(std::string_view name, std::vector<std::string>* names) const;

  std::vector<Versions> builtins_;  // indexed by builtin code
  CustomMap customs_;
  std::vector<std::shared_ptr<const OpResolver>> chain_;
};

}  // namespace heddle
