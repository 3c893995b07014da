// SPDX-License-Identifier: Apache-2.0
// One subgraph of a model in one interpreter slot: its nodes, its plans for sets of input shapes,
// its memory; and the host that its ops see.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/exec/environment.h"
#include "runtime/exec/resource_store.h"
#include "runtime/exec/shape_plan.h"
#include "runtime/memory/buffer.h"
#include "runtime/memory/dynamic_arena.h"
#include "runtime/memory/weight_store.h"
#include "runtime/model/model.h"
#include "runtime/op/host.h"
#include "runtime/sync/cancel_token.h"
#include "runtime/sync/deadline.h"

namespace heddle {

class Subgraph;

// What stops or watches a run.
struct RunControl {
  Deadline deadline;
  const CancelToken* cancel = nullptr;
  heddle_node_observer observer = nullptr;
  void* observer_context = nullptr;
  uint64_t loop_limit = 0;
  bool Stops() const { return cancel != nullptr || deadline.IsSet(); }
  // Fails when the run should stop.
  Status Check() const;
};

// What the subgraphs of a slot have in common.
struct Instance {
  Instance() = default;
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance();

  std::shared_ptr<Environment> environment;
  std::shared_ptr<const Model> model;
  std::shared_ptr<WeightStore> weights;
  heddle_allocator allocator = {};  // the environment's, for ops
  int32_t num_threads = 0;
  bool reference = false;
  bool preserve_all = false;
  uint64_t max_plan_cache_bytes = 0;
  uint64_t max_dynamic_bytes = 0;
  // Why an op code has no registration; success where it has one. Index: operator code.
  const std::vector<Status>* misses = nullptr;
  ResourceStore resources;
  RunControl control;
  int32_t call_depth = 0;
  std::vector<std::unique_ptr<Subgraph>> subgraphs;
};

class Subgraph final : public OpHost {
 public:
  // Orders the operators and calls init of those that are resolved. `registrations`: one an
  // operator code.
  static StatusOr<std::unique_ptr<Subgraph>> Make(
      Instance* instance, int32_t index, const std::vector<OpRegistrationRef>& registrations);
  Subgraph(const Subgraph&) = delete;
  Subgraph& operator=(const Subgraph&) = delete;
  ~Subgraph() override;

  const SubgraphDef& def() const { return def_; }
  const std::vector<int32_t>& execution_plan() const { return execution_plan_; }

  // -- As an entry point --
  // Shape of an input, used by the next Prepare.
  Status ResizeInput(size_t input, std::span<const int32_t> dims);
  std::span<const int32_t> InputDims(size_t input) const { return input_dims_[input]; }
  // Makes or finds the plan for the current input shapes and gives it memory.
  Status Prepare();
  bool IsPrepared() const { return current_ != nullptr && !stale_; }
  Status Invoke();
  // Memory of an input, allocated if need be. `bytes` counts for strings only.
  StatusOr<void*> InputData(size_t input, size_t bytes);
  void BindInput(size_t input, std::shared_ptr<Buffer> buffer);
  void BindOutput(size_t output, std::shared_ptr<Buffer> buffer);
  // Exchanges all bindings with the caller's, which have one entry an input and output.
  void SwapBindings(std::vector<std::shared_ptr<Buffer>>& inputs,
                    std::vector<std::shared_ptr<Buffer>>& outputs);
  // The current plan; null before Prepare.
  const ShapePlan* plan() const { return current_.get(); }
  // Whether a tensor's memory still holds its value after a run.
  bool KeepsData(size_t tensor) const;

  Status ResetVariables();
  void ReleaseMemory();
  void AddMemory(heddle_memory_info* info) const;

  // -- As a subgraph called by ops --
  Status InferShapes(std::span<const heddle_tensor* const> inputs,
                     std::shared_ptr<ShapePlan>* plan);
  Status PreparePlan(ShapePlan& plan);
  Status Call(std::span<const heddle_tensor* const> inputs,
              std::span<const heddle_tensor* const>* outputs);

  // -- OpHost --
  void Log(heddle_severity severity, heddle_reason reason, std::string_view message) override;
  const heddle_allocator* GetAllocator() override { return &instance_->allocator; }
  Status SetOutput(heddle_op_call* call, size_t output, heddle_dtype dtype,
                   std::span<const int32_t> dims) override;
  Status SetOutputDataDependent(heddle_op_call* call, size_t output, heddle_dtype dtype) override;
  Status RequestScratch(heddle_op_call* call, size_t bytes, int32_t* scratch) override;
  void* GetScratch(heddle_op_call* call, int32_t scratch) override;
  Status GetShared(heddle_op_call* call, const SharedRequest& request, void** object) override;
  Status AllocateOutput(heddle_op_call* call, size_t output, std::span<const int32_t> dims,
                        size_t bytes, void** data) override;
  Status ParallelFor(int64_t count, int64_t grain, void (*function)(void*, int64_t, int64_t),
                     void* argument) override;
  int32_t NumThreads() override;
  bool IsCancelled() override;
  uint64_t LoopLimit() override { return instance_->control.loop_limit; }
  Status GetResourceId(std::string_view container, std::string_view name, int32_t* id) override;
  Status OpenResource(heddle_op_call* call, int32_t id, const heddle_resource_type& type,
                      bool create, void* argument, void** object) override;
  Status GetSubgraphIo(int32_t index, size_t* inputs, size_t* outputs) override;
  Status InferSubgraph(heddle_op_call* call, int32_t index,
                       std::span<const heddle_tensor* const> inputs,
                       std::span<const heddle_tensor* const>* outputs) override;
  Status InvokeSubgraph(heddle_op_call* call, int32_t index,
                        std::span<const heddle_tensor* const> inputs,
                        std::span<const heddle_tensor* const>* outputs) override;

 private:
  // An input's memory: the caller's buffer, or own blocks. The first is the entry point's. Calls
  // take turns with two more, since a loop may pass results of the last run, some of which are
  // inputs of that run, as inputs of the next.
  struct InputSlot {
    Block blocks[3];
    size_t string_bytes = 0;
    std::shared_ptr<Buffer> bound;
    bool copy_bound = false;  // kernels cannot read the bound buffer in place: copied at each run
    void* staged = nullptr;   // memory of this call's input
  };

  Subgraph(Instance* instance, int32_t index);

  // subgraph_create.cc
  Status CreateNodes(const std::vector<OpRegistrationRef>& registrations);
  Status OrderNodes();
  Status AllocateVariables();
  Status PlaceConstants();
  StatusOr<WeightStore::Ref> CopyConstant(size_t index);

  // subgraph_plan.cc
  StatusOr<std::shared_ptr<ShapePlan>> GetPlan(const std::vector<int32_t>& key);
  StatusOr<std::shared_ptr<ShapePlan>> BuildPlan(std::vector<int32_t> key);
  void InitTensors(ShapePlan& plan);
  Step& AddStep(ShapePlan& plan, Node& node, int32_t position);
  Status InferStep(ShapePlan& plan, Step& step);
  Status InferFromFile(Step& step);
  Status CheckOutputs(const ShapePlan& plan, Step& step);
  Status CheckInputs(const ShapePlan& plan, const Step& step) const;
  // All of the model's ops that nobody has, if the plan has one of them.
  Status UnresolvedOps(const ShapePlan& plan) const;
  void AddUnresolved(Status* misses) const;
  Status FoldStep(ShapePlan& plan, Step& step);
  void EvictPlans(const ShapePlan* keep);

  // subgraph_run.cc
  Status Activate(ShapePlan& plan);
  Status BindInputs(ShapePlan& plan);
  Status BindOutputs(ShapePlan& plan);
  Status EnsureInputBlock(size_t input, int set, size_t bytes);
  Status Run(ShapePlan& plan);
  Status RunStep(ShapePlan& plan, Step& step);
  Status PrepareDynamicStep(ShapePlan& plan, Step& step);
  Status AcquireOutputs(ShapePlan& plan, Step& step);
  Status Observe(const Step& step, bool is_end) const;
  // Says in faults that name no operator that they happened at this step.
  Status AtStep(const Step& step, Status status) const;
  Status CopyBoundOutputs(ShapePlan& plan);
  // Whether kernels can use the buffer as it is for this tensor; says in the log if not.
  bool FitsInPlace(const Buffer& buffer, const heddle_tensor& view, const char* what, size_t i);
  void ForgetBindings();
  bool Owns(const void* data) const;
  Status StageInputs(std::span<const heddle_tensor* const> inputs);

  Instance* instance_;
  const int32_t index_;
  const SubgraphDef& def_;
  std::vector<Node> nodes_;
  std::vector<int32_t> execution_plan_;  // node indices
  std::vector<uint8_t> is_overread_;     // per tensor: some reader may read behind its end
  std::vector<Block> variables_;         // per tensor; empty blocks for others
  std::vector<const void*>
      constants_;  // per tensor: in the model's bytes, or a copy that kernels can read
  std::vector<WeightStore::Ref> constant_copies_;
  std::vector<std::vector<int32_t>> input_dims_;
  std::vector<InputSlot> inputs_;
  std::vector<std::shared_ptr<Buffer>> bound_outputs_;
  std::vector<uint8_t> copy_output_;  // per output: filled by a copy after the run

  Block arena_;
  DynamicArena dynamic_;
  std::list<std::shared_ptr<ShapePlan>> plans_;  // most recently used first
  std::shared_ptr<ShapePlan> current_;
  bool stale_ = true;         // input shapes changed since current_ was chosen
  bool rebind_ = true;        // bindings or memory changed since tensors were pointed at them
  bool io_bound_ = false;     // tensors point at the entry point's bindings
  bool active_ = false;       // running
  int input_set_ = 1;         // which blocks of inputs_ the last call was given copies in
  std::vector<int32_t> key_;  // reused
};

}  // namespace heddle
