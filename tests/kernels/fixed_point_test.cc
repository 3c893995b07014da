// SPDX-License-Identifier: Apache-2.0
// The fixed-point functions against double precision, and their stated roundings.
#include "kernels/ref/fixed_point.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "kernels/ref/half.h"
#include "kernels/ref/sigmoid16.h"

namespace heddle::kernels::ref {
namespace {

TEST(QuantizeMultiplier, IsTheNumber) {
  for (const double real : {1.0, 0.5, 0.3, 1e-6, 7.25, 123456.7, 1 - 1e-12}) {
    const Multiplier m = QuantizeMultiplier(real);
    EXPECT_GE(m.value, 1 << 30);
    EXPECT_NEAR(std::ldexp(m.value, m.shift - 31), real, real * 0x1p-31);
  }
  EXPECT_EQ(QuantizeMultiplier(0).value, 0);
  EXPECT_EQ(QuantizeMultiplier(0x1p-40).value, 0);
}

TEST(RoundingDivideByPowerOfTwo, RoundsHalvesAwayFromZero) {
  EXPECT_EQ(RoundingDivideByPowerOfTwo(3, 1), 2);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(-3, 1), -2);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(5, 2), 1);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(-5, 2), -1);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(INT32_MIN, 31), -1);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(INT32_MAX, 31), 1);
  EXPECT_EQ(RoundingDivideByPowerOfTwo(7, 0), 7);
}

TEST(RoundingDoublingHighMul, SaturatesItsOnlyOverflow) {
  EXPECT_EQ(RoundingDoublingHighMul(INT32_MIN, INT32_MIN), INT32_MAX);
  EXPECT_EQ(RoundingDoublingHighMul(1 << 30, 1 << 30), 1 << 29);
  EXPECT_EQ(RoundingDoublingHighMul(INT32_MIN, INT32_MAX), -INT32_MAX);
}

TEST(Rescale, IsWithinOneOfTheProduct) {
  for (const double real : {0.9, 0.001, 0.37, 3.5, 100.25}) {
    const Multiplier m = QuantizeMultiplier(real);
    for (const int32_t x : {0, 1, -1, 77, -12345, 1000000, -1000001}) {
      EXPECT_NEAR(Rescale(x, m), x * real, 1.0);
      EXPECT_NEAR(Rescale(int64_t{x}, m), x * real, 1.0 + std::abs(x * real) * 0x1p-15);
    }
  }
}

TEST(ExpBelowZero, FollowsExp) {
  for (double x = 0; x > -20; x -= 0.037) {
    const auto raw = static_cast<int32_t>(std::lround(x * (1 << 26)));
    EXPECT_NEAR(ExpBelowZero(raw) / 2147483648.0, std::exp(raw / 67108864.0), 1e-6) << x;
  }
  EXPECT_EQ(ExpBelowZero(0), INT32_MAX);
}

TEST(Reciprocal, FollowsDivision) {
  for (const double x : {1.0, 1.5, 2.0, 3.25, 100.0, 2047.0}) {
    int bits = 0;
    const int32_t raw = Reciprocal(static_cast<int32_t>(x * (1 << 19)), 12, &bits);
    EXPECT_NEAR(std::ldexp(raw, -31 - bits), 1 / x, 1e-6 / x) << x;
  }
}

TEST(Sigmoid16, FollowsSigmoidAndTanh) {
  SigmoidTable table;
  FillSigmoidTable(&table);
  for (const float scale : {0x1p-12f, 0.0003f, 0.0011f}) {
    SigmoidScale step;
    ASSERT_TRUE(MakeSigmoidScale(scale, 0, &step));
    for (int32_t q = -32768; q < 32768; q += 97) {
      const double x = static_cast<double>(scale) * q;
      const auto input = static_cast<int16_t>(q);
      EXPECT_NEAR(Sigmoid16(table, step, input) / 32768.0, 1 / (1 + std::exp(-x)), 2e-4) << x;
      EXPECT_NEAR(Tanh16(table, step, input) / 32768.0, std::tanh(x), 4e-4) << x;
    }
  }
}

TEST(Half, RoundTripsEveryNumber) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<uint16_t>(bits);
    const float value = HalfToFloat(half);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(HalfToFloat(FloatToHalf(value))));
    } else {
      ASSERT_EQ(FloatToHalf(value), half);
    }
  }
}

TEST(Half, RoundsToNearestEven) {
  EXPECT_EQ(FloatToHalf(1 + 0x1p-11f), FloatToHalf(1));                // a tie, to even
  EXPECT_EQ(FloatToHalf(1 + 3 * 0x1p-11f), FloatToHalf(1 + 0x1p-9f));  // a tie, to even
  EXPECT_EQ(FloatToHalf(65519.0f), FloatToHalf(65504.0f));
  EXPECT_EQ(FloatToHalf(65520.0f), 0x7c00);
  EXPECT_EQ(FloatToHalf(0x1p-25f), 0);
  EXPECT_EQ(FloatToHalf(-0.0f), 0x8000);
}

}  // namespace
}  // namespace heddle::kernels::ref
