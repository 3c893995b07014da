// SPDX-License-Identifier: Apache-2.0
// Many interpreters on many threads; and processes that fork.
#include <gmock/gmock.h>

#include <atomic>
#include <thread>

#include "tests/exec/control_graphs.h"
#include "tests/support/environment.h"
#include "tests/support/npz.h"
#include "tests/sync/fork_child.h"

namespace heddle::testing {
namespace {

struct Digits {
  std::vector<uint8_t> raw;
  std::vector<int8_t> wanted;
  Digits() {
    const std::string folder = SourceFolder() + "/examples/models/";
    raw = ReadNpz(folder + "digits_test.npz").at("images").As<uint8_t>();
    wanted = ReadNpz(folder + "digits_litert.npz").at("int8_reference").As<int8_t>();
  }
  // Batches of `batch` images from `first` on: whether all results are LiteRT's.
  bool Run(heddle_interpreter* interpreter, size_t first, size_t batch) const {
    const int32_t dims[] = {static_cast<int32_t>(batch), 8, 8, 1};
    std::vector<int8_t> pixels(batch * 64);
    for (size_t i = 0; i < pixels.size(); ++i)
      pixels[i] = static_cast<int8_t>((255 * raw[first * 64 + i] + 8) / 16 - 128);
    std::vector<int8_t> got(batch * 10);
    return heddle_interpreter_resize_input(interpreter, 0, dims, 4, 1, nullptr) == HEDDLE_OK &&
           heddle_interpreter_set_input(interpreter, 0, pixels.data(), pixels.size(), nullptr) ==
               HEDDLE_OK &&
           heddle_interpreter_invoke(interpreter, nullptr, nullptr) == HEDDLE_OK &&
           heddle_interpreter_get_output(interpreter, 0, got.data(), got.size(), nullptr) ==
               HEDDLE_OK &&
           std::equal(got.begin(), got.end(), &wanted[first * 10]);
  }
};

TEST(Threads, InterpretersOfOneModelAreIndependent) {
  const Digits digits;
  Rig rig({.threads = 3});
  rig.LoadFile(SourceFolder() + "/examples/models/digits_int8.tflite");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (size_t t = 0; t < 6; ++t) {
    threads.emplace_back([&, t] {
      for (size_t round = 0; round < 4; ++round) {
        heddle_interpreter_options options = HEDDLE_INTERPRETER_OPTIONS_INIT;
        options.resolver = rig.resolver.get();
        options.num_threads = 1 + static_cast<int32_t>(t % 3);
        heddle_interpreter* made = nullptr;
        if (heddle_interpreter_create(rig.environment.get(), rig.model.get(), &options, &made,
                                      nullptr) != HEDDLE_OK) {
          ++wrong;
          return;
        }
        const InterpreterPtr interpreter(made);
        for (size_t batch : {1, 5, 1, 3}) {
          if (!digits.Run(made, (t * 31 + round * 7) % 400, batch)) ++wrong;
        }
        if (heddle_interpreter_release_memory(made, nullptr) != HEDDLE_OK) ++wrong;
        if (!digits.Run(made, t * 60, 2)) ++wrong;
        heddle_event* event = nullptr;
        if (heddle_interpreter_invoke_async(made, nullptr, &event, nullptr) != HEDDLE_OK) ++wrong;
        heddle_event_destroy(event);  // the interpreter's end waits for the run
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

// A model, an environment and a resolver go while others use them.
TEST(Threads, WhatIsSharedMayGoFirst) {
  const Digits digits;
  std::atomic<int> wrong{0};
  for (int round = 0; round < 5; ++round) {
    Rig rig({.threads = 2});
    rig.LoadFile(SourceFolder() + "/examples/models/digits_int8.tflite");
    std::vector<std::thread> threads;
    std::vector<InterpreterPtr> interpreters;
    for (int t = 0; t < 4; ++t) {
      rig.Start();
      interpreters.push_back(std::move(rig.interpreter));
    }
    // The log's sink is the rig's, so the environment goes with its last user, but before the rig.
    for (size_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        if (!digits.Run(interpreters[t].get(), t * 10, 1 + t)) ++wrong;
        interpreters[t].reset();
      });
    }
    rig.model.reset();
    rig.resolver.reset();
    rig.environment.reset();
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

// Threads that share one interpreter against the rules are refused, not harmed.
TEST(Threads, AClashIsRefused) {
  Rig rig;
  rig.LoadFile(SourceFolder() + "/examples/models/digits_int8.tflite");
  rig.Start();
  ASSERT_EQ(rig.Invoke(), HEDDLE_OK);
  std::atomic<int> unexpected{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        heddle_status status = HEDDLE_OK;
        const int32_t dims[] = {1 + i % 3, 8, 8, 1};
        heddle_tensor_info info = {};
        info.struct_size = sizeof(info);
        heddle_memory_info memory = {};
        memory.struct_size = sizeof(memory);
        heddle_event* event = nullptr;
        switch ((t + i) % 6) {
          case 0:
            status = heddle_interpreter_invoke(rig.get(), nullptr, nullptr);
            break;
          case 1:
            status = heddle_interpreter_resize_input(rig.get(), 0, dims, 4, 0, nullptr);
            break;
          case 2:
            status = heddle_interpreter_get_output_info(rig.get(), 0, &info);
            break;
          case 3:
            status = heddle_interpreter_get_memory(rig.get(), &memory);
            break;
          case 4:
            status = heddle_interpreter_invoke_async(rig.get(), nullptr, &event, nullptr);
            heddle_event_destroy(event);
            break;
          default:
            status = heddle_interpreter_release_memory(rig.get(), nullptr);
        }
        if (status != HEDDLE_OK && status != HEDDLE_FAILED_PRECONDITION) ++unexpected;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(unexpected, 0);
}

class Fork : public ::testing::Test {
 protected:
  Fork() : rig_({.threads = 2}) {
    rig_.LoadFile(SourceFolder() + "/examples/models/digits_int8.tflite");
    rig_.Start();
    EXPECT_EQ(rig_.Invoke(), HEDDLE_OK);
    heddle_event* event = nullptr;
    EXPECT_EQ(heddle_interpreter_invoke_async(rig_.get(), nullptr, &event, nullptr), HEDDLE_OK);
    event_.reset(event);
    EXPECT_EQ(heddle_event_wait(event, UINT64_MAX, nullptr), HEDDLE_OK);
  }
  Rig rig_;
  EventPtr event_;
};

TEST_F(Fork, TheChildIsRefusedByName) {
  EXPECT_EQ(
      ExitStatusOfChild([&] {
        heddle_event* event = nullptr;
        heddle_interpreter* made = nullptr;
        int wrong = 0;
        const auto refused = [&](heddle_status status) {
          if (status != HEDDLE_FAILED_PRECONDITION || rig_.error.reason() != HEDDLE_REASON_FORKED)
            ++wrong;
        };
        refused(rig_.Invoke());
        refused(rig_.Prepare());
        refused(heddle_interpreter_invoke_async(rig_.get(), nullptr, &event, rig_.error.out()));
        refused(heddle_interpreter_create(rig_.environment.get(), rig_.model.get(), nullptr, &made,
                                          rig_.error.out()));
        refused(heddle_interpreter_create_async(rig_.environment.get(), rig_.model.get(), nullptr,
                                                &made, &event, rig_.error.out()));
        return wrong;
      }),
      0);
}

TEST_F(Fork, TheChildMayDestroyAll) {
  heddle_event* event = nullptr;
  ASSERT_EQ(heddle_interpreter_invoke_async(rig_.get(), nullptr, &event, nullptr), HEDDLE_OK);
  const EventPtr in_flight(event);
  EXPECT_EQ(ExitStatusOfChild([&] {
              heddle_event_destroy(event);
              rig_.interpreter.reset();
              rig_.model.reset();
              rig_.resolver.reset();
              rig_.environment.reset();
              return 0;
            }),
            0);
  EXPECT_EQ(heddle_event_wait(event, UINT64_MAX, nullptr), HEDDLE_OK) << "the parent goes on";
}

TEST_F(Fork, TheChildMayStartAfresh) {
  EXPECT_EQ(ExitStatusOfChild([&] {
              Rig fresh({.threads = 2});
              fresh.LoadFile(SourceFolder() + "/examples/models/digits_int8.tflite");
              fresh.Start();
              return fresh.Invoke() == HEDDLE_OK ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace heddle::testing
