// SPDX-License-Identifier: Apache-2.0
#include "runtime/op/registration.h"

#include <cstddef>
#include <cstring>

#include "runtime/base/strings.h"
#include "runtime/model/builtin_names.h"

namespace heddle {
namespace {

// Codes are dense from 0; this bounds what a wrong registration can make us allocate.
constexpr int32_t kMaxBuiltinCode = 4095;
constexpr size_t kMaxInPlacePairs = 4096;

Status BadTable(const std::string& name, std::string_view what) {
  return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_PLUGIN, HEDDLE_REASON_PLUGIN_BAD_TABLE,
                StrCat("registration of ", name, ": ", what));
}

// Positions of the bits that are set: "4, 31".
std::string BitsText(uint32_t bits) {
  std::string text;
  for (uint32_t bit = 0; bit < 32; ++bit) {
    if ((bits >> bit & 1) != 0) StrAppend(text, text.empty() ? "" : ", ", bit);
  }
  return text;
}

}  // namespace

StatusOr<OpRegistrationRef> OpRegistration::Make(const heddle_op& given) {
  // Everything up to and including `invoke` was in the first version of the struct.
  constexpr size_t kFirstSize = offsetof(heddle_op, invoke) + sizeof(given.invoke);
  if (given.struct_size < kFirstSize) {
    return Status(HEDDLE_INVALID_ARGUMENT, HEDDLE_PHASE_PLUGIN, HEDDLE_REASON_STRUCT_SIZE,
                  StrCat("heddle_op.struct_size is ", given.struct_size, ", at least ", kFirstSize,
                         " is needed"));
  }
  std::shared_ptr<OpRegistration> made(new OpRegistration);
  heddle_op& op = made->op_;
  std::memcpy(&op, &given, given.struct_size < sizeof(op) ? given.struct_size : sizeof(op));
  op.struct_size = sizeof(op);

  const bool custom = op.builtin_code == kBuiltinCustom;
  if (custom) {
    if (op.custom_name == nullptr || *op.custom_name == '\0') {
      return BadTable("a custom op", "custom_name is missing");
    }
    made->name_ = op.custom_name;
    op.custom_name = made->name_.c_str();
  } else {
    if (op.builtin_code < 0 || op.builtin_code > kMaxBuiltinCode) {
      return BadTable("a builtin op", StrCat("builtin_code ", op.builtin_code, " is out of range"));
    }
    const char* name = BuiltinName(op.builtin_code);
    made->name_ = name != nullptr ? name : StrCat("UNKNOWN_", op.builtin_code);
    op.custom_name = nullptr;
  }
  const std::string& name = made->name_;
  if (op.min_version < 1 || op.max_version < op.min_version) {
    return BadTable(name,
                    StrCat("version range ", op.min_version, "..", op.max_version, " is empty"));
  }
  if (op.invoke == nullptr) return BadTable(name, "invoke is NULL");
  if (op.init != nullptr && op.free == nullptr) return BadTable(name, "init without free");
  if (op.prepare != nullptr && op.release == nullptr) {
    return BadTable(name, "prepare without release");
  }
  if (const uint32_t unknown = op.flags & ~HEDDLE_OP_KNOWN_FLAGS; unknown != 0) {
    return Status(HEDDLE_UNSUPPORTED, HEDDLE_PHASE_PLUGIN, HEDDLE_REASON_PLUGIN_CAPABILITY,
                  StrCat("registration of ", name, ": unknown flag bits ", BitsText(unknown)));
  }
  if (op.in_place_count != 0 && op.in_place == nullptr) {
    return BadTable(name, "in_place is NULL but in_place_count is not 0");
  }
  if (op.in_place_count > kMaxInPlacePairs) {
    return BadTable(name, StrCat("in_place_count is ", op.in_place_count));
  }
  made->in_place_.assign(op.in_place, op.in_place + op.in_place_count);
  for (const heddle_in_place_pair& pair : made->in_place_) {
    if (pair.input < 0 || pair.output < 0) return BadTable(name, "a negative in-place pair");
  }
  op.in_place = made->in_place_.data();
  return OpRegistrationRef(std::move(made));
}

}  // namespace heddle
