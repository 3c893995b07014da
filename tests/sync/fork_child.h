// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/function_ref.h"

namespace heddle {

// Forks, calls `body` in the child, which is killed should it hang, and returns its exit status;
// -1 if it did not exit by itself. The child leaves without exit handlers.
inline int ExitStatusOfChild(FunctionRef<int()> body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body());
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

}  // namespace heddle
