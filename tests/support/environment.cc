// SPDX-License-Identifier: Apache-2.0
#include "tests/support/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace heddle::testing {
namespace fs = std::filesystem;

std::string SourceFolder() {
  const char* folder = std::getenv("HEDDLE_SOURCE_DIR");
  return folder != nullptr ? folder : ".";
}

std::string CorpusFolder() {
  const char* folder = std::getenv("HEDDLE_CORPUS");
  return folder != nullptr ? folder : SourceFolder() + "/../shared/models";
}

std::vector<std::string> CorpusModels() {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator it(CorpusFolder(), error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".tflite") paths.push_back(it->path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

std::vector<uint8_t> ReadFileBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << "cannot read " << path;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace heddle::testing
