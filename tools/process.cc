// SPDX-License-Identifier: Apache-2.0
#include "tools/process.h"

#include <fstream>
#include <string>

#if defined(_WIN32)
#include <io.h>
#else
#include <sys/resource.h>
#include <unistd.h>
#endif

namespace heddle::tools {

uint64_t PeakMemoryBytes() {
  // getrusage on Linux counts from before exec, when the process was still a copy of its parent.
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
#if defined(__APPLE__)
  struct rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) == 0) return static_cast<uint64_t>(usage.ru_maxrss);
#endif
  return 0;
}

bool IsTerminal() {
#if defined(_WIN32)
  return _isatty(2) != 0;
#else
  return isatty(STDERR_FILENO) != 0;
#endif
}

}  // namespace heddle::tools
