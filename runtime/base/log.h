// SPDX-License-Identifier: Apache-2.0
// Log lines to the caller's sink, rate-limited per reason so that a fault in a loop does not hide
// its first cause.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "heddle/heddle.h"

namespace heddle {

class Logger {
 public:
  // Null sink: warnings and errors go to stderr. `max_lines`: lines per second and reason, 0 for
  // the default.
  Logger(const heddle_log_sink* sink, int32_t max_lines);
  Logger(const Logger&) = delete;
  Logger& operator=(const Logger&) = delete;
  ~Logger();

  // Never fails and never throws: a line that cannot be built is dropped.
  void Log(heddle_severity severity, heddle_reason reason, std::string_view message) noexcept;
  bool Wants(heddle_severity severity) const { return severity >= sink_.min_severity; }

 private:
  struct Window {
    uint64_t start_ns = 0;
    uint32_t lines = 0;
    uint64_t dropped = 0;
    std::string first_dropped;
  };
  void Emit(heddle_severity severity, heddle_reason reason, const std::string& message);

  heddle_log_sink sink_;
  uint32_t max_lines_;
  std::mutex mutex_;
  std::unordered_map<int32_t, Window> windows_;
};

}  // namespace heddle
