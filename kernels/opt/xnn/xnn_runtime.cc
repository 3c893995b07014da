// SPDX-License-Identifier: Apache-2.0
#include "kernels/opt/xnn/xnn_runtime.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <new>

#include "runtime/base/checked_math.h"
#include "runtime/base/strings.h"

namespace heddle {
namespace {

constinit std::atomic<uint64_t> allocated_bytes{0};

// Lies right before each piece of memory, since XNNPACK does not tell sizes when it gives back.
struct Header {
  size_t bytes;
  size_t alignment;  // of the piece, and the distance to its start from that of the allocation
};

Header* HeaderOf(void* pointer) { return static_cast<Header*>(pointer) - 1; }

void* AllocateAligned(void* /*context*/, size_t alignment, size_t bytes) {
  alignment = std::max(alignment, alignof(std::max_align_t));
  alignment = std::max(alignment, sizeof(Header));
  size_t total;
  if (!CheckedAdd(bytes, alignment, &total)) return nullptr;
  void* start = ::operator new(total, std::align_val_t(alignment), std::nothrow);
  if (start == nullptr) return nullptr;
  void* pointer = static_cast<char*>(start) + alignment;
  new (HeaderOf(pointer)) Header{bytes, alignment};
  allocated_bytes.fetch_add(bytes, std::memory_order_relaxed);
  return pointer;
}

void Deallocate(void* /*context*/, void* pointer) {
  if (pointer == nullptr) return;
  const Header header = *HeaderOf(pointer);
  allocated_bytes.fetch_sub(header.bytes, std::memory_order_relaxed);
  ::operator delete(static_cast<char*>(pointer) - header.alignment,
                    std::align_val_t(header.alignment));
}

void* Allocate(void* context, size_t bytes) {
  return AllocateAligned(context, alignof(std::max_align_t), bytes);
}

void* Reallocate(void* context, void* pointer, size_t bytes) {
  void* moved = Allocate(context, bytes);
  if (moved == nullptr || pointer == nullptr) return moved;
  std::memcpy(moved, pointer, std::min(bytes, HeaderOf(pointer)->bytes));
  Deallocate(context, pointer);
  return moved;
}

constexpr xnn_allocator kAllocator = {
    /*context=*/nullptr,
    /*allocate=*/&Allocate,
    /*reallocate=*/&Reallocate,
    /*deallocate=*/&Deallocate,
    /*aligned_allocate=*/&AllocateAligned,
    /*aligned_deallocate=*/&Deallocate,
};

}  // namespace

// XNNPACK guards its own first call; later ones only look.
bool XnnInitialize() { return xnn_initialize(&kAllocator) == xnn_status_success; }

std::string XnnVersionText() {
  constexpr char kHex[] = "0123456789abcdef";
  std::string kernels;
  const auto* id = static_cast<const uint8_t*>(xnn_experimental_get_build_identifier_data());
  for (size_t i = 0; i < std::min<size_t>(xnn_experimental_get_build_identifier_size(), 8); ++i) {
    kernels += kHex[id[i] >> 4];
    kernels += kHex[id[i] & 15];
  }
  return StrCat("XNNPACK ", HEDDLE_XNNPACK_VERSION, ", kernels ", kernels);
}

uint64_t XnnAllocatedBytes() { return allocated_bytes.load(std::memory_order_relaxed); }

}  // namespace heddle
