// SPDX-License-Identifier: Apache-2.0
// Fails for a reason of its own.
#include <stddef.h>

#include "heddle/heddle_plugin.h"

heddle_status heddle_plugin_query(uint32_t host_abi_version, const heddle_plugin** plugin) {
  (void)host_abi_version;
  (void)plugin;
  return HEDDLE_RESOURCE_EXHAUSTED;
}
