// SPDX-License-Identifier: Apache-2.0
// The example models and files, for tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "tools/session.h"

namespace heddle::tools {

inline std::string ExamplePath(const std::string& file) {
  const char* source = std::getenv("HEDDLE_SOURCE_DIR");
  return std::string(source != nullptr ? source : ".") + "/examples/models/" + file;
}

inline SessionOptions ExampleOptions(const std::string& file) {
  SessionOptions options;
  options.model = ExamplePath(file);
  return options;
}

}  // namespace heddle::tools
