// SPDX-License-Identifier: Apache-2.0
// Which ops of a model a resolver has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/json_out.h"
#include "tools/session.h"

namespace heddle::tools {

// An entry of the model's op dictionary beside what is registered. Borrowed from the model and from
// the check.
struct OpSupport {
  heddle_operator_code_info info;
  std::optional<OpResolver::Versions> registered;
  std::optional<heddle_error_info> fault;  // why it cannot run
};

struct ModelSupport {
  Status check;  // with a fault for each op that is missing
  std::vector<OpSupport> ops;
};
ModelSupport SupportOf(const Loaded& loaded);

// "1-8", "3", "none"
std::string VersionsText(const std::optional<OpResolver::Versions>& versions);
Json VersionsJson(const std::optional<OpResolver::Versions>& versions);

}  // namespace heddle::tools
