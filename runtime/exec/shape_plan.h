// SPDX-License-Identifier: Apache-2.0
// What is decided for one set of input shapes of a subgraph: shapes of all tensors, chosen kernels,
// memory offsets.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "heddle/heddle_plugin.h"
#include "runtime/base/allocator.h"
#include "runtime/base/status.h"
#include "runtime/memory/weight_store.h"
#include "runtime/op/host.h"

namespace heddle {

class Subgraph;
class ShapePlan;

// Constant results up to this size are computed while planning: shape arithmetic, not weights.
inline constexpr size_t kMaxFoldedBytes = 4096;

// An operator of the model in one interpreter slot. What it keeps does not depend on shapes.
struct Node {
  int32_t index = 0;  // in the model's subgraph
  const OperatorDef* def = nullptr;
  OpRegistrationRef registration;  // null: unresolved
  NodeContext context;
  void* node_state = nullptr;
  bool has_side_effects = false;
};

// Where a tensor's memory comes from in a plan.
enum class Storage : uint8_t {
  kNone,      // nothing produces it
  kConstant,  // the model's bytes
  kInput,     // given from outside the plan
  kVariable,  // kept by the subgraph
  kFolded,    // computed while planning, kept by the plan
  kArena,     // an offset in the arena
  kDynamic,   // data-dependent: from the dynamic arena, while running
};

struct PlanTensor {
  Storage storage = Storage::kNone;
  std::vector<int32_t> dims;  // what the view's dims point to
  int32_t first = -1;         // position of the step that writes it; -1: before all steps
  int32_t last = -1;          // position of the last step that reads it
  int32_t buffer = -1;        // kArena: index into ShapePlan::buffers
  Block folded;               // kFolded
};

// An operator in a plan, and at the same time the call that its callbacks get.
struct Step : heddle_op_call {
  Step() : heddle_op_call{} {}
  ShapePlan* plan = nullptr;
  Node* owner = nullptr;
  heddle_status (*run)(heddle_op_call* call) = nullptr;  // the op's invoke
  int32_t position = 0;                                  // in the execution plan
  bool is_folded = false;                                // done: outputs are constants of the plan
  bool dynamic_inputs = false;   // shapes of inputs are known only while running
  bool dynamic_outputs = false;  // so are shapes of outputs
  bool prepared = false;
  const char* kernel = "";
  std::vector<const heddle_tensor*> input_views;
  std::vector<heddle_tensor*> output_views;
  std::vector<const heddle_tensor*> intermediate_views;
  std::vector<int32_t> output_indices;
  std::vector<uint8_t> output_unknown;   // shape comes with the data, through allocate_output
  std::vector<int32_t> scratch_buffers;  // indices into ShapePlan::buffers
  std::vector<void*> scratch;            // their addresses
  std::vector<Block> own_scratch;        // of steps that are prepared while running
  std::vector<WeightStore::Ref> shared;
  std::vector<std::shared_ptr<ShapePlan>>
      callees;                         // plans of called subgraphs, to prepare with this one
  std::vector<int32_t> prepared_dims;  // dynamic_inputs: shapes that the step was prepared for
  std::vector<int32_t> release_after;  // dynamic tensors whose last reader this is

  void ReleasePlanState();
};

class ShapePlan {
 public:
  ShapePlan(Subgraph* subgraph, std::vector<int32_t> key)
      : subgraph_(subgraph), key_(std::move(key)) {}
  ShapePlan(const ShapePlan&) = delete;
  ShapePlan& operator=(const ShapePlan&) = delete;
  ~ShapePlan();

  Subgraph* subgraph() const { return subgraph_; }
  // [rank, dims...] of every input.
  const std::vector<int32_t>& key() const { return key_; }
  // Rough size, for the limit of the plan cache.
  uint64_t cost_bytes() const { return cost_bytes_; }

  // Decides lifetimes and in-place sharing, and places what lives in the arena.
  Status PlanMemory(std::span<const int32_t> outputs, bool preserve_all);
  // Points tensors and scratch into the arena.
  void BindArena(uint8_t* base);

  std::vector<heddle_tensor> views;  // one a tensor of the subgraph
  std::vector<PlanTensor> tensors;
  std::deque<Step> steps;     // in execution order
  std::vector<Step*> to_run;  // without the folded ones
  std::vector<const heddle_tensor*> output_views;
  bool prepared = false;
  uint64_t arena_bytes = 0;
  uint64_t lower_bound = 0;
  const uint8_t* bound_base = nullptr;
  struct BufferRange {
    size_t bytes;
    int32_t first;
    int32_t last;
    size_t offset;
  };
  std::vector<BufferRange> buffers;

 private:
  void ShareInPlace(const Step& step, std::span<const uint8_t> is_output);

  Subgraph* subgraph_;
  std::vector<int32_t> key_;
  uint64_t cost_bytes_ = 0;
};

}  // namespace heddle
