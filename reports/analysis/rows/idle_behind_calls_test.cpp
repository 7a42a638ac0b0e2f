#include "reports/analysis/rows/idle_behind_calls.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

// A round takes 100 ns: a call of 40, and the launch of work that begins at its end.
class IdleBehindCalls : public testing::Test {
 protected:
  static constexpr int kRounds = 10;

  explicit IdleBehindCalls() {
    for (int round = 0; round < kRounds; ++round) calls_.push_back({100 * round, 100 * round + 40, 0});
  }
  void work_of(std::int64_t ns) {
    for (int round = 0; round < kRounds; ++round)
      times_.all.emplace_back(100 * round + 40, 100 * round + 40 + ns);
  }
  [[nodiscard]] std::vector<IdleBehind> behind(double work_ns = 0) const {
    return idle_behind_calls({{1, calls_}}, {{1, times_}}, 2, [=](std::size_t, std::int64_t calls) {
      return work_ns * static_cast<double>(calls);
    });
  }

  std::vector<HostCall> calls_;
  OccupiedTimes times_;
};

TEST_F(IdleBehindCalls, AreTheCallsWhereTheHostIsLate) {
  work_of(30);
  EXPECT_EQ(behind()[0].calls, kRounds);
  EXPECT_EQ(behind()[0].idle_ns, kRounds * 40) << "without them a round would take the host's 60 ns";
  EXPECT_EQ(behind()[1].calls, 0);
}

TEST_F(IdleBehindCalls, IsAllIdleTimeWhereTheGpuCouldWorkOn) {
  work_of(90);
  EXPECT_EQ(behind()[0].idle_ns, 40 + (kRounds - 1) * 10) << "the first call, and the rest of each round";
}

TEST_F(IdleBehindCalls, LeavesOutTheWorkThatTheCallsAreFor) {
  work_of(30);
  EXPECT_EQ(behind(25)[0].idle_ns, kRounds * 15);
  EXPECT_EQ(behind(45)[0].idle_ns, 0) << "such calls end before their work";
}

TEST_F(IdleBehindCalls, EndsWhereTheHostWaitsForSomethingElse) {
  work_of(10);
  for (int round = 0; round < kRounds; ++round) calls_.push_back({100 * round + 45, 100 * round + 95, 1});
  EXPECT_EQ(behind()[0].idle_ns, kRounds * 40);
  EXPECT_EQ(behind()[1].idle_ns, kRounds * 50 - 5)
      << "it idles until the next call; the last one ends itself";
  for (HostCall& call : calls_)
    if (call.cause == 1) call.cause = kOtherCause;
  EXPECT_EQ(behind()[0].idle_ns, kRounds * 40);
}

TEST_F(IdleBehindCalls, IsNotKnownWhereNothingWasListed) {
  work_of(30);
  times_.all = {{0, 100 * kRounds}};
  times_.unknown = {{250, 100 * kRounds}};
  EXPECT_EQ(behind()[0].idle_ns, 0);
}

}  // namespace
}  // namespace coalescope::analysis
