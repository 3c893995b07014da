// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/op_releases.h"

#include "heddle/heddle_attributes.h"

namespace heddle {
namespace {

struct ReleaseRow {
  int32_t code;
  int32_t version;
  const char* release;
};

constexpr ReleaseRow kReleases[] = {
#define HEDDLE_OP_RELEASE(name, version, release) {HEDDLE_BUILTIN_##name, version, release},
#include "runtime/model/op_releases.inc"
#undef HEDDLE_OP_RELEASE
};

}  // namespace

const char* FirstRelease(int32_t builtin_code, int32_t version) {
  for (const ReleaseRow& row : kReleases) {
    if (row.code == builtin_code && row.version == version) return row.release;
  }
  return nullptr;
}

}  // namespace heddle
