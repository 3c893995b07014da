// SPDX-License-Identifier: Apache-2.0
// heddle_buffer as inputs and outputs.
#include <gmock/gmock.h>

#include "tests/exec/control_graphs.h"

namespace heddle::testing {
namespace {

using ::testing::ElementsAre;

// y = x + 1, which remembers where its tensors were and may read behind the end of x.
class Bindings : public ::testing::Test {
 protected:
  void Start(uint32_t flags = 0) {
    rig_.AddOp("Increment", [&](TestOp& op) {
      op.flags = flags;
      op.on_invoke = [this, flags](heddle_op_call* call) {
        input_ = call->inputs[0]->data;
        output_ = call->outputs[0]->data;
        if ((flags & HEDDLE_OP_OVERREADS) != 0) {
          const auto* behind =
              static_cast<const volatile uint8_t*>(input_) + call->inputs[0]->bytes;
          for (int i = 0; i < 16; ++i)
            sum_ += behind[i];  // a sanitizer sees memory that is not there
        }
        for (size_t i = 0; i < FloatsIn(call, 0); ++i)
          Out<float>(call, 0)[i] = In<float>(call, 0)[i] + 1;
        return HEDDLE_OK;
      };
    });
    ModelBuilder model;
    SubgraphSpec& graph = model.AddSubgraph("main");
    const int32_t x = graph.Input("x", kFloat, {4});
    const int32_t y = graph.Tensor("y", kFloat, {4});
    graph.CustomOp("Increment", {x}, {y});
    graph.Output(y);
    rig_.Start(model);
  }
  heddle_status BindInput(heddle_buffer* buffer) {
    return heddle_interpreter_bind_input(rig_.get(), 0, buffer, rig_.error.out());
  }
  heddle_status BindOutput(heddle_buffer* buffer) {
    return heddle_interpreter_bind_output(rig_.get(), 0, buffer, rig_.error.out());
  }
  static float* Floats(const BufferPtr& buffer) {
    return static_cast<float*>(heddle_buffer_get_data(buffer.get()));
  }

  Rig rig_;
  const void* input_ = nullptr;
  const void* output_ = nullptr;
  int sum_ = 0;
};

TEST_F(Bindings, AreUsedInPlace) {
  Start();
  BufferPtr in = rig_.Buffer(16), out = rig_.Buffer(16);
  ASSERT_EQ(BindInput(in.get()), HEDDLE_OK);
  ASSERT_EQ(BindOutput(out.get()), HEDDLE_OK);
  for (int run = 0; run < 3; ++run) {
    for (int i = 0; i < 4; ++i) Floats(in)[i] = static_cast<float>(run * 10 + i);
    ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
    EXPECT_EQ(input_, Floats(in));
    EXPECT_EQ(output_, Floats(out));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(Floats(out)[i], static_cast<float>(run * 10 + i + 1));
  }
  EXPECT_EQ(heddle_interpreter_get_input_data(rig_.get(), 0), Floats(in));
  EXPECT_EQ(heddle_interpreter_get_output_data(rig_.get(), 0), Floats(out));
  EXPECT_EQ(rig_.CountLog(HEDDLE_REASON_COPY_PADDING), 0u);
  EXPECT_EQ(rig_.CountLog(HEDDLE_REASON_COPY_ALIGNMENT), 0u);
}

TEST_F(Bindings, AreUndoneByNull) {
  Start();
  BufferPtr in = rig_.Buffer(16), out = rig_.Buffer(16);
  rig_.Set<float>(0, {1, 2, 3, 4});
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK);
  Floats(in)[0] = 100;
  ASSERT_EQ(BindInput(in.get()), HEDDLE_OK);
  ASSERT_EQ(BindOutput(out.get()), HEDDLE_OK);
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK);
  EXPECT_EQ(Floats(out)[0], 101);
  ASSERT_EQ(BindInput(nullptr), HEDDLE_OK);
  ASSERT_EQ(BindOutput(nullptr), HEDDLE_OK);
  in.reset();
  out.reset();
  // No pointer into memory that is gone: asked for now, it is the interpreter's own.
  float old[4];
  heddle_interpreter_get_output(rig_.get(), 0, old, 16, nullptr);
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(2, 3, 4, 5)) << "the interpreter's own input is back";
}

TEST_F(Bindings, MayBeLargerThanTheTensor) {
  Start();
  BufferPtr in = rig_.Buffer(100);
  ASSERT_EQ(BindInput(in.get()), HEDDLE_OK);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
  EXPECT_EQ(input_, Floats(in));
}

TEST_F(Bindings, TooSmallIsRefused) {
  Start();
  BufferPtr small = rig_.Buffer(15);
  ASSERT_EQ(BindInput(small.get()), HEDDLE_OK);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_BUFFER_TOO_SMALL);
  const float values[4] = {1, 2, 3, 4};
  EXPECT_EQ(heddle_interpreter_set_input(rig_.get(), 0, values, 16, rig_.error.out()),
            HEDDLE_INVALID_ARGUMENT)
      << "and is not written behind its end";
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_BUFFER_TOO_SMALL);
  ASSERT_EQ(BindInput(nullptr), HEDDLE_OK);
  ASSERT_EQ(BindOutput(small.get()), HEDDLE_OK);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_BUFFER_TOO_SMALL);
  ASSERT_EQ(BindOutput(nullptr), HEDDLE_OK);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
}

TEST_F(Bindings, ABufferThatFitsNoMoreAfterAResize) {
  Start();
  BufferPtr in = rig_.Buffer(16), out = rig_.Buffer(16);
  ASSERT_EQ(BindInput(in.get()), HEDDLE_OK);
  ASSERT_EQ(BindOutput(out.get()), HEDDLE_OK);
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK);
  ASSERT_EQ(rig_.Resize(0, {5}), HEDDLE_OK);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(rig_.error.reason(), HEDDLE_REASON_BUFFER_TOO_SMALL);
  ASSERT_EQ(rig_.Resize(0, {3}), HEDDLE_OK);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
}

TEST_F(Bindings, MisalignedMemoryIsCopiedAndTold) {
  Start();
  alignas(64) uint8_t memory[2][64] = {};
  const float values[4] = {1, 2, 3, 4};
  std::memcpy(memory[0] + 1, values, 16);
  BufferPtr in = rig_.Borrow(memory[0] + 1, 16, 48), out = rig_.Borrow(memory[1] + 2, 16, 48);
  ASSERT_EQ(BindInput(in.get()), HEDDLE_OK);
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
  EXPECT_NE(input_, memory[0] + 1);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(input_) % alignof(float), 0u);
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(rig_.CountLog(HEDDLE_REASON_COPY_ALIGNMENT), 1u);
  ASSERT_EQ(BindOutput(out.get()), HEDDLE_OK);
  const float more[4] = {5, 6, 7, 8};
  std::memcpy(memory[0] + 1, more, 16);
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
  EXPECT_EQ(rig_.CountLog(HEDDLE_REASON_COPY_ALIGNMENT), 3u) << "input and output";
  float got[4];
  std::memcpy(got, memory[1] + 2, 16);
  EXPECT_THAT(got, ElementsAre(6, 7, 8, 9));
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK);
  EXPECT_EQ(rig_.CountLog(HEDDLE_REASON_COPY_ALIGNMENT), 3u) << "told once a binding, not a run";
}

TEST_F(Bindings, UnpaddedMemoryIsCopiedForOpsThatReadBehindIt) {
  Start(HEDDLE_OP_OVERREADS);
  // On the heap, of exactly this size.
  const std::unique_ptr<float[]> memory(new float[4]{1, 2, 3, 4});
  BufferPtr in = rig_.Borrow(memory.get(), 16, 16);
  ASSERT_EQ(BindInput(in.get()), HEDDLE_OK);
  for (int run = 0; run < 2; ++run) {
    memory[0] = static_cast<float>(run);
    ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
    EXPECT_NE(input_, memory.get());
    EXPECT_THAT(rig_.Get<float>(0), ElementsAre(run + 1, 3, 4, 5));
  }
  EXPECT_EQ(rig_.CountLog(HEDDLE_REASON_COPY_PADDING), 1u);

  const std::unique_ptr<float[]> padded(new float[8]{1, 2, 3, 4});
  BufferPtr good = rig_.Borrow(padded.get(), 16, 32);
  ASSERT_EQ(BindInput(good.get()), HEDDLE_OK);
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK);
  EXPECT_EQ(input_, padded.get());
  EXPECT_EQ(rig_.CountLog(HEDDLE_REASON_COPY_PADDING), 1u);
}

TEST_F(Bindings, UnpaddedMemoryServesOpsThatDoNot) {
  Start();
  const std::unique_ptr<float[]> memory(new float[4]{1, 2, 3, 4});
  BufferPtr in = rig_.Borrow(memory.get(), 16, 16);
  ASSERT_EQ(BindInput(in.get()), HEDDLE_OK);
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
  EXPECT_EQ(input_, memory.get());
  EXPECT_TRUE(rig_.log.empty());
}

TEST_F(Bindings, OneBufferForInputAndOutput) {
  Start();
  BufferPtr both = rig_.Buffer(16);
  for (int i = 0; i < 4; ++i) Floats(both)[i] = static_cast<float>(i);
  ASSERT_EQ(BindInput(both.get()), HEDDLE_OK);
  ASSERT_EQ(BindOutput(both.get()), HEDDLE_OK);
  for (int run = 1; run <= 3; ++run) {
    ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
    EXPECT_NE(input_, output_) << "an op that is not asked need not work in place";
    for (int i = 0; i < 4; ++i) EXPECT_EQ(Floats(both)[i], static_cast<float>(i + run));
  }
}

TEST_F(Bindings, SetInputWritesIntoTheBuffer) {
  Start();
  BufferPtr in = rig_.Buffer(16);
  ASSERT_EQ(BindInput(in.get()), HEDDLE_OK);
  rig_.Set<float>(0, {5, 6, 7, 8});
  EXPECT_EQ(Floats(in)[3], 8);
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK);
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(6, 7, 8, 9));
}

TEST_F(Bindings, NothingIsReadThroughAnEmptyBuffer) {
  Start();
  ASSERT_EQ(rig_.Resize(0, {0}), HEDDLE_OK);
  BufferPtr nothing = rig_.Borrow(nullptr, 0, 0);
  ASSERT_EQ(BindInput(nothing.get()), HEDDLE_OK);
  ASSERT_EQ(BindOutput(nothing.get()), HEDDLE_OK);
  EXPECT_EQ(rig_.Invoke(), HEDDLE_OK) << rig_.error.text();
}

struct Released {
  int times = 0;
  static void Callback(void* context, void*, size_t) { ++static_cast<Released*>(context)->times; }
};

TEST_F(Bindings, MemoryIsReleasedOnceAfterTheLastUse) {
  Start();
  alignas(64) float memory[4] = {};
  Released released;
  BufferPtr in = rig_.Borrow(memory, 16, 16, Released::Callback, &released);
  ASSERT_EQ(BindInput(in.get()), HEDDLE_OK);
  ASSERT_EQ(BindOutput(in.get()), HEDDLE_OK);
  in.reset();
  EXPECT_EQ(released.times, 0) << "bound buffers are kept alive";
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK);
  ASSERT_EQ(BindInput(nullptr), HEDDLE_OK);
  EXPECT_EQ(released.times, 0);
  ASSERT_EQ(BindOutput(nullptr), HEDDLE_OK);
  EXPECT_EQ(released.times, 1);
  rig_.interpreter.reset();
  EXPECT_EQ(released.times, 1);
}

TEST_F(Bindings, DestroyingTheInterpreterReleases) {
  Start();
  alignas(64) float memory[4] = {};
  Released released;
  BufferPtr in = rig_.Borrow(memory, 16, 16, Released::Callback, &released);
  ASSERT_EQ(BindInput(in.get()), HEDDLE_OK);
  in.reset();
  rig_.interpreter.reset();
  EXPECT_EQ(released.times, 1);
}

TEST_F(Bindings, GivenForOneRunAreLetGoAfterIt) {
  Start();
  alignas(64) float memory[2][4] = {{1, 2, 3, 4}};
  Released released;
  BufferPtr in = rig_.Borrow(memory[0], 16, 16, Released::Callback, &released);
  BufferPtr out = rig_.Borrow(memory[1], 16, 16, Released::Callback, &released);
  heddle_buffer* inputs[] = {in.get()};
  heddle_buffer* outputs[] = {out.get()};
  ASSERT_EQ(heddle_interpreter_run(rig_.get(), nullptr, inputs, 1, outputs, 1, rig_.error.out()),
            HEDDLE_OK)
      << rig_.error.text();
  EXPECT_THAT(memory[1], ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(input_, memory[0]);
  EXPECT_EQ(output_, memory[1]);
  in.reset();
  out.reset();
  EXPECT_EQ(released.times, 2);
  EXPECT_NE(heddle_interpreter_get_output_data(rig_.get(), 0), memory[1]);
  rig_.Set<float>(0, {5, 5, 5, 5});
  ASSERT_EQ(rig_.Invoke(), HEDDLE_OK) << "runs with buffers leave no binding behind";
  EXPECT_THAT(rig_.Get<float>(0), ElementsAre(6, 6, 6, 6));
  EXPECT_EQ(memory[1][0], 2);
}

}  // namespace
}  // namespace heddle::testing
