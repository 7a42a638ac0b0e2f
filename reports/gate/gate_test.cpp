#include "reports/gate/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/comparison/compare.h"
#include "reports/comparison/sample_reports_test.h"

namespace coalescope::gate {
namespace {

using analysis::Finding;
using analysis::KernelRow;
using analysis::Report;
using comparison::test::load_more;
using comparison::test::report_of;
using comparison::test::strided;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kToday = "2026-06-15";

Report with_finding(Report report, const std::string& rule, analysis::Level level) {
  Finding finding;
  finding.rule = rule;
  finding.level = level;
  finding.title = "Uncoalesced loads";
  finding.subject = report.kernels.at(0).name;
  finding.kernel_id = report.kernels.at(0).id;
  finding.call_site = "train.py:37 step()";
  finding.lost_ns = report.totals.kernel_ns / 10;
  finding.lost_share = 0.1;
  report.findings.push_back(finding);
  return report;
}

Report usual() {
  return report_of({strided(1, "copy(int)")});
}

Report severe() {
  return with_finding(usual(), "G01", analysis::Level::severe);
}

Result judged(const Report& report, const Policy& policy = {}) {
  return judge(report, nullptr, policy, kToday);
}

Result judged_against(const Report& baseline, const Report& report, const Policy& policy = {}) {
  const auto comparison = comparison::compare(baseline, report);
  return judge(report, &comparison, policy, kToday);
}

Suppression allowed(std::string until) {
  Suppression suppression;
  suppression.rule = "G01";
  suppression.reason = "rewritten in spring";
  suppression.until = std::move(until);
  suppression.line = 7;
  return suppression;
}

TEST(Gate, PassesWhatHasNoFinding) {
  const Result result = judged(usual());
  EXPECT_EQ(result.outcome, Outcome::passed);
  EXPECT_THAT(result.passed, ElementsAre("copy(int)"));
}

TEST(Gate, SevereFindingsAreErrorsAndOthersWarnings) {
  EXPECT_EQ(judged(severe()).outcome, Outcome::failed);
  const Result warned = judged(with_finding(usual(), "G02", analysis::Level::warning));
  EXPECT_EQ(warned.outcome, Outcome::passed);
  EXPECT_EQ(warned.verdict, "Passed: no error, 1 warning.");
  EXPECT_THAT(judged(with_finding(usual(), "Z01", analysis::Level::note)).violations, IsEmpty());
}

TEST(Gate, ThePolicySaysHowGraveARuleIs) {
  Policy policy;
  policy.rules["G01"] = Severity::off;
  EXPECT_EQ(judged(severe(), policy).outcome, Outcome::passed);
  EXPECT_THAT(judged(severe(), policy).violations, IsEmpty());
  policy.rules["G02"] = Severity::error;
  EXPECT_EQ(judged(with_finding(usual(), "G02", analysis::Level::warning), policy).outcome, Outcome::failed);
}

TEST(Gate, SuppressionsHoldUntilTheirDay) {
  Policy policy;
  policy.suppressions = {allowed("2026-06-15")};
  const Result still = judged(severe(), policy);
  EXPECT_EQ(still.outcome, Outcome::passed);
  EXPECT_EQ(still.violations.at(0).suppressed, "until 2026-06-15: rewritten in spring");
  EXPECT_THAT(still.verdict, HasSubstr("1 suppressed"));
  policy.suppressions = {allowed("2026-06-14")};
  const Result ended = judged(severe(), policy);
  EXPECT_EQ(ended.outcome, Outcome::failed);
  EXPECT_THAT(ended.notes, ElementsAre(HasSubstr("line 7 ended on 2026-06-14")));
}

TEST(Gate, SuppressionsAreForTheirKernelAndCallSite) {
  Policy policy;
  policy.suppressions = {allowed("2027-01-01")};
  policy.suppressions[0].kernel = "^transpose";
  const Result other = judged(severe(), policy);
  EXPECT_EQ(other.outcome, Outcome::failed);
  EXPECT_THAT(other.notes, ElementsAre(HasSubstr("matches nothing any more")));
  policy.suppressions[0].kernel = "^copy";
  EXPECT_EQ(judged(severe(), policy).outcome, Outcome::passed);
  policy.suppressions[0].call_site = "train.py:37";
  EXPECT_EQ(judged(severe(), policy).outcome, Outcome::passed);
  policy.suppressions[0].call_site = "eval.py";
  EXPECT_EQ(judged(severe(), policy).outcome, Outcome::failed);
}

TEST(Gate, WithABaselineOnlyWhatGotWorseCounts) {
  EXPECT_EQ(judged_against(severe(), severe()).outcome, Outcome::passed);
  KernelRow more = strided(1, "copy(int)");
  load_more(more, 1.05);
  const Result result = judged_against(usual(), report_of({more}));
  EXPECT_EQ(result.outcome, Outcome::failed);
  ASSERT_EQ(result.violations.size(), 1U);
  EXPECT_EQ(result.violations[0].rule, kRegression);
  EXPECT_THAT(result.violations[0].message, HasSubstr("+5.0 %"));
  Policy policy;
  policy.max_regression = 0.06;
  EXPECT_EQ(judged_against(usual(), report_of({more}), policy).outcome, Outcome::passed);
}

// What stands aside counts where its rule is named, and is as old as the baseline's.
TEST(Gate, ABaselineHasWhatStandsAside) {
  Policy policy;
  policy.rules["G01"] = Severity::error;
  Report report = severe();
  report.findings[0].aside = analysis::Aside::small;
  EXPECT_EQ(judged(report, policy).outcome, Outcome::failed);
  EXPECT_EQ(judged_against(report, report, policy).outcome, Outcome::passed);
  KernelRow more = strided(1, "copy(int)");
  load_more(more, 2);
  Report worse = with_finding(report_of({more}), "G01", analysis::Level::severe);
  worse.findings[0].aside = analysis::Aside::small;
  policy.rules[std::string(kRegression)] = Severity::off;
  EXPECT_EQ(judged_against(usual(), worse, policy).outcome, Outcome::failed) << "it is new";
}

TEST(Gate, AFindingThatComesWithItsCountsIsNew) {
  KernelRow more = strided(1, "copy(int)");
  load_more(more, 2);
  Policy policy;
  policy.rules[std::string(kRegression)] = Severity::off;
  EXPECT_EQ(judged_against(usual(), with_finding(report_of({more}), "G01", analysis::Level::severe), policy)
                .outcome,
            Outcome::failed);
  EXPECT_EQ(judged_against(usual(), severe(), policy).outcome, Outcome::passed)
      << "the kernel's counts are the same: it is at the limit";
}

TEST(Gate, TimesDecideNothing) {
  KernelRow slow = strided(1, "copy(int)");
  slow.median_gpu_ns = 3 * comparison::test::kGpuNs;
  slow.gpu_ns = 30 * comparison::test::kGpuNs;
  const Result result = judged_against(usual(), report_of({slow}));
  EXPECT_EQ(result.outcome, Outcome::passed);
  EXPECT_THAT(result.notes, ElementsAre(HasSubstr("GPU time rose")));
}

TEST(Gate, TheDegreeHasALeastValue) {
  Policy policy;
  policy.min_degree = 0.12;
  EXPECT_EQ(judged(usual(), policy).outcome, Outcome::passed) << "it is 12.5 %";
  policy.min_degree = 0.13;
  const Result result = judged(usual(), policy);
  EXPECT_EQ(result.outcome, Outcome::failed);
  EXPECT_THAT(result.violations.at(0).message, HasSubstr("loads is 12.5 %, below 13.0 %"));
  Report library = usual();
  library.kernels[0].origin = analysis::Origin::library;
  EXPECT_EQ(judged(library, policy).outcome, Outcome::passed);
}

TEST(Gate, LostTimeIsLimitedByShareOrTime) {
  Policy policy;
  policy.rules["G01"] = Severity::warn;
  policy.max_lost_time = LostTime{0.2, std::nullopt};
  EXPECT_EQ(judged(severe(), policy).outcome, Outcome::passed);
  policy.max_lost_time = LostTime{0.05, std::nullopt};
  EXPECT_EQ(judged(severe(), policy).outcome, Outcome::failed);
  policy.max_lost_time = LostTime{std::nullopt, 1};
  EXPECT_EQ(judged(severe(), policy).outcome, Outcome::failed);
}

TEST(Gate, TooLittleThatWasMeasuredIsNoPass) {
  KernelRow unmeasured = strided(2, "other(int)");
  unmeasured.load = unmeasured.store = {};
  unmeasured.gpu_ns = 90 * comparison::test::kGpuNs;
  const Report report = report_of({strided(1, "copy(int)"), unmeasured});
  const Result result = judged(report);
  EXPECT_EQ(result.outcome, Outcome::little_coverage);
  EXPECT_THAT(result.verdict, HasSubstr("only kernels of 10.0 % of the GPU time were measured"));
  Policy policy;
  policy.min_coverage = 0.1;
  EXPECT_EQ(judged(report, policy).outcome, Outcome::passed);
}

TEST(Gate, EqualCodeInEqualShapesNeedsNoNewCounts) {
  KernelRow known = strided(1, "copy(int)"), unmeasured = known;
  known.code_crc = unmeasured.code_crc = 4711;
  unmeasured.load = unmeasured.store = {};
  EXPECT_EQ(judged_against(report_of({known}), report_of({unmeasured})).outcome, Outcome::passed);
  unmeasured.code_crc = 4712;
  EXPECT_EQ(judged_against(report_of({known}), report_of({unmeasured})).outcome, Outcome::little_coverage);
}

TEST(Gate, WhatCannotBeComparedIsNotJudged) {
  Report stranger = report_of({strided(1, "scan(int)"), strided(2, "sum(int)")});
  stranger.command = {"./scan"};
  EXPECT_EQ(judged_against(usual(), stranger).outcome, Outcome::not_comparable);
  EXPECT_EQ(judged(report_of({})).outcome, Outcome::not_comparable);
}

}  // namespace
}  // namespace coalescope::gate
