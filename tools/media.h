// SPDX-License-Identifier: Apache-2.0
// Pictures and sound fitted to a tensor.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/files.h"
#include "tools/image.h"

namespace heddle::tools {

// What a file is, told by its first bytes.
enum class FileKind { kNpy, kNpz, kImage, kAudio, kUnknown };
FileKind KindOf(Span<const uint8_t> bytes);

// (value - mean) / deviation: one number, or one a channel. Empty: none given.
struct Normalization {
  std::vector<float> mean;
  std::vector<float> deviation;
  std::string source;  // who says so, for notes
};

// A fitted picture or sound. `dims` differ from the tensor's where the model leaves the size open.
struct Fitted {
  std::vector<int32_t> dims;
  Bytes data;
  std::string note;  // what was done
  std::string text;  // a picture in characters, as the model sees it
};

/*
 * A picture for [N,H,W,C], [N,C,H,W] or [H,W,C] with 1, 3 or 4 channels and a batch of 1, resized
 * where it has another size.
 * Values: with a normalisation (pixel - mean) / deviation, quantised where the tensor has a scale;
 * without one a float is pixel / 255, 8 bits are the pixel itself (UINT8) or pixel - 128 (INT8).
 */
Result<Fitted> FitImage(Span<const uint8_t> file, const std::string& path,
                        const heddle_tensor_info& info, const Normalization& normalization);

/*
 * Sound for a tensor with one long dimension: samples from -1 to 1 for floats, 16-bit samples for
 * an INT16 tensor without a scale, quantised for one with a scale. Cut or filled up with zeros
 * where the model fixes the length. `sample_rate` is what the model wants, 0 if unknown.
 */
Result<Fitted> FitAudio(Span<const uint8_t> file, const std::string& path,
                        const heddle_tensor_info& info, uint32_t sample_rate);

}  // namespace heddle::tools
