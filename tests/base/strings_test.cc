// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/strings.h"

#include <gtest/gtest.h>

#include <array>

namespace heddle {
namespace {

TEST(StrCat, JoinsNumbersAndText) {
  EXPECT_EQ(StrCat("a", 1, ' ' == ' ', -2.5, std::string("z"), uint64_t{18446744073709551615ull}),
            "a1true-2.5z18446744073709551615");
}

TEST(ShapeText, ShowsScalarAndDims) {
  EXPECT_EQ(ShapeText({}), "[]");
  EXPECT_EQ(ShapeText(std::array<int32_t, 3>{1, -1, 3}), "[1,-1,3]");
}

}  // namespace
}  // namespace heddle
