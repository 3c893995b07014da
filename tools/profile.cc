// SPDX-License-Identifier: Apache-2.0
#include "tools/profile.h"

#include <algorithm>

#include "tools/table.h"

namespace heddle::tools {
namespace {

double PerRun(uint64_t time_ns, size_t runs) {
  return static_cast<double>(time_ns) / 1e6 / static_cast<double>(runs);
}

}  // namespace

void NodeProfile::Observe(RunOptions* options) {
  options->observer = &OnNode;
  options->observer_context = this;
}

int32_t NodeProfile::OnNode(void* context, const heddle_node_event* event) {
  auto* profile = static_cast<NodeProfile*>(context);
  if (event->is_end == 0) {
    profile->open_.push_back({event->time_ns, 0});
    return 0;
  }
  if (profile->open_.empty()) return 0;
  const Open open = profile->open_.back();
  profile->open_.pop_back();
  const uint64_t time_ns = event->time_ns - open.begin_ns;
  if (!profile->open_.empty()) profile->open_.back().inner_ns += time_ns;
  Node& node = profile->nodes_[{event->subgraph, event->operator_index}];
  if (node.op.empty()) node.op = event->op_name;
  ++node.count;
  node.time_ns += time_ns - std::min(time_ns, open.inner_ns);
  return 0;
}

double NodeProfile::TotalMs() const {
  uint64_t total = 0;
  for (const auto& [place, node] : nodes_) total += node.time_ns;
  return static_cast<double>(total) / 1e6;
}

std::vector<std::pair<std::string, NodeProfile::Node>> NodeProfile::ByOp() const {
  std::map<std::string, Node> sums;
  for (const auto& [place, node] : nodes_) {
    Node& sum = sums[node.op];
    sum.count += node.count;
    sum.time_ns += node.time_ns;
  }
  std::vector<std::pair<std::string, Node>> ops(sums.begin(), sums.end());
  std::stable_sort(ops.begin(), ops.end(), [](const auto& a, const auto& b) {
    return a.second.time_ns > b.second.time_ns;
  });
  return ops;
}

Json NodeProfile::ToJson(size_t runs) const {
  const double total = std::max(TotalMs() / static_cast<double>(runs), 1e-9);
  Json nodes = Json::array();
  for (const auto& [place, node] : nodes_) {
    const double ms = PerRun(node.time_ns, runs);
    nodes.push_back({{"subgraph", place.first},
                     {"operator", place.second},
                     {"op", node.op},
                     {"count", node.count},
                     {"ms", ms},
                     {"share", ms / total}});
  }
  Json ops = Json::array();
  for (const auto& [name, sum] : ByOp()) {
    const double ms = PerRun(sum.time_ns, runs);
    ops.push_back({{"op", name}, {"count", sum.count}, {"ms", ms}, {"share", ms / total}});
  }
  return {{"runs", runs}, {"nodes", nodes}, {"ops", ops}};
}

std::string NodeProfile::Text(size_t runs) const {
  const double total = std::max(TotalMs() / static_cast<double>(runs), 1e-9);
  const auto share = [&](double ms) { return Fixed(100 * ms / total, 1) + " %"; };
  Table nodes({{"subgraph", Table::kRight},
               {"operator", Table::kRight},
               {"op", Table::kFlexible},
               {"ms a run", Table::kRight},
               {"share", Table::kRight}});
  for (const auto& [place, node] : nodes_) {
    const double ms = PerRun(node.time_ns, runs);
    nodes.Add({std::to_string(place.first), std::to_string(place.second), node.op, Fixed(ms, 4),
               share(ms)});
  }
  Table ops({{"op", Table::kFlexible},
             {"times a run", Table::kRight},
             {"ms a run", Table::kRight},
             {"share", Table::kRight}});
  for (const auto& [name, sum] : ByOp()) {
    const double ms = PerRun(sum.time_ns, runs);
    ops.Add({name, Fixed(static_cast<double>(sum.count) / static_cast<double>(runs), 1),
             Fixed(ms, 4), share(ms)});
  }
  return "operators, over " + Counted(runs, "run") + "\n" + nodes.Text() + "by op\n" + ops.Text();
}

}  // namespace heddle::tools
