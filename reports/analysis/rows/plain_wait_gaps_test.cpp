// Pauses behind waits, as the time line of a program has them.
#include "reports/analysis/rows/plain_wait_gaps.h"

#include <gtest/gtest.h>

#include "reports/analysis/rows/timeline_program_test.h"

namespace coalescope::analysis {
namespace {

constexpr std::int64_t kRecordNs = 1'200;  // what CUPTI takes of a launch

// A kernel, a wait for it, and the next kernel; the wait ends 5 us before that.
void wait_between(test::Program& program) {
  program.kernel(1, 20'000);
  program.waited(program.now() - 30'000, program.now() + 10'000);
  program.kernel(2, 15'000);
}

TEST(PlainWaitGaps, PausesBehindWaitsAreThoseWithoutADownload) {
  test::Program program;
  program.up(true);
  wait_between(program);
  EXPECT_EQ(program.row().plain_waits, 1);
  EXPECT_EQ(program.row().plain_wait_gap_ns, 15'000 - kRecordNs);
  EXPECT_EQ(program.row().plain_wait_idle_ns, 15'000);
  EXPECT_EQ(program.row().plain_wait_sites.at(5), 1);
  wait_between(program);
  EXPECT_EQ(program.row().plain_waits, 2);
  program.down(true);
  program.waited(program.now() - 30'000, program.now() + 10'000);
  program.kernel(1, 15'000);
  EXPECT_EQ(program.row().plain_waits, 2) << "the host has a result";
  wait_between(program);
  EXPECT_EQ(program.row().plain_waits, 3) << "nothing since";
  program.waited(program.now() - 1'000, program.now() + 4'000);
  program.kernel(1, 50'000);
  EXPECT_EQ(program.row().plain_wait_gap_ns, 3 * (15'000 - kRecordNs) + 5'000 + kRecordNs)
      << "the host gains no more than it would have waited without the record of the launch before";
}

TEST(PlainWaitGaps, WaitsThatWereNotListedOrNotUndisturbedCountLikeTheOthers) {
  test::Program program;
  program.up(true);
  wait_between(program);
  wait_between(program);
  EXPECT_EQ(program.row().waits_for_each_met, 1);
  const std::int64_t began = program.now() + 1;
  wait_between(program);
  program.measured(began, program.now()).kernel(1);
  EXPECT_EQ(program.row().plain_waits, 2);
  EXPECT_EQ(program.row().waits_for_each_met, 1.5);
  program.waited_in_all(5 * 40'000);
  EXPECT_EQ(program.row().waits_for_each_met, 2.5);
}

TEST(PlainWaitGaps, WaitsThatOthersMayNeedAreNone) {
  test::Program with_host_memory, of_a_rank;
  for (test::Program* program : {&with_host_memory, &of_a_rank}) {
    program->up(true);
    wait_between(*program);
  }
  EXPECT_EQ(with_host_memory.uses_host_memory().row().plain_waits, 0);
  EXPECT_EQ(of_a_rank.has_rank().row().plain_waits, 0);
}

}  // namespace
}  // namespace coalescope::analysis
