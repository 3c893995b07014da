// SPDX-License-Identifier: Apache-2.0
// Lookup: what is found, and why something is not. First releases are those that TensorFlow Lite's
// own table of op versions states.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>

#include "tests/op/resolver_testing.h"

namespace heddle::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// The one miss of a model with this op.
Fault MissOfBuiltin(const OpResolver& resolver, int32_t code, int32_t version) {
  OpsModel model;
  model.Builtin(code, version);
  const std::vector<Fault> misses = MissesOf(resolver, model.builder());
  EXPECT_THAT(misses, SizeIs(1));
  return misses.empty() ? Fault() : misses[0];
}

Fault MissOfCustom(const OpResolver& resolver, const char* name, int32_t version) {
  OpsModel model;
  model.Custom(name, version);
  const std::vector<Fault> misses = MissesOf(resolver, model.builder());
  EXPECT_THAT(misses, SizeIs(1));
  return misses.empty() ? Fault() : misses[0];
}

void ExpectMiss(const Fault& miss, heddle_reason reason, const char* name, int32_t version) {
  EXPECT_EQ(miss.code, HEDDLE_UNRESOLVED_OPS);
  EXPECT_EQ(miss.phase, HEDDLE_PHASE_RESOLVE);
  EXPECT_EQ(miss.reason, reason) << miss.message;
  EXPECT_EQ(miss.op_name, name);
  EXPECT_EQ(miss.op_version, version);
  EXPECT_EQ(miss.place, "operator_codes[0]");
}

TEST(ResolverMiss, BuiltinCodeUnknown) {
  const Fault miss = MissOfBuiltin(OpResolver(), 9999, 1);
  ExpectMiss(miss, HEDDLE_REASON_OP_CODE_UNKNOWN, "UNKNOWN_9999", 1);
  EXPECT_THAT(miss.message, HasSubstr("builtin code 9999 version 1 is unknown to this runtime"));
  EXPECT_THAT(miss.message, Not(HasSubstr("not registered")));
}

TEST(ResolverMiss, BuiltinNotRegistered) {
  const Fault miss = MissOfBuiltin(OpResolver(), HEDDLE_BUILTIN_BATCH_MATMUL, 3);
  ExpectMiss(miss, HEDDLE_REASON_OP_NOT_REGISTERED, "BATCH_MATMUL", 3);
  EXPECT_THAT(miss.message, HasSubstr("op BATCH_MATMUL version 3 is not registered"));
  EXPECT_THAT(miss.message, HasSubstr("this version came with TFLite 2.4.0"));
}

TEST(ResolverMiss, BuiltinTooNewGivesRangeAndFirstRelease) {
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_MUL, 1, 2)).ok());
  const Fault miss = MissOfBuiltin(resolver, HEDDLE_BUILTIN_MUL, 3);
  ExpectMiss(miss, HEDDLE_REASON_OP_VERSION_TOO_NEW, "MUL", 3);
  EXPECT_THAT(miss.message, HasSubstr("op MUL: the model wants version 3, registered is versions "
                                      "1 to 2; version 3 came with TFLite 1.15.0"));
}

TEST(ResolverMiss, BuiltinNewerThanAnyKnownRelease) {
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_BATCH_MATMUL, 1, 2)).ok());
  const Fault miss = MissOfBuiltin(resolver, HEDDLE_BUILTIN_BATCH_MATMUL, 99);
  ExpectMiss(miss, HEDDLE_REASON_OP_VERSION_TOO_NEW, "BATCH_MATMUL", 99);
  EXPECT_THAT(miss.message,
              HasSubstr("op BATCH_MATMUL: the model wants version 99, registered is versions 1 to "
                        "2; no TFLite release that this library knows of has version 99"));
}

TEST(ResolverMiss, BuiltinTooOld) {
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_MUL, 3, 3)).ok());
  const Fault miss = MissOfBuiltin(resolver, HEDDLE_BUILTIN_MUL, 2);
  ExpectMiss(miss, HEDDLE_REASON_OP_VERSION_TOO_OLD, "MUL", 2);
  EXPECT_THAT(miss.message, HasSubstr("wants version 2, registered is version 3"));
}

TEST(ResolverMiss, VersionInAGapIsNotSaidToBeRegistered) {
  OpResolver resolver, next;
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_MUL, 5, 6)).ok());
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_MUL, 1, 1)).ok());
  ASSERT_TRUE(next.Add(BuiltinOp(HEDDLE_BUILTIN_MUL, 2, 3)).ok());
  resolver.Chain(next);
  const Fault miss = MissOfBuiltin(resolver, HEDDLE_BUILTIN_MUL, 4);
  ExpectMiss(miss, HEDDLE_REASON_OP_VERSION_TOO_OLD, "MUL", 4);
  EXPECT_THAT(miss.message, HasSubstr("registered is versions 1 to 3 and 5 to 6"));
}

TEST(ResolverMiss, CustomUnknown) {
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(CustomOp("Something", 1, 1)).ok());
  const Fault miss = MissOfCustom(resolver, "EntirelyDifferent", 1);
  ExpectMiss(miss, HEDDLE_REASON_CUSTOM_OP_UNKNOWN, "EntirelyDifferent", 1);
  EXPECT_THAT(miss.message, HasSubstr("custom op EntirelyDifferent version 1 is not registered"));
  EXPECT_THAT(miss.message, Not(HasSubstr("did you mean")));
}

TEST(ResolverMiss, CustomOfAnotherVersion) {
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(CustomOp("MyOp", 1, 1)).ok());
  const Fault newer = MissOfCustom(resolver, "MyOp", 2);
  ExpectMiss(newer, HEDDLE_REASON_OP_VERSION_TOO_NEW, "MyOp", 2);
  EXPECT_THAT(newer.message,
              HasSubstr("custom op MyOp: the model wants version 2, registered is version 1"));
  EXPECT_THAT(newer.message, Not(HasSubstr("TFLite")));

  ASSERT_TRUE(resolver.Add(CustomOp("Later", 3, 5)).ok());
  const Fault older = MissOfCustom(resolver, "Later", 2);
  ExpectMiss(older, HEDDLE_REASON_OP_VERSION_TOO_OLD, "Later", 2);
  EXPECT_THAT(older.message, HasSubstr("wants version 2, registered is versions 3 to 5"));
}

TEST(ResolverMiss, CustomNameInOtherCase) {
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(CustomOp("MyCustomOp", 1, 1)).ok());
  const Fault miss = MissOfCustom(resolver, "mycustomop", 1);
  ExpectMiss(miss, HEDDLE_REASON_CUSTOM_OP_NEAR_MISS, "mycustomop", 1);
  EXPECT_THAT(miss.message, HasSubstr("custom op mycustomop is not registered; did you mean "
                                      "MyCustomOp?"));
}

TEST(ResolverMiss, CustomNameWithATypo) {
  OpResolver resolver, next;
  ASSERT_TRUE(resolver.Add(CustomOp("MyCustomOp", 1, 1)).ok());
  ASSERT_TRUE(next.Add(CustomOp("MyCustomOp2", 1, 1)).ok());
  resolver.Chain(next);
  // A swap, an extra and a missing letter; names of the chain are offered too.
  for (const char* typo : {"MyCutsomOp", "MyCustomOpp", "MyCustmOp"}) {
    const Fault miss = MissOfCustom(resolver, typo, 1);
    ExpectMiss(miss, HEDDLE_REASON_CUSTOM_OP_NEAR_MISS, typo, 1);
    EXPECT_THAT(miss.message, HasSubstr("did you mean MyCustomOp"));
  }
  EXPECT_THAT(MissOfCustom(resolver, "MyCustomOpp", 1).message,
              HasSubstr("did you mean MyCustomOp or MyCustomOp2?"));
}

TEST(ResolverMiss, ShortNamesAreNotAllAlike) {
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(CustomOp("Abc", 1, 1)).ok());
  EXPECT_EQ(MissOfCustom(resolver, "Axy", 1).reason, HEDDLE_REASON_CUSTOM_OP_UNKNOWN);
  EXPECT_EQ(MissOfCustom(resolver, "Abx", 1).reason, HEDDLE_REASON_CUSTOM_OP_NEAR_MISS);
}

TEST(ResolverMiss, FlexOp) {
  const Fault miss = MissOfCustom(OpResolver(), "FlexErf", 1);
  ExpectMiss(miss, HEDDLE_REASON_FLEX_OP, "FlexErf", 1);
  EXPECT_THAT(miss.message, HasSubstr("custom op FlexErf is the TensorFlow op Erf, which needs a "
                                      "Flex delegate or reconversion"));
}

TEST(ResolverMiss, FlexAloneIsAnOrdinaryName) {
  EXPECT_EQ(MissOfCustom(OpResolver(), "Flex", 1).reason, HEDDLE_REASON_CUSTOM_OP_UNKNOWN);
}

TEST(ResolverMiss, CustomWithoutAName) {
  const Fault miss = MissOfCustom(OpResolver(), "", 1);
  EXPECT_EQ(miss.reason, HEDDLE_REASON_CUSTOM_OP_NO_NAME);
  EXPECT_EQ(miss.message, "a custom op has no name (used 1 time)");
}

TEST(ResolverMiss, EveryReasonHasARemedy) {
  for (const heddle_reason reason :
       {HEDDLE_REASON_OP_CODE_UNKNOWN, HEDDLE_REASON_OP_NOT_REGISTERED,
        HEDDLE_REASON_OP_VERSION_TOO_NEW, HEDDLE_REASON_OP_VERSION_TOO_OLD,
        HEDDLE_REASON_CUSTOM_OP_UNKNOWN, HEDDLE_REASON_CUSTOM_OP_NEAR_MISS, HEDDLE_REASON_FLEX_OP,
        HEDDLE_REASON_CUSTOM_OP_NO_NAME}) {
    EXPECT_STRNE(heddle_reason_get_remedy(reason), "") << heddle_reason_get_name(reason);
  }
}

TEST(ResolverMiss, AllOfAModelAtOnce) {
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_ADD, 1, 1)).ok());
  OpsModel model;
  model.Builtin(HEDDLE_BUILTIN_ADD, 1)
      .Custom("First", 1)
      .Builtin(HEDDLE_BUILTIN_SIN, 1)
      .Custom("Second", 7)
      .Custom("Second", 7);
  const std::vector<Fault> misses = MissesOf(resolver, model.builder());
  ASSERT_THAT(misses, SizeIs(3));
  EXPECT_EQ(misses[0].op_name, "First");
  EXPECT_EQ(misses[1].op_name, "SIN");
  EXPECT_EQ(misses[2].op_name, "Second");
  EXPECT_EQ(misses[2].place, "operator_codes[3]");
  EXPECT_THAT(misses[0].message, HasSubstr("(used 1 time)"));
  EXPECT_THAT(misses[2].message, HasSubstr("(used 2 times)"));
}

TEST(ResolverMiss, OpsOfBranchesAndUnusedCodesToo) {
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_IF, 1, 1)).ok());
  ModelBuilder builder;
  SubgraphSpec& main = builder.AddSubgraph("main");
  const int32_t condition = main.Input("condition", HEDDLE_DTYPE_BOOL, {});
  const int32_t x = main.Input("x", HEDDLE_DTYPE_FLOAT32, {1});
  const int32_t y = main.Tensor("y", HEDDLE_DTYPE_FLOAT32, {1});
  main.Output(y);
  main.Op(HEDDLE_BUILTIN_IF, {condition, x}, {y}).Options([](FlatBufferBuilder& fbb) {
    return schema::CreateIfOptions(fbb, 1, 2);
  });
  for (const char* name : {"InThen", "InElse"}) {
    SubgraphSpec& branch = builder.AddSubgraph(name);
    const int32_t in = branch.Input("in", HEDDLE_DTYPE_FLOAT32, {1});
    const int32_t out = branch.Tensor("out", HEDDLE_DTYPE_FLOAT32, {1});
    branch.Output(out);
    branch.CustomOp(name, {in}, {out});
  }
  builder.OpCode(HEDDLE_BUILTIN_COS);
  const std::vector<Fault> misses = MissesOf(resolver, builder);
  ASSERT_THAT(misses, SizeIs(3));
  EXPECT_EQ(misses[0].op_name, "InThen");
  EXPECT_EQ(misses[1].op_name, "InElse");
  EXPECT_EQ(misses[2].op_name, "COS");
  EXPECT_THAT(misses[2].message, HasSubstr("(used 0 times)"));
}

// ---- What is found ----

TEST(Resolver, BuiltinsByCodeCustomsByName) {
  int builtin = 0, custom = 0;
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_ADD, 1, 2, &builtin)).ok());
  ASSERT_TRUE(resolver.Add(CustomOp("ADD", 1, 2, &custom)).ok());
  EXPECT_EQ(resolver.FindOp(HEDDLE_BUILTIN_ADD, 1)->op().user_data, &builtin);
  EXPECT_EQ(resolver.FindOp("ADD", 1)->op().user_data, &custom);
  EXPECT_EQ(resolver.FindOp("add", 1), nullptr);
  EXPECT_EQ(resolver.FindOp(HEDDLE_BUILTIN_ADD, 3), nullptr);
  EXPECT_EQ(resolver.FindOp(HEDDLE_BUILTIN_ADD, 0), nullptr);
  EXPECT_EQ(resolver.FindOp(-1, 1), nullptr);
  EXPECT_EQ(resolver.FindOp(INT32_MAX, 1), nullptr);
}

TEST(Resolver, NamesAreCopied) {
  OpResolver resolver;
  {
    std::string name = "Temporary";
    ASSERT_TRUE(resolver.Add(CustomOp(name.c_str(), 1, 1)).ok());
    name.assign(name.size(), '?');
  }
  ASSERT_NE(resolver.FindOp("Temporary", 1), nullptr);
  EXPECT_STREQ(resolver.FindOp("Temporary", 1)->op().custom_name, "Temporary");
}

TEST(Resolver, LaterRegistrationWinsForSharedVersionsOnly) {
  int first = 0, second = 0;
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(CustomOp("Op", 1, 3, &first)).ok());
  ASSERT_TRUE(resolver.Add(CustomOp("Op", 3, 5, &second)).ok());
  const std::vector<void*> expected = {&first, &first, &second, &second, &second};
  for (int32_t version = 1; version <= 5; ++version) {
    ASSERT_NE(resolver.FindOp("Op", version), nullptr);
    EXPECT_EQ(resolver.FindOp("Op", version)->op().user_data,
              expected[static_cast<size_t>(version) - 1])
        << version;
  }
  EXPECT_EQ(resolver.VersionsOf("Op")->min, 1);
  EXPECT_EQ(resolver.VersionsOf("Op")->max, 5);

  // The other way about: one version in the middle is replaced.
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_ADD, 1, 5, &first)).ok());
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_ADD, 3, 3, &second)).ok());
  EXPECT_EQ(resolver.FindOp(HEDDLE_BUILTIN_ADD, 2)->op().user_data, &first);
  EXPECT_EQ(resolver.FindOp(HEDDLE_BUILTIN_ADD, 3)->op().user_data, &second);
  EXPECT_EQ(resolver.FindOp(HEDDLE_BUILTIN_ADD, 4)->op().user_data, &first);
}

TEST(Resolver, OneRegistrationServesAllVersionsOfItsRange) {
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(CustomOp("MyOp", 1, 2)).ok());
  for (const int32_t version : {1, 2}) {
    OpsModel model;
    model.Custom("MyOp", version);
    EXPECT_THAT(MissesOf(resolver, model.builder()), IsEmpty());
  }
}

TEST(Resolver, ChainIsAskedInOrderAndFirstHitWins) {
  int own = 0, near = 0, far = 0;
  OpResolver resolver, first, second;
  ASSERT_TRUE(resolver.Add(CustomOp("Op", 1, 1, &own)).ok());
  ASSERT_TRUE(first.Add(CustomOp("Op", 1, 2, &near)).ok());
  ASSERT_TRUE(second.Add(CustomOp("Op", 1, 3, &far)).ok());
  resolver.Chain(first);
  resolver.Chain(second);
  EXPECT_EQ(resolver.FindOp("Op", 1)->op().user_data, &own);
  EXPECT_EQ(resolver.FindOp("Op", 2)->op().user_data, &near);
  EXPECT_EQ(resolver.FindOp("Op", 3)->op().user_data, &far);
  EXPECT_EQ(resolver.FindOp("Op", 4), nullptr);
  EXPECT_EQ(resolver.VersionsOf("Op")->max, 3);
}

TEST(Resolver, ChainingTakesASnapshot) {
  OpResolver resolver, next;
  ASSERT_TRUE(next.Add(CustomOp("Before", 1, 1)).ok());
  resolver.Chain(next);
  ASSERT_TRUE(next.Add(CustomOp("After", 1, 1)).ok());
  EXPECT_NE(resolver.FindOp("Before", 1), nullptr);
  EXPECT_EQ(resolver.FindOp("After", 1), nullptr);
}

TEST(Resolver, ChainedToEachOtherAndToItself) {
  OpResolver a, b;
  ASSERT_TRUE(a.Add(CustomOp("A", 1, 1)).ok());
  ASSERT_TRUE(b.Add(CustomOp("B", 1, 1)).ok());
  a.Chain(b);
  b.Chain(a);
  a.Chain(a);
  EXPECT_NE(a.FindOp("B", 1), nullptr);
  EXPECT_NE(b.FindOp("A", 1), nullptr);
  EXPECT_EQ(a.FindOp("C", 1), nullptr);
  EXPECT_EQ(MissOfCustom(a, "Missing", 1).reason, HEDDLE_REASON_CUSTOM_OP_UNKNOWN);
}

TEST(Resolver, RegistrationsOutliveTheResolver) {
  int data = 0;
  OpRegistrationRef found;
  {
    OpResolver resolver;
    ASSERT_TRUE(resolver.Add(CustomOp("Op", 1, 1, &data)).ok());
    found = resolver.FindOp("Op", 1);
  }
  EXPECT_EQ(found->name(), "Op");
  EXPECT_EQ(found->op().user_data, &data);
}

TEST(Resolver, CodesOfOneOpAtTwoVersionsResolveApart) {
  int old_kernel = 0, new_kernel = 0;
  OpResolver resolver;
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_MUL, 1, 2, &old_kernel)).ok());
  ASSERT_TRUE(resolver.Add(BuiltinOp(HEDDLE_BUILTIN_MUL, 3, 3, &new_kernel)).ok());
  OpsModel model;
  model.Builtin(HEDDLE_BUILTIN_MUL, 1).Builtin(HEDDLE_BUILTIN_MUL, 3);
  const LoadedModel loaded = Load(model.builder());
  ASSERT_NE(loaded.model, nullptr);
  std::vector<OpRegistrationRef> found;
  ASSERT_TRUE(resolver.Resolve(*loaded.model, &found).ok());
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0]->op().user_data, &old_kernel);
  EXPECT_EQ(found[1]->op().user_data, &new_kernel);
}

TEST(Resolver, LookupTimeDoesNotGrowWithTheNumberOfOps) {
  // The fastest of several rounds, so that a busy machine does not matter; the bound is far from
  // both constant time (1) and a search through the list (thousands).
  const auto fastest = [](const OpResolver& resolver) {
    auto best = std::chrono::nanoseconds::max();
    for (int round = 0; round < 20; ++round) {
      const auto begin = std::chrono::steady_clock::now();
      for (int i = 0; i < 1000; ++i) {
        EXPECT_NE(resolver.FindOp(HEDDLE_BUILTIN_ADD, 1), nullptr);
        EXPECT_NE(resolver.FindOp("Custom0", 1), nullptr);
      }
      best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - begin);
    }
    return best;
  };
  OpResolver few, many;
  ASSERT_TRUE(few.Add(BuiltinOp(HEDDLE_BUILTIN_ADD, 1, 1)).ok());
  ASSERT_TRUE(few.Add(CustomOp("Custom0", 1, 1)).ok());
  for (int32_t i = 0; i < 4000; ++i) {
    if (i != HEDDLE_BUILTIN_CUSTOM) {
      ASSERT_TRUE(many.Add(BuiltinOp(i, 1, 1)).ok());
    }
    ASSERT_TRUE(many.Add(CustomOp(StrCat("Custom", i).c_str(), 1, 1)).ok());
  }
  EXPECT_LT(fastest(many), 20 * fastest(few));
}

TEST(Resolver, FiftyOperatorsShareOneCode) {
  OpsModel model;
  for (int i = 0; i < 50; ++i) model.Builtin(HEDDLE_BUILTIN_ADD, 1);
  const std::vector<Fault> misses = MissesOf(OpResolver(), model.builder());
  ASSERT_THAT(misses, SizeIs(1));
  EXPECT_THAT(misses[0].message, HasSubstr("(used 50 times)"));
  const LoadedModel loaded = Load(model.builder());
  ASSERT_THAT(loaded.model->operator_codes(), SizeIs(1));
  EXPECT_EQ(loaded.model->operator_codes()[0].use_count, 50u);
}

}  // namespace
}  // namespace heddle::testing
