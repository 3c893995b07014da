// SPDX-License-Identifier: Apache-2.0
#include "runtime/base/reason.h"

namespace heddle {

const char* StatusName(heddle_status status) {
  switch (status) {
    case HEDDLE_OK:
      return "OK";
    case HEDDLE_INVALID_ARGUMENT:
      return "INVALID_ARGUMENT";
    case HEDDLE_INVALID_MODEL:
      return "INVALID_MODEL";
    case HEDDLE_UNRESOLVED_OPS:
      return "UNRESOLVED_OPS";
    case HEDDLE_UNSUPPORTED:
      return "UNSUPPORTED";
    case HEDDLE_NOT_FOUND:
      return "NOT_FOUND";
    case HEDDLE_FAILED_PRECONDITION:
      return "FAILED_PRECONDITION";
    case HEDDLE_RESOURCE_EXHAUSTED:
      return "RESOURCE_EXHAUSTED";
    case HEDDLE_CANCELLED:
      return "CANCELLED";
    case HEDDLE_DEADLINE_EXCEEDED:
      return "DEADLINE_EXCEEDED";
    case HEDDLE_IO_ERROR:
      return "IO_ERROR";
    case HEDDLE_VERSION_MISMATCH:
      return "VERSION_MISMATCH";
    case HEDDLE_KERNEL_FAILED:
      return "KERNEL_FAILED";
    case HEDDLE_DELEGATE_FAILED:
      return "DELEGATE_FAILED";
    case HEDDLE_INTERNAL:
      return "INTERNAL";
    case HEDDLE_STATUS_FORCE_INT32:
      break;
  }
  return "UNKNOWN";
}

const char* PhaseName(heddle_phase phase) {
  switch (phase) {
    case HEDDLE_PHASE_NONE:
      return "none";
    case HEDDLE_PHASE_API:
      return "api";
    case HEDDLE_PHASE_LOAD:
      return "load";
    case HEDDLE_PHASE_VERIFY:
      return "verify";
    case HEDDLE_PHASE_RESOLVE:
      return "resolve";
    case HEDDLE_PHASE_INIT:
      return "init";
    case HEDDLE_PHASE_PLAN:
      return "plan";
    case HEDDLE_PHASE_DELEGATE:
      return "delegate";
    case HEDDLE_PHASE_PREPARE:
      return "prepare";
    case HEDDLE_PHASE_MEMORY:
      return "memory";
    case HEDDLE_PHASE_INVOKE:
      return "invoke";
    case HEDDLE_PHASE_PLUGIN:
      return "plugin";
    case HEDDLE_PHASE_FORCE_INT32:
      break;
  }
  return "unknown";
}

#define HEDDLE_REASON_CASE(field)   \
  switch (reason) {                 \
    HEDDLE_REASON_LIST(field)       \
    case HEDDLE_REASON_FORCE_INT32: \
      break;                        \
  }

const char* ReasonName(heddle_reason reason) {
#define HEDDLE_NAME(name, value, words, remedy) \
  case HEDDLE_REASON_##name:                    \
    return #name;
  HEDDLE_REASON_CASE(HEDDLE_NAME)
#undef HEDDLE_NAME
  return "UNKNOWN";
}

const char* ReasonWords(heddle_reason reason) {
#define HEDDLE_WORDS(name, value, words, remedy) \
  case HEDDLE_REASON_##name:                     \
    return words;
  HEDDLE_REASON_CASE(HEDDLE_WORDS)
#undef HEDDLE_WORDS
  return "unknown reason";
}

const char* ReasonRemedy(heddle_reason reason) {
#define HEDDLE_REMEDY(name, value, words, remedy) \
  case HEDDLE_REASON_##name:                      \
    return remedy;
  HEDDLE_REASON_CASE(HEDDLE_REMEDY)
#undef HEDDLE_REMEDY
  return "";
}

}  // namespace heddle
