// SPDX-License-Identifier: Apache-2.0
// Elements of 2 or 4 bits, packed from a byte's low bits up.
#pragma once

#include <cstdint>

namespace heddle::kernels::ref {

inline uint8_t GetPacked(const void* data, int bits, int64_t i) {
  const int64_t bit = i * bits;
  return static_cast<uint8_t>(static_cast<const uint8_t*>(data)[bit / 8] >> (bit % 8) &
                              ((1 << bits) - 1));
}

inline void SetPacked(void* data, int bits, int64_t i, uint8_t value) {
  const int64_t bit = i * bits;
  uint8_t& byte = static_cast<uint8_t*>(data)[bit / 8];
  const int mask = ((1 << bits) - 1) << (bit % 8);
  byte = static_cast<uint8_t>((byte & ~mask) | value << (bit % 8));
}

}  // namespace heddle::kernels::ref
