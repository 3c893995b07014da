// SPDX-License-Identifier: Apache-2.0
// Cases of tests/golden/op_cases with one to three things changed: types, shapes, attributes,
// quantisations, values, operands. Nothing may crash, and what is refused must say why; a new op is
// fuzzed as soon as it has cases. HEDDLE_FUZZ_SECONDS sets the time, HEDDLE_FUZZ_SEED repeats a
// run, HEDDLE_FUZZ_OP looks at one op. tests/oracle/fuzz_ops.py asks LiteRT for the right values.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "tests/kernels/case_mutator.h"

namespace heddle::testing {
namespace {

uint64_t NumberFrom(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// Whether it ran.
bool RunMutant(const OpCase& one, Dice& dice) {
  CaseMutator mutant(one);
  for (int32_t i = dice.Between(1, 3); i > 0; --i) mutant.Mutate(dice);
  SCOPED_TRACE(mutant.Text());
  auto result = mutant.Run(
      {.split = dice.OneIn(2), .constant_inputs = dice.OneIn(3), .memory_limit = size_t{1} << 24});
  if (result.ok()) return true;
  EXPECT_FALSE(result.status().message().empty());
  EXPECT_NE(result.status().reason(), HEDDLE_REASON_NONE) << result.status().message();
  EXPECT_NE(result.status().code(), HEDDLE_INTERNAL) << result.status().message();
  return false;
}

TEST(Fuzz, MutatedCases) {
  const uint64_t seed = NumberFrom("HEDDLE_FUZZ_SEED", std::random_device()());
  const auto limit = std::chrono::seconds(NumberFrom("HEDDLE_FUZZ_SECONDS", 3));
  const char* only = std::getenv("HEDDLE_FUZZ_OP");
  std::printf("HEDDLE_FUZZ_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::map<std::string, std::vector<OpCase>> ops;
  for (const std::string& op : OpsWithCases()) {
    if (only == nullptr || op == only) ops[op] = ReadOpCases(op);
  }
  Dice dice(seed);
  const auto start = std::chrono::steady_clock::now();
  int ran = 0;
  int refused = 0;
  while (std::chrono::steady_clock::now() - start < limit) {
    for (const auto& [op, cases] : ops) {
      SCOPED_TRACE(op);
      if (cases.empty()) continue;
      ++(RunMutant(cases[dice.Index(cases.size())], dice) ? ran : refused);
      if (HasFailure()) return;
    }
  }
  std::printf("%d mutants ran, %d were refused\n", ran, refused);
  // Nothing but refusals would test little.
  if (ran + refused > 1000) {
    EXPECT_GT(ran, refused / 10);
  }
}

}  // namespace
}  // namespace heddle::testing
