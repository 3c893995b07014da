// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "flatbuffers/flatbuffers.h"
#include "runtime/base/strings.h"
#include "runtime/model/verify.h"
#include "schema/model_generated.h"

namespace heddle {
namespace {

constexpr uint32_t kSchemaVersion = 3;
constexpr size_t kMinBytes = 8;  // offset of the root, identifier
// Our tables nest five deep.
constexpr flatbuffers::uoffset_t kMaxDepth = 16;
// Larger files keep their large buffers behind the flatbuffer, whose offsets have 31 bits.
constexpr uint64_t kMaxFlatbufferBytes = FLATBUFFERS_MAX_BUFFER_SIZE - 1;

}  // namespace

Status VerifyBytes(const Model& model, std::span<const uint8_t> bytes, bool trust) {
  if (bytes.size() < kMinBytes) {
    return BadModel(model, HEDDLE_REASON_TOO_SHORT, {}, {},
                    StrCat("has only ", bytes.size(), " bytes"));
  }
  if (!schema::ModelBufferHasIdentifier(bytes.data())) {
    return BadModel(model, HEDDLE_REASON_NOT_TFLITE, {}, {},
                    StrCat("does not have the identifier ", schema::ModelIdentifier()));
  }
  if (!trust) {
    const auto verifiable = std::min<uint64_t>(bytes.size(), kMaxFlatbufferBytes);
    // A reference to a table takes four bytes, so a file without sharing has no more tables than
    // this, and one that shares them to slow verification down is stopped.
    const auto max_tables = static_cast<flatbuffers::uoffset_t>(verifiable / 4 + 64);
    flatbuffers::Verifier verifier(bytes.data(), static_cast<size_t>(verifiable), kMaxDepth,
                                   max_tables);
    if (!schema::VerifyModelBuffer(verifier)) {
      return BadModel(model, HEDDLE_REASON_MALFORMED, {}, {},
                      "is malformed: an offset points outside the file, or is misaligned");
    }
  }
  const uint32_t version = schema::GetModel(bytes.data())->version();
  if (version != kSchemaVersion) {
    return BadModel(model, HEDDLE_REASON_SCHEMA_VERSION, {}, "version",
                    StrCat("has schema version ", version, " instead of ", kSchemaVersion));
  }
  return {};
}

}  // namespace heddle
