// SPDX-License-Identifier: Apache-2.0
// Damaged models through the whole life: load, create, prepare, invoke. Each ends in success or in
// an error that says where; never in a crash or a leak (the sanitizers watch), and within limits of
// time and memory.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "heddle/heddle.h"
#include "tests/exec/control_graphs.h"
#include "tests/support/environment.h"
#include "tests/support/rig.h"

namespace heddle::testing {
namespace {

// Refuses what a damaged shape may ask for.
heddle_allocator BoundedAllocator() {
  heddle_allocator allocator = {};
  allocator.struct_size = sizeof(allocator);
  allocator.allocate = [](void*, size_t bytes, size_t alignment) -> void* {
    constexpr size_t kMost = size_t{16} << 20;
    return bytes > kMost ? nullptr
                         : ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
  };
  allocator.deallocate = [](void*, void* pointer, size_t, size_t alignment) {
    ::operator delete(pointer, std::align_val_t(alignment));
  };
  return allocator;
}

void Discard(void*, heddle_severity, heddle_reason, const char*) {}

struct Tally {
  int refused_at_load = 0;
  int refused_later = 0;
  int ran = 0;
};

void ExpectGoodError(const ErrorHolder& error, heddle_status status) {
  ASSERT_TRUE(error.has());
  const heddle_error_info info = error.info();
  EXPECT_EQ(info.status, status);
  EXPECT_NE(info.phase, HEDDLE_PHASE_NONE) << error.text();
  EXPECT_NE(std::string(info.message), "");
}

void Live(heddle_environment* environment, const std::vector<uint8_t>& bytes, Tally* tally) {
  ErrorHolder error;
  heddle_model* raw_model = nullptr;
  heddle_status status = heddle_model_create_from_memory(
      environment, bytes.data(), bytes.size(), HEDDLE_MODEL_DEFAULT, &raw_model, error.out());
  if (status != HEDDLE_OK) {
    ++tally->refused_at_load;
    ExpectGoodError(error, status);
    return;
  }
  const ModelPtr model(raw_model);
  heddle_interpreter* raw = nullptr;
  status = heddle_interpreter_create(environment, model.get(), nullptr, &raw, error.out());
  const InterpreterPtr interpreter(raw);
  heddle_run_options options = HEDDLE_RUN_OPTIONS_INIT;
  options.timeout_ns = 20'000'000;
  options.max_loop_iterations = 100;
  if (status == HEDDLE_OK) status = heddle_interpreter_prepare(interpreter.get(), error.out());
  if (status == HEDDLE_OK)
    status = heddle_interpreter_invoke(interpreter.get(), &options, error.out());
  if (status == HEDDLE_OK) {
    ++tally->ran;
    return;
  }
  ++tally->refused_later;
  ExpectGoodError(error, status);
}

// One change, of the kinds that damage and attack make: bits, bytes, words that look like indices
// and offsets, and cuts.
void Mutate(std::mt19937& random, std::vector<uint8_t>* bytes) {
  const auto below = [&](size_t n) {
    return std::uniform_int_distribution<size_t>(0, n - 1)(random);
  };
  const int changes = 1 + static_cast<int>(below(3));
  for (int i = 0; i < changes && bytes->size() > 8; ++i) {
    const size_t at = below(bytes->size());
    switch (below(6)) {
      case 0:
        (*bytes)[at] ^= static_cast<uint8_t>(1u << below(8));
        break;
      case 1:
        (*bytes)[at] = static_cast<uint8_t>(below(256));
        break;
      case 2: {
        const int32_t values[] = {
            -1, 0, 1, 2, 7, 255, 65535, INT32_MAX, INT32_MIN, static_cast<int32_t>(bytes->size())};
        const int32_t value = values[below(std::size(values))];
        const size_t word = at / 4 * 4;
        if (word + 4 <= bytes->size()) std::memcpy(bytes->data() + word, &value, 4);
        break;
      }
      case 3: {  // a word of elsewhere
        const size_t from = below(bytes->size()) / 4 * 4;
        const size_t to = at / 4 * 4;
        if (from + 4 <= bytes->size() && to + 4 <= bytes->size())
          std::memmove(bytes->data() + to, bytes->data() + from, 4);
        break;
      }
      case 4: {
        const size_t word = at / 4 * 4;
        if (word + 4 > bytes->size()) break;
        int32_t value = 0;
        std::memcpy(&value, bytes->data() + word, 4);
        value = static_cast<int32_t>(static_cast<uint32_t>(value) + (below(2) != 0 ? 1u : ~0u));
        std::memcpy(bytes->data() + word, &value, 4);
        break;
      }
      default:
        if (below(8) == 0) bytes->resize(at);
        break;
    }
  }
}

std::vector<uint8_t> ControlModel() {
  ModelBuilder model;
  SubgraphSpec& main = model.AddSubgraph("main");
  const int32_t counter = main.Input("counter", kInt, {});
  const int32_t values = main.Input("values", kFloat, {4});
  const int32_t handle = main.Tensor("handle", HEDDLE_DTYPE_RESOURCE, {});
  const int32_t count = main.Tensor("count", kInt, {});
  const int32_t sums = main.Tensor("sums", kFloat, {4});
  const int32_t state = main.Tensor("state", kFloat, {4});
  VarHandle(main, "state", handle);
  While(main, 1, 2, {counter, values}, {count, sums});
  main.Op(HEDDLE_BUILTIN_ASSIGN_VARIABLE, {handle, sums}, {});
  main.Op(HEDDLE_BUILTIN_READ_VARIABLE, {handle}, {state});
  main.Output(count);
  main.Output(state);
  LessThan(model, {{"counter", kInt, {}}, {"values", kFloat, {4}}}, 5);
  SubgraphSpec& body = model.AddSubgraph("body");
  body.Input("counter", kInt, {});
  const int32_t x = body.Input("values", kFloat, {4});
  const int32_t next = CountUp(body);
  const int32_t doubled = body.Tensor("doubled", kFloat, {4});
  Add(body, x, x, doubled);
  body.Output(next);
  body.Output(doubled);
  return model.Build();
}

TEST(MutatedModels, RunOrAreRefusedWithAPlace) {
  std::vector<std::vector<uint8_t>> seeds;
  for (const char* name : {"digits_int8.tflite", "digits_float.tflite"}) {
    seeds.push_back(ReadFileBytes(SourceFolder() + "/examples/models/" + name));
  }
  seeds.push_back(ControlModel());

  const heddle_allocator allocator = BoundedAllocator();
  heddle_log_sink sink = {};
  sink.struct_size = sizeof(sink);
  sink.log = Discard;
  heddle_environment_options options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  options.num_threads = 1;
  options.allocator = &allocator;
  options.log_sink = &sink;
  heddle_environment* raw = nullptr;
  ASSERT_EQ(heddle_environment_create(&options, &raw, nullptr), HEDDLE_OK);
  const EnvironmentPtr environment(raw);

  const char* given = std::getenv("HEDDLE_SEED");
  const uint32_t seed =
      given != nullptr ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : 20261130;
  SCOPED_TRACE("HEDDLE_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  Tally tally;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(4);
  int models = 0;
  while (std::chrono::steady_clock::now() < end || models < 3000) {
    std::vector<uint8_t> bytes = seeds[static_cast<size_t>(models) % seeds.size()];
    Mutate(random, &bytes);
    Live(environment.get(), bytes, &tally);
    ++models;
    if (HasFailure()) break;
  }
  uint64_t current = 1;
  EXPECT_EQ(heddle_environment_get_memory(environment.get(), &current, nullptr), HEDDLE_OK);
  EXPECT_EQ(current, 0u);
  // The mutations reach every stage.
  EXPECT_GT(tally.refused_at_load, 100);
  EXPECT_GT(tally.refused_later, 20);
  EXPECT_GT(tally.ran, 100);
  RecordProperty("models", models);
}

}  // namespace
}  // namespace heddle::testing
