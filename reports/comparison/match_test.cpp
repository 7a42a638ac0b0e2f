#include "reports/comparison/match.h"

#include <gtest/gtest.h>

#include "reports/comparison/sample_reports_test.h"

namespace coalescope::comparison {
namespace {

using analysis::KernelRow;
using test::report_of;
using test::strided;

Match only_match(const KernelRow& before, const KernelRow& after) {
  const auto pairs = match_families(report_of({before}), report_of({after}));
  return pairs.size() == 1 ? pairs.front().match : Match::only_before;
}

TEST(MatchFamilies, TheSameFunctionIsTheSame) {
  EXPECT_EQ(only_match(strided(1, "copy(float*)"), strided(7, "copy(float*)")), Match::same);
}

TEST(MatchFamilies, AnotherBlockIsTheSameFunction) {
  KernelRow after = strided(1, "copy(float*)");
  after.block = {128, 1, 1};
  EXPECT_EQ(only_match(strided(1, "copy(float*)"), after), Match::other_block);
}

TEST(MatchFamilies, TemplateArgumentsAndNumbersOfCompilersMayChange) {
  EXPECT_EQ(only_match(strided(1, "void copy<32>(float*)"), strided(1, "void copy<64>(float*)")),
            Match::other_arguments);
  EXPECT_EQ(only_match(strided(1, "fusion_12"), strided(1, "fusion_7")), Match::other_arguments);
}

// A repair often gives the kernel other parameters, and its callers change with them.
TEST(MatchFamilies, OneOfYourOwnKernelsIsKnownByItsNameAlone) {
  KernelRow before = strided(1, "move(Particle*, float)"), after = strided(1, "move(Particles, float)");
  before.call_site = "main (app) > step (app) > move (app)";
  after.call_site = "main (app) > move (app)";
  EXPECT_EQ(only_match(before, after), Match::other_arguments);
  before.origin = after.origin = analysis::Origin::library;
  EXPECT_EQ(only_match(before, after), Match::only_before);
}

TEST(MatchFamilies, OneOfTwoInstancesIsNotGuessed) {
  const auto pairs = match_families(report_of({strided(1, "copy<1>(int)"), strided(2, "copy<2>(int)")}),
                                    report_of({strided(1, "copy<3>(int)")}));
  EXPECT_EQ(pairs.size(), 3U);
}

TEST(MatchFamilies, ARenamedKernelIsKnownByItsCallSite) {
  KernelRow before = strided(1, "slow(float*)"), after = strided(1, "fast(float*)");
  before.call_site = "main (app) > step (app) > slow (app)";
  after.call_site = "main (app) > step (app) > fast (app)";
  EXPECT_EQ(only_match(before, after), Match::renamed);
  after.grid = {4096, 1, 1};
  EXPECT_EQ(only_match(before, after), Match::renamed) << "a repair often has another grid";
  after.launches = 20;
  EXPECT_EQ(only_match(before, after), Match::only_before);
}

TEST(MatchFamilies, WithoutCallSitesOnlyTheOneLeftOverIsRenamed) {
  EXPECT_EQ(only_match(strided(1, "slow(float*)"), strided(1, "fast(float*)")), Match::renamed);
  const auto before = report_of({strided(1, "slow(float*)"), strided(2, "other(float*)")});
  EXPECT_EQ(match_families(before, report_of({strided(1, "fast(float*)")})).size(), 3U);
  KernelRow library = strided(1, "fast(float*)");
  library.origin = analysis::Origin::library;
  EXPECT_EQ(only_match(strided(1, "slow(float*)"), library), Match::only_before);
}

TEST(MatchRows, ShapesPairByGridAndWhatIsLeftDoesNot) {
  KernelRow small = strided(1, "copy(int)"), large = strided(2, "copy(int)"), other = strided(3, "copy(int)");
  small.grid = {10, 1, 1};
  large.grid = {20, 1, 1};
  other.grid = {30, 1, 1};
  const auto before = report_of({small, large}), after = report_of({large, other});
  const Rows before_rows{{1, &before.kernels[0]}, {2, &before.kernels[1]}},
      after_rows{{2, &after.kernels[0]}, {3, &after.kernels[1]}};
  const auto pairs = match_rows(before_rows, before.kernel_families[0], after_rows, after.kernel_families[0]);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].before.at(0)->id, 2);
  EXPECT_EQ(pairs[0].after.at(0)->id, 2);
}

TEST(MatchRows, TheSameWorkInOtherBlocksPairsByLaunches) {
  KernelRow wide = strided(1, "copy(int)"), narrow = strided(1, "copy(int)");
  narrow.grid = {16384, 1, 1};
  narrow.block = {128, 1, 1};
  const auto before = report_of({wide}), after = report_of({narrow});
  const Rows before_rows{{1, before.kernels.data()}}, after_rows{{1, after.kernels.data()}};
  EXPECT_EQ(match_rows(before_rows, before.kernel_families[0], after_rows, after.kernel_families[0]).size(),
            1U);
}

TEST(FunctionOf, LeavesOutWhatDiffersBetweenBuilds) {
  const std::string one =
      "__nv_static_34__5b45aca7_7_rare_cu_6bf0af78_11548__ZN45_GLOBAL__N__5b45aca7_7_rare_cu_6bf0af78_"
      "115484rareEPf";
  const std::string other =
      "__nv_static_34__5b45aca7_7_rare_cu_4231bd40_10133__ZN45_GLOBAL__N__5b45aca7_7_rare_cu_4231bd40_"
      "101334rareEPf";
  EXPECT_EQ(function_of(one), "(anonymous namespace)::rare(float*)");
  EXPECT_EQ(function_of(one), function_of(other));
  EXPECT_EQ(function_of("copy(int)"), "copy(int)");
  EXPECT_EQ(function_of("__nv_static_x"), "__nv_static_x");
}

TEST(BaseName, LeavesOutWhatEditsChange) {
  EXPECT_EQ(base_name("void transpose<32, float>(float*)"), base_name("void transpose<64, float>(float*)"));
  EXPECT_EQ(base_name("fusion_12"), "fusion");
  EXPECT_EQ(base_name("conv_3x3"), "conv_3x3");
}

TEST(WithoutLines, LeavesNamesOfFiles) {
  EXPECT_EQ(without_lines("train.py:37 step() > model.py:12 f()"), "train.py step() > model.py f()");
  EXPECT_EQ(without_lines("std::run"), "std::run");
}

}  // namespace
}  // namespace coalescope::comparison
