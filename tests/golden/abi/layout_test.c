// SPDX-License-Identifier: Apache-2.0
// Nothing to run: compiling it checks that a set of headers has the layout of a release. Built with
// that release's own headers, and with the current ones, whose structs may have grown.
#include <stddef.h>

#include "heddle/heddle.h"
#include "heddle/heddle_attributes.h"
#include "heddle/heddle_plugin.h"

#ifdef CURRENT_HEADERS
#define HEDDLE_SIZE(type, size) _Static_assert(sizeof(struct type) >= (size), #type " has shrunk");
#else
#define HEDDLE_SIZE(type, size) \
  _Static_assert(sizeof(struct type) == (size), #type " has another size");
#endif
#define HEDDLE_FIELD(type, field, offset, size)                               \
  _Static_assert(offsetof(struct type, field) == (offset), #type "." #field); \
  _Static_assert(sizeof(((struct type*)0)->field) == (size), #type "." #field);
#define HEDDLE_VALUE(name, value) _Static_assert((long long)(name) == (value), #name);

_Static_assert(sizeof(void*) == 8, "the layouts are those of 64-bit machines");
#include HEDDLE_LAYOUT
