// SPDX-License-Identifier: Apache-2.0
// Cannot serve the host.
#include <stddef.h>

#include "heddle/heddle_plugin.h"

heddle_status heddle_plugin_query(uint32_t host_abi_version, const heddle_plugin** plugin) {
  (void)plugin;
  return host_abi_version < 1000 ? HEDDLE_VERSION_MISMATCH : HEDDLE_OK;
}
