// SPDX-License-Identifier: Apache-2.0
// Sound as model inputs.
#pragma once

#include <string>
#include <vector>

#include "tools/files.h"

namespace heddle::tools {

struct Audio {
  int sample_rate = 0;
  int channels = 0;            // in the file
  std::vector<float> samples;  // -1 to 1; channels are averaged
};

// WAV, and what else libsndfile reads.
Result<Audio> ParseAudio(Span<const uint8_t> bytes, const std::string& path);

}  // namespace heddle::tools
