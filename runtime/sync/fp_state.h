// SPDX-License-Identifier: Apache-2.0
// The floating-point control state of the calling thread: rounding and denormals.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace heddle {

// The whole control register: MXCSR on x86, FPCR on aarch64, 0 elsewhere.
inline uint64_t ReadFpState() {
#if defined(__SSE2__)
  return _mm_getcsr();
#elif defined(__aarch64__)
  uint64_t state;
  asm volatile("mrs %0, fpcr" : "=r"(state));
  return state;
#else
  return 0;
#endif
}

inline void WriteFpState([[maybe_unused]] uint64_t state) {
#if defined(__SSE2__)
  _mm_setcsr(static_cast<unsigned int>(state));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(state));
#endif
}

// Bits that make results and operands that are denormal count as zero.
#if defined(__SSE2__)
inline constexpr uint64_t kFlushDenormalsMask = 0x8040;  // FTZ | DAZ
#elif defined(__aarch64__)
inline constexpr uint64_t kFlushDenormalsMask = uint64_t{1} << 24 | uint64_t{1} << 19;  // FZ | FZ16
#else
inline constexpr uint64_t kFlushDenormalsMask = 0;  // the platform's behaviour stays as it is
#endif

// Within the scope denormals are flushed, or kept, whatever the caller had; its state comes back
// exactly, sticky exception flags included. Arithmetic that is to feel it must be in functions
// called within the scope, since a compiler may move inlined arithmetic across the switch.
class ScopedFlushDenormals {
 public:
  explicit ScopedFlushDenormals(bool enable) : saved_(ReadFpState()) {
    WriteFpState(enable ? saved_ | kFlushDenormalsMask : saved_ & ~kFlushDenormalsMask);
  }
  ScopedFlushDenormals(const ScopedFlushDenormals&) = delete;
  ScopedFlushDenormals& operator=(const ScopedFlushDenormals&) = delete;
  ~ScopedFlushDenormals() { WriteFpState(saved_); }

 private:
  uint64_t saved_;
};

}  // namespace heddle
