// SPDX-License-Identifier: Apache-2.0
// What a registration must have, and what becomes of one made with an older or a newer header.
#include <gmock/gmock.h>

#include <cstddef>
#include <cstring>

#include "tests/op/resolver_testing.h"

namespace heddle::testing {
namespace {

using ::testing::HasSubstr;

void ExpectRefused(const heddle_op& op, heddle_reason reason, const char* words) {
  OpResolver resolver;
  const Status status = resolver.Add(op);
  EXPECT_EQ(status.reason(), reason) << status.message();
  EXPECT_THAT(std::string(status.message()), HasSubstr(words));
  ASSERT_NE(status.faults(), nullptr);
  EXPECT_EQ(status.faults()->front().phase, HEDDLE_PHASE_PLUGIN);
  EXPECT_EQ(resolver.size(), 0u);
}

heddle_status DoInit(heddle_op_call*, void**) { return HEDDLE_OK; }
void DoFree(void*, void*) {}

TEST(Registration, InvokeIsRequired) {
  heddle_op op = CustomOp("Op", 1, 1);
  op.invoke = nullptr;
  ExpectRefused(op, HEDDLE_REASON_PLUGIN_BAD_TABLE, "registration of Op: invoke is NULL");
}

TEST(Registration, InitNeedsFree) {
  heddle_op op = CustomOp("Op", 1, 1);
  op.init = DoInit;
  ExpectRefused(op, HEDDLE_REASON_PLUGIN_BAD_TABLE, "registration of Op: init without free");
  op.free = DoFree;
  OpResolver resolver;
  EXPECT_TRUE(resolver.Add(op).ok());
}

TEST(Registration, PrepareNeedsRelease) {
  heddle_op op = BuiltinOp(HEDDLE_BUILTIN_ADD, 1, 1);
  op.prepare = DoInit;
  ExpectRefused(op, HEDDLE_REASON_PLUGIN_BAD_TABLE, "registration of ADD: prepare without release");
  op.release = DoFree;
  OpResolver resolver;
  EXPECT_TRUE(resolver.Add(op).ok());
}

TEST(Registration, UnknownFlagsAreRefusedWithTheirBits) {
  heddle_op op = CustomOp("Op", 1, 1);
  op.flags = HEDDLE_OP_STATEFUL | 1u << 4 | 1u << 31;
  ExpectRefused(op, HEDDLE_REASON_PLUGIN_CAPABILITY, "unknown flag bits 4, 31");
  op.flags = HEDDLE_OP_KNOWN_FLAGS;
  OpResolver resolver;
  EXPECT_TRUE(resolver.Add(op).ok());
}

TEST(Registration, VersionRangeMustNotBeEmpty) {
  ExpectRefused(CustomOp("Op", 2, 1), HEDDLE_REASON_PLUGIN_BAD_TABLE, "version range 2..1");
  ExpectRefused(CustomOp("Op", 0, 1), HEDDLE_REASON_PLUGIN_BAD_TABLE, "version range 0..1");
  ExpectRefused(CustomOp("Op", -3, -2), HEDDLE_REASON_PLUGIN_BAD_TABLE, "version range -3..-2");
  OpResolver resolver;
  EXPECT_TRUE(resolver.Add(CustomOp("Op", 1, INT32_MAX)).ok());
}

TEST(Registration, NamesAndCodes) {
  ExpectRefused(CustomOp(nullptr, 1, 1), HEDDLE_REASON_PLUGIN_BAD_TABLE, "custom_name is missing");
  ExpectRefused(CustomOp("", 1, 1), HEDDLE_REASON_PLUGIN_BAD_TABLE, "custom_name is missing");
  ExpectRefused(BuiltinOp(-1, 1, 1), HEDDLE_REASON_PLUGIN_BAD_TABLE, "builtin_code -1");
  ExpectRefused(BuiltinOp(INT32_MAX, 1, 1), HEDDLE_REASON_PLUGIN_BAD_TABLE,
                "builtin_code 2147483647 is out of range");
}

TEST(Registration, InPlacePairs) {
  const heddle_in_place_pair good[] = {{0, 0}, {1, 0}};
  const heddle_in_place_pair negative[] = {{0, 0}, {-1, 0}};
  heddle_op op = CustomOp("Op", 1, 1);
  op.in_place_count = 2;
  ExpectRefused(op, HEDDLE_REASON_PLUGIN_BAD_TABLE, "in_place is NULL but in_place_count is not 0");
  op.in_place = negative;
  ExpectRefused(op, HEDDLE_REASON_PLUGIN_BAD_TABLE, "a negative in-place pair");
  op.in_place = good;
  op.in_place_count = SIZE_MAX;  // must not be believed
  ExpectRefused(op, HEDDLE_REASON_PLUGIN_BAD_TABLE, "in_place_count is 18446744073709551615");
  op.in_place_count = 2;
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(op).ok());
  const heddle_op& kept = resolver.FindOp("Op", 1)->op();
  ASSERT_EQ(kept.in_place_count, 2u);
  EXPECT_NE(kept.in_place, good);  // copied
  EXPECT_EQ(kept.in_place[1].input, 1);
}

TEST(Registration, TooSmallAStructIsRefused) {
  heddle_op op = CustomOp("Op", 1, 1);
  for (const size_t size : {size_t{0}, size_t{8}, offsetof(heddle_op, invoke)}) {
    op.struct_size = size;
    ExpectRefused(op, HEDDLE_REASON_STRUCT_SIZE, "heddle_op.struct_size is ");
  }
}

TEST(Registration, AnOlderStructHasDefaultsForWhatItLacks) {
  heddle_op op = CustomOp("Op", 1, 1);
  op.struct_size = offsetof(heddle_op, in_place);
  // Not part of the struct as its maker knew it: must not be looked at.
  op.in_place = reinterpret_cast<const heddle_in_place_pair*>(uintptr_t{0xdead});
  op.in_place_count = 77;
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(op).ok());
  EXPECT_EQ(resolver.FindOp("Op", 1)->op().in_place_count, 0u);
  EXPECT_EQ(resolver.FindOp("Op", 1)->op().struct_size, sizeof(heddle_op));
}

TEST(Registration, ANewerStructIsReadAsFarAsItIsKnown) {
  struct NewerOp {
    heddle_op op;
    void* added;
  } newer = {CustomOp("Op", 1, 1), &newer};
  newer.op.struct_size = sizeof(newer);
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(newer.op).ok());
  EXPECT_NE(resolver.FindOp("Op", 1), nullptr);
}

}  // namespace
}  // namespace heddle::testing
