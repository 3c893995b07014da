// SPDX-License-Identifier: Apache-2.0
#include "tools/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tests/tools/zip_writer.h"
#include "tools/numbers.h"

namespace heddle::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// A .npy file of a version with this header text and these bytes of data.
std::string Npy(const std::string& header, const std::string& data, int version = 1) {
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  Put(&file, header.size(), version == 1 ? 2 : 4);
  return file + header + data;
}

std::string Header(const std::string& descr, const std::string& shape,
                   const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape +
         ", }   \n";
}

Result<Array> Parse(const std::string& file) { return ParseNpy(BytesOf(file), "x.npy"); }

std::string ErrorOf(const std::string& file) {
  const Result<Array> array = Parse(file);
  return array ? "" : array.error().message();
}

std::vector<double> Values(const Array& array) {
  std::vector<double> values;
  for (size_t i = 0; i < array.count(); ++i) {
    values.push_back(ReadNumber(array.dtype, array.data.data(), i).real);
  }
  return values;
}

template <typename T>
std::string Raw(std::initializer_list<T> values) {
  std::string raw;
  for (const T value : values) raw.append(reinterpret_cast<const char*>(&value), sizeof(T));
  return raw;
}

template <typename T>
void ExpectType(const std::string& descr, heddle_dtype dtype) {
  const Result<Array> array = Parse(Npy(Header(descr, "(3,)"), Raw<T>({1, 0, 1})));
  ASSERT_TRUE(array) << array.error().message();
  EXPECT_EQ(array->dtype, dtype);
  EXPECT_THAT(Values(*array), ElementsAre(1, 0, 1)) << descr;
}

TEST(Npy, ReadsEveryElementType) {
  ExpectType<float>("<f4", HEDDLE_DTYPE_FLOAT32);
  ExpectType<double>("<f8", HEDDLE_DTYPE_FLOAT64);
  ExpectType<int8_t>("|i1", HEDDLE_DTYPE_INT8);
  ExpectType<uint8_t>("|u1", HEDDLE_DTYPE_UINT8);
  ExpectType<int16_t>("<i2", HEDDLE_DTYPE_INT16);
  ExpectType<uint16_t>("<u2", HEDDLE_DTYPE_UINT16);
  ExpectType<int32_t>("<i4", HEDDLE_DTYPE_INT32);
  ExpectType<uint32_t>("<u4", HEDDLE_DTYPE_UINT32);
  ExpectType<int64_t>("=i8", HEDDLE_DTYPE_INT64);
  ExpectType<uint64_t>("<u8", HEDDLE_DTYPE_UINT64);
  ExpectType<bool>("|b1", HEDDLE_DTYPE_BOOL);
  const Result<Array> half =
      Parse(Npy(Header("<f2", "(3,)"), Raw<uint16_t>({0x3c00, 0xc500, 0x0001})));
  ASSERT_TRUE(half);
  EXPECT_THAT(Values(*half), ElementsAre(1.0, -5.0, 0x1p-24));
}

TEST(Npy, ReadsBigEndian) {
  const Result<Array> array = Parse(Npy(Header(">i4", "(2,)"), std::string("\0\0\1\2\0\0\0\7", 8)));
  ASSERT_TRUE(array) << array.error().message();
  EXPECT_THAT(Values(*array), ElementsAre(258, 7));
}

TEST(Npy, ReadsFortranOrder) {
  // [[1, 2, 3], [4, 5, 6]] column by column.
  const Result<Array> array =
      Parse(Npy(Header("<i2", "(2, 3)", "True"), Raw<int16_t>({1, 4, 2, 5, 3, 6})));
  ASSERT_TRUE(array) << array.error().message();
  EXPECT_THAT(array->shape, ElementsAre(2, 3));
  EXPECT_THAT(Values(*array), ElementsAre(1, 2, 3, 4, 5, 6));
  // Element [i][j][k] of shape (2, 2, 3) is 100 i + 10 j + k; the first index runs fastest.
  std::string raw;
  for (int16_t k = 0; k < 3; ++k) {
    for (int16_t j = 0; j < 2; ++j) {
      for (int16_t i = 0; i < 2; ++i) raw += Raw<int16_t>({int16_t(100 * i + 10 * j + k)});
    }
  }
  const Result<Array> cube = Parse(Npy(Header("<i2", "(2,2,3)", "True"), raw));
  ASSERT_TRUE(cube);
  EXPECT_THAT(Values(*cube), ElementsAre(0, 1, 2, 10, 11, 12, 100, 101, 102, 110, 111, 112));
}

TEST(Npy, ReadsScalarsEmptyArraysAndLaterVersions) {
  const Result<Array> scalar = Parse(Npy(Header("<f4", "()"), Raw<float>({2.5f})));
  ASSERT_TRUE(scalar);
  EXPECT_TRUE(scalar->shape.empty());
  EXPECT_THAT(Values(*scalar), ElementsAre(2.5));
  const Result<Array> empty = Parse(Npy(Header("<f4", "(0, 3)"), "", 2));
  ASSERT_TRUE(empty);
  EXPECT_THAT(empty->shape, ElementsAre(0, 3));
  EXPECT_TRUE(Parse(Npy(Header("<f4", "(1L,)"), Raw<float>({1}), 3)));
}

TEST(Npy, ReadsStrings) {
  const Result<Array> bytes = Parse(Npy(Header("|S3", "(2,)"), std::string("abcd\0\0", 6)));
  ASSERT_TRUE(bytes);
  EXPECT_THAT(bytes->strings, ElementsAre("abc", "d"));
  const Result<Array> text =
      Parse(Npy(Header("<U2", "(2,)"), Raw<uint32_t>({0xe4, 0x20ac, 0x1f600, 0})));
  ASSERT_TRUE(text);
  EXPECT_THAT(text->strings, ElementsAre("\xc3\xa4\xe2\x82\xac", "\xf0\x9f\x98\x80"));
}

TEST(Npy, WritesWhatNumpyReads) {
  Array array;
  array.dtype = HEDDLE_DTYPE_INT16;
  array.shape = {2, 1};
  array.data = {1, 0, 2, 0};
  const Bytes file = FormatNpy(array);
  const std::string text(file.begin(), file.end());
  // The format: magic, version 1.0, length of the header, the header up to a multiple of 64.
  EXPECT_EQ(text.substr(0, 8), std::string("\x93NUMPY\1\0", 8));
  EXPECT_EQ(text.substr(8, 2), std::string("\x76\0", 2));
  EXPECT_THAT(text, HasSubstr("{'descr': '<i2', 'fortran_order': False, 'shape': (2, 1, ), }"));
  EXPECT_EQ(text[127], '\n');
  EXPECT_EQ(text.substr(128), std::string("\1\0\2\0", 4));

  Array words;
  words.dtype = HEDDLE_DTYPE_STRING;
  words.shape = {2};
  words.strings = {"a", "bcd"};
  const Bytes word_file = FormatNpy(words);
  const std::string word_text(word_file.begin(), word_file.end());
  EXPECT_THAT(word_text, HasSubstr("'|S3'"));
  EXPECT_EQ(word_text.substr(word_text.size() - 6), std::string("a\0\0bcd", 6));
}

TEST(Npy, FaultsAreNamed) {
  const std::string four = Raw<float>({1});
  EXPECT_THAT(ErrorOf("hello"), HasSubstr("x.npy: is not a .npy file"));
  EXPECT_THAT(ErrorOf(Npy(Header("<f4", "(1,)"), four, 9)), HasSubstr("version 9 is not known"));
  EXPECT_THAT(ErrorOf(Npy(Header("<f4", "(2,)"), four)), HasSubstr("shape [2] does not match"));
  EXPECT_THAT(ErrorOf(Npy(Header("<f4", "(1,)"), four + four)), HasSubstr("does not match"));
  EXPECT_THAT(ErrorOf(Npy(Header("<f4", "(-1,)"), four)), HasSubstr("'shape' is no tuple"));
  EXPECT_THAT(ErrorOf(Npy(Header("<f4", "1"), four)), HasSubstr("'shape' is no tuple"));
  EXPECT_THAT(ErrorOf(Npy(Header("<f3", "(1,)"), four)), HasSubstr("'f3' is not supported"));
  EXPECT_THAT(ErrorOf(Npy(Header("|O8", "(1,)"), four)), HasSubstr("'O8' is not supported"));
  EXPECT_THAT(ErrorOf(Npy(Header("<f4", "(1,)", "Maybe"), four)), HasSubstr("'fortran_order'"));
  EXPECT_THAT(ErrorOf(Npy("{'descr': '<f4'}", four)), HasSubstr("it lacks"));
  EXPECT_THAT(ErrorOf(Npy("{'descr': [('a', '<f4')]}", four)), HasSubstr("structured arrays"));
  EXPECT_THAT(ErrorOf(Npy("{'color': 1}", four)), HasSubstr("unknown key 'color'"));
  EXPECT_THAT(ErrorOf(Npy("[1, 2]", four)), HasSubstr("not a dictionary"));
}

TEST(Npy, HugeShapesCostNoMemory) {
  // Products that overflow to something small, and elements without bytes.
  EXPECT_NE(ErrorOf(Npy(Header("<f4", "(4611686018427387904, 4)"), "")), "");
  EXPECT_NE(ErrorOf(Npy(Header("<f4", "(9223372036854775807, 9223372036854775807)"), "")), "");
  EXPECT_NE(ErrorOf(Npy(Header("<f4", "(99999999999999999999,)"), "")), "");
  EXPECT_NE(ErrorOf(Npy(Header("|S0", "(1000000000000,)"), "")), "");
  std::string deep = "(";
  for (int i = 0; i < 40; ++i) deep += "1,";
  EXPECT_NE(ErrorOf(Npy(Header("<f4", deep + ")"), Raw<float>({1}))), "");
}

TEST(Npy, EveryTruncationIsAnError) {
  const std::string file = Npy(Header("<i2", "(2, 3)", "True"), Raw<int16_t>({1, 4, 2, 5, 3, 6}));
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_NE(ErrorOf(file.substr(0, size)), "") << size;
  }
}

TEST(Npy, NoChangedByteDoesHarm) {
  const std::string file = Npy(Header("<i2", "(2, 3)", "True"), Raw<int16_t>({1, 4, 2, 5, 3, 6}));
  for (size_t at = 0; at < file.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string changed = file;
      changed[at] = static_cast<char>(value);
      const Result<Array> array = Parse(changed);
      if (array && array->dtype != HEDDLE_DTYPE_STRING) {
        EXPECT_EQ(array->data.size() * 8, array->count() * heddle_dtype_get_bits(array->dtype));
      }
    }
  }
}

TEST(Npz, ReadsArraysByName) {
  const std::string a = Npy(Header("<i2", "(2,)"), Raw<int16_t>({1, 2}));
  const std::string b = Npy(Header("|u1", "()"), "\7");
  const std::string archive = MakeZip({{"a.npy", a, false, true}, {"b.npy", b, true}});
  const Result<NamedArrays> arrays = ParseNpz(BytesOf(archive), "x.npz");
  ASSERT_TRUE(arrays) << arrays.error().message();
  ASSERT_EQ(arrays->size(), 2u);
  EXPECT_EQ((*arrays)[0].first, "a");
  EXPECT_THAT(Values((*arrays)[0].second), ElementsAre(1, 2));
  EXPECT_EQ((*arrays)[1].first, "b");
  EXPECT_THAT(Values((*arrays)[1].second), ElementsAre(7));
}

TEST(Npz, NamesTheMemberAtFault) {
  const std::string archive = MakeZip({{"a.npy", "not numpy"}});
  const Result<NamedArrays> arrays = ParseNpz(BytesOf(archive), "x.npz");
  ASSERT_FALSE(arrays);
  EXPECT_THAT(arrays.error().message(), HasSubstr("x.npz:a.npy: is not a .npy file"));
}

}  // namespace
}  // namespace heddle::tools
