// SPDX-License-Identifier: Apache-2.0
// XNNPACK operators through our pool: the same bits for every thread count, and right ones.
#include "kernels/opt/xnn/xnn_runtime.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace heddle {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct DeleteOperator {
  void operator()(xnn_operator* op) const { xnn_delete_operator(op); }
};
using Operator = std::unique_ptr<xnn_operator, DeleteOperator>;

std::vector<float> RandomFloats(size_t count, uint32_t seed, size_t padding = 0) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1.0f, 1.0f);
  std::vector<float> values(count + padding);
  for (size_t i = 0; i < count; ++i) values[i] = uniform(random);
  return values;
}

// XNNPACK may read so many floats past an input.
constexpr size_t kPadding = XNN_EXTRA_BYTES / sizeof(float);

void ExpectClose(const std::vector<float>& actual, const std::vector<double>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  double largest = 0;
  double range = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(actual[i] - expected[i]));
    range = std::max(range, std::abs(expected[i]));
  }
  EXPECT_GT(range, 0);
  EXPECT_LE(largest, 1e-5 * range);
}

// Runs `compute` serially and on pools of 1, 2 and 4 threads.
template <typename Compute>
void ExpectSameBits(const std::vector<double>& expected, Compute&& compute) {
  ASSERT_TRUE(XnnInitialize());
  std::vector<float> serial;
  ASSERT_NO_FATAL_FAILURE(compute(nullptr, serial));
  ExpectClose(serial, expected);
  for (const int32_t threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    XnnThreads xnn_threads(&pool, threads);
    for (int repeat = 0; repeat < 5; ++repeat) {
      std::vector<float> parallel;
      ASSERT_NO_FATAL_FAILURE(compute(xnn_threads.get(), parallel));
      ASSERT_EQ(parallel.size(), serial.size());
      EXPECT_EQ(std::memcmp(parallel.data(), serial.data(), serial.size() * sizeof(float)), 0)
          << threads << " threads";
    }
    EXPECT_EQ(pool.worker_count(), threads - 1);
  }
}

TEST(Xnn, FullyConnected) {
  constexpr size_t kBatch = 37;
  constexpr size_t kIn = 131;
  constexpr size_t kOut = 203;
  const auto input = RandomFloats(kBatch * kIn, 1, kPadding);
  const auto weights = RandomFloats(kOut * kIn, 2);
  const auto bias = RandomFloats(kOut, 3);
  std::vector<double> expected(kBatch * kOut);
  for (size_t b = 0; b < kBatch; ++b) {
    for (size_t o = 0; o < kOut; ++o) {
      double sum = bias[o];
      for (size_t i = 0; i < kIn; ++i) sum += double{input[b * kIn + i]} * weights[o * kIn + i];
      expected[b * kOut + o] = sum;
    }
  }
  ExpectSameBits(expected, [&](pthreadpool_t threads, std::vector<float>& output) {
    xnn_operator_t raw = nullptr;
    ASSERT_EQ(xnn_create_fully_connected_nc_f32(kIn, kOut, kIn, kOut, weights.data(), bias.data(),
                                                -kInfinity, kInfinity, 0, nullptr, nullptr, &raw),
              xnn_status_success);
    const Operator op(raw);
    output.resize(kBatch * kOut);
    ASSERT_EQ(xnn_reshape_fully_connected_nc_f32(raw, kBatch, threads), xnn_status_success);
    ASSERT_EQ(xnn_setup_fully_connected_nc_f32(raw, input.data(), output.data()),
              xnn_status_success);
    ASSERT_EQ(xnn_run_operator(raw, threads), xnn_status_success);
  });
}

TEST(Xnn, Convolution) {
  constexpr int kHeight = 19;
  constexpr int kWidth = 23;
  constexpr int kIn = 13;
  constexpr int kOut = 29;
  constexpr int kKernel = 3;
  const auto input = RandomFloats(kHeight * kWidth * kIn, 4, kPadding);
  const auto weights = RandomFloats(kOut * kKernel * kKernel * kIn, 5);
  const auto bias = RandomFloats(kOut, 6);
  std::vector<double> expected(kHeight * kWidth * kOut);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      for (int o = 0; o < kOut; ++o) {
        double sum = bias[o];
        for (int ky = 0; ky < kKernel; ++ky) {
          for (int kx = 0; kx < kKernel; ++kx) {
            const int iy = y + ky - 1;
            const int ix = x + kx - 1;
            if (iy < 0 || iy >= kHeight || ix < 0 || ix >= kWidth) continue;
            for (int i = 0; i < kIn; ++i) {
              sum += double{input[(iy * kWidth + ix) * kIn + i]} *
                     weights[((o * kKernel + ky) * kKernel + kx) * kIn + i];
            }
          }
        }
        expected[(y * kWidth + x) * kOut + o] = sum;
      }
    }
  }
  ExpectSameBits(expected, [&](pthreadpool_t threads, std::vector<float>& output) {
    xnn_operator_t raw = nullptr;
    ASSERT_EQ(xnn_create_convolution2d_nhwc_f32(1, 1, 1, 1, kKernel, kKernel, 1, 1, 1, 1, 1, kIn,
                                                kOut, kIn, kOut, weights.data(), bias.data(),
                                                -kInfinity, kInfinity, 0, nullptr, nullptr, &raw),
              xnn_status_success);
    const Operator op(raw);
    size_t workspace_bytes = 0;
    size_t workspace_alignment = 0;
    size_t height = 0;
    size_t width = 0;
    ASSERT_EQ(xnn_reshape_convolution2d_nhwc_f32(raw, 1, kHeight, kWidth, &workspace_bytes,
                                                 &workspace_alignment, &height, &width, threads),
              xnn_status_success);
    ASSERT_EQ(height, static_cast<size_t>(kHeight));
    ASSERT_EQ(width, static_cast<size_t>(kWidth));
    std::vector<char> workspace(workspace_bytes + workspace_alignment);
    void* aligned = workspace.data();
    size_t space = workspace.size();
    if (workspace_bytes > 0) {
      ASSERT_NE(std::align(workspace_alignment, workspace_bytes, aligned, space), nullptr);
    }
    output.resize(height * width * kOut);
    ASSERT_EQ(xnn_setup_convolution2d_nhwc_f32(raw, aligned, input.data(), output.data()),
              xnn_status_success);
    ASSERT_EQ(xnn_run_operator(raw, threads), xnn_status_success);
  });
}

TEST(Xnn, InitialisesFromManyThreads) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { EXPECT_TRUE(XnnInitialize()); });
  for (std::thread& thread : threads) thread.join();
}

TEST(Xnn, CountsWhatItHolds) {
  ASSERT_TRUE(XnnInitialize());
  const uint64_t before = XnnAllocatedBytes();
  const auto weights = RandomFloats(64 * 64, 7);
  {
    xnn_operator_t raw = nullptr;
    ASSERT_EQ(xnn_create_fully_connected_nc_f32(64, 64, 64, 64, weights.data(), nullptr, -kInfinity,
                                                kInfinity, 0, nullptr, nullptr, &raw),
              xnn_status_success);
    const Operator op(raw);
    EXPECT_GE(XnnAllocatedBytes(), before + weights.size() * sizeof(float));
  }
  EXPECT_EQ(XnnAllocatedBytes(), before);
}

TEST(Xnn, SaysItsVersion) {
  const std::string text = XnnVersionText();
  EXPECT_EQ(text.rfind("XNNPACK ", 0), 0u) << text;
  EXPECT_NE(text.find(", kernels "), std::string::npos) << text;
  EXPECT_GE(text.size(), std::string("XNNPACK , kernels ").size() + 16) << text;
}

}  // namespace
}  // namespace heddle
