// SPDX-License-Identifier: Apache-2.0
// Succeeds, but gives nothing.
#include <stddef.h>

#include "heddle/heddle_plugin.h"

heddle_status heddle_plugin_query(uint32_t host_abi_version, const heddle_plugin** plugin) {
  (void)host_abi_version;
  *plugin = NULL;
  return HEDDLE_OK;
}
