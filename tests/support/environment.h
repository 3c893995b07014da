// SPDX-License-Identifier: Apache-2.0
// Where tests find files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::testing {

// Root of the source tree: HEDDLE_SOURCE_DIR, which ctest sets, or the working folder.
std::string SourceFolder();
// HEDDLE_CORPUS, or ../shared/models beside the source tree.
std::string CorpusFolder();
// Paths of all .tflite files of the corpus, sorted; empty if it is absent.
std::vector<std::string> CorpusModels();
// Models that the corpus has when it is complete: how many tests skip without it.
inline constexpr int kCorpusModelCount = 454;

// Fails the running test and returns nothing if the file cannot be read.
std::vector<uint8_t> ReadFileBytes(const std::string& path);

}  // namespace heddle::testing
