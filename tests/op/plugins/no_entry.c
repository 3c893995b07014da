// SPDX-License-Identifier: Apache-2.0
// A shared library, but no plugin.
__attribute__((visibility("default"))) int heddle_plugin_querry(void) { return 0; }
