// SPDX-License-Identifier: Apache-2.0
#include "runtime/op/run_single_op.h"

#include <gmock/gmock.h>

#include "runtime/capi/objects.h"
#include "tests/support/rig.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RunSingleOpTest : public ::testing::Test {
 protected:
  // Registers the op of `setup` and runs it on x.
  Status Run(const std::function<void(TestOp&)>& setup, const std::vector<float>& x = {1, 2, 3}) {
    op_.name = "Op";
    setup(op_);
    heddle_op_resolver* resolver = nullptr;
    EXPECT_EQ(heddle_op_resolver_create(&resolver, nullptr), HEDDLE_OK);
    op_.AddTo(resolver);
    SingleOp single;
    single.registration = resolver->resolver.FindOp("Op", 1);
    heddle_op_resolver_destroy(resolver);  // the registration stays
    single.allocator = allocator_;
    single.custom_options = options_;
    OpTensor input;
    input.dims = {static_cast<int32_t>(x.size())};
    input.data = {reinterpret_cast<const uint8_t*>(x.data()), x.size() * sizeof(float)};
    outputs_.resize(1);
    outputs_[0].dtype = HEDDLE_DTYPE_FLOAT32;
    return RunSingleOp(single, {&input, 1}, outputs_);
  }
  std::vector<float> Floats() const {
    const auto* data = reinterpret_cast<const float*>(outputs_[0].storage.data());
    return {data, data + outputs_[0].bytes / sizeof(float)};
  }
  ~RunSingleOpTest() override {
    EXPECT_EQ(op_.inits, op_.frees);
    EXPECT_EQ(op_.prepares, op_.releases);
    outputs_.clear();
    EXPECT_EQ(allocator_->current_bytes(), 0u);
  }

  TestOp op_;
  std::shared_ptr<Allocator> allocator_ = std::make_shared<Allocator>();
  std::vector<uint8_t> options_ = {7, 8, 9};
  std::vector<OpTensor> outputs_;
};

TEST_F(RunSingleOpTest, RunsTheWholeLifeOfANode) {
  const Status status = Run([](TestOp&) {});
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(Floats(), ElementsAre(1, 2, 3));
  EXPECT_THAT(outputs_[0].dims, ElementsAre(3));
  EXPECT_EQ(op_.inits, 1);
  EXPECT_EQ(op_.infers, 1);
  EXPECT_EQ(op_.prepares, 1);
  EXPECT_EQ(op_.invokes, 1);
}

TEST_F(RunSingleOpTest, GivesScratchOptionsAndThreads) {
  int shared_made = 0;
  const Status status = Run([&](TestOp& op) {
    op.on_init = [](heddle_op_call* call) {
      const void* data = nullptr;
      size_t bytes = 0;
      EXPECT_EQ(call->host->get_custom_options(call, &data, &bytes), HEDDLE_OK);
      EXPECT_EQ(bytes, 3u);
      EXPECT_EQ(static_cast<const uint8_t*>(data)[2], 9);
      return HEDDLE_OK;
    };
    op.on_prepare = [&](heddle_op_call* call) {
      int32_t scratch = -1;
      void* object = nullptr;
      EXPECT_EQ(call->host->get_shared(
                    call, "k", 1,
                    [](heddle_op_call*, void* argument, void** made, uint64_t* bytes) {
                      ++*static_cast<int*>(argument);
                      *made = new int(5);
                      *bytes = 4;
                      return HEDDLE_OK;
                    },
                    &shared_made, [](void* made) { delete static_cast<int*>(made); }, &object),
                HEDDLE_OK);
      EXPECT_EQ(*static_cast<int*>(object), 5);
      return call->host->request_scratch(call, 100, &scratch);
    };
    op.on_invoke = [](heddle_op_call* call) {
      void* scratch = call->host->get_scratch(call, 0);
      EXPECT_NE(scratch, nullptr);
      std::memset(scratch, 1, 100);
      EXPECT_EQ(call->host->get_scratch(call, 1), nullptr);
      EXPECT_EQ(call->host->is_cancelled(call), 0);
      return call->host->parallel_for(
          call, static_cast<int64_t>(FloatsIn(call, 0)), 1,
          [](void* argument, int64_t begin, int64_t end) {
            auto* c = static_cast<heddle_op_call*>(argument);
            for (int64_t i = begin; i < end; ++i) Out<float>(c, 0)[i] = In<float>(c, 0)[i] * 2;
          },
          call);
    };
  });
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(Floats(), ElementsAre(2, 4, 6));
  EXPECT_EQ(shared_made, 1);
}

TEST_F(RunSingleOpTest, DataDependentOutputs) {
  const Status status = Run([](TestOp& op) {
    op.on_infer = [](heddle_op_call* call) {
      return call->host->set_output_data_dependent(call, 0, HEDDLE_DTYPE_FLOAT32);
    };
    op.on_invoke = [](heddle_op_call* call) {
      const int32_t dims[] = {1, 2};
      void* data = nullptr;
      const heddle_status allocated = call->host->allocate_output(call, 0, dims, 2, 0, &data);
      if (allocated != HEDDLE_OK) return allocated;
      static_cast<float*>(data)[0] = 8;
      static_cast<float*>(data)[1] = 9;
      return HEDDLE_OK;
    };
  });
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_THAT(outputs_[0].dims, ElementsAre(1, 2));
  EXPECT_THAT(Floats(), ElementsAre(8, 9));
}

TEST_F(RunSingleOpTest, AnOutputThatIsForgotten) {
  const Status status = Run([](TestOp& op) {
    op.on_infer = [](heddle_op_call* call) {
      return call->host->set_output_data_dependent(call, 0, HEDDLE_DTYPE_FLOAT32);
    };
    op.on_invoke = [](heddle_op_call*) { return HEDDLE_OK; };
  });
  EXPECT_EQ(status.reason(), HEDDLE_REASON_OUTPUT_NOT_SET);
}

TEST_F(RunSingleOpTest, FaultsInEveryStep) {
  const auto fail = [](heddle_op_call* call) {
    return call->host->report(call, HEDDLE_UNSUPPORTED, HEDDLE_REASON_SHAPE_NOT_SUPPORTED, 0, "no");
  };
  struct Case {
    TestOp::Callback TestOp::* callback;
    heddle_phase phase;
  };
  for (const Case& c :
       {Case{&TestOp::on_init, HEDDLE_PHASE_INIT}, Case{&TestOp::on_infer, HEDDLE_PHASE_PLAN},
        Case{&TestOp::on_prepare, HEDDLE_PHASE_PREPARE},
        Case{&TestOp::on_invoke, HEDDLE_PHASE_INVOKE}}) {
    const Status status = Run([&](TestOp& op) { op.*c.callback = fail; });
    op_.*c.callback = nullptr;
    ASSERT_EQ(status.code(), HEDDLE_UNSUPPORTED);
    EXPECT_EQ(status.faults()->front().phase, c.phase);
    EXPECT_EQ(status.faults()->front().op_name, "Op");
    EXPECT_THAT(std::string(status.message()), HasSubstr("inputs[0]"));
    EXPECT_EQ(status.faults()->front().operator_index, -1);
  }
}

TEST_F(RunSingleOpTest, ResourcesAndSubgraphsAreRefused) {
  const Status resource = Run([](TestOp& op) {
    op.on_init = [](heddle_op_call* call) {
      int32_t id = 0;
      return call->host->get_resource_id(call, "", 0, "v", 1, &id);
    };
  });
  EXPECT_EQ(resource.code(), HEDDLE_UNSUPPORTED);
  EXPECT_THAT(std::string(resource.message()), HasSubstr("resources"));
  const Status subgraph = Run([](TestOp& op) {
    op.on_init = nullptr;
    op.on_infer = [](heddle_op_call* call) {
      size_t inputs = 0;
      size_t outputs = 0;
      return call->host->get_subgraph_io(call, 0, &inputs, &outputs);
    };
  });
  EXPECT_EQ(subgraph.code(), HEDDLE_UNSUPPORTED);
  EXPECT_THAT(std::string(subgraph.message()), HasSubstr("subgraphs"));
}

TEST_F(RunSingleOpTest, HugeOutputsFailCleanly) {
  const Status status = Run([](TestOp& op) {
    op.on_infer = [](heddle_op_call* call) {
      const int32_t dims[] = {INT32_MAX, INT32_MAX, INT32_MAX};
      return call->host->set_output(call, 0, HEDDLE_DTYPE_FLOAT32, dims, 3);
    };
  });
  EXPECT_EQ(status.reason(), HEDDLE_REASON_SIZE_OVERFLOW);
}

}  // namespace
}  // namespace heddle::testing
