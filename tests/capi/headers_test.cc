// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

extern "C" int heddle_headers_in_c();

namespace {

// That it links says that it was compiled; CMakeLists.txt does so with C99 and C11, pedantic.
TEST(Headers, ServePlainC) { EXPECT_EQ(heddle_headers_in_c(), 0); }

}  // namespace
