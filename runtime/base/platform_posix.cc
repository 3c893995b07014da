// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "runtime/base/checked_math.h"
#include "runtime/base/platform.h"
#include "runtime/base/strings.h"

namespace heddle {
namespace {

std::string ErrnoText(int error) { return std::generic_category().message(error); }

Status LoadError(heddle_status code, heddle_reason reason, std::string message) {
  return Status(code, HEDDLE_PHASE_LOAD, reason, std::move(message));
}

}  // namespace

MappedFile::MappedFile(MappedFile&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      mapped_bytes_(std::exchange(other.mapped_bytes_, 0)),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    if (base_ != nullptr) munmap(base_, mapped_bytes_);
    base_ = std::exchange(other.base_, nullptr);
    mapped_bytes_ = std::exchange(other.mapped_bytes_, 0);
    data_ = std::exchange(other.data_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

MappedFile::~MappedFile() {
  if (base_ != nullptr) munmap(base_, mapped_bytes_);
}

StatusOr<MappedFile> MappedFile::FromDescriptor(int descriptor, uint64_t offset, uint64_t length) {
  struct stat info;
  if (fstat(descriptor, &info) != 0) {
    return LoadError(HEDDLE_IO_ERROR, HEDDLE_REASON_FILE_UNREADABLE,
                     StrCat("descriptor ", descriptor, ": ", ErrnoText(errno)));
  }
  if (!S_ISREG(info.st_mode)) {
    return LoadError(HEDDLE_IO_ERROR, HEDDLE_REASON_FILE_UNREADABLE,
                     StrCat("descriptor ", descriptor, " is not a regular file"));
  }
  const auto file_bytes = static_cast<uint64_t>(info.st_size);
  if (length == 0 && offset <= file_bytes) length = file_bytes - offset;
  if (!RangeFits(offset, length, file_bytes)) {
    return LoadError(HEDDLE_INVALID_ARGUMENT, HEDDLE_REASON_RANGE_OUTSIDE_FILE,
                     StrCat("offset ", offset, " and length ", length, " lie outside the file of ",
                            file_bytes, " bytes"));
  }
  MappedFile file;
  if (length == 0) return file;
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t start = offset / page * page;
  const auto mapped_bytes = static_cast<size_t>(offset - start + length);
  void* base =
      mmap(nullptr, mapped_bytes, PROT_READ, MAP_PRIVATE, descriptor, static_cast<off_t>(start));
  if (base == MAP_FAILED) {
    return LoadError(HEDDLE_IO_ERROR, HEDDLE_REASON_MAP_FAILED,
                     StrCat("mapping ", length, " bytes: ", ErrnoText(errno)));
  }
  file.base_ = base;
  file.mapped_bytes_ = mapped_bytes;
  file.data_ = static_cast<const uint8_t*>(base) + (offset - start);
  file.bytes_ = static_cast<size_t>(length);
  return file;
}

StatusOr<MappedFile> MappedFile::FromPath(const char* path) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    const int error = errno;
    return LoadError(error == ENOENT ? HEDDLE_NOT_FOUND : HEDDLE_IO_ERROR,
                     error == ENOENT ? HEDDLE_REASON_FILE_NOT_FOUND : HEDDLE_REASON_FILE_UNREADABLE,
                     StrCat(path, ": ", ErrnoText(error)));
  }
  struct Closer {
    int descriptor;
    ~Closer() { close(descriptor); }
  } closer{descriptor};
  auto file = FromDescriptor(descriptor, 0, 0);
  if (!file.ok()) {
    return std::move(file).status().Annotate(
        [&](Fault& fault) { fault.message = StrCat(path, ": ", fault.message); });
  }
  return file;
}

StatusOr<void*> LoadSharedLibrary(const char* path) {
  // RTLD_NODELETE: code that a thread may still run is never unmapped.
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* text = dlerror();
    return Status(HEDDLE_NOT_FOUND, HEDDLE_PHASE_PLUGIN, HEDDLE_REASON_PLUGIN_NOT_LOADED,
                  StrCat(path, ": ", text != nullptr ? text : "unknown error"));
  }
  return library;
}

void* FindSymbol(void* library, const char* name) { return dlsym(library, name); }

const char* PathOfAddress(const void* address) {
  Dl_info info;
  if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
  return info.dli_fname;
}

uint64_t ProcessId() { return static_cast<uint64_t>(getpid()); }

int32_t UsableCores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    const int count = CPU_COUNT(&set);
    if (count > 0) return count;
  }
  const long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<int32_t>(online) : 1;
}

}  // namespace heddle
