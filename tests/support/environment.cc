// SPDX-License-Identifier: Apache-2.0
#include "tests/support/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

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
  std::error_code error;
  const auto size = fs::file_size(path, error);
  std::vector<uint8_t> bytes(error ? 0 : size);
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  EXPECT_TRUE(!error && file.good()) << "cannot read " << path;
  return bytes;
}

}  // namespace heddle::testing
