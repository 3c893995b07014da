// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/log.h"

#include <cstdio>
#include <exception>

#include "runtime/base/clock.h"
#include "runtime/base/reason.h"
#include "runtime/base/strings.h"

namespace heddle {
namespace {

constexpr uint32_t kDefaultMaxLines = 20;
constexpr uint64_t kWindowNs = 1'000'000'000;

const char* SeverityName(heddle_severity severity) {
  switch (severity) {
    case HEDDLE_SEVERITY_DEBUG:
      return "debug";
    case HEDDLE_SEVERITY_INFO:
      return "info";
    case HEDDLE_SEVERITY_WARNING:
      return "warning";
    default:
      return "error";
  }
}

void WriteToStderr(void*, heddle_severity severity, heddle_reason reason, const char* message) {
  std::fprintf(stderr, "heddle %s [%s] %s\n", SeverityName(severity), ReasonName(reason), message);
}

}  // namespace

Logger::Logger(const heddle_log_sink* sink, int32_t max_lines)
    : sink_{sizeof(heddle_log_sink), nullptr, HEDDLE_SEVERITY_WARNING, WriteToStderr},
      max_lines_(max_lines > 0 ? static_cast<uint32_t>(max_lines) : kDefaultMaxLines) {
  if (sink != nullptr) sink_ = *sink;
}

Logger::~Logger() {
  for (auto& [reason, window] : windows_) {
    if (window.dropped == 0) continue;
    try {
      Emit(HEDDLE_SEVERITY_WARNING, static_cast<heddle_reason>(reason),
           StrCat(window.dropped, " more lines were dropped; the first: ", window.first_dropped));
    } catch (const std::exception&) {  // out of memory while tearing down: nothing to tell it to
    }
  }
}

void Logger::Log(heddle_severity severity, heddle_reason reason,
                 std::string_view message) noexcept {
  if (!Wants(severity)) return;
  try {
    const std::lock_guard<std::mutex> lock(mutex_);
    Window& window = windows_[reason];
    const uint64_t now = MonotonicNs();
    if (window.lines == 0 || now - window.start_ns >= kWindowNs) {
      if (window.dropped != 0) {
        Emit(severity, reason,
             StrCat(window.dropped, " more lines were dropped; the first: ", window.first_dropped));
      }
      window = Window{now, 0, 0, {}};
    }
    if (window.lines >= max_lines_) {
      if (window.dropped++ == 0) window.first_dropped = message;
      return;
    }
    ++window.lines;
    Emit(severity, reason, std::string(message));
  } catch (const std::exception&) {  // no memory for a log line: the run matters more
  }
}

void Logger::Emit(heddle_severity severity, heddle_reason reason, const std::string& message) {
  sink_.log(sink_.context, severity, reason, message.c_str());
}

}  // namespace heddle
