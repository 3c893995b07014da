// SPDX-License-Identifier: Apache-2.0
// Time per operator, through the node observer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tools/json_out.h"

namespace heddle::tools {

// Collects the time of every operator over any number of runs. An operator that runs a subgraph is
// charged what its own operators leave over.
class NodeProfile {
 public:
  // Into the options of a run; the profile must outlive it.
  void Observe(RunOptions* options);
  void Begin() { open_.clear(); }

  // {"runs", "nodes": [{subgraph, operator, op, count, ms, share}...], "ops": [{op, ...}]}, `ms` a
  // run; and the same as tables.
  Json ToJson(size_t runs) const;
  std::string Text(size_t runs) const;

 private:
  struct Node {
    std::string op;
    uint64_t count = 0;
    uint64_t time_ns = 0;
  };
  struct Open {
    uint64_t begin_ns;
    uint64_t inner_ns;  // of operators inside
  };
  static int32_t OnNode(void* context, const heddle_node_event* event);
  double TotalMs() const;
  std::vector<std::pair<std::string, Node>> ByOp() const;  // longest first

  std::map<std::pair<int32_t, int32_t>, Node> nodes_;  // by subgraph and operator
  std::vector<Open> open_;
};

}  // namespace heddle::tools
