#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::finding_of;
using test::finds_nothing;
using testing::HasSubstr;

// Pauses of 10 us behind 2,000 waits, beside 40 ms of work; recording takes 3 us of a launch.
TimelineRow waiting() {
  TimelineRow row;
  row.busy_ns = 40'000'000;
  row.plain_waits = 2'000;
  row.plain_wait_gap_ns = 20'000'000;
  row.launch_extra_ns = 3'000;
  return row;
}

TEST(T10, FiresWhereTheGpuIdlesBehindWaits) {
  TimelineRow row = waiting();
  Machine machine;
  machine.chip.queued_gap_ns = 2'000;
  EXPECT_EQ(kPlainWaits.assess({row, machine}).cost.lost_ns, 2'000 * 5'000);
  EXPECT_THAT(finding_of(kPlainWaits, {row, machine}).evidence,
              HasSubstr("nothing to do for 5.00 us each time"));
  row.launches_for_each_listed = 3;
  EXPECT_EQ(kPlainWaits.assess({row, machine}).cost.lost_ns, 3 * 2'000 * 5'000);
}

TEST(T10, FindsNothingWhereWaitsCostLittle) {
  Machine machine;
  TimelineRow row = waiting();
  row.busy_ns = 500'000'000;
  EXPECT_TRUE(finds_nothing(kPlainWaits, {row, machine})) << "the GPU works most of the time";
  row = waiting();
  row.launch_extra_ns = 10'000;
  EXPECT_TRUE(finds_nothing(kPlainWaits, {row, machine})) << "recording explains the pauses";
  row = waiting();
  row.plain_waits = 90;
  EXPECT_TRUE(finds_nothing(kPlainWaits, {row, machine})) << "a few waits are no loop";
  EXPECT_TRUE(finds_nothing(kPlainWaits, {TimelineRow(), machine}));
}

}  // namespace
}  // namespace coalescope::analysis
