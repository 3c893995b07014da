// SPDX-License-Identifier: Apache-2.0
#include "tools/media.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/tools/example_model.h"
#include "tests/tools/zip_writer.h"

namespace heddle::tools {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct TensorInfo : heddle_tensor_info {
  TensorInfo(heddle_dtype type, std::vector<int32_t> shape, std::vector<int32_t> open = {})
      : heddle_tensor_info{}, shape_values(std::move(shape)), open_values(std::move(open)) {
    name = "t";
    dtype = type;
    rank = static_cast<int32_t>(shape_values.size());
    dims = shape_values.data();
    shape_signature = open_values.empty() ? nullptr : open_values.data();
    quantization = &quantization_value;
  }
  TensorInfo(const TensorInfo&) = delete;

  std::vector<int32_t> shape_values;
  std::vector<int32_t> open_values;
  heddle_quantization quantization_value = {};
};

template <typename T>
std::vector<T> As(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Bytes BytesOf(const std::string& text) { return Bytes(text.begin(), text.end()); }

// A picture of 24-bit BMP, rows given from the top, pixels as RGB.
Bytes Bmp(const std::vector<std::vector<uint32_t>>& rows) {
  std::string pixels;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    std::string line;
    for (const uint32_t rgb : *row) Put(&line, rgb, 3);  // blue first
    line.append((4 - line.size() % 4) % 4, '\0');
    pixels += line;
  }
  std::string file = "BM";
  Put(&file, 54 + pixels.size(), 4);
  Put(&file, 0, 4);
  Put(&file, 54, 4);
  Put(&file, 40, 4);
  Put(&file, rows[0].size(), 4);
  Put(&file, rows.size(), 4);
  Put(&file, 1, 2);
  Put(&file, 24, 2);
  Put(&file, 0, 4);
  Put(&file, pixels.size(), 4);
  file.append(16, '\0');
  return BytesOf(file + pixels);
}

// 16-bit WAV; samples of several channels alternate.
Bytes Wav(const std::vector<int16_t>& samples, int channels, int rate) {
  std::string file = "RIFF";
  Put(&file, 36 + 2 * samples.size(), 4);
  file += "WAVEfmt ";
  Put(&file, 16, 4);
  Put(&file, 1, 2);
  Put(&file, static_cast<uint64_t>(channels), 2);
  Put(&file, static_cast<uint64_t>(rate), 4);
  Put(&file, uint64_t{2} * static_cast<uint64_t>(rate) * static_cast<uint64_t>(channels), 4);
  Put(&file, uint64_t{2} * static_cast<uint64_t>(channels), 2);
  Put(&file, 16, 2);
  file += "data";
  Put(&file, 2 * samples.size(), 4);
  for (const int16_t sample : samples) Put(&file, static_cast<uint16_t>(sample), 2);
  return BytesOf(file);
}

Result<Fitted> FitPicture(const Bytes& file, const TensorInfo& info,
                          const Normalization& normalization = {}) {
  return FitImage(file, "p.bmp", info, normalization);
}
Result<Fitted> FitSound(const Bytes& file, const TensorInfo& info, uint32_t sample_rate = 0) {
  return FitAudio(file, "s.wav", info, sample_rate);
}

std::string ErrorOf(const Result<Fitted>& fitted) { return fitted ? "" : fitted.error().message(); }

const Bytes kPicture = Bmp({{0xff0000, 0x00ff00}, {0x0000ff, 0x336699}});

TEST(Media, ChannelsAndRowsOfAPicture) {
  const TensorInfo info(HEDDLE_DTYPE_UINT8, {1, 2, 2, 3});
  const Result<Fitted> fitted = FitPicture(kPicture, info);
  ASSERT_TRUE(fitted) << fitted.error().message();
  EXPECT_THAT(fitted->data, ElementsAre(255, 0, 0, 0, 255, 0, 0, 0, 255, 0x33, 0x66, 0x99));
  EXPECT_THAT(fitted->note, HasSubstr("p.bmp: 2x2, values are pixels"));

  const TensorInfo planes(HEDDLE_DTYPE_UINT8, {1, 3, 2, 2});
  const Result<Fitted> split = FitPicture(kPicture, planes);
  ASSERT_TRUE(split) << split.error().message();
  EXPECT_THAT(split->data, ElementsAre(255, 0, 0, 0x33, 0, 255, 0, 0x66, 0, 0, 255, 0x99));
}

TEST(Media, ValuesFollowTypeAndNormalisation) {
  const TensorInfo floats(HEDDLE_DTYPE_FLOAT32, {1, 2, 2, 3});
  const Result<Fitted> plain = FitPicture(kPicture, floats);
  ASSERT_TRUE(plain);
  EXPECT_EQ(As<float>(plain->data)[0], 1.0f);
  EXPECT_EQ(As<float>(plain->data)[9], 51.0f / 255.0f);

  const Normalization centred = {{127.5f}, {127.5f}, "--mean and --std"};
  const Result<Fitted> shifted = FitPicture(kPicture, floats, centred);
  ASSERT_TRUE(shifted);
  EXPECT_EQ(As<float>(shifted->data)[0], 1.0f);
  EXPECT_EQ(As<float>(shifted->data)[1], -1.0f);
  EXPECT_THAT(shifted->note, HasSubstr("(pixels - 127.5) / 127.5, by --mean and --std"));

  const Normalization each = {{0, 1, 2}, {1, 2, 4}, "--mean and --std"};
  const Result<Fitted> split = FitPicture(kPicture, floats, each);
  ASSERT_TRUE(split);
  EXPECT_EQ(As<float>(split->data)[9], 51.0f);
  EXPECT_EQ(As<float>(split->data)[10], (102.0f - 1) / 2);
  EXPECT_EQ(As<float>(split->data)[11], (153.0f - 2) / 4);

  const TensorInfo bytes(HEDDLE_DTYPE_INT8, {2, 2, 3});
  const Result<Fitted> signed_pixels = FitPicture(kPicture, bytes);
  ASSERT_TRUE(signed_pixels);
  EXPECT_EQ(As<int8_t>(signed_pixels->data)[0], 127);
  EXPECT_EQ(As<int8_t>(signed_pixels->data)[1], -128);

  // real = (pixel - 0) / 255, in steps of 0.01 from 5 on
  TensorInfo quantised(HEDDLE_DTYPE_INT8, {1, 2, 2, 3});
  const float scale = 0.01f;
  const int64_t zero = 5;
  quantised.quantization_value.kind = HEDDLE_QUANTIZATION_AFFINE;
  quantised.quantization_value.count = 1;
  quantised.quantization_value.scales = &scale;
  quantised.quantization_value.zero_points = &zero;
  quantised.quantization_value.zero_point_count = 1;
  const Result<Fitted> steps = FitPicture(kPicture, quantised, {{0}, {255}, "metadata"});
  ASSERT_TRUE(steps);
  EXPECT_EQ(As<int8_t>(steps->data)[0], 105);
  EXPECT_EQ(As<int8_t>(steps->data)[9], 25);
}

TEST(Media, PicturesAreResizedOrResizeTheInput) {
  const TensorInfo small(HEDDLE_DTYPE_UINT8, {1, 1, 1, 1});
  const Result<Fitted> one = FitPicture(Bmp({{0x000000, 0xffffff}}), small);
  ASSERT_TRUE(one);
  EXPECT_THAT(one->data, ElementsAre(128));  // the mean of 0 and 255, rounded
  EXPECT_THAT(one->note, HasSubstr("2x1 resized to 1x1"));

  const TensorInfo open(HEDDLE_DTYPE_UINT8, {1, 1, 1, 3}, {1, -1, -1, 3});
  const Result<Fitted> whole = FitPicture(kPicture, open);
  ASSERT_TRUE(whole);
  EXPECT_THAT(whole->dims, ElementsAre(1, 2, 2, 3));
}

TEST(Media, BilinearCentresAreAtHalves) {
  const Image image = {2, 1, 1, {0, 100}};
  EXPECT_THAT(ResizeImage(image, 4, 1).pixels, ElementsAre(0, 25, 75, 100));
  EXPECT_THAT(ResizeImage(image, 2, 3).pixels, ElementsAre(0, 100, 0, 100, 0, 100));
}

TEST(Media, PicturesThatDoNotFit) {
  const TensorInfo vector(HEDDLE_DTYPE_FLOAT32, {1, 10});
  EXPECT_THAT(ErrorOf(FitPicture(kPicture, vector)),
              HasSubstr("p.bmp: the tensor 't' is FLOAT32 [1,10]; a picture needs"));
  const TensorInfo batch(HEDDLE_DTYPE_FLOAT32, {4, 2, 2, 3});
  EXPECT_THAT(ErrorOf(FitPicture(kPicture, batch)), HasSubstr("a picture needs"));
  const TensorInfo fine(HEDDLE_DTYPE_FLOAT32, {1, 2, 2, 3});
  EXPECT_THAT(ErrorOf(FitPicture(kPicture, fine, {{1, 2}, {}, "--mean and --std"})),
              HasSubstr("for 2 channels, the input has 3"));
  EXPECT_THAT(ErrorOf(FitPicture(kPicture, fine, {{1}, {0}, "--mean and --std"})),
              HasSubstr("a deviation of 0"));
  EXPECT_THAT(ErrorOf(FitPicture(BytesOf("\x89PNG broken"), fine)),
              HasSubstr("p.bmp: the picture cannot be read"));
}

TEST(Media, TheExamplePictureIsTheSplitsPixels) {
  const Result<Bytes> file = ReadFile(ExamplePath("images/digit_3.png"));
  ASSERT_TRUE(file);
  EXPECT_EQ(KindOf(*file), FileKind::kImage);
  const TensorInfo info(HEDDLE_DTYPE_UINT8, {1, 8, 8, 1});
  const Result<Fitted> fitted = FitPicture(*file, info);
  ASSERT_TRUE(fitted) << fitted.error().message();
  EXPECT_EQ(fitted->data.size(), 64u);
  for (const uint8_t pixel : fitted->data) {
    const int raw = (pixel * 16 + 127) / 255;  // raw values are 0 to 16
    EXPECT_EQ((255 * raw + 8) / 16, pixel);
  }
  EXPECT_EQ(std::count(fitted->text.begin(), fitted->text.end(), '\n'), 8);
}

TEST(Media, SamplesOfSound) {
  const TensorInfo floats(HEDDLE_DTYPE_FLOAT32, {1, 4});
  const Result<Fitted> fitted = FitSound(Wav({0, 16384, -32768, 32767}, 1, 8000), floats, 0);
  ASSERT_TRUE(fitted) << fitted.error().message();
  EXPECT_THAT(As<float>(fitted->data), ElementsAre(0, 0.5f, -1, 32767.0f / 32768));
  EXPECT_THAT(fitted->note, HasSubstr("s.wav: 4 samples at 8000 Hz"));

  const TensorInfo shorts(HEDDLE_DTYPE_INT16, {4});
  const Result<Fitted> same = FitSound(Wav({0, 16384, -32768, 32767}, 1, 8000), shorts, 0);
  ASSERT_TRUE(same);
  EXPECT_THAT(As<int16_t>(same->data), ElementsAre(0, 16384, -32768, 32767));
}

TEST(Media, SoundIsMixedCutAndFilled) {
  const TensorInfo two(HEDDLE_DTYPE_FLOAT32, {2});
  const Result<Fitted> mixed = FitSound(Wav({0, 16384, 8192, 8192}, 2, 8000), two, 16000);
  ASSERT_TRUE(mixed);
  EXPECT_THAT(As<float>(mixed->data), ElementsAre(0.25f, 0.25f));
  EXPECT_THAT(mixed->note, HasSubstr("average of 2 channels"));
  EXPECT_THAT(mixed->note, HasSubstr("the model wants 16000 Hz"));
  const Result<Fitted> cut = FitSound(Wav({1, 2, 3}, 1, 8000), two, 8000);
  ASSERT_TRUE(cut);
  EXPECT_THAT(cut->note, HasSubstr("cut to 2"));
  const Result<Fitted> filled = FitSound(Wav({16384}, 1, 8000), two, 8000);
  ASSERT_TRUE(filled);
  EXPECT_THAT(As<float>(filled->data), ElementsAre(0.5f, 0));
  EXPECT_THAT(filled->note, HasSubstr("filled up with zeros to 2"));
  const TensorInfo open(HEDDLE_DTYPE_FLOAT32, {1}, {-1});
  const Result<Fitted> whole = FitSound(Wav({1, 2, 3}, 1, 8000), open, 0);
  ASSERT_TRUE(whole);
  EXPECT_THAT(whole->dims, ElementsAre(3));
  const TensorInfo square(HEDDLE_DTYPE_FLOAT32, {4, 4});
  EXPECT_THAT(ErrorOf(FitSound(Wav({1}, 1, 8000), square, 0)),
              HasSubstr("s.wav: the tensor 't' is FLOAT32 [4,4]; sound needs"));
  EXPECT_THAT(ErrorOf(FitSound(BytesOf("RIFF...."), two, 0)),
              HasSubstr("s.wav: the sound cannot be read"));
}

}  // namespace
}  // namespace heddle::tools
