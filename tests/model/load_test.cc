// SPDX-License-Identifier: Apache-2.0
// From files, parts of files and memory.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tests/model/model_testing.h"

namespace heddle {
namespace {

using namespace ::heddle::testing;  // NOLINT: the builder's names are this file's vocabulary
using ::testing::ElementsAre;

// A log that tests look into.
struct LogLines {
  std::vector<heddle_reason> reasons;
  heddle_log_sink sink{sizeof(heddle_log_sink), this, HEDDLE_SEVERITY_DEBUG,
                       [](void* context, heddle_severity, heddle_reason reason, const char*) {
                         static_cast<LogLines*>(context)->reasons.push_back(reason);
                       }};
  Logger logger{&sink, 0};
};

// A file in the temporary folder, deleted at the end.
class TemporaryFile {
 public:
  TemporaryFile() : path_((std::filesystem::temp_directory_path() / "heddle_XXXXXX").string()) {
    descriptor_ = mkstemp(path_.data());
    EXPECT_GE(descriptor_, 0) << path_;
  }
  ~TemporaryFile() {
    close(descriptor_);
    unlink(path_.c_str());
  }
  void Write(const std::vector<uint8_t>& bytes, uint64_t offset) {
    EXPECT_EQ(pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset)),
              static_cast<ssize_t>(bytes.size()));
  }
  int descriptor() const { return descriptor_; }
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
  int descriptor_;
};

TEST(LoadModel, MemoryIsBorrowed) {
  const std::vector<uint8_t> bytes = AddModel().Build();
  auto model = LoadBytes(bytes);
  ASSERT_TRUE(model.ok()) << Describe(model.status());
  EXPECT_EQ(model.value()->bytes().data(), bytes.data());
  EXPECT_FALSE(model.value()->copied());
}

TEST(LoadModel, MemoryIsCopiedOnDemand) {
  std::vector<uint8_t> bytes = AddModel().Build();
  LogLines log;
  ModelOptions options;
  options.copy = true;
  options.logger = &log.logger;
  auto model = LoadBytes(bytes, options);
  ASSERT_TRUE(model.ok()) << Describe(model.status());
  std::fill(bytes.begin(), bytes.end(), 0);
  EXPECT_TRUE(model.value()->copied());
  EXPECT_EQ(model.value()->subgraphs()[0].tensors[0].name, "x");
  EXPECT_TRUE(log.reasons.empty());
}

TEST(LoadModel, MisalignedMemoryIsCopiedAndReported) {
  std::vector<uint8_t> bytes = AddModel().Build();
  bytes.insert(bytes.begin(), 0);
  LogLines log;
  ModelOptions options;
  options.logger = &log.logger;
  options.allocator = std::make_shared<Allocator>();
  auto model = Model::FromMemory(bytes.data() + 1, bytes.size() - 1, options);
  ASSERT_TRUE(model.ok()) << Describe(model.status());
  EXPECT_TRUE(model.value()->copied());
  EXPECT_THAT(log.reasons, ElementsAre(HEDDLE_REASON_MISALIGNED_COPIED));
  EXPECT_GE(options.allocator->current_bytes(), bytes.size() - 1);
  model = Status(HEDDLE_NOT_FOUND, HEDDLE_PHASE_LOAD, HEDDLE_REASON_NONE, "drop the model");
  EXPECT_EQ(options.allocator->current_bytes(), 0u);
}

TEST(LoadModel, CopyThatCannotBeAllocated) {
  const heddle_allocator nothing{sizeof(heddle_allocator), nullptr,
                                 [](void*, size_t, size_t) -> void* { return nullptr; },
                                 [](void*, void*, size_t, size_t) {}};
  ModelOptions options;
  options.copy = true;
  options.allocator = std::make_shared<Allocator>(nothing);
  auto model = LoadBytes(AddModel().Build(), options);
  ASSERT_FALSE(model.ok());
  EXPECT_TRUE(model.status().is_out_of_memory());
}

TEST(LoadModel, NullMemory) {
  auto model = Model::FromMemory(nullptr, 100, {});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().reason(), HEDDLE_REASON_NULL_ARGUMENT);
}

TEST(LoadModel, File) {
  TemporaryFile file;
  file.Write(AddModel().Build(), 0);
  auto model = Model::FromFile(file.path(), {});
  ASSERT_TRUE(model.ok()) << Describe(model.status());
  EXPECT_FALSE(model.value()->copied());
  EXPECT_EQ(model.value()->subgraphs()[0].operators.size(), 1u);
}

TEST(LoadModel, FilesThatAreNotThereOrEmpty) {
  auto absent = Model::FromFile("/nonexistent/model.tflite", {});
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.status().reason(), HEDDLE_REASON_FILE_NOT_FOUND);
  TemporaryFile file;
  auto empty = Model::FromFile(file.path(), {});
  ASSERT_FALSE(empty.ok());
  EXPECT_EQ(empty.status().reason(), HEDDLE_REASON_TOO_SHORT);
  EXPECT_NE(empty.status().message().find(file.path()), std::string_view::npos);
}

TEST(LoadModel, PartOfAFile) {
  const std::vector<uint8_t> bytes = AddModel().Build();
  TemporaryFile file;
  for (const uint64_t offset : {0u, 48u, 4096u + 3u}) {
    file.Write(bytes, offset);
    file.Write({1, 2, 3}, offset + bytes.size());
    LogLines log;
    ModelOptions options;
    options.logger = &log.logger;
    auto model = Model::FromDescriptor(file.descriptor(), offset, bytes.size(), options);
    ASSERT_TRUE(model.ok()) << Describe(model.status());
    EXPECT_EQ(model.value()->bytes().size(), bytes.size());
    EXPECT_EQ(model.value()->copied(), offset % 16 != 0);
    EXPECT_EQ(log.reasons.size(), offset % 16 != 0 ? 1u : 0u);
  }
}

TEST(LoadModel, PartOutsideTheFile) {
  TemporaryFile file;
  file.Write(AddModel().Build(), 0);
  auto model = Model::FromDescriptor(file.descriptor(), 0, 1 << 20, {});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().reason(), HEDDLE_REASON_RANGE_OUTSIDE_FILE);
}

TEST(LoadModel, TrustSkipsVerification) {
  AddModel broken;
  broken.graph.Op(HEDDLE_BUILTIN_MUL, {broken.x, broken.c}, {broken.y});
  const std::vector<uint8_t> bytes = broken.Build();
  EXPECT_FALSE(LoadBytes(bytes).ok());
  ModelOptions options;
  options.trust = true;
  EXPECT_TRUE(LoadBytes(bytes, options).ok());
}

// ---- Over 2 GB ----------------------------------------------------------------------------------

constexpr uint64_t kFar = (uint64_t{3} << 30) + 64;

// The constant of AddModel, and a custom op's options, lie 3 GB into a file full of holes.
class LargeModel : public ::testing::Test {
 protected:
  void Write(uint64_t file_bytes) {
    AddModel model;
    model.tensor(model.c).data.reset();
    model.tensor(model.c).buffer = model.AddBufferAt(kFar, 12);
    OperatorSpec& custom = model.graph.CustomOp("far", {model.y}, {});
    custom.large_custom_options_offset = kFar + 12;
    custom.large_custom_options_size = 3;
    file_.Write(model.Build(), 0);
    file_.Write(BytesOf<float>({10, 20, 30}), kFar);
    file_.Write({7, 8, 9}, kFar + 12);
    ASSERT_EQ(ftruncate(file_.descriptor(), static_cast<off_t>(file_bytes)), 0);
  }
  TemporaryFile file_;
};

TEST_F(LargeModel, DataBehindTheFlatbuffer) {
  Write(kFar + 15);
  auto model = Model::FromFile(file_.path(), {});
  ASSERT_TRUE(model.ok()) << Describe(model.status());
  EXPECT_EQ(model.value()->bytes().size(), kFar + 15);
  const SubgraphDef& graph = model.value()->subgraphs()[0];
  ASSERT_TRUE(graph.tensors[1].is_constant);
  float values[3];
  ASSERT_EQ(graph.tensors[1].data.size(), sizeof(values));
  std::memcpy(values, graph.tensors[1].data.data(), sizeof(values));
  EXPECT_THAT(values, ElementsAre(10, 20, 30));
  EXPECT_THAT(graph.operators[1].custom_options, ElementsAre(7, 8, 9));
}

TEST_F(LargeModel, Truncated) {
  Write(kFar + 14);
  auto options = Model::FromFile(file_.path(), {});
  ASSERT_FALSE(options.ok());
  EXPECT_EQ(options.status().faults()->front().place,
            "subgraphs[0].operators[1].large_custom_options_offset");
  Write(kFar + 11);
  auto data = Model::FromFile(file_.path(), {});
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.status().reason(), HEDDLE_REASON_OFFSET_OUT_OF_RANGE);
  EXPECT_EQ(data.status().faults()->front().place, "subgraphs[0].tensors[1].buffer");
}

TEST_F(LargeModel, DamagedFlatbuffer) {
  Write(kFar + 15);
  file_.Write({0xff, 0xff, 0xff, 0xff}, 0);  // the root
  auto model = Model::FromFile(file_.path(), {});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.status().reason(), HEDDLE_REASON_MALFORMED);
}

}  // namespace
}  // namespace heddle
