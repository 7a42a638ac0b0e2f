// Findings that several shapes, variants or processes of a kernel have.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>

#include "reports/analysis/judge/finding_cases_test.h"
#include "reports/analysis/rows/kernel_families.h"

namespace coalescope::analysis {
namespace {

using test::access;
using test::findings_of;
using test::kRequests;
using test::one_h100;
using test::report_of;

Report shapes_of_one_kernel(std::initializer_list<std::int64_t> processes) {
  std::vector<KernelRow> rows;
  for (const auto process : processes) {
    KernelRow row = test::strided_copy(32, 136'500);
    row.mangled_name = "_Z4copyPf";
    row.grid = {static_cast<std::int64_t>(rows.size()) + 1, 1, 1};
    row.process_id = process;
    rows.push_back(row);
  }
  Report report = report_of(std::move(rows));
  report.kernel_families = kernel_families(report.kernels);
  return report;
}

TEST(ShapeFindings, WhatSeveralShapesHaveIsOneFinding) {
  const Report report = shapes_of_one_kernel({1, 1, 1});
  const auto one = findings_of(shapes_of_one_kernel({1}), one_h100());
  const auto findings = findings_of(report, one_h100());
  ASSERT_EQ(one.size(), 1U) << "loads and stores";
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kernel_ids.size(), 3U);
  EXPECT_EQ(findings[0].lost_ns, 3 * *one[0].lost_ns);
  EXPECT_EQ(findings[0].subject_ns, 3 * 136'500);
  EXPECT_THAT(findings[0].evidence, testing::HasSubstr("the same in 3 shapes"));
  EXPECT_THAT(findings[0].basis, testing::HasSubstr("summed over 3 shapes"));
}

TEST(ShapeFindings, WhatSeveralVariantsHaveIsOneFinding) {
  Report report = shapes_of_one_kernel({1, 1});
  for (auto& row : report.kernels) {
    row.grid = {1, 1, 1};
    row.variant = row.id;
  }
  report.kernel_families = kernel_families(report.kernels);
  const auto findings = findings_of(report, one_h100());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].evidence, testing::HasSubstr("the same in 2 variants"));
}

TEST(ShapeFindings, WhatOneVariantHasNamesItsParameters) {
  Report report = shapes_of_one_kernel({1, 1});
  KernelRow& clean = report.kernels[0];
  clean.load = clean.store = access(kRequests, 128, 4);
  report.kernels[1].variant = 2;
  report.kernels[1].parameters = "parameter 2: 32, not 1";
  const auto findings = findings_of(report, one_h100());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].evidence, testing::EndsWith("(parameter 2: 32, not 1)"));
}

TEST(ShapeFindings, ShapesThatBlameOtherLinesAreApart) {
  Report report = shapes_of_one_kernel({1, 1});
  report.lines = {test::line_of(report.kernels[0], "a.cu", 7, true),
                  test::line_of(report.kernels[1], "a.cu", 9, true)};
  const auto findings = findings_of(report, one_h100());
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].line, 7);
  EXPECT_EQ(findings[1].line, 9);
}

TEST(ShapeFindings, WhatOnlySomeProcessesHaveNamesThem) {
  Report report = shapes_of_one_kernel({1, 2, 2});
  report.processes.resize(2);
  report.processes[0].id = {1};
  report.processes[0].rank = 0;
  report.processes[1].id = {2};
  report.processes[1].rank = 1;
  for (const auto& finding : findings_of(report, one_h100())) EXPECT_EQ(finding.subject, "kernel");
  KernelRow& clean = report.kernels[0];
  clean.load = clean.store = access(kRequests, 128, 4);
  const auto findings = findings_of(report, one_h100());
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].subject, "rank 1: kernel");
}

}  // namespace
}  // namespace coalescope::analysis
