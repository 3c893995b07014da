// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

namespace heddle::kernels::ref {

// The Fourier transform of 2^n numbers, in double.
class Fft {
 public:
  Fft() = default;
  explicit Fft(int64_t length) : roots_(static_cast<size_t>(length / 2)) {
    for (size_t i = 0; i < roots_.size(); ++i) {
      roots_[i] = std::polar(
          1.0, -2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length));
    }
  }

  // In place, of as many numbers as the constructor was told.
  void Transform(std::complex<double>* values) const {
    const size_t length = roots_.size() * 2;
    SortByReversedBits(values, length);
    for (size_t half = 1; half < length; half *= 2) {
      const size_t step = roots_.size() / half;
      for (size_t begin = 0; begin < length; begin += 2 * half) {
        for (size_t i = begin; i < begin + half; ++i) {
          const std::complex<double> turned = Product(values[i + half], roots_[(i - begin) * step]);
          values[i + half] = values[i] - turned;
          values[i] += turned;
        }
      }
    }
  }

 private:
  // Without the operator's care for infinities, which takes most of its time.
  static std::complex<double> Product(std::complex<double> a, std::complex<double> b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
  static void SortByReversedBits(std::complex<double>* values, size_t length) {
    for (size_t i = 1, reversed = 0; i < length; ++i) {
      size_t bit = length / 2;
      for (; (reversed & bit) != 0; bit /= 2) reversed ^= bit;
      reversed |= bit;
      if (i < reversed) std::swap(values[i], values[reversed]);
    }
  }

  std::vector<std::complex<double>> roots_;  // exp(-2 pi i k / length)
};

}  // namespace heddle::kernels::ref
