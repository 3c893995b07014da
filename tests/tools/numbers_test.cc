// SPDX-License-Identifier: Apache-2.0
#include "tools/numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>

namespace heddle::tools {
namespace {

TEST(Numbers, HalfPrecisionIsExactBothWays) {
  // Every half but the NaNs comes back; values are known at the ends of each range.
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = HalfToFloat(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    EXPECT_EQ(FloatToHalf(value), bits);
  }
  EXPECT_EQ(HalfToFloat(0x3c00), 1.0f);
  EXPECT_EQ(HalfToFloat(0x7bff), 65504.0f);
  EXPECT_EQ(HalfToFloat(0x0001), 0x1p-24f);
  EXPECT_EQ(HalfToFloat(0x0400), 0x1p-14f);
  EXPECT_TRUE(std::isinf(HalfToFloat(0x7c00)));
  EXPECT_TRUE(std::isnan(HalfToFloat(0x7e01)));
  EXPECT_TRUE(std::isnan(HalfToFloat(FloatToHalf(NAN))));
}

TEST(Numbers, HalfPrecisionRoundsTiesToEven) {
  EXPECT_EQ(FloatToHalf(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(FloatToHalf(1.0f + 3 * 0x1p-11f), 0x3c02);
  EXPECT_EQ(FloatToHalf(65519.0f), 0x7bff);
  EXPECT_EQ(FloatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(FloatToHalf(0x1p-25f), 0x0000);
  EXPECT_EQ(FloatToHalf(-3 * 0x1p-25f), 0x8002);
}

TEST(Numbers, PackedElementsLieFromTheLowBitsUp) {
  const uint8_t nibbles[] = {0x7f, 0x08};
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_INT4, nibbles, 0).integer, -1);
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_INT4, nibbles, 1).integer, 7);
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_INT4, nibbles, 2).integer, -8);
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_UINT4, nibbles, 0).integer, 15);
  const uint8_t pairs[] = {0xe4};  // 3 2 1 0
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_INT2, pairs, 1).integer, 1);
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_INT2, pairs, 2).integer, -2);
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_INT2, pairs, 3).integer, -1);
  uint8_t written[] = {0, 0};
  for (size_t i = 0; i < 3; ++i) {
    WriteNumber(HEDDLE_DTYPE_INT4, written, i, ReadNumber(HEDDLE_DTYPE_INT4, nibbles, i));
  }
  EXPECT_EQ(written[0], nibbles[0]);
  EXPECT_EQ(written[1], nibbles[1]);
  EXPECT_EQ(BytesOf(HEDDLE_DTYPE_INT4, 3), 2u);
  EXPECT_EQ(BytesOf(HEDDLE_DTYPE_INT2, 5), 2u);
}

TEST(Numbers, SmallFloats) {
  const uint16_t bfloat = 0x40a0;
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_BFLOAT16, &bfloat, 0).real, 5.0);
  const uint8_t e4m3[] = {0x38, 0x7e, 0x01, 0xff};
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_FLOAT8_E4M3FN, e4m3, 0).real, 1.0);
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_FLOAT8_E4M3FN, e4m3, 1).real, 448.0);
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_FLOAT8_E4M3FN, e4m3, 2).real, 0x1p-9);
  EXPECT_TRUE(std::isnan(ReadNumber(HEDDLE_DTYPE_FLOAT8_E4M3FN, e4m3, 3).real));
  const uint8_t e5m2[] = {0x3c, 0x7b, 0xfc};
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_FLOAT8_E5M2, e5m2, 0).real, 1.0);
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_FLOAT8_E5M2, e5m2, 1).real, 57344.0);
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_FLOAT8_E5M2, e5m2, 2).real, -INFINITY);
}

TEST(Numbers, WideIntegersStayExact) {
  const int64_t wide = (int64_t{1} << 53) + 1;
  EXPECT_EQ(ReadNumber(HEDDLE_DTYPE_INT64, &wide, 0).integer, wide);
  const uint64_t wider = std::numeric_limits<uint64_t>::max();
  EXPECT_FALSE(ReadNumber(HEDDLE_DTYPE_UINT64, &wider, 0).is_integer);
}

}  // namespace
}  // namespace heddle::tools
