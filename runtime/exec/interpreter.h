// SPDX-License-Identifier: Apache-2.0
// A model ready to run: its ops resolved, one Instance a slot, one entry point selected.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/function_ref.h"
#include "runtime/exec/subgraph.h"
#include "runtime/op/registration.h"
#include "runtime/sync/event.h"

namespace heddle {

struct InterpreterOptions {
  int32_t num_threads = 0;  // 0: the environment's limit
  int32_t slots = 1;
  bool reference = false;
  bool preserve_all = false;
  uint64_t max_plan_cache_bytes = uint64_t{16} << 20;
  uint64_t max_dynamic_bytes = uint64_t{1} << 30;
};

struct RunRequest {
  RunControl control;
  std::shared_ptr<CancelToken> cancel_token;  // keeps control.cancel alive
  int32_t priority = 0;
};

// For one thread at a time, but for Run (as many as there are slots). A second thread is refused,
// not waited for.
class Interpreter {
 public:
  static StatusOr<std::shared_ptr<Interpreter>> Make(std::shared_ptr<Environment> environment,
                                                     std::shared_ptr<const Model> model,
                                                     std::shared_ptr<WeightStore> weights,
                                                     const OpResolver& resolver,
                                                     const InterpreterOptions& options);
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;
  ~Interpreter();

  // Holds the interpreter (slot 0) for one call. Fails when a run or another call is under way.
  class Lease {
   public:
    Lease() = default;
    Lease(Lease&& other) noexcept : busy_(std::exchange(other.busy_, nullptr)) {}
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (busy_ != nullptr) busy_->store(false, std::memory_order_release);
    }
    explicit operator bool() const { return busy_ != nullptr; }

   private:
    friend class Interpreter;
    explicit Lease(std::atomic<bool>* busy) : busy_(busy) {}
    std::atomic<bool>* busy_ = nullptr;
  };
  Lease TryLease() { return Lease(TryTake(0)); }
  static Status ConcurrentUse();

  const Model& model() const { return *model_; }
  Environment& environment() const { return *environment_; }

  // -- Entry point; the caller holds a Lease. Refused while another slot runs. --
  Status SelectSignature(std::string_view key, bool use_default);
  size_t input_count() const { return entry_.inputs.size(); }
  size_t output_count() const { return entry_.outputs.size(); }
  const char* InputName(size_t index) const { return entry_.input_names[index]; }
  const char* OutputName(size_t index) const { return entry_.output_names[index]; }
  int32_t FindInput(std::string_view name) const;
  int32_t FindOutput(std::string_view name) const;
  int32_t entry_subgraph() const { return entry_.subgraph; }
  int32_t InputTensor(size_t index) const;
  int32_t OutputTensor(size_t index) const;

  // -- Slot 0; the caller holds a Lease --
  Status ResizeInput(size_t index, std::span<const int32_t> dims, bool strict);
  std::span<const int32_t> InputDims(size_t index) const;
  Status Prepare();
  bool IsPrepared() const { return Target().IsPrepared(); }
  Status Invoke(const RunRequest& request);
  // The run holds the lease until it is done, which `event` tells. On failure it tells nothing.
  Status InvokeAsync(std::shared_ptr<Interpreter> self, Lease lease, RunRequest request,
                     std::shared_ptr<Event> event);
  StatusOr<void*> InputData(size_t index, size_t bytes);
  // Null before prepare, and for a data-dependent output before its run.
  const heddle_tensor* OutputView(size_t index) const;
  Status SetInput(size_t index, const void* data, size_t bytes);
  Status GetOutput(size_t index, void* data, size_t bytes) const;
  void BindInput(size_t index, std::shared_ptr<Buffer> buffer);
  void BindOutput(size_t index, std::shared_ptr<Buffer> buffer);
  Status ResetVariables();
  Status ReleaseMemory();
  StatusOr<heddle_memory_info> Memory();
  const Subgraph& subgraph(size_t index) const { return *slots_[0]->instance.subgraphs[index]; }

  // -- Any free slot --
  // `input(i)` and `output(i)` give the buffers, none of which may be null.
  using BufferOf = FunctionRef<std::shared_ptr<Buffer>(size_t)>;
  Status Run(const RunRequest& request, size_t input_count, BufferOf input, size_t output_count,
             BufferOf output);

 private:
  struct Slot {
    Instance instance;
    std::atomic<bool> busy{false};
    // Bindings of Run, exchanged with the subgraph's for its duration.
    std::vector<std::shared_ptr<Buffer>> inputs;
    std::vector<std::shared_ptr<Buffer>> outputs;
  };
  struct Entry {
    int32_t subgraph = 0;
    std::vector<size_t> inputs;  // positions in the subgraph's inputs
    std::vector<size_t> outputs;
    std::vector<const char*> input_names;
    std::vector<const char*> output_names;
  };

  Interpreter() = default;
  Status Init(const OpResolver& resolver, const InterpreterOptions& options);
  Status CheckSlots(int32_t slots) const;
  Status MakeSlot(const InterpreterOptions& options);
  Status MakeEntry(std::string_view key, bool use_default, Entry* entry) const;
  std::atomic<bool>* TryTake(size_t slot);
  // Leases of all slots but the first; empty when one of them runs.
  std::vector<Lease> TryTakeOthers();
  Subgraph& Target(size_t slot) {
    return *slots_[slot]->instance.subgraphs[static_cast<size_t>(entry_.subgraph)];
  }
  const Subgraph& Target() const {
    return *slots_[0]->instance.subgraphs[static_cast<size_t>(entry_.subgraph)];
  }
  Status InvokeSlot(size_t slot, const RunRequest& request);
  Status RunInSlot(size_t slot, const RunRequest& request, BufferOf input, BufferOf output);

  std::shared_ptr<Environment> environment_;
  std::shared_ptr<const Model> model_;
  std::shared_ptr<WeightStore> weights_;
  std::vector<OpRegistrationRef> registrations_;
  std::vector<Status> misses_;
  std::vector<std::unique_ptr<Slot>> slots_;
  Entry entry_;
};

}  // namespace heddle
