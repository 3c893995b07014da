// SPDX-License-Identifier: Apache-2.0
#include "tools/image.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>

#include "tools/stb_image_options.h"

namespace heddle::tools {
namespace {

// A position between two source pixels.
struct Blend {
  size_t low;
  size_t high;
  float weight;  // of the higher one
};

float Mix(float low, float high, float weight) { return low + (high - low) * weight; }

std::vector<Blend> Blends(size_t from, size_t to) {
  std::vector<Blend> blends(to);
  for (size_t i = 0; i < to; ++i) {
    const float scale = static_cast<float>(from) / static_cast<float>(to);
    const float centre = (static_cast<float>(i) + 0.5f) * scale - 0.5f;
    const float at = std::clamp(centre, 0.0f, static_cast<float>(from - 1));
    const auto low = static_cast<size_t>(at);
    blends[i] = {low, std::min(low + 1, from - 1), at - static_cast<float>(low)};
  }
  return blends;
}

}  // namespace

Result<Image> ParseImage(Span<const uint8_t> bytes, size_t channels, const std::string& path) {
  if (bytes.size() > INT32_MAX) return BadFile(path, "the picture is larger than 2 GB");
  int width = 0;
  int height = 0;
  int in_file = 0;
  const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
      stbi_load_from_memory(bytes.data(), static_cast<int>(bytes.size()), &width, &height, &in_file,
                            static_cast<int>(channels)),
      &stbi_image_free);
  if (!pixels) {
    return BadFile(path, std::string("the picture cannot be read: ") + stbi_failure_reason());
  }
  Image image;
  image.width = static_cast<size_t>(width);
  image.height = static_cast<size_t>(height);
  image.channels = channels;
  image.pixels.assign(pixels.get(), pixels.get() + image.width * image.height * channels);
  return image;
}

Image ResizeImage(const Image& image, size_t width, size_t height) {
  Image result = {width, height, image.channels, Bytes(width * height * image.channels)};
  const std::vector<Blend> columns = Blends(image.width, width);
  const std::vector<Blend> rows = Blends(image.height, height);
  size_t to = 0;
  for (const Blend& row : rows) {
    const uint8_t* upper = image.pixels.data() + row.low * image.width * image.channels;
    const uint8_t* lower = image.pixels.data() + row.high * image.width * image.channels;
    for (const Blend& column : columns) {
      for (size_t c = 0; c < image.channels; ++c) {
        const size_t left = column.low * image.channels + c;
        const size_t right = column.high * image.channels + c;
        const float top = Mix(upper[left], upper[right], column.weight);
        const float bottom = Mix(lower[left], lower[right], column.weight);
        result.pixels[to++] = static_cast<uint8_t>(std::lround(Mix(top, bottom, row.weight)));
      }
    }
  }
  return result;
}

std::string ImageText(const Image& image) {
  constexpr std::string_view kShades = " .:-=+*#%@";
  constexpr size_t kMostColumns = 40;
  const size_t width = std::min(image.width, kMostColumns);
  const size_t height = std::max<size_t>(1, image.height * width / image.width);
  const Image small = ResizeImage(image, width, height);
  const size_t colours = std::min<size_t>(small.channels, 3);  // alpha is no colour
  std::string text;
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      const uint8_t* pixel = small.pixels.data() + (y * width + x) * small.channels;
      size_t sum = 0;
      for (size_t c = 0; c < colours; ++c) sum += pixel[c];
      text.append(2, kShades[sum * kShades.size() / (256 * colours)]);
    }
    text += '\n';
  }
  return text;
}

}  // namespace heddle::tools
