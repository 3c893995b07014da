// SPDX-License-Identifier: Apache-2.0
// stb_image's one implementation. Apart, since g++ warns of its code (falsely) where it inlines it.
#define STB_IMAGE_IMPLEMENTATION
#include "tools/stb_image_options.h"  // NOLINT(misc-include-cleaner): it is the whole file
