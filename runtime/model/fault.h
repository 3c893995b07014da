// SPDX-License-Identifier: Apache-2.0
// Faults of a model file, with their place in it. Internal to runtime/model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/base/status.h"
#include "runtime/model/model.h"

namespace heddle {

// What a fault is about; -1 where it does not apply. With an operator and a tensor, the place is
// the operator's.
struct Site {
  int32_t subgraph = -1;
  int32_t op = -1;
  int32_t tensor = -1;
};

// "subgraphs[0].operators[12]"
std::string PlaceText(const Site& site);
// "operator 12 (CONV_2D) of subgraph 0", as far as the model knows it already.
std::string SiteText(const Model& model, const Site& site);

// A failed Status of phase VERIFY. `below` continues the place: "inputs[1]"; `sentence` follows the
// description of the site: "reads tensor 99, but there are 12".
Status BadModel(const Model& model, heddle_reason reason, const Site& site, std::string_view below,
                std::string_view sentence);

// The work that verification may do: a few steps for each byte of the file. Files whose tables
// share large arrays could otherwise take quadratic time.
class WorkBudget {
 public:
  explicit WorkBudget(size_t file_bytes) : left_(uint64_t{file_bytes} * 16 + (1u << 20)) {}
  bool Spend(uint64_t steps) {
    if (steps > left_) {
      left_ = 0;
      return false;
    }
    left_ -= steps;
    return true;
  }
  Status Exhausted(const Model& model, const Site& site) const {
    return BadModel(model, HEDDLE_REASON_MALFORMED, site, {},
                    "belongs to a file that refers to the same arrays again and again");
  }

 private:
  uint64_t left_;
};

}  // namespace heddle
