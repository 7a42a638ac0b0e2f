#include "reports/analysis/view/notices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::Phase;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

Report with_a_kernel_that_lacks(CoverageReason reason) {
  Report report;
  report.capture.clean = true;
  report.totals.shapes = 1;
  KernelRow row;
  row.unmeasured = {Unmeasured{Phase::lines, reason, ""}};
  report.kernels = {row};
  return report;
}

TEST(Notices, WhatWasNotMeasuredIsSaid) {
  EXPECT_THAT(notices_of(with_a_kernel_that_lacks(CoverageReason::budget_spent)),
              Contains(HasSubstr("Not measured for 1 of 1")));
}

// As was meant, for functions with many shapes.
TEST(Notices, ASizeThatAnotherShapeStandsForIsNotMissing) {
  EXPECT_THAT(notices_of(with_a_kernel_that_lacks(CoverageReason::size_measured)),
              Not(Contains(HasSubstr("Not measured"))));
}

}  // namespace
}  // namespace coalescope::analysis
