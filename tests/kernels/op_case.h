// SPDX-License-Identifier: Apache-2.0
// The files of tests/golden/op_cases: one-op models, inputs, and the outputs that LiteRT computed.
// tests/oracle/make_op_cases.py writes them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::testing {

struct OpCase {
  struct Output {
    std::vector<int32_t> dims;
    std::vector<uint8_t> bytes;
  };

  std::string name;
  std::vector<uint8_t> model;
  std::vector<std::vector<uint8_t>> inputs;
  std::vector<Output> outputs;
};

// Names of the ops that have cases, in order.
std::vector<std::string> OpsWithCases();

// All cases of an op; fails the test and returns none if the file is not sound.
std::vector<OpCase> ReadOpCases(const std::string& op);

}  // namespace heddle::testing
