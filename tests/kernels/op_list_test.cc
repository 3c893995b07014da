// SPDX-License-Identifier: Apache-2.0
// Keeps the list of ops, their files and their tests in step.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kernels/builtin_ops.h"
#include "runtime/model/builtin_names.h"
#include "runtime/op/registration.h"

namespace heddle::testing {
namespace {

// Ops whose cases need more than one operator, and the test file that has them.
constexpr const char* kTestedElsewhere[][2] = {
    {"ASSIGN_VARIABLE", "control_flow_test.cc"},
    {"CALL_ONCE", "control_flow_test.cc"},
    {"IF", "control_flow_test.cc"},
    {"READ_VARIABLE", "control_flow_test.cc"},
    {"VAR_HANDLE", "control_flow_test.cc"},
    {"WHILE", "control_flow_test.cc"},
};

std::filesystem::path Source(const char* path) {
  const char* source = std::getenv("HEDDLE_SOURCE_DIR");
  return std::filesystem::path(source != nullptr ? source : ".") / path;
}

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// First arguments of all uses of a macro in `text`.
std::vector<std::string> MacroArguments(const std::string& text, const std::string& macro) {
  std::vector<std::string> names;
  for (size_t at = text.find(macro + "("); at != std::string::npos;
       at = text.find(macro + "(", at + 1)) {
    const size_t begin = at + macro.size() + 1;
    names.push_back(text.substr(begin, text.find_first_of(",)", begin) - begin));
  }
  return names;
}

std::vector<std::string> ListedOps() {
  return MacroArguments(ReadText(Source("kernels/builtin_ops.inc")), "HEDDLE_BUILTIN_OP");
}

std::vector<std::string> ListedCustomOps() {
  return MacroArguments(ReadText(Source("kernels/custom_ops.inc")), "HEDDLE_BUILTIN_CUSTOM_OP");
}

// Names that the files of a folder define by a macro.
std::set<std::string> DefinedOps(const char* folder, const std::string& macro) {
  std::set<std::string> defined;
  for (const auto& entry : std::filesystem::directory_iterator(Source(folder))) {
    const std::vector<std::string> ops = MacroArguments(ReadText(entry.path()), macro);
    defined.insert(ops.begin(), ops.end());
  }
  return defined;
}

TEST(OpList, IsInOrder) {
  for (const std::vector<std::string>& listed : {ListedOps(), ListedCustomOps()}) {
    EXPECT_FALSE(listed.empty());
    EXPECT_TRUE(std::is_sorted(listed.begin(), listed.end()));
    EXPECT_EQ(std::set<std::string>(listed.begin(), listed.end()).size(), listed.size());
  }
}

TEST(OpList, HasEveryCustomOpOfEveryFile) {
  const std::vector<std::string> listed = ListedCustomOps();
  EXPECT_EQ(DefinedOps("kernels/custom", "HEDDLE_CUSTOM_OP"),
            std::set<std::string>(listed.begin(), listed.end()));
}

TEST(OpList, HasEveryOpOfEveryFile) {
  std::set<std::string> defined;
  for (const auto& entry : std::filesystem::directory_iterator(Source("kernels/ops"))) {
    const std::vector<std::string> ops = MacroArguments(ReadText(entry.path()), "HEDDLE_OP");
    EXPECT_FALSE(ops.empty()) << entry.path() << " defines no op";
    defined.insert(ops.begin(), ops.end());
  }
  const std::vector<std::string> listed = ListedOps();
  EXPECT_EQ(defined, std::set<std::string>(listed.begin(), listed.end()));
}

TEST(OpList, IsWhatTheResolverHas) {
  OpResolver resolver;
  ASSERT_TRUE(kernels::AddBuiltinOps(resolver).ok());
  const std::vector<std::string> listed = ListedOps();
  EXPECT_EQ(resolver.size(), listed.size() + ListedCustomOps().size());
  for (const std::string& name : listed) {
    EXPECT_TRUE(resolver.VersionsOf(BuiltinCode(name)).has_value()) << name;
  }
  for (const std::string& name : ListedCustomOps()) {
    EXPECT_TRUE(resolver.VersionsOf(std::string_view(name)).has_value()) << name;
  }
}

TEST(OpList, EveryOpIsTested) {
  for (const std::string& name : ListedCustomOps()) {
    EXPECT_TRUE(std::filesystem::exists(Source("tests/golden/op_cases") / (name + ".cases")))
        << name << " has no cases";
  }
  for (const std::string& name : ListedOps()) {
    const auto* elsewhere = std::find_if(std::begin(kTestedElsewhere), std::end(kTestedElsewhere),
                                         [&](const auto& row) { return name == row[0]; });
    if (elsewhere == std::end(kTestedElsewhere)) {
      EXPECT_TRUE(std::filesystem::exists(Source("tests/golden/op_cases") / (name + ".cases")))
          << name << " has no cases";
      continue;
    }
    const std::string text = ReadText(Source("tests/kernels") / std::string((*elsewhere)[1]));
    EXPECT_NE(text.find("HEDDLE_BUILTIN_" + name), std::string::npos)
        << name << " is not in " << (*elsewhere)[1];
  }
}

}  // namespace
}  // namespace heddle::testing
