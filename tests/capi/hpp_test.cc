// SPDX-License-Identifier: Apache-2.0
// heddle.hpp over the library: every class once, on the example models.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "heddle/heddle.hpp"

static_assert(__cplusplus < 202002L, "the wrapper is for C++17");
#if defined(__cpp_exceptions) || defined(__cpp_rtti)
#error "the wrapper needs neither exceptions nor run-time type information"
#endif

namespace {

using testing::HasSubstr;

std::string ModelPath(const std::string& file) {
  const char* source = std::getenv("HEDDLE_SOURCE_DIR");
  return std::string(source != nullptr ? source : ".") + "/examples/models/" + file;
}

class Hpp : public testing::Test {
 protected:
  heddle::Environment environment = *heddle::Environment::Create();
  heddle::Model model = *heddle::Model::FromFile(environment, ModelPath("digits_float.tflite"));

  heddle::Interpreter MakeInterpreter(int32_t slots = 0, int32_t preserve = 0) {
    heddle::InterpreterOptions options;
    options.num_threads = 1;
    options.slots = slots;
    options.preserve_all_tensors = preserve;
    return *heddle::Interpreter::Create(environment, model, options);
  }
};

// An output of the model is a distribution.
void ExpectProbabilities(heddle::Span<const float> values) {
  ASSERT_EQ(values.size(), 10u);
  float sum = 0;
  for (const float value : values) sum += value;
  EXPECT_NEAR(sum, 1, 1e-5);
}

TEST(HppSpan, IsMadeOfAnythingContiguous) {
  std::vector<int> vector = {1, 2, 3};
  const std::array<int, 2> array = {4, 5};
  int plain[] = {6};
  const heddle::Span<int> of_vector = vector;
  const heddle::Span<const int> of_array = array;
  const heddle::Span<const int> of_plain = plain;
  const heddle::Span<const int> of_span = of_vector;
  EXPECT_EQ(of_vector.size(), 3u);
  EXPECT_EQ(of_array[1], 5);
  EXPECT_EQ(*of_plain.begin(), 6);
  EXPECT_EQ(of_span.data(), vector.data());
  EXPECT_TRUE(heddle::Span<int>().empty());
  static_assert(!std::is_convertible_v<heddle::Span<const int>, heddle::Span<int>>);
  static_assert(!std::is_convertible_v<std::vector<char>&, heddle::Span<int>>);
}

TEST(HppStatus, TellsWhatHappened) {
  EXPECT_TRUE(heddle::Status().ok());
  const heddle::Status own(HEDDLE_NOT_FOUND, HEDDLE_REASON_NAME_UNKNOWN, "no such thing");
  const heddle::Status copy = own;
  EXPECT_FALSE(copy);
  EXPECT_STREQ(copy.message(), "no such thing");
  EXPECT_EQ(copy.reason(), HEDDLE_REASON_NAME_UNKNOWN);
  EXPECT_EQ(copy.fault_count(), 0u);
  EXPECT_STREQ(heddle::Status(HEDDLE_RESOURCE_EXHAUSTED, nullptr).message(), "RESOURCE_EXHAUSTED");
}

TEST_F(Hpp, AFailedResultSaysWhy) {
  const auto missing = heddle::Model::FromFile(environment, "no-such.tflite");
  ASSERT_FALSE(missing);
  const heddle::Status error = missing.error();  // outlives the result
  EXPECT_EQ(error.code(), HEDDLE_NOT_FOUND);
  EXPECT_EQ(error.reason(), HEDDLE_REASON_FILE_NOT_FOUND);
  EXPECT_EQ(error.phase(), HEDDLE_PHASE_LOAD);
  EXPECT_THAT(error.message(), HasSubstr("no-such.tflite"));
  ASSERT_EQ(error.fault_count(), 1u);
  EXPECT_STRNE(error.fault(0).next_step, "");
}

TEST_F(Hpp, AFailedResultIsNotUsedByMistake) {
  const auto missing = heddle::Model::FromFile(environment, "no-such.tflite");
  EXPECT_DEATH((void)missing->info(), "use of a failed result: .*no-such.tflite");
}

TEST_F(Hpp, LibraryAndEnvironment) {
  EXPECT_EQ(heddle::LibraryInfo().version, uint32_t{HEDDLE_VERSION_NUMBER});
  heddle::EnvironmentOptions options;
  options.num_threads = 1;
  const auto one = heddle::Environment::Create(options);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->num_threads(), 1);
  EXPECT_LE(one->memory().current_bytes, one->memory().peak_bytes);
}

TEST_F(Hpp, ModelTellsWhatIsInIt) {
  const heddle_model_info info = model.info();
  EXPECT_STREQ(info.description, "Handwritten digits, float32.");
  EXPECT_EQ(info.bytes, model.bytes().size());
  EXPECT_STREQ(model.operator_code(0)->name, "CONV_2D");
  EXPECT_EQ(model.subgraph(0)->operator_count, 10u);
  EXPECT_STREQ(model.tensor(0, 0)->name, "image");
  EXPECT_EQ(heddle::Dims(*model.tensor(0, 0)).size(), 4u);
  EXPECT_EQ(model.tensor_data(0, 0), nullptr);
  EXPECT_EQ(model.op(0, 9)->input_count, 1u);
  ASSERT_GT(model.attribute_count(0, 0), 0u);
  EXPECT_STREQ(model.attribute(0, 0, 0)->name, "padding");
  EXPECT_STREQ(model.signature(0)->key, "serving_default");
  EXPECT_STREQ(model.signature_tensor(0, true, 0)->name, "probabilities");
  EXPECT_EQ(model.signature_tensor(0, false, 0)->tensor, 0);
  bool found = false;
  for (size_t i = 0; i < info.metadata_count; ++i) {
    found |= std::string(model.metadata(i)->name) == "TFLITE_METADATA";
  }
  EXPECT_TRUE(found);
  EXPECT_FALSE(model.operator_code(1000));
  EXPECT_FALSE(model.subgraph(1));
  EXPECT_THAT(model.tensor(0, 1000).error().message(), HasSubstr("there is no tensor 1000"));
  EXPECT_FALSE(model.signature_tensor(0, true, 1));
}

TEST_F(Hpp, ModelFromMemory) {
  std::ifstream stream(ModelPath("digits_float.tflite"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  auto copy = heddle::Model::FromMemory(environment, bytes.data(), bytes.size());
  ASSERT_TRUE(copy) << copy.error().message();
  bytes.assign(bytes.size(), 'x');  // the model has its own
  auto interpreter = heddle::Interpreter::Create(environment, *copy);
  ASSERT_TRUE(interpreter);
  EXPECT_TRUE(interpreter->Invoke());
  EXPECT_FALSE(heddle::Model::FromMemory(environment, bytes.data(), bytes.size()));
}

TEST_F(Hpp, ResolverKnowsOpsOfTheModel) {
  const auto all = heddle::OpResolver::Default();
  auto none = heddle::OpResolver::Create();
  ASSERT_TRUE(all && none);
  EXPECT_TRUE(all->CheckModel(model));
  ASSERT_TRUE(all->versions(3).has_value());
  EXPECT_EQ(all->versions(3)->min, 1);
  EXPECT_FALSE(none->versions(3).has_value());
  EXPECT_FALSE(all->versions(32, "NoSuchOp").has_value());
  const heddle::Status missing = none->CheckModel(model);
  EXPECT_EQ(missing.code(), HEDDLE_UNRESOLVED_OPS);
  EXPECT_EQ(missing.fault_count(), 7u);  // one for each op, not for each operator
  EXPECT_TRUE(none->Chain(*all));
  EXPECT_TRUE(none->CheckModel(model));
  EXPECT_FALSE(none->AddPlugin("no-such.so"));
}

TEST_F(Hpp, TypedInputsAndOutputs) {
  heddle::Interpreter interpreter = MakeInterpreter();
  EXPECT_STREQ(interpreter.input_name(0), "image");
  EXPECT_EQ(interpreter.FindOutput("probabilities"), std::optional<size_t>(0));
  EXPECT_EQ(interpreter.FindInput("nonsense"), std::nullopt);
  EXPECT_EQ(interpreter.input<float>(0).error().reason(), HEDDLE_REASON_NOT_PREPARED);
  ASSERT_TRUE(interpreter.Prepare());
  EXPECT_THAT(interpreter.input<int8_t>(0).error().message(),
              HasSubstr("input 0 is FLOAT32, not INT8"));
  EXPECT_THAT(interpreter.input<float>(1).error().message(), HasSubstr("there is no input 1"));
  for (float& value : *interpreter.input<float>(0)) value = 0.5f;
  ASSERT_TRUE(interpreter.Invoke());
  ExpectProbabilities(*interpreter.output<float>(0));

  std::array<float, 64> image = {};
  std::array<float, 10> output = {};
  ASSERT_TRUE(interpreter.SetInput(0, image.data(), sizeof(image)));
  ASSERT_TRUE(interpreter.Invoke());
  ASSERT_TRUE(interpreter.GetOutput(0, output.data(), sizeof(output)));
  ExpectProbabilities(output);
  EXPECT_FALSE(interpreter.SetInput(0, image.data(), 3));
}

TEST_F(Hpp, ResizeAndSignature) {
  heddle::Interpreter interpreter = MakeInterpreter();
  ASSERT_TRUE(interpreter.SelectSignature("serving_default"));
  EXPECT_FALSE(interpreter.SelectSignature("nonsense"));
  ASSERT_TRUE(interpreter.Resize(0, {5, 8, 8, 1}, true));
  ASSERT_TRUE(interpreter.Invoke());
  EXPECT_EQ(heddle::Dims(*interpreter.output_info(0))[0], 5);
  EXPECT_EQ(interpreter.output<float>(0)->size(), 50u);
  const std::vector<int32_t> dims = {1, 8, 8, 1};
  ASSERT_TRUE(interpreter.Resize(0, dims));
  EXPECT_EQ(interpreter.Resize(0, {1, 9, 8, 1}, true).reason(), HEDDLE_REASON_NOT_RESIZABLE);
}

TEST_F(Hpp, MovingLeavesTheObjectUsable) {
  heddle::Interpreter first = MakeInterpreter();
  heddle::Interpreter second = std::move(first);
  EXPECT_EQ(first.get(), nullptr);
  EXPECT_TRUE(second.Invoke());
  static_assert(!std::is_copy_constructible_v<heddle::Interpreter>);
}

TEST_F(Hpp, ObjectsMayGoInAnyOrder) {
  auto own = std::make_unique<heddle::Environment>(*heddle::Environment::Create());
  auto loaded = std::make_unique<heddle::Model>(
      *heddle::Model::FromFile(*own, ModelPath("digits_float.tflite")));
  auto interpreter = heddle::Interpreter::Create(*own, *loaded);
  ASSERT_TRUE(interpreter);
  loaded.reset();
  own.reset();
  EXPECT_TRUE(interpreter->Invoke());
}

TEST_F(Hpp, AsynchronousRunsAndEvents) {
  heddle::Interpreter interpreter = MakeInterpreter();
  ASSERT_TRUE(interpreter.Prepare());
  auto event = interpreter.InvokeAsync();
  ASSERT_TRUE(event) << event.error().message();
  std::atomic<int> calls = 0;
  ASSERT_TRUE(event->OnDone([&calls](heddle_status status) {
    EXPECT_EQ(status, HEDDLE_OK);
    ++calls;
  }));
  EXPECT_TRUE(event->Wait());
  EXPECT_TRUE(event->is_done());
  ASSERT_TRUE(event->OnDone([&calls](heddle_status) { ++calls; }));  // done already: at once
  while (calls < 2) {
  }
  ExpectProbabilities(*interpreter.output<float>(0));
}

TEST_F(Hpp, InterpreterMadeInTheBackground) {
  auto made = heddle::Interpreter::CreateAsync(environment, model);
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_TRUE(made->second.Wait());
  EXPECT_TRUE(made->first.Invoke());
}

TEST_F(Hpp, Cancellation) {
  heddle::Interpreter interpreter = MakeInterpreter();
  auto token = heddle::CancelToken::Create();
  ASSERT_TRUE(token);
  heddle::RunOptions options;
  options.cancel_token = token->get();
  EXPECT_TRUE(interpreter.Invoke(options));
  token->Cancel();
  EXPECT_EQ(interpreter.Invoke(options).code(), HEDDLE_CANCELLED);
  token->Reset();
  EXPECT_TRUE(interpreter.Invoke(options));
}

TEST_F(Hpp, BuffersInPlaceOfTheInterpretersMemory) {
  heddle::Interpreter interpreter = MakeInterpreter();
  auto input = heddle::Buffer::Create(environment, 64 * sizeof(float));
  ASSERT_TRUE(input);
  alignas(64) std::array<float, 32> memory = {};
  bool released = false;
  {
    auto output = heddle::Buffer::Borrow(
        environment, memory.data(), 10 * sizeof(float), sizeof(memory),
        [](void* context, void*, size_t) { *static_cast<bool*>(context) = true; }, &released);
    ASSERT_TRUE(output) << output.error().message();
    EXPECT_EQ(output->data(), memory.data());
    EXPECT_EQ(output->padded_bytes(), sizeof(memory));
    ASSERT_TRUE(interpreter.BindInput(0, &*input));
    ASSERT_TRUE(interpreter.BindOutput(0, &*output));
    for (float& value : input->as<float>()) value = 0.25f;
    ASSERT_TRUE(interpreter.Invoke());
    ExpectProbabilities({memory.data(), 10});
    ASSERT_TRUE(interpreter.BindOutput(0, nullptr));
  }
  EXPECT_TRUE(interpreter.Invoke());
  EXPECT_TRUE(released);
}

TEST_F(Hpp, RunsInSlots) {
  heddle::Interpreter interpreter = MakeInterpreter(2);
  auto input = heddle::Buffer::Create(environment, 64 * sizeof(float));
  auto output = heddle::Buffer::Create(environment, 10 * sizeof(float));
  ASSERT_TRUE(input && output);
  heddle_buffer* inputs[] = {input->get()};
  heddle_buffer* outputs[] = {output->get()};
  const heddle::Status status = interpreter.Run(inputs, outputs);
  ASSERT_TRUE(status) << status.message();
  ExpectProbabilities(output->as<const float>());
}

TEST_F(Hpp, TensorsMemoryAndPlanForTools) {
  heddle::Interpreter interpreter = MakeInterpreter(0, 1);
  ASSERT_TRUE(interpreter.Invoke());
  EXPECT_GT(interpreter.memory().arena_bytes, 0u);
  ASSERT_EQ(interpreter.plan_step_count(), 10u);
  EXPECT_STREQ(interpreter.plan_step(9)->op_name, "SOFTMAX");
  EXPECT_FALSE(interpreter.plan_step(10));
  const heddle_operator_info conv = *model.op(0, 0);
  const auto tensor = interpreter.tensor(0, static_cast<size_t>(conv.outputs[0]));
  ASSERT_TRUE(tensor);
  EXPECT_STREQ(tensor->info.name, "conv1");
  EXPECT_NE(tensor->data, nullptr);
  EXPECT_FALSE(interpreter.tensor(7, 0));
  EXPECT_TRUE(interpreter.ResetVariables());
  EXPECT_TRUE(interpreter.ReleaseMemory());
  EXPECT_TRUE(interpreter.Invoke());
}

}  // namespace
