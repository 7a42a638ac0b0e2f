#include "reports/comparison/findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/comparison/compare.h"
#include "reports/comparison/sample_reports_test.h"

namespace coalescope::comparison {
namespace {

using analysis::Finding;
using analysis::KernelRow;
using analysis::Report;
using test::report_of;
using test::strided;
using testing::HasSubstr;

constexpr std::int64_t kLostNs = 4 * test::kGpuNs;

Report with_finding(Report report, std::int64_t lost_ns = kLostNs) {
  Finding finding;
  finding.rule = "G01";
  finding.title = "Uncoalesced loads";
  finding.subject = report.kernels.at(0).name;
  finding.kernel_id = report.kernels.at(0).id;
  finding.lost_ns = lost_ns;
  finding.lost_share = static_cast<double>(lost_ns) / static_cast<double>(report.totals.kernel_ns);
  report.findings.push_back(finding);
  return report;
}

KernelRow repaired() {
  KernelRow row = strided(1, "copy(int)");
  row.load.sectors = *row.load.sectors / 8;
  row.median_gpu_ns = test::kGpuNs / 2;
  row.gpu_ns = 5 * test::kGpuNs;
  return row;
}

TEST(CompareFindings, OneThatVanishedTellsWhatWasPredictedAndGained) {
  const Comparison comparison =
      compare(with_finding(report_of({strided(1, "copy(int)")})), report_of({repaired()}));
  ASSERT_EQ(comparison.findings.size(), 1U);
  const FindingChange& change = comparison.findings.front();
  EXPECT_EQ(change.state, FindingState::vanished);
  EXPECT_TRUE(change.decides);
  EXPECT_EQ(change.before_lost_ns, kLostNs);
  EXPECT_EQ(change.gained_ns, 5 * test::kGpuNs);
  EXPECT_EQ(comparison.judgement, Judgement::better);
}

TEST(CompareFindings, OneThatAppearedIsWorse) {
  const Comparison comparison =
      compare(report_of({repaired()}), with_finding(report_of({strided(1, "copy(int)")})));
  EXPECT_EQ(comparison.findings.at(0).state, FindingState::appeared);
  EXPECT_TRUE(comparison.findings.at(0).decides);
  EXPECT_TRUE(comparison.is_worse);
}

TEST(CompareFindings, AtTheLimitItDecidesNothing) {
  const auto report = report_of({strided(1, "copy(int)")});
  const Comparison comparison = compare(with_finding(report), report);
  EXPECT_EQ(comparison.findings.at(0).state, FindingState::vanished);
  EXPECT_FALSE(comparison.findings.at(0).decides);
  EXPECT_THAT(comparison.findings.at(0).why, HasSubstr("the kernel's counts are the same"));
  EXPECT_EQ(comparison.judgement, Judgement::same);
}

TEST(CompareFindings, OfAKernelThatIsGoneTheGainIsNotKnown) {
  const Comparison comparison =
      compare(with_finding(report_of({strided(1, "copy(int)"), strided(2, "stays(int)")})),
              report_of({strided(2, "stays(int)")}));
  const FindingChange& change = comparison.findings.at(0);
  EXPECT_EQ(change.gained_ns, std::nullopt);
  EXPECT_THAT(change.why, HasSubstr("not measured"));
  EXPECT_TRUE(change.decides);
}

TEST(CompareFindings, ItsCostMovesOnlyWithItsCounts) {
  const auto report = report_of({strided(1, "copy(int)")});
  EXPECT_EQ(compare(with_finding(report), with_finding(report, 2 * kLostNs)).findings.at(0).state,
            FindingState::same);
  KernelRow more = strided(1, "copy(int)");
  test::load_more(more, 2);
  const Comparison comparison = compare(with_finding(report), with_finding(report_of({more}), 2 * kLostNs));
  EXPECT_EQ(comparison.findings.at(0).state, FindingState::worse);
}

TEST(CompareFindings, WhatStandsAsideIsNotCompared) {
  auto report = with_finding(report_of({strided(1, "copy(int)")}));
  report.findings.front().aside = analysis::Aside::library;
  EXPECT_TRUE(compare(report, report_of({repaired()})).findings.empty());
}

}  // namespace
}  // namespace coalescope::comparison
