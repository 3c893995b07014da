// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/dtype.h"
#include "runtime/base/platform.h"
#include "runtime/base/reason.h"
#include "runtime/capi/objects.h"

namespace heddle::capi {
namespace {

// Stands for "out of memory" where there is no memory for an error object. Only its address is
// used.
constexpr char kOutOfMemory = 0;

heddle_error* OutOfMemoryError() {
  return reinterpret_cast<heddle_error*>(const_cast<char*>(&kOutOfMemory));
}

bool IsOutOfMemory(const heddle_error* error) {
  return error == OutOfMemoryError() || error->status.is_out_of_memory();
}

constexpr const char* kOutOfMemoryText = "RESOURCE_EXHAUSTED [OUT_OF_MEMORY] out of memory";

void AppendFault(const Fault& fault, std::string* text) {
  if (!text->empty()) *text += '\n';
  StrAppend(*text, StatusName(fault.code), " [", ReasonName(fault.reason), "] in phase ",
            PhaseName(fault.phase), ": ", fault.message);
  if (!fault.place.empty()) StrAppend(*text, "; at ", fault.place);
  if (fault.plan_position >= 0) StrAppend(*text, ", plan position ", fault.plan_position);
  const char* remedy = ReasonRemedy(fault.reason);
  if (*remedy != '\0') StrAppend(*text, "; next: ", remedy);
}

heddle_error_info OutOfMemoryInfo() {
  heddle_error_info info = {};
  info.struct_size = sizeof(info);
  info.status = HEDDLE_RESOURCE_EXHAUSTED;
  info.phase = HEDDLE_PHASE_MEMORY;
  info.reason = HEDDLE_REASON_OUT_OF_MEMORY;
  info.message = "out of memory";
  info.next_step = ReasonRemedy(HEDDLE_REASON_OUT_OF_MEMORY);
  info.place = info.op_name = info.tensor_name = "";
  info.subgraph = info.operator_index = info.plan_position = info.op_version = info.tensor = -1;
  return info;
}

}  // namespace

heddle_status Finish(Status status, heddle_error** error) noexcept {
  const heddle_status code = status.code();
  if (status.ok() || error == nullptr) return code;
  *error = OutOfMemoryError();
  if (status.is_out_of_memory()) return code;
  try {
    auto made = std::make_unique<heddle_error>();
    for (const Fault& fault : *status.faults()) AppendFault(fault, &made->text);
    made->status = std::move(status);
    *error = made.release();
  } catch (const std::bad_alloc&) {
    return HEDDLE_RESOURCE_EXHAUSTED;  // the error that is told is the one that happened last
  }
  return code;
}

}  // namespace heddle::capi

using heddle::capi::IsOutOfMemory;

size_t heddle_error_get_count(const heddle_error* error) {
  if (error == nullptr) return 0;
  return IsOutOfMemory(error) ? 1 : error->status.faults()->size();
}

heddle_status heddle_error_get_info(const heddle_error* error, size_t index,
                                    heddle_error_info* info) {
  if (error == nullptr || info == nullptr || index >= heddle_error_get_count(error))
    return HEDDLE_INVALID_ARGUMENT;
  heddle_error_info full = heddle::capi::OutOfMemoryInfo();
  if (!IsOutOfMemory(error)) {
    const heddle::Fault& fault = (*error->status.faults())[index];
    full.status = fault.code;
    full.phase = fault.phase;
    full.reason = fault.reason;
    full.message = fault.message.c_str();
    full.next_step = heddle::ReasonRemedy(fault.reason);
    full.place = fault.place.c_str();
    full.subgraph = fault.subgraph;
    full.operator_index = fault.operator_index;
    full.plan_position = fault.plan_position;
    full.op_name = fault.op_name.c_str();
    full.op_version = fault.op_version;
    full.tensor = fault.tensor;
    full.tensor_name = fault.tensor_name.c_str();
  }
  return heddle::capi::WriteInfo(full, info);
}

const char* heddle_error_get_message(const heddle_error* error) {
  if (error == nullptr) return "";
  return IsOutOfMemory(error) ? heddle::capi::kOutOfMemoryText : error->text.c_str();
}

void heddle_error_destroy(heddle_error* error) {
  if (error != heddle::capi::OutOfMemoryError()) delete error;
}

const char* heddle_status_get_name(heddle_status status) { return heddle::StatusName(status); }
const char* heddle_phase_get_name(heddle_phase phase) { return heddle::PhaseName(phase); }
const char* heddle_reason_get_name(heddle_reason reason) { return heddle::ReasonName(reason); }
const char* heddle_reason_get_words(heddle_reason reason) { return heddle::ReasonWords(reason); }
const char* heddle_reason_get_remedy(heddle_reason reason) { return heddle::ReasonRemedy(reason); }
const char* heddle_dtype_get_name(heddle_dtype dtype) { return heddle::DtypeName(dtype); }
uint32_t heddle_dtype_get_bits(heddle_dtype dtype) { return heddle::DtypeBits(dtype); }

#define HEDDLE_TEXT_INNER(x) #x
#define HEDDLE_TEXT(x) HEDDLE_TEXT_INNER(x)

heddle_status heddle_library_get_info(heddle_library_info* info) {
  if (info == nullptr) return HEDDLE_INVALID_ARGUMENT;
  heddle_library_info full = {};
  full.struct_size = sizeof(full);
  full.version = HEDDLE_VERSION_NUMBER;
  full.version_text = HEDDLE_TEXT(HEDDLE_VERSION_MAJOR) "." HEDDLE_TEXT(
      HEDDLE_VERSION_MINOR) "." HEDDLE_TEXT(HEDDLE_VERSION_PATCH);
  full.build_id = HEDDLE_SOURCE_REVISION " " HEDDLE_BUILD_TYPE;
  full.components = heddle::Components();
  full.path = heddle::PathOfAddress(reinterpret_cast<const void*>(&heddle_library_get_info));
  full.schema_version = 3;
  return heddle::capi::WriteInfo(full, info);
}
