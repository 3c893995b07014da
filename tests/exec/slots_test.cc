// SPDX-License-Identifier: Apache-2.0
// Several runs of one interpreter at once.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "tests/exec/control_graphs.h"
#include "tests/exec/gate.h"
#include "tests/support/environment.h"
#include "tests/support/npz.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

heddle_interpreter_options Slots(int32_t slots) {
  heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
  options.slots = slots;
  return options;
}

TEST(SlotsTest, ThreadsGetTheirOwnResults) {
  const auto split = ReadNpz(SourceFolder() + "/examples/models/digits_test.npz");
  const auto litert = ReadNpz(SourceFolder() + "/examples/models/digits_litert.npz");
  const std::vector<uint8_t> raw = split.at("images").As<uint8_t>();
  const auto wanted = litert.at("int8_reference").As<int8_t>();
  constexpr size_t kThreads = 4;
  Rig rig({.threads = 2});
  rig.LoadFile(SourceFolder() + "/examples/models/digits_int8.tflite");
  const heddle_interpreter_options options = Slots(kThreads);
  rig.Start(&options);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      heddle_buffer* in = nullptr;
      heddle_buffer* out = nullptr;
      heddle_buffer_create(rig.environment.get(), 64, &in, nullptr);
      heddle_buffer_create(rig.environment.get(), 10, &out, nullptr);
      auto* pixels = static_cast<int8_t*>(heddle_buffer_get_data(in));
      for (size_t image = t; image < 200; image += kThreads) {
        for (size_t i = 0; i < 64; ++i)
          pixels[i] = static_cast<int8_t>((255 * raw[image * 64 + i] + 8) / 16 - 128);
        const heddle_status status =
            heddle_interpreter_run(rig.get(), nullptr, &in, 1, &out, 1, nullptr);
        if (status != HEDDLE_OK ||
            std::memcmp(heddle_buffer_get_data(out), &wanted[image * 10], 10) != 0)
          ++wrong;
      }
      heddle_buffer_destroy(in);
      heddle_buffer_destroy(out);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

class GatedSlots : public ::testing::Test {
 protected:
  GatedSlots() {
    rig_.AddOp("Gate", [&](TestOp& op) { gate_.Make(op); });
    SubgraphSpec& graph = model_.AddSubgraph("main");
    const int32_t x = graph.Input("x", kFloat, {1});
    const int32_t y = graph.Tensor("y", kFloat, {1});
    graph.CustomOp("Gate", {x}, {y});
    graph.Output(y);
    model_.AddSignature("main", 0, {{"x", 0}}, {{"y", 1}});
    rig_.Load(model_);
    const heddle_interpreter_options options = Slots(2);
    rig_.Start(&options);
    for (int i = 0; i < 3; ++i) {
      in_.push_back(rig_.Buffer(4));
      out_.push_back(rig_.Buffer(4));
      Value(in_.back()) = static_cast<float>(i);
    }
  }
  static float& Value(const BufferPtr& buffer) {
    return *static_cast<float*>(heddle_buffer_get_data(buffer.get()));
  }
  heddle_status Run(size_t i, heddle_error** error) {
    heddle_buffer* in = in_[i].get();
    heddle_buffer* out = out_[i].get();
    return heddle_interpreter_run(rig_.get(), nullptr, &in, 1, &out, 1, error);
  }
  // Fills both slots, calls body, lets them go.
  template <typename Body>
  void WhileBusy(Body body) {
    std::vector<std::thread> threads;
    for (size_t i = 0; i < 2; ++i)
      threads.emplace_back([this, i] { EXPECT_EQ(Run(i, nullptr), HEDDLE_OK); });
    gate_.WaitForVisitors(2);
    body();
    gate_.Open();
    for (std::thread& thread : threads) thread.join();
  }
  ModelBuilder model_;
  Gate gate_;
  Rig rig_;
  std::vector<BufferPtr> in_, out_;
};

TEST_F(GatedSlots, OneMoreThanThereAreIsRefused) {
  WhileBusy([&] {
    EXPECT_EQ(Run(2, rig_.error.out()), HEDDLE_FAILED_PRECONDITION);
    EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_CONCURRENT_USE);
  });
  EXPECT_EQ(Value(out_[1]), 1);
  EXPECT_EQ(Run(2, rig_.error.out()), HEDDLE_OK) << rig_.error.text();
  EXPECT_EQ(Value(out_[2]), 2);
}

// What changes all slots is refused while any runs.
TEST_F(GatedSlots, NothingChangesUnderARun) {
  heddle_event* made = nullptr;
  ASSERT_EQ(heddle_interpreter_invoke_async(rig_.get(), nullptr, &made, nullptr), HEDDLE_OK);
  const EventPtr event(made);  // in the first slot
  gate_.WaitForVisitors(1);
  std::thread second([this] { EXPECT_EQ(Run(1, nullptr), HEDDLE_OK); });
  gate_.WaitForVisitors(2);
  const auto refused = [&](heddle_status status) { EXPECT_EQ(status, HEDDLE_FAILED_PRECONDITION); };
  const auto check = [&] {
    refused(rig_.Resize(0, {2}));
    refused(heddle_interpreter_release_memory(rig_.get(), nullptr));
    refused(heddle_interpreter_select_signature(rig_.get(), "main", nullptr));
    heddle_memory_info memory = {};
    memory.struct_size = sizeof(memory);
    refused(heddle_interpreter_get_memory(rig_.get(), &memory));
  };
  check();
  gate_.Open();
  EXPECT_EQ(heddle_event_wait(event.get(), UINT64_MAX, nullptr), HEDDLE_OK);
  second.join();
  EXPECT_EQ(rig_.Resize(0, {1}), HEDDLE_OK);
}

TEST_F(GatedSlots, BuffersAreCheckedBeforeARun) {
  gate_.Open();
  heddle_buffer* in = in_[0].get();
  heddle_buffer* none = nullptr;
  EXPECT_EQ(heddle_interpreter_run(rig_.get(), nullptr, &in, 1, &none, 1, rig_.error.out()),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_NULL_ARGUMENT);
  EXPECT_EQ(heddle_interpreter_run(rig_.get(), nullptr, &in, 1, &in, 0, rig_.error.out()),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_BAD_ARGUMENT);
  const BufferPtr small = rig_.Buffer(3);
  heddle_buffer* out = small.get();
  EXPECT_EQ(heddle_interpreter_run(rig_.get(), nullptr, &in, 1, &out, 1, rig_.error.out()),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_BUFFER_TOO_SMALL);
  EXPECT_EQ(Run(1, rig_.error.out()), HEDDLE_OK) << rig_.error.text();
  EXPECT_EQ(Value(out_[1]), 1);
}

TEST_F(GatedSlots, ResizeReachesAllSlots) {
  ASSERT_EQ(rig_.Resize(0, {2}), HEDDLE_OK);
  EXPECT_EQ(Run(0, rig_.error.out()), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_BUFFER_TOO_SMALL);
  for (int i = 0; i < 2; ++i) {
    in_[i] = rig_.Buffer(8);
    out_[i] = rig_.Buffer(8);
    (&Value(in_[i]))[1] = static_cast<float>(10 + i);
  }
  WhileBusy([] {});
  EXPECT_EQ((&Value(out_[0]))[1], 10);
  EXPECT_EQ((&Value(out_[1]))[1], 11);
}

TEST(SlotsTest, StateNeedsOneInterpreterAStream) {
  const auto refused = [](Rig& rig, const char* what) {
    const heddle_interpreter_options options = Slots(2);
    EXPECT_EQ(rig.Create(&options), HEDDLE_UNSUPPORTED);
    EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_SLOTS_NEED_STATELESS);
    EXPECT_THAT(rig.error.text(), HasSubstr(what));
    EXPECT_EQ(rig.Create(), HEDDLE_OK) << rig.error.text();
  };
  {
    Rig rig;
    rig.AddOp("Op", [](TestOp& op) { op.flags = HEDDLE_OP_STATEFUL; });
    ModelBuilder model;
    SubgraphSpec& graph = model.AddSubgraph("main");
    const int32_t x = graph.Input("x", kFloat, {1});
    const int32_t y = graph.Tensor("y", kFloat, {1});
    graph.CustomOp("Op", {x}, {y});
    graph.Output(y);
    rig.Load(model);
    refused(rig, "Op");
  }
  {
    Rig rig;
    ModelBuilder model;
    SubgraphSpec& graph = model.AddSubgraph("main");
    graph.Output(graph.Input("x", kFloat, {1}));
    graph.tensor(graph.Tensor("my_state", kFloat, {1})).Variable();
    rig.Load(model);
    refused(rig, "my_state");
  }
  {
    Rig rig;
    ModelBuilder model;
    SubgraphSpec& graph = model.AddSubgraph("main");
    graph.Output(graph.Input("x", kFloat, {1}));
    VarHandle(graph, "v", graph.Tensor("my_handle", HEDDLE_DTYPE_RESOURCE, {}));
    rig.Load(model);
    refused(rig, "my_handle");
  }
}

TEST(SlotsTest, TheirNumberIsChecked) {
  Rig rig;
  ModelBuilder model;
  SubgraphSpec& graph = model.AddSubgraph("main");
  graph.Output(graph.Input("x", kFloat, {1}));
  rig.Load(model);
  for (const int32_t slots : {-1, 257}) {
    const heddle_interpreter_options options = Slots(slots);
    EXPECT_EQ(rig.Create(&options), HEDDLE_INVALID_ARGUMENT) << slots;
    EXPECT_EQ(rig.error.reason(), HEDDLE_REASON_BAD_ARGUMENT);
  }
}

}  // namespace
}  // namespace heddle::testing
