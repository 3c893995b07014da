// SPDX-License-Identifier: Apache-2.0
// The seam to the operating system: mapping files, shared libraries, process identity.
// platform_posix.cc serves Linux and Android; other systems get a file of their own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/status.h"

namespace heddle {

// A read-only mapping of a part of a file. Movable.
class MappedFile {
 public:
  MappedFile() = default;
  // Maps `length` bytes from `offset` (any alignment); length 0: to the end. The descriptor stays
  // the caller's.
  static StatusOr<MappedFile> FromDescriptor(int descriptor, uint64_t offset, uint64_t length);
  static StatusOr<MappedFile> FromPath(const char* path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  const uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void* base_ = nullptr;  // page-aligned start of the mapping
  size_t mapped_bytes_ = 0;
  const uint8_t* data_ = nullptr;
  size_t bytes_ = 0;
};

// Loads a shared library for the life of the process, symbols local to it.
StatusOr<void*> LoadSharedLibrary(const char* path);
void* FindSymbol(void* library, const char* name);
// File that the library holding `address` was loaded from; empty if unknown. Lives as long as the
// library.
const char* PathOfAddress(const void* address);

uint64_t ProcessId();
// Cores that this process may run on, at least 1.
int32_t UsableCores();

}  // namespace heddle
