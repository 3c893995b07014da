// SPDX-License-Identifier: Apache-2.0
#include "tools/zip.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/tools/zip_writer.h"

namespace heddle::tools {
namespace {

using testing::HasSubstr;

Span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string Content(const ZipReader& zip, size_t member) {
  const Result<Bytes> bytes = zip.Read(zip.entries().at(member));
  if (!bytes) return std::string("ERROR: ") + bytes.error().message();
  return std::string(bytes->begin(), bytes->end());
}

// The error of opening the archive or of reading its first member; "" if there is none.
std::string ErrorOf(const std::string& archive) {
  const Result<ZipReader> zip = ZipReader::Open(BytesOf(archive), "a.zip");
  if (!zip) return zip.error().message();
  if (zip->entries().empty()) return "";
  const Result<Bytes> bytes = zip->Read(zip->entries()[0]);
  return bytes ? "" : bytes.error().message();
}

const std::string kLong(100000, 'x');

TEST(Zip, ReadsStoredDeflatedAnd64BitMembers) {
  const std::string archive = MakeZip({{"stored", "abc"},
                                       {"deflated", kLong, true},
                                       {"wide", "defg", false, true},
                                       {"wide deflated", kLong, true, true},
                                       {"empty", "", true}});
  const Result<ZipReader> zip = ZipReader::Open(BytesOf(archive), "a.zip");
  ASSERT_TRUE(zip) << zip.error().message();
  ASSERT_EQ(zip->entries().size(), 5u);
  EXPECT_EQ(zip->entries()[1].name, "deflated");
  EXPECT_EQ(Content(*zip, 0), "abc");
  EXPECT_EQ(Content(*zip, 1), kLong);
  EXPECT_EQ(Content(*zip, 2), "defg");
  EXPECT_EQ(Content(*zip, 3), kLong);
  EXPECT_EQ(Content(*zip, 4), "");
}

TEST(Zip, FollowsOtherBytesWithEitherKindOfOffset) {
  for (const bool from_archive : {false, true}) {
    const std::string file = MakeZip({{"labels.txt", "cat\ndog\n"}}, "a model", from_archive);
    const Result<ZipReader> zip = ZipReader::Open(BytesOf(file), "m.tflite");
    ASSERT_TRUE(zip) << zip.error().message();
    EXPECT_EQ(Content(*zip, 0), "cat\ndog\n");
  }
}

TEST(Zip, NoArchiveIsSaidSo) {
  EXPECT_THAT(ErrorOf("no archive at all, just some text"), HasSubstr("a.zip: is not a zip"));
  EXPECT_THAT(ErrorOf(""), HasSubstr("is not a zip"));
  EXPECT_FALSE(ZipReader::LooksLikeZip(BytesOf("PK")));
}

TEST(Zip, EveryTruncationIsAnError) {
  const std::string archive = MakeZip({{"m", "abcdef", true}, {"n", "xyz", false, true}});
  for (size_t size = 0; size < archive.size(); ++size) {
    EXPECT_NE(ErrorOf(archive.substr(0, size)), "") << size;
  }
}

TEST(Zip, NoChangedByteDoesHarm) {
  const std::string archive = MakeZip({{"m", kLong, true}, {"n", "xyz", false, true}});
  for (size_t at = 0; at < archive.size(); ++at) {
    for (const int value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string changed = archive;
      changed[at] = static_cast<char>(value);
      const Result<ZipReader> zip = ZipReader::Open(BytesOf(changed), "a.zip");
      for (size_t m = 0; zip && m < zip->entries().size(); ++m) {
        const Result<Bytes> bytes = zip->Read(zip->entries()[m]);
        // The checksum holds: what is read at all is what was stored.
        if (bytes) {
          EXPECT_TRUE(std::string(bytes->begin(), bytes->end()) == (m == 0 ? kLong : "xyz")) << at;
        }
      }
    }
  }
}

TEST(Zip, FaultsAreNamed) {
  const std::string good = MakeZip({{"member", "abcdef"}});
  const size_t data = good.find("abcdef");
  const size_t directory = good.find("PK\1\2");

  std::string changed = good;
  changed[data] = 'X';
  EXPECT_THAT(ErrorOf(changed), HasSubstr("the member 'member' has a wrong checksum"));

  changed = good;
  changed[directory + 8] = 1;  // flags
  EXPECT_THAT(ErrorOf(changed), HasSubstr("'member' is encrypted"));

  changed = good;
  changed[directory + 10] = 12;  // method
  EXPECT_THAT(ErrorOf(changed), HasSubstr("compressed by method 12"));

  changed = good;
  changed[directory + 42] = 99;  // offset of the local header
  EXPECT_THAT(ErrorOf(changed), HasSubstr("has no header where the directory says"));

  changed = good;
  changed[directory + 24] = 7;  // size
  EXPECT_THAT(ErrorOf(changed), HasSubstr("has two sizes"));
}

TEST(Zip, ASizeThatDeflateCannotReachCostsNoMemory) {
  std::string archive = MakeZip({{"bomb", "abc", true}});
  const size_t directory = archive.find("PK\1\2");
  for (int i = 0; i < 4; ++i) archive[directory + 24 + static_cast<size_t>(i)] = '\xfe';
  EXPECT_THAT(ErrorOf(archive), HasSubstr("'bomb' has a wrong size"));
}

}  // namespace
}  // namespace heddle::tools
