// SPDX-License-Identifier: Apache-2.0
// Pictures as model inputs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/files.h"

namespace heddle::tools {

// 8 bits a channel, rows from the top; 1 (grey), 3 (RGB) or 4 (RGBA) channels.
struct Image {
  size_t width = 0;
  size_t height = 0;
  size_t channels = 0;
  Bytes pixels;
};

// PNG, JPEG or BMP, converted to so many channels.
Result<Image> ParseImage(Span<const uint8_t> bytes, size_t channels, const std::string& path);
// Bilinear, with pixel centres at halves.
Image ResizeImage(const Image& image, size_t width, size_t height);
// The picture in characters, a line a row, two characters a pixel; large ones are made smaller.
std::string ImageText(const Image& image);

}  // namespace heddle::tools
