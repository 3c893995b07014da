// SPDX-License-Identifier: Apache-2.0
#include "tools/audio.h"

#include <sndfile.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace heddle::tools {
namespace {

// The file as libsndfile reads it: from memory.
struct Source {
  Span<const uint8_t> bytes;
  sf_count_t at = 0;
};

sf_count_t Length(void* user) {
  return static_cast<sf_count_t>(static_cast<Source*>(user)->bytes.size());
}

sf_count_t Seek(sf_count_t offset, int whence, void* user) {
  auto* source = static_cast<Source*>(user);
  const sf_count_t base = whence == SEEK_CUR ? source->at : whence == SEEK_END ? Length(user) : 0;
  source->at = std::clamp<sf_count_t>(base + offset, 0, Length(user));
  return source->at;
}

sf_count_t Read(void* to, sf_count_t count, void* user) {
  auto* source = static_cast<Source*>(user);
  const sf_count_t held = std::min(count, Length(user) - source->at);
  std::memcpy(to, source->bytes.data() + source->at, static_cast<size_t>(held));
  source->at += held;
  return held;
}

sf_count_t Write(const void*, sf_count_t, void*) { return 0; }
sf_count_t Tell(void* user) { return static_cast<Source*>(user)->at; }

}  // namespace

Result<Audio> ParseAudio(Span<const uint8_t> bytes, const std::string& path) {
  Source source = {bytes};
  SF_VIRTUAL_IO io = {Length, Seek, Read, Write, Tell};
  SF_INFO info = {};
  const std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file(
      sf_open_virtual(&io, SFM_READ, &info, &source), &sf_close);
  if (!file) {
    return BadFile(path, std::string("the sound cannot be read: ") + sf_strerror(nullptr));
  }
  Audio audio;
  audio.sample_rate = info.samplerate;
  audio.channels = info.channels;
  const auto channels = static_cast<size_t>(info.channels);
  // Read in blocks: the header's count of frames may promise more than there is.
  std::vector<float> block(4096 * channels);
  for (;;) {
    const sf_count_t frames = sf_readf_float(file.get(), block.data(), 4096);
    if (frames <= 0) break;
    for (size_t f = 0; f < static_cast<size_t>(frames); ++f) {
      float sum = 0;
      for (size_t c = 0; c < channels; ++c) sum += block[f * channels + c];
      audio.samples.push_back(sum / static_cast<float>(channels));
    }
  }
  if (sf_error(file.get()) != SF_ERR_NO_ERROR) {
    return BadFile(path, std::string("the sound cannot be read: ") + sf_strerror(file.get()));
  }
  return audio;
}

}  // namespace heddle::tools
