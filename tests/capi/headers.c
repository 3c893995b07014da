/* SPDX-License-Identifier: Apache-2.0 */
/* The public headers in plain C, of either standard that they promise to serve. */
#include "heddle/heddle.h"
#include "heddle/heddle_attributes.h"
#include "heddle/heddle_plugin.h"

/* Initialisers and macros are part of it. */
int heddle_headers_in_c(void);
int heddle_headers_in_c(void) {
  heddle_environment_options environment = HEDDLE_ENVIRONMENT_OPTIONS_INIT;
  heddle_interpreter_options interpreter = HEDDLE_INTERPRETER_OPTIONS_INIT;
  heddle_run_options run = HEDDLE_RUN_OPTIONS_INIT;
  heddle_host host = {0};
  host.struct_size = sizeof(host);
  if (environment.header_version != HEDDLE_VERSION_NUMBER) return 1;
  if (interpreter.struct_size != sizeof(interpreter) || run.struct_size != sizeof(run)) return 2;
  return HEDDLE_HOST_HAS(&host, get_loop_limit) ? 3 : 0;
}
