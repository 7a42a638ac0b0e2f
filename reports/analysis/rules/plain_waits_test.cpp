#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::finding_of;
using test::finds_nothing;
using testing::HasSubstr;

// Pauses of 10 us behind 2,000 waits, beside 40 ms of work.
TimelineRow waiting() {
  TimelineRow row;
  row.busy_ns = 40'000'000;
  row.plain_waits = 2'000;
  row.plain_wait_idle_ns = row.plain_wait_gap_ns = 20'000'000;
  return row;
}

TEST(T10, FiresWhereTheGpuIdlesBehindWaits) {
  TimelineRow row = waiting();
  Machine machine;
  machine.chip.queued_gap_ns = 2'000;
  EXPECT_EQ(kPlainWaits.assess({row, machine}).cost.lost_ns, 2'000 * 8'000);
  EXPECT_THAT(finding_of(kPlainWaits, {row, machine}).evidence,
              HasSubstr("nothing to do for 8.00 us each time"));
  row.waits_for_each_met = 3;
  EXPECT_EQ(kPlainWaits.assess({row, machine}).cost.lost_ns, 3 * 2'000 * 8'000);
}

TEST(T10, FindsNothingWhereWaitsCostLittle) {
  Machine machine;
  TimelineRow row = waiting();
  row.busy_ns = 500'000'000;
  EXPECT_TRUE(finds_nothing(kPlainWaits, {row, machine})) << "the GPU works most of the time";
  row = waiting();
  row.plain_wait_gap_ns = 0;
  EXPECT_TRUE(finds_nothing(kPlainWaits, {row, machine})) << "recording explains the pauses";
  row = waiting();
  row.plain_waits = 90;
  EXPECT_TRUE(finds_nothing(kPlainWaits, {row, machine})) << "a few waits are no loop";
  EXPECT_TRUE(finds_nothing(kPlainWaits, {TimelineRow(), machine}));
}

}  // namespace
}  // namespace coalescope::analysis
