// SPDX-License-Identifier: Apache-2.0
// A host for ops that call subgraphs or open resources: subgraphs are functions of the test.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/allocator.h"
#include "runtime/op/host.h"
#include "tests/kernels/single_op_model.h"
#include "tests/support/model_builder.h"

namespace heddle::testing {

// What a tensor's type and shape are before it has a value; dims unknown if not set.
struct Shape {
  heddle_dtype dtype = HEDDLE_DTYPE_FLOAT32;
  std::optional<std::vector<int32_t>> dims;
};

struct FakeSubgraph {
  size_t inputs = 0;
  size_t outputs = 0;
  std::function<std::vector<Shape>(const std::vector<Shape>&)> infer;
  std::function<std::vector<Value>(const std::vector<Value>&)> run;
};

// Resources of one interpreter.
class FakeResources {
 public:
  FakeResources();
  ~FakeResources();
  int32_t IdOf(const std::string& name);
  struct Entry {
    const heddle_resource_type* type = nullptr;
    void* object = nullptr;
  };
  std::map<int32_t, Entry> entries;
  // Outlives the objects, as the contract says.
  const heddle_allocator* allocator() const { return &c_allocator_; }

 private:
  std::map<std::string, int32_t> ids_;
  Allocator allocator_;
  heddle_allocator c_allocator_;
};

// One node, from init to release.
class FakeHost final : public OpHost {
 public:
  FakeHost(int32_t builtin_code, std::shared_ptr<FakeResources> resources = nullptr);
  ~FakeHost() override;

  // Options as in OperatorSpec.
  template <typename Write>
  void Options(Write write) {
    spec_.Options(write);
  }

  std::vector<FakeSubgraph> subgraphs;
  std::vector<Value> inputs;
  std::vector<Shape> outputs;  // as the file declares them; after Plan, as inferred
  uint64_t loop_limit = 0;
  bool cancelled = false;

  Status Plan();    // init, infer, prepare
  Status Invoke();  // may be repeated
  const std::vector<Value>& results() const { return results_; }
  const std::vector<int32_t>& calls() const { return calls_; }  // subgraphs run, in order

  void Log(heddle_severity, heddle_reason, std::string_view) override {}
  const heddle_allocator* GetAllocator() override { return resources_->allocator(); }
  Status SetOutput(heddle_op_call*, size_t output, heddle_dtype dtype,
                   std::span<const int32_t> dims) override;
  Status SetOutputDataDependent(heddle_op_call*, size_t output, heddle_dtype dtype) override;
  Status RequestScratch(heddle_op_call*, size_t, int32_t*) override;
  void* GetScratch(heddle_op_call*, int32_t) override { return nullptr; }
  Status GetShared(heddle_op_call*, const SharedRequest&, void**) override;
  Status AllocateOutput(heddle_op_call*, size_t output, std::span<const int32_t> dims, size_t bytes,
                        void** data) override;
  Status ParallelFor(int64_t, int64_t, void (*)(void*, int64_t, int64_t), void*) override;
  int32_t NumThreads() override { return 1; }
  bool IsCancelled() override { return cancelled; }
  uint64_t LoopLimit() override { return loop_limit; }
  Status GetResourceId(std::string_view container, std::string_view name, int32_t* id) override;
  Status OpenResource(heddle_op_call* call, int32_t id, const heddle_resource_type& type,
                      bool create, void* argument, void** object) override;
  Status GetSubgraphIo(int32_t index, size_t* subgraph_inputs, size_t* subgraph_outputs) override;
  Status InferSubgraph(heddle_op_call* call, int32_t index,
                       std::span<const heddle_tensor* const> values,
                       std::span<const heddle_tensor* const>* views) override;
  Status InvokeSubgraph(heddle_op_call* call, int32_t index,
                        std::span<const heddle_tensor* const> values,
                        std::span<const heddle_tensor* const>* views) override;

 private:
  // Views with the memory that they point to.
  struct Views {
    std::deque<heddle_tensor> tensors;
    std::deque<std::vector<int32_t>> dims;
    std::vector<Value> values;
    std::vector<heddle_tensor*> pointers;
    std::vector<const heddle_tensor*> const_pointers;
    heddle_tensor* Add(heddle_dtype dtype, const std::vector<int32_t>* shape);
  };
  Status MakeOptions();

  OpRegistrationRef registration_;
  std::shared_ptr<FakeResources> resources_;
  OperatorSpec spec_;
  std::vector<uint8_t> model_;
  NodeContext context_;
  heddle_op_call call_ = {};
  Views input_views_;
  Views output_views_;
  std::map<int32_t, Views> subgraph_views_;
  std::vector<Value> results_;
  std::vector<int32_t> calls_;
};

}  // namespace heddle::testing
