// What is lost is counted, and what comes late is not.

#include <gtest/gtest.h>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

using coalescope::model::CoverageReason;
using coalescope::model::Phase;

TEST(Losses, LateRecordsAreWaitedFor) {
  const auto recorded = record(R"(
kernel a
kernel b
records hold
launch a times=40
launch b times=40
records
launch a times=10
)");
  expect_exact(recorded);
}

// They come from the vendor's own exit handler, after the recorder's: too late, and nothing may break.
TEST(Losses, RecordsThatComeAfterTheEndAreMissedButWereSeen) {
  const auto recorded = record(R"(
kernel a
launch a times=40
records hold
launch a times=10
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_coverage_counts(recorded);
  EXPECT_EQ(recorded.launches_of("a"), 40);
  ASSERT_EQ(recorded.rows.diagnostics.size(), 1U);
  EXPECT_EQ(recorded.rows.diagnostics.front().code, "launches_untimed");
  EXPECT_EQ(recorded.rows.diagnostics.front().count, 10);
}

TEST(Losses, AKernelWhoseLaunchesWereAllCountedSaysWhyItHasNoTime) {
  const auto recorded = record("kernel once\nkernel often\nlaunch once times=2\nlaunch often times=20\n");
  expect_exact(recorded);
  EXPECT_TRUE(recorded.has_reason("once", Phase::trace, CoverageReason::too_few_launches));
  for (const auto& row : recorded.rows.coverage)
    EXPECT_FALSE(row.phase == Phase::trace && recorded.kernel_of(row.group_id) == "often");
}

TEST(Losses, DroppedRecordsAreCounted) {
  const auto recorded = record(R"(
kernel a
launch a times=40
records drop=3
launch a times=10
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_coverage_counts(recorded);
  EXPECT_EQ(recorded.launches_of("a"), 47);
  ASSERT_EQ(recorded.rows.diagnostics.size(), 1U);
  EXPECT_EQ(recorded.rows.diagnostics.front().code, "records_dropped");
  EXPECT_EQ(recorded.rows.diagnostics.front().count, 3);
}

// Each record slows the program down, so that CUPTI is asked for no more once there are enough.
TEST(Losses, MigrationsAreRecordedUpToALimit) {
  const auto recorded = record(R"(
kernel a
launch a
migrate times=60000 unwatched_ms=60000
migrate times=500
launch a times=40
)");
  expect_unharmed(recorded);
  EXPECT_EQ(recorded.rows.unified_memory.size(), 50'000U);
  ASSERT_EQ(recorded.rows.diagnostics.size(), 1U);
  EXPECT_EQ(recorded.rows.diagnostics.front().code, "records_dropped");
  EXPECT_EQ(recorded.rows.diagnostics.front().origin, "unified_memory");
  EXPECT_EQ(recorded.rows.diagnostics.front().count, 10'000) << "nothing came after the pause";
}

TEST(Losses, AKernelThatStillRunsAtTheEndHasNoTime) {
  const auto recorded = record(R"(
kernel a
kernel long gpu_ns=1
launch a times=40
launch long unfinished
)",
                               {"--budget", "none", "--phases", "trace"});
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
  EXPECT_EQ(recorded.launches_of("long"), 1);
  EXPECT_TRUE(recorded.has_reason("long", Phase::trace, CoverageReason::failed));
  ASSERT_EQ(recorded.rows.diagnostics.size(), 1U);
  EXPECT_EQ(recorded.rows.diagnostics.front().code, "launches_untimed");
  for (const auto& launch : recorded.rows.launches)
    EXPECT_EQ(launch.gpu_ns.has_value(), recorded.kernel_of(launch.group_id) == "a");
}

// Until the writer is there again, only so much fits into its queue. What is dropped is counted, and what is
// not has all that it refers to.
TEST(Losses, AFullQueueDropsAndCounts) {
  const auto recorded = record(R"(
kernel a
stall cuDeviceGetName ms=1500
launch a growing times=9000
launch a times=20
sleep ms=2000
launch a growing times=9000
)",
                               {"--budget", "none", "--phases", "trace"});
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  EXPECT_EQ(recorded.rows.groups.size(), 9001U);
  EXPECT_TRUE(recorded.launches_of("a") == 18020 || recorded.says("full")) << recorded.launches_of("a");
}

TEST(Losses, ManyRecordsFillManyBuffers) {
  const auto recorded = record(R"(
kernel a
kernel b
threads 4 {
  launch a times=10000
  launch b times=100
}
)");
  expect_exact(recorded);
}

TEST(Losses, AnotherProfilerIsNamed) {
  const auto recorded = record("kernel a\nlaunch a times=10\nfail cuptiSubscribe with=39\n");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  EXPECT_EQ(recorded.launches_of("a"), 10) << "the trace needs no subscriber";
  EXPECT_TRUE(recorded.says("another profiler or debugger is attached")) << recorded.diagnostics_text();
}

TEST(Losses, WithoutPermissionOnlyTheCountersAreMissing) {
  const auto recorded =
      record("kernel a\nlaunch a times=40\nfail cuptiRangeProfilerEnable times=1000 with=35\n");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
  for (const Phase phase : {Phase::bytes, Phase::traffic, Phase::hits})
    EXPECT_TRUE(recorded.has_reason("a", phase, CoverageReason::no_permission));
  EXPECT_GT(recorded.measured("a", Phase::lines), 0);
  EXPECT_TRUE(recorded.says("NVreg_RestrictProfilingToAdminUsers=0"));
}

}  // namespace
}  // namespace standin
