// SPDX-License-Identifier: Apache-2.0
// Loading plugins: what is refused, in which words, and that nothing of a refused one stays.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "runtime/op/plugin_loader.h"
#include "tests/op/resolver_testing.h"

namespace heddle::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string PluginPath(const std::string& name) {
  return std::string(HEDDLE_TEST_PLUGINS "/") + name + ".so";
}

// Loads a plugin that must be refused; every message names the file.
void ExpectRefused(const std::string& path, heddle_status code, heddle_reason reason,
                   const char* words) {
  OpResolver resolver;
  const Status status = AddPluginOps(path.c_str(), &resolver);
  EXPECT_EQ(status.code(), code) << status.message();
  EXPECT_EQ(status.reason(), reason) << status.message();
  EXPECT_THAT(std::string(status.message()), StartsWith(path));
  EXPECT_THAT(std::string(status.message()), HasSubstr(words));
  ASSERT_NE(status.faults(), nullptr);
  EXPECT_EQ(status.faults()->front().phase, HEDDLE_PHASE_PLUGIN);
  EXPECT_EQ(resolver.size(), 0u);
}

void ExpectBadTable(const char* name, const char* words) {
  ExpectRefused(PluginPath(name), HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_PLUGIN_BAD_TABLE, words);
}

void ExpectBothOps(const OpResolver& resolver) {
  EXPECT_EQ(resolver.size(), 2u);
  const auto versions = resolver.VersionsOf("Test.Copy");
  ASSERT_TRUE(versions.has_value());
  EXPECT_EQ(versions->min, 1);
  EXPECT_EQ(versions->max, 2);
  ASSERT_NE(resolver.FindOp("Test.Other", 1), nullptr);
  EXPECT_EQ(resolver.FindOp("Test.Other", 1)->op().in_place_count, 0u);
}

TEST(Plugin, BringsItsOps) {
  OpResolver resolver;
  const Status status = AddPluginOps(PluginPath("good").c_str(), &resolver);
  ASSERT_TRUE(status.ok()) << status.message();
  ExpectBothOps(resolver);
}

TEST(Plugin, ItsOpsWinOverThoseHeld) {
  int held = 0;
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(CustomOp("Test.Copy", 1, 3, &held)).ok());
  ASSERT_TRUE(AddPluginOps(PluginPath("good").c_str(), &resolver).ok());
  EXPECT_NE(resolver.FindOp("Test.Copy", 2)->op().user_data, &held);
  EXPECT_EQ(resolver.FindOp("Test.Copy", 3)->op().user_data, &held);
}

TEST(Plugin, MayBeLoadedTwiceAndIntoSeveralResolvers) {
  OpResolver first, second;
  ASSERT_TRUE(AddPluginOps(PluginPath("good").c_str(), &first).ok());
  ASSERT_TRUE(AddPluginOps(PluginPath("good").c_str(), &first).ok());
  ASSERT_TRUE(AddPluginOps(PluginPath("good").c_str(), &second).ok());
  ExpectBothOps(first);
  ExpectBothOps(second);
}

TEST(Plugin, NewerStructsWithALargerStride) {
  OpResolver resolver;
  const Status status = AddPluginOps(PluginPath("newer_structs").c_str(), &resolver);
  ASSERT_TRUE(status.ok()) << status.message();
  ExpectBothOps(resolver);
}

TEST(Plugin, OlderStructs) {
  OpResolver resolver;
  const Status status = AddPluginOps(PluginPath("older_structs").c_str(), &resolver);
  ASSERT_TRUE(status.ok()) << status.message();
  ExpectBothOps(resolver);
}

TEST(PluginRefused, NoSuchFile) {
  ExpectRefused("/nowhere/plugin.so", HEDDLE_NOT_FOUND, HEDDLE_REASON_PLUGIN_NOT_LOADED,
                "No such file");
}

TEST(PluginRefused, NotASharedLibrary) {
  const std::string path = std::string(HEDDLE_TEST_PLUGINS) + "/text.so";
  std::ofstream(path) << "This is a text.\n";
  ExpectRefused(path, HEDDLE_NOT_FOUND, HEDDLE_REASON_PLUGIN_NOT_LOADED, "file too short");
  std::ofstream(path) << std::string(10000, 'x');
  ExpectRefused(path, HEDDLE_NOT_FOUND, HEDDLE_REASON_PLUGIN_NOT_LOADED, "invalid ELF header");
  std::filesystem::remove(path);
}

TEST(PluginRefused, AFolder) {
  ExpectRefused(HEDDLE_TEST_PLUGINS, HEDDLE_NOT_FOUND, HEDDLE_REASON_PLUGIN_NOT_LOADED, "");
}

TEST(PluginRefused, NoEntry) {
  ExpectRefused(PluginPath("no_entry"), HEDDLE_UNSUPPORTED, HEDDLE_REASON_PLUGIN_NO_ENTRY,
                "exports no heddle_plugin_query");
}

TEST(PluginRefused, NewerAbi) {
  ExpectRefused(PluginPath("newer_abi"), HEDDLE_VERSION_MISMATCH, HEDDLE_REASON_PLUGIN_ABI,
                "the plugin has ABI version 99, this library serves 1");
}

TEST(PluginRefused, NoAbiVersion) {
  ExpectRefused(PluginPath("no_abi"), HEDDLE_VERSION_MISMATCH, HEDDLE_REASON_PLUGIN_ABI,
                "the plugin has ABI version 0");
}

TEST(PluginRefused, ItRefusesTheHost) {
  ExpectRefused(PluginPath("refusing_host"), HEDDLE_VERSION_MISMATCH, HEDDLE_REASON_PLUGIN_ABI,
                "heddle_plugin_query returned VERSION_MISMATCH for host ABI version 1");
}

TEST(PluginRefused, ItsQueryFails) {
  ExpectRefused(PluginPath("failing_query"), HEDDLE_RESOURCE_EXHAUSTED,
                HEDDLE_REASON_PLUGIN_BAD_TABLE, "heddle_plugin_query returned RESOURCE_EXHAUSTED");
}

TEST(PluginRefused, UnknownCapabilityIsNamed) {
  ExpectRefused(PluginPath("unknown_capability"), HEDDLE_UNSUPPORTED,
                HEDDLE_REASON_PLUGIN_CAPABILITY, "the plugin needs capability bit 5");
}

TEST(PluginRefused, NothingGiven) {
  ExpectBadTable("null_plugin", "heddle_plugin_query gave nothing");
}

TEST(PluginRefused, OpsAreNull) { ExpectBadTable("null_ops", "ops is NULL"); }
TEST(PluginRefused, ZeroOps) { ExpectBadTable("zero_ops", "it brings no ops"); }
TEST(PluginRefused, AbsurdCount) { ExpectBadTable("many_ops", "op_count is 1099511627776"); }
TEST(PluginRefused, NoName) { ExpectBadTable("no_name", "name or version is NULL"); }
TEST(PluginRefused, StrideThatMisaligns) {
  ExpectBadTable("odd_stride", ("op_stride is " + std::to_string(sizeof(heddle_op) + 1)).c_str());
}
TEST(PluginRefused, StrideShorterThanTheOps) {
  ExpectBadTable("short_stride", "ops[0].struct_size");
}

TEST(PluginRefused, OneBadOpKeepsAllOut) {
  ExpectBadTable("bad_op", "ops[1]: registration of Test.Broken: invoke is NULL");
  // What was held before stays as it was.
  int held = 0;
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(CustomOp("Test.Copy", 1, 1, &held)).ok());
  EXPECT_FALSE(AddPluginOps(PluginPath("bad_op").c_str(), &resolver).ok());
  EXPECT_EQ(resolver.size(), 1u);
  EXPECT_EQ(resolver.FindOp("Test.Copy", 1)->op().user_data, &held);
}

TEST(PluginRefused, UnknownFlagOfAnOp) {
  ExpectRefused(PluginPath("unknown_flag"), HEDDLE_UNSUPPORTED, HEDDLE_REASON_PLUGIN_CAPABILITY,
                "ops[0]: registration of Test.Copy: unknown flag bits 20");
}

}  // namespace
}  // namespace heddle::testing
