// SPDX-License-Identifier: Apache-2.0
#include "tools/media.h"

#include <cmath>
#include <string_view>

#include "tools/audio.h"
#include "tools/convert.h"
#include "tools/json_out.h"
#include "tools/table.h"

namespace heddle::tools {
namespace {

struct Layout {
  size_t height;
  size_t width;
  size_t channel;
};

bool IsChannels(int32_t dim) { return dim == 1 || dim == 3 || dim == 4; }

std::optional<Layout> LayoutOf(Span<const int32_t> dims) {
  const size_t rank = dims.size();
  if ((rank != 3 && rank != 4) || (rank == 4 && dims[0] != 1)) return std::nullopt;
  const size_t first = rank - 3;
  if (IsChannels(dims[rank - 1])) return Layout{first, first + 1, first + 2};
  if (IsChannels(dims[first])) return Layout{first + 1, first + 2, first};
  return std::nullopt;
}

bool IsOpen(const heddle_tensor_info& info, size_t dim) {
  return info.shape_signature != nullptr && info.shape_signature[dim] < 0;
}

Status CannotHold(const heddle_tensor_info& info, const std::string& path,
                  const std::string& wanted) {
  return BadArgument(path + ": the tensor '" + info.name + "' is " +
                         heddle_dtype_get_name(info.dtype) + " " + ShapeText(info) + "; " + wanted,
                     HEDDLE_REASON_SHAPE_MISMATCH);
}

float ChannelValue(const std::vector<float>& values, size_t channel, float absent) {
  if (values.empty()) return absent;
  return values[values.size() == 1 ? 0 : channel];
}

// The value of each channel for each of the 256 pixel values.
std::vector<Number> PixelTable(const heddle_tensor_info& info, const Normalization& normalization,
                               size_t channels) {
  const bool plain = normalization.mean.empty() && normalization.deviation.empty();
  const Affine affine = AffineOf(info);
  std::vector<Number> table;
  for (size_t c = 0; c < channels; ++c) {
    const float mean = ChannelValue(normalization.mean, c, 0);
    const float deviation = ChannelValue(normalization.deviation, c, plain ? 255 : 1);
    for (int pixel = 0; pixel < 256; ++pixel) {
      if (plain && info.dtype == HEDDLE_DTYPE_UINT8) {
        table.push_back(Number::Of(int64_t{pixel}));
      } else if (plain && info.dtype == HEDDLE_DTYPE_INT8) {
        table.push_back(Number::Of(int64_t{pixel} - 128));
      } else {
        // In single precision, as programs that feed the model do.
        const float real = (static_cast<float>(pixel) - mean) / deviation;
        table.push_back(ElementOf(info.dtype, affine, real));
      }
    }
  }
  return table;
}

Status CheckNormalization(const Normalization& normalization, size_t channels,
                          const std::string& path) {
  for (const auto* values : {&normalization.mean, &normalization.deviation}) {
    if (values->size() > 1 && values->size() != channels) {
      return BadArgument(path + ": " + normalization.source + " gives mean or deviation for " +
                         std::to_string(values->size()) + " channels, the input has " +
                         std::to_string(channels));
    }
  }
  for (const float deviation : normalization.deviation) {
    if (!(std::fabs(deviation) > 0)) {
      return BadArgument(path + ": " + normalization.source + " gives a deviation of 0");
    }
  }
  return {};
}

std::string SizeText(size_t width, size_t height) {
  return std::to_string(width) + "x" + std::to_string(height);
}

std::string ListText(const std::vector<float>& values, const char* absent) {
  std::string text;
  for (const float value : values) {
    if (!text.empty()) text += ',';
    text += NumberText(Number::Of(double{value}));
  }
  return values.empty() ? absent : text;
}

std::string MappingText(const heddle_tensor_info& info, const Normalization& normalization) {
  const bool plain = normalization.mean.empty() && normalization.deviation.empty();
  if (plain && info.dtype == HEDDLE_DTYPE_UINT8) return "values are pixels";
  if (plain && info.dtype == HEDDLE_DTYPE_INT8) return "values are pixels - 128";
  const std::string quantised = AffineOf(info).is_set ? ", quantised" : "";
  if (plain) return "values are pixels / 255" + quantised;
  return "values are (pixels - " + ListText(normalization.mean, "0") + ") / " +
         ListText(normalization.deviation, "1") + quantised + ", by " + normalization.source;
}

}  // namespace

FileKind KindOf(Span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto begins = [&](std::string_view magic) { return text.substr(0, magic.size()) == magic; };
  if (begins("\x93NUMPY")) return FileKind::kNpy;
  if (begins("PK\x03\x04") || begins("PK\x05\x06")) return FileKind::kNpz;
  if (begins("\x89PNG") || begins("\xff\xd8\xff") || begins("BM")) return FileKind::kImage;
  if (begins("RIFF") || begins("RIFX") || begins("fLaC") || begins("FORM") || begins("OggS")) {
    return FileKind::kAudio;
  }
  return FileKind::kUnknown;
}

Result<Fitted> FitImage(Span<const uint8_t> file, const std::string& path,
                        const heddle_tensor_info& info, const Normalization& normalization) {
  Fitted fitted;
  fitted.dims.assign(Dims(info).begin(), Dims(info).end());
  const std::optional<Layout> layout = LayoutOf(fitted.dims);
  if (!layout || !(IsFloat(info.dtype) || IsInteger(info.dtype))) {
    return CannotHold(info, path, "a picture needs [1,H,W,C] or [1,C,H,W] with 1, 3 or 4 channels");
  }
  const auto channels = static_cast<size_t>(fitted.dims[layout->channel]);
  Status checked = CheckNormalization(normalization, channels, path);
  if (!checked.ok()) return checked;
  Result<Image> image = ParseImage(file, channels, path);
  if (!image) return image.error();

  const std::string own_size = SizeText(image->width, image->height);
  if (IsOpen(info, layout->height)) {
    fitted.dims[layout->height] = static_cast<int32_t>(image->height);
  }
  if (IsOpen(info, layout->width)) fitted.dims[layout->width] = static_cast<int32_t>(image->width);
  const auto height = static_cast<size_t>(fitted.dims[layout->height]);
  const auto width = static_cast<size_t>(fitted.dims[layout->width]);
  if (height == 0 || width == 0) return CannotHold(info, path, "it has no room for a picture");
  fitted.note = path + ": " + own_size;
  if (width != image->width || height != image->height) {
    *image = ResizeImage(*image, width, height);
    fitted.note += " resized to " + SizeText(width, height);
  }
  fitted.note += ", " + MappingText(info, normalization);
  fitted.text = ImageText(*image);

  const std::vector<Number> table = PixelTable(info, normalization, channels);
  const size_t area = width * height;
  const bool planes = layout->channel < layout->height;
  fitted.data.resize(BytesOf(info.dtype, area * channels));
  for (size_t p = 0; p < area; ++p) {
    for (size_t c = 0; c < channels; ++c) {
      WriteNumber(info.dtype, fitted.data.data(), planes ? c * area + p : p * channels + c,
                  table[c * 256 + image->pixels[p * channels + c]]);
    }
  }
  return fitted;
}

Result<Fitted> FitAudio(Span<const uint8_t> file, const std::string& path,
                        const heddle_tensor_info& info, uint32_t sample_rate) {
  Fitted fitted;
  fitted.dims.assign(Dims(info).begin(), Dims(info).end());
  const Affine affine = AffineOf(info);
  const bool is_sample = info.dtype == HEDDLE_DTYPE_INT16 && !affine.is_set;
  size_t longest = 0;
  for (size_t d = 0; d < fitted.dims.size(); ++d) {
    const bool longer = fitted.dims[d] > fitted.dims[longest];
    // Dimensions of 1 may be open: the last one is the length.
    if (longer || (fitted.dims[longest] == 1 && IsOpen(info, d))) longest = d;
  }
  size_t others = 0;
  for (size_t d = 0; d < fitted.dims.size(); ++d) others += d != longest && fitted.dims[d] != 1;
  if (fitted.dims.empty() || others > 0 || !(is_sample || IsFloat(info.dtype) || affine.is_set)) {
    return CannotHold(info, path, "sound needs one long dimension of floats or 16-bit samples");
  }
  Result<Audio> audio = ParseAudio(file, path);
  if (!audio) return audio.error();

  fitted.note = path + ": " + Counted(audio->samples.size(), "sample") + " at " +
                std::to_string(audio->sample_rate) + " Hz";
  if (audio->channels > 1) {
    fitted.note += ", the average of " + Counted(static_cast<size_t>(audio->channels), "channel");
  }
  if (IsOpen(info, longest)) fitted.dims[longest] = static_cast<int32_t>(audio->samples.size());
  const auto length = static_cast<size_t>(fitted.dims[longest]);
  if (length < audio->samples.size()) fitted.note += ", cut to " + std::to_string(length);
  if (length > audio->samples.size()) {
    fitted.note += ", filled up with zeros to " + std::to_string(length);
  }
  if (sample_rate != 0 && static_cast<int>(sample_rate) != audio->sample_rate) {
    fitted.note +=
        "; the model wants " + std::to_string(sample_rate) + " Hz and the sound is not resampled";
  }
  audio->samples.resize(length);
  fitted.data.resize(BytesOf(info.dtype, length));
  for (size_t i = 0; i < length; ++i) {
    const double real = audio->samples[i] * (is_sample ? 32768.0 : 1.0);
    WriteNumber(info.dtype, fitted.data.data(), i, ElementOf(info.dtype, affine, real));
  }
  return fitted;
}

}  // namespace heddle::tools
