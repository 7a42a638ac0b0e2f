#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::finding_of;
using test::finds_nothing;
using testing::HasSubstr;

const Machine kNoChip;

// Pauses of 20 us each before 2,000 launches, 50 ms in all, beside 40 ms of work; recording takes 3 us of a
// launch.
TimelineRow launching() {
  TimelineRow row;
  row.busy_ns = 40'000'000;
  row.launch_gaps = 2'000;
  row.launch_gap_ns = 50'000'000;
  row.launch_extra_ns = 3'000;
  return row;
}

TEST(T09, FiresWhereTheGpuWaitsForLaunches) {
  TimelineRow row = launching();
  Machine machine;
  machine.chip.queued_gap_ns = 2'000;
  EXPECT_EQ(kLaunchGaps.assess({row, machine}).cost.lost_ns, 2'000 * 20'000);
  EXPECT_EQ(kLaunchGaps.assess({row, machine}).cost.of_ns, 2'000 * 23'000);
  EXPECT_THAT(finding_of(kLaunchGaps, {row, machine}).evidence,
              HasSubstr("some 20.0 us before each of 2,000 launches"));
  row.launches_for_each_listed = 3;
  EXPECT_EQ(kLaunchGaps.assess({row, machine}).cost.lost_ns, 3 * 2'000 * 20'000);
  row.busy_ns = 100'000'000;
  EXPECT_TRUE(finds_nothing(kLaunchGaps, {row, machine})) << "the GPU works most of the time";
}

TEST(T09, FindsNothingWhereTheRecordingMayBeTheReason) {
  TimelineRow row = launching();
  row.launch_extra_ns = 7'000;
  EXPECT_TRUE(finds_nothing(kLaunchGaps, {row, kNoChip}));
  row = launching();
  row.launch_gaps = 900;
  EXPECT_TRUE(finds_nothing(kLaunchGaps, {row, kNoChip})) << "a program sets itself up";
  EXPECT_TRUE(finds_nothing(kLaunchGaps, {TimelineRow(), kNoChip}));
}

}  // namespace
}  // namespace coalescope::analysis
