// SPDX-License-Identifier: Apache-2.0
// Loads arbitrary bytes as a model and reads all of what was accepted.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/model/model.h"
#include "tests/support/model_walk.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<uint8_t> bytes(data, data + size);
  // The vector of an empty input may have no memory at all.
  auto model = heddle::Model::FromMemory(size == 0 ? data : bytes.data(), size, {});
  if (model.ok()) {
    volatile uint64_t sum = heddle::testing::ModelWalk::Sum(*model.value());
    (void)sum;
  }
  return 0;
}
