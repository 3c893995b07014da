// SPDX-License-Identifier: Apache-2.0
// Objects keep alive what they need: any order of destruction is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/exec/control_graphs.h"

namespace heddle::testing {
namespace {

// Everything at once: a resource, a branch, a bound buffer, a run in flight.
void EverythingModel(ModelBuilder& model) {
  SubgraphSpec& graph = model.AddSubgraph("main");
  const int32_t x = graph.Input("x", kFloat, {4});
  const int32_t handle = graph.Tensor("handle", HEDDLE_DTYPE_RESOURCE, {});
  const int32_t zero = graph.Constant<float>("zero", {}, {0});
  const int32_t positive = graph.Tensor("positive", kBool, {});
  const int32_t one = graph.Constant<float>("one", {}, {1});
  const int32_t y = graph.Tensor("y", kFloat, {4});
  VarHandle(graph, "v", handle);
  graph.Op(HEDDLE_BUILTIN_ASSIGN_VARIABLE, {handle, x}, {});
  graph.Op(HEDDLE_BUILTIN_LESS, {zero, one}, {positive});
  If(graph, 1, 1, {positive, x}, {y});
  graph.Output(y);
  SubgraphSpec& branch = model.AddSubgraph("branch");
  const int32_t in = branch.Input("x", kFloat, {4});
  const int32_t out = branch.Tensor("y", kFloat, {4});
  branch.CustomOp("Probe", {in}, {out});
  branch.Output(out);
}

struct Objects {
  EnvironmentPtr environment;
  ResolverPtr resolver;
  ModelPtr model;
  InterpreterPtr interpreter;
  BufferPtr buffer;
  EventPtr event;
  TokenPtr token;
  static constexpr size_t kCount = 7;
  void Destroy(size_t which) {
    switch (which) {
      case 0:
        return environment.reset();
      case 1:
        return resolver.reset();
      case 2:
        return model.reset();
      case 3:
        return interpreter.reset();
      case 4:
        return buffer.reset();
      case 5:
        return event.reset();
      default:
        return token.reset();
    }
  }
};

void MakeObjects(const ModelBuilder& builder, TestOp& op, float* memory, int* released,
                 Objects* objects) {
  Rig rig({.threads = 2});
  op.AddTo(rig.resolver.get());
  rig.Start(builder);
  rig.environment.swap(objects->environment);
  heddle_buffer* buffer = nullptr;
  ASSERT_EQ(heddle_buffer_create_borrowed(
                objects->environment.get(), memory, 16, 16,
                [](void* context, void*, size_t) { ++*static_cast<int*>(context); }, released,
                &buffer, nullptr),
            HEDDLE_OK);
  objects->buffer.reset(buffer);
  ASSERT_EQ(heddle_interpreter_bind_input(rig.get(), 0, buffer, nullptr), HEDDLE_OK);
  heddle_cancel_token* token = nullptr;
  ASSERT_EQ(heddle_cancel_token_create(&token, nullptr), HEDDLE_OK);
  objects->token.reset(token);
  heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
  options.cancel_token = token;
  heddle_event* event = nullptr;
  ASSERT_EQ(heddle_interpreter_invoke_async(rig.get(), &options, &event, nullptr), HEDDLE_OK);
  objects->event.reset(event);
  objects->resolver = std::move(rig.resolver);
  objects->model = std::move(rig.model);
  objects->interpreter = std::move(rig.interpreter);
}

TEST(Teardown, EveryOrder) {
  ModelBuilder model;
  EverythingModel(model);
  std::vector<size_t> order(Objects::kCount);
  std::iota(order.begin(), order.end(), size_t{0});
  int rounds = 0;
  do {
    // Every order of the first four, with the others before, between and behind by turns.
    if (++rounds % 11 != 0) continue;
    TestOp op;
    op.name = "Probe";
    alignas(64) float memory[4] = {};
    int released = 0;
    {
      Objects objects;
      MakeObjects(model, op, memory, &released, &objects);
      if (HasFatalFailure()) return;
      for (const size_t which : order) objects.Destroy(which);
    }
    ASSERT_EQ(released, 1) << rounds;
    ASSERT_EQ(op.prepares, op.releases) << rounds;
    ASSERT_EQ(op.inits, op.frees) << rounds;
    ASSERT_EQ(op.invokes, 1) << "destroying waits for the run";
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Teardown, NothingIsDestroyedTwice) {
  heddle_environment_destroy(nullptr);
  heddle_model_destroy(nullptr);
  heddle_op_resolver_destroy(nullptr);
  heddle_interpreter_destroy(nullptr);
  heddle_buffer_destroy(nullptr);
  heddle_event_destroy(nullptr);
  heddle_cancel_token_destroy(nullptr);
  heddle_error_destroy(nullptr);
}

}  // namespace
}  // namespace heddle::testing
