// SPDX-License-Identifier: Apache-2.0
// Files that we did not write.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "runtime/base/reason.h"
#include "runtime/model/model.h"
#include "tests/support/environment.h"

namespace heddle {
namespace {

using ::heddle::testing::CorpusModels;
using ::heddle::testing::kCorpusModelCount;

// What becomes of the models in negative/. Those with NONE load: they are at fault only when run.
const std::map<std::string, heddle_reason>& NegativeModels() {
  static const std::map<std::string, heddle_reason> models = {
      {"0_subgraphs.tflite", HEDDLE_REASON_NO_SUBGRAPH},
      {"2_subgraphs_dont_delegate_name.tflite", HEDDLE_REASON_NONE},
      {"empty_model.tflite", HEDDLE_REASON_NONE},
      {"model_invoking_error.tflite", HEDDLE_REASON_NONE},  // unknown custom op
      {"segment_sum_invalid_buffer.tflite", HEDDLE_REASON_BAD_OPTIONS},
      {"test_model_broken.tflite", HEDDLE_REASON_NOT_TFLITE},
  };
  return models;
}

std::string Describe(const Status& status) {
  if (status.faults() == nullptr) return std::string(status.message());
  const Fault& fault = status.faults()->front();
  return std::string(ReasonName(fault.reason)) + " at " + fault.place + ": " + fault.message;
}

TEST(Corpus, EveryModelLoadsOrIsRefusedByName) {
  const auto paths = CorpusModels();
  if (paths.empty()) {
    GTEST_SKIP() << kCorpusModelCount << " models skipped: the corpus is absent";
  }
  size_t negatives = 0;
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    auto model = Model::FromFile(path.c_str(), {});
    const std::string name = path.substr(path.rfind('/') + 1);
    heddle_reason expected = HEDDLE_REASON_NONE;
    if (path.find("/negative/") != std::string::npos) {
      ++negatives;
      const auto known = NegativeModels().find(name);
      ASSERT_NE(known, NegativeModels().end()) << "say here what becomes of this model";
      expected = known->second;
    }
    if (expected == HEDDLE_REASON_NONE) {
      EXPECT_TRUE(model.ok()) << Describe(model.status());
      continue;
    }
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.status().reason(), expected) << Describe(model.status());
  }
  EXPECT_EQ(negatives, NegativeModels().size());
  EXPECT_GE(paths.size(), static_cast<size_t>(kCorpusModelCount));
}

}  // namespace
}  // namespace heddle
