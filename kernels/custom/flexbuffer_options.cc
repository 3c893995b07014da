// SPDX-License-Identifier: Apache-2.0
#include "kernels/custom/flexbuffer_options.h"

// Numbers written as text are refused, and what parses them wants a library besides the headers.
#define FLATBUFFERS_LOCALE_INDEPENDENT 0
#include <flatbuffers/flexbuffers.h>

#include <cmath>
#include <limits>
#include <vector>

namespace heddle::kernels {

heddle_status FlexbufferOptions::Read() {
  const void* data = nullptr;
  size_t bytes = 0;
  HEDDLE_OP_RETURN_IF_ERROR(op_.call()->host->get_custom_options(op_.call(), &data, &bytes));
  bytes_ = {static_cast<const uint8_t*>(data), bytes};
  // The tracker bounds the work: a buffer may refer to itself again and again.
  std::vector<uint8_t> tracker;
  if (bytes >= 3 && flexbuffers::VerifyBuffer(bytes_.data(), bytes, &tracker) &&
      flexbuffers::GetRoot(bytes_.data(), bytes).IsMap()) {
    return HEDDLE_OK;
  }
  return op_.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND, "the ",
                  bytes, " bytes of custom options are not a FlexBuffer map");
}

heddle_status FlexbufferOptions::Invalid(const char* name, const char* wanted) const {
  return op_.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                  "option ", name, " is not ", wanted);
}

heddle_status FlexbufferOptions::Find(const char* name, bool required, Number* number) const {
  const flexbuffers::Reference found =
      flexbuffers::GetRoot(bytes_.data(), bytes_.size()).AsMap()[name];
  if (found.IsNull()) {
    if (!required) return HEDDLE_OK;
    return op_.Fail(HEDDLE_INVALID_MODEL, HEDDLE_REASON_ATTRIBUTE_INVALID, HEDDLE_NO_OPERAND,
                    "option ", name, " is required but absent");
  }
  if (!found.IsNumeric() && !found.IsBool()) return Invalid(name, "a number");
  number->is_present = true;
  number->is_float = found.IsFloat();
  if (found.IsFloat()) {
    number->real = found.AsDouble();
  } else if (found.IsUInt()) {
    const uint64_t value = found.AsUInt64();
    number->integer = value <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
                          ? static_cast<int64_t>(value)
                          : std::numeric_limits<int64_t>::max();
  } else {
    number->integer = found.AsInt64();
  }
  return HEDDLE_OK;
}

heddle_status FlexbufferOptions::Get(const char* name, bool required, int32_t* value) const {
  constexpr int32_t kMin = std::numeric_limits<int32_t>::min();
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  Number number;
  HEDDLE_OP_RETURN_IF_ERROR(Find(name, required, &number));
  if (!number.is_present) return HEDDLE_OK;
  if (number.is_float ? !(number.real >= kMin && number.real <= kMax)
                      : number.integer < kMin || number.integer > kMax) {
    return Invalid(name, "an integer of 32 bits");
  }
  *value =
      number.is_float ? static_cast<int32_t>(number.real) : static_cast<int32_t>(number.integer);
  return HEDDLE_OK;
}

heddle_status FlexbufferOptions::Get(const char* name, bool required, float* value) const {
  Number number;
  HEDDLE_OP_RETURN_IF_ERROR(Find(name, required, &number));
  if (!number.is_present) return HEDDLE_OK;
  if (number.is_float && !(std::abs(number.real) <= std::numeric_limits<float>::max())) {
    return Invalid(name, "a finite number");
  }
  *value = number.is_float ? static_cast<float>(number.real) : static_cast<float>(number.integer);
  return HEDDLE_OK;
}

heddle_status FlexbufferOptions::Get(const char* name, bool required, bool* value) const {
  Number number;
  HEDDLE_OP_RETURN_IF_ERROR(Find(name, required, &number));
  if (number.is_present) *value = number.is_float ? number.real != 0 : number.integer != 0;
  return HEDDLE_OK;
}

}  // namespace heddle::kernels
