// SPDX-License-Identifier: Apache-2.0
#include "tools/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace heddle::tools {

uint64_t PeakMemoryBytes() {
  // getrusage on Linux counts from before exec, when the process was still a copy of its parent.
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    uint64_t kilobytes = 0;
    if (word == "VmHWM:" && status >> kilobytes) return kilobytes * 1024;
  }
  struct rusage usage = {};
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#if defined(__APPLE__)
  return static_cast<uint64_t>(usage.ru_maxrss);
#else
  return static_cast<uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

bool IsTerminal() { return isatty(STDERR_FILENO) != 0; }

}  // namespace heddle::tools
