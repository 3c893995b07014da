// SPDX-License-Identifier: Apache-2.0
// Structs of older and newer headers.
#include <gmock/gmock.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "heddle/heddle.h"
#include "tests/capi/session.h"

namespace {

using ::testing::HasSubstr;

// A struct as a header of the future knows it.
template <typename T>
struct Longer {
  T known;
  uint64_t unknown[4] = {};
};

heddle_status CreateEnvironment(const heddle_environment_options* options, Error* error) {
  heddle_environment* environment = nullptr;
  const heddle_status status = heddle_environment_create(options, &environment, error->out());
  EXPECT_EQ(environment != nullptr, status == HEDDLE_OK);
  heddle_environment_destroy(environment);
  return status;
}

TEST(StructSize, OldOptionsHaveDefaultsForWhatCameLater) {
  Error error;
  heddle_environment_options options;
  std::memset(&options, 0xff, sizeof(options));  // what an old caller does not set is not looked at
  options.struct_size = offsetof(heddle_environment_options, allocator);
  options.header_version = HEDDLE_VERSION_NUMBER;
  options.num_threads = 3;
  heddle_environment* environment = nullptr;
  ASSERT_EQ(heddle_environment_create(&options, &environment, error.out()), HEDDLE_OK)
      << error.text();
  EXPECT_EQ(heddle_environment_get_num_threads(environment), 3);
  heddle_environment_destroy(environment);
}

TEST(StructSize, NewOptionsMayHaveZerosOnly) {
  Error error;
  Longer<heddle_environment_options> options = {HEDDLE_ENVIRONMENT_OPTIONS_INIT};
  options.known.struct_size = sizeof(options);
  EXPECT_EQ(CreateEnvironment(&options.known, &error), HEDDLE_OK) << error.text();
  options.unknown[3] = 1;
  EXPECT_EQ(CreateEnvironment(&options.known, &error), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error.reason(), HEDDLE_REASON_STRUCT_SIZE);
  EXPECT_THAT(error.text(), HasSubstr("heddle_environment_options"));
}

TEST(StructSize, AMissingSizeIsNoticed) {
  Error error;
  heddle_environment_options options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  options.struct_size = 0;
  EXPECT_EQ(CreateEnvironment(&options, &error), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error.reason(), HEDDLE_REASON_STRUCT_SIZE);
}

TEST(StructSize, InterpreterAndRunOptions) {
  Session s;
  Longer<heddle_interpreter_options> options = {HEDDLE_INTERPRETER_OPTIONS_INIT};
  heddle_interpreter* made = nullptr;
  const auto create = [&] {
    return heddle_interpreter_create(s.environment, s.model, &options.known, &made, s.error.out());
  };
  options.known.struct_size = offsetof(heddle_interpreter_options, slots);
  options.known.slots = 100'000;  // unknown to the caller that says so
  ASSERT_EQ(create(), HEDDLE_OK) << s.error.text();
  heddle_interpreter_destroy(made);
  options.known.slots = 0;
  options.known.struct_size = sizeof(options);
  ASSERT_EQ(create(), HEDDLE_OK) << s.error.text();
  heddle_interpreter_destroy(made);
  options.unknown[0] = 7;
  EXPECT_EQ(create(), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(s.error.reason(), HEDDLE_REASON_STRUCT_SIZE);

  Longer<heddle_run_options> run = {HEDDLE_RUN_OPTIONS_INIT};
  run.known.struct_size = sizeof(run);
  EXPECT_EQ(heddle_interpreter_invoke(s.interpreter, &run.known, s.error.out()), HEDDLE_OK);
  run.unknown[1] = 1;
  EXPECT_EQ(heddle_interpreter_invoke(s.interpreter, &run.known, s.error.out()),
            HEDDLE_INVALID_ARGUMENT);
  run.known.struct_size = offsetof(heddle_run_options, precision);
  run.known.precision = static_cast<heddle_precision>(99);
  EXPECT_EQ(heddle_interpreter_invoke(s.interpreter, &run.known, s.error.out()), HEDDLE_OK);
  run.known.struct_size = sizeof(run.known);
  EXPECT_EQ(heddle_interpreter_invoke(s.interpreter, &run.known, s.error.out()),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(s.error.reason(), HEDDLE_REASON_BAD_ARGUMENT);
}

TEST(StructSize, NestedStructsHaveTheirOwn) {
  Error error;
  Longer<heddle_log_sink> sink = {};
  sink.known.struct_size = sizeof(sink);
  sink.known.log = [](void*, heddle_severity, heddle_reason, const char*) {};
  heddle_environment_options options = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  options.log_sink = &sink.known;
  EXPECT_EQ(CreateEnvironment(&options, &error), HEDDLE_OK) << error.text();
  sink.unknown[2] = 1;
  EXPECT_EQ(CreateEnvironment(&options, &error), HEDDLE_INVALID_ARGUMENT);
  EXPECT_THAT(error.text(), HasSubstr("heddle_log_sink"));
  sink.unknown[2] = 0;
  sink.known.log = nullptr;
  EXPECT_EQ(CreateEnvironment(&options, &error), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error.reason(), HEDDLE_REASON_NULL_ARGUMENT);
  heddle_allocator allocator = {};
  allocator.struct_size = sizeof(allocator);
  options.log_sink = nullptr;
  options.allocator = &allocator;
  EXPECT_EQ(CreateEnvironment(&options, &error), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(error.reason(), HEDDLE_REASON_NULL_ARGUMENT);
}

TEST(StructSize, InfoIsWrittenAsFarAsTheCallerKnowsIt) {
  Session s;
  Longer<heddle_model_info> info;
  std::memset(static_cast<void*>(&info), 0x5a, sizeof(info));
  info.known.struct_size = offsetof(heddle_model_info, bytes);
  ASSERT_EQ(heddle_model_get_info(s.model, &info.known), HEDDLE_OK);
  EXPECT_EQ(info.known.struct_size, offsetof(heddle_model_info, bytes));
  EXPECT_EQ(info.known.schema_version, 3u);
  EXPECT_EQ(info.known.bytes, 0x5a5a5a5a5a5a5a5au) << "beyond what an old caller has";
  info.known.struct_size = sizeof(info);
  ASSERT_EQ(heddle_model_get_info(s.model, &info.known), HEDDLE_OK);
  EXPECT_EQ(info.known.struct_size, sizeof(info));
  EXPECT_GT(info.known.bytes, 1000u);
  EXPECT_EQ(info.unknown[0], 0x5a5a5a5a5a5a5a5au);
}

TEST(StructSize, InfoWithoutSizeIsRefused) {
  Session s;
  heddle_model_info model = {};
  EXPECT_EQ(heddle_model_get_info(s.model, &model), HEDDLE_INVALID_ARGUMENT);
  heddle_tensor_info tensor = {};
  EXPECT_EQ(heddle_interpreter_get_input_info(s.interpreter, 0, &tensor), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_interpreter_get_tensor(s.interpreter, 0, 0, &tensor, nullptr),
            HEDDLE_INVALID_ARGUMENT);
  heddle_memory_info memory = {};
  EXPECT_EQ(heddle_interpreter_get_memory(s.interpreter, &memory), HEDDLE_INVALID_ARGUMENT);
  heddle_library_info library = {};
  EXPECT_EQ(heddle_library_get_info(&library), HEDDLE_INVALID_ARGUMENT);
}

TEST(HeaderVersion, ALibraryOlderThanTheHeaderIsRefused) {
  heddle_library_info library = {};
  library.struct_size = sizeof(library);
  ASSERT_EQ(heddle_library_get_info(&library), HEDDLE_OK);
  EXPECT_EQ(library.version, static_cast<uint32_t>(HEDDLE_VERSION_NUMBER));
  EXPECT_THAT(library.path, HasSubstr("libheddle"));
  EXPECT_STRNE(library.build_id, "");
  EXPECT_THAT(library.components, HasSubstr("kernels"));

  Error error;
  // A newer header may have a longer struct with things in it: the version is what matters.
  Longer<heddle_environment_options> options = {HEDDLE_ENVIRONMENT_OPTIONS_INIT};
  options.known.struct_size = sizeof(options);
  options.unknown[0] = 1;
  options.known.header_version = (9u << 24) | (8u << 16) | 7u;
  EXPECT_EQ(CreateEnvironment(&options.known, &error), HEDDLE_VERSION_MISMATCH);
  EXPECT_EQ(error.reason(), HEDDLE_REASON_LIBRARY_TOO_OLD);
  for (const char* part : {"9.8.7", library.version_text, library.build_id, library.path})
    EXPECT_THAT(error.text(), HasSubstr(part));
  heddle_environment_options old = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  old.header_version = 1;
  EXPECT_EQ(CreateEnvironment(&old, &error), HEDDLE_OK) << "older headers are served";
}

}  // namespace
