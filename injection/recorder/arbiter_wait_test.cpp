// Kernels that wait for what the program does next: whoever waits for them without a limit waits for ever.

#include <gmock/gmock.h>

#include "injection/recorder/arbiter_fixture_test.h"

namespace coalescope::recorder {
namespace {

using model::CoverageReason;
using model::Phase;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::int64_t kOneSecond = 1'000'000'000;

class ArbiterWaitTest : public ArbiterTest {
 protected:
  // It is launched while the GPU is idle, and has not ended when it is waited for.
  Ticket launch_waiting(const char* name) {
    const auto info = launch_of(name);
    group(name).launches_seen++;
    const auto ticket = arbiter().before_launch(info, group(name));
    gpu_goes_on_ = true;
    arbiter().after_launch(ticket);
    return ticket;
  }
  void go_on_later() {
    gpu_goes_on_ = false;
    now_ns_ += kOneSecond;
  }
  bool says(std::string_view code) {
    return std::ranges::any_of(diagnostics_.take_changed(),
                               [&](const auto& row) { return row.code == code; });
  }
};

TEST_F(ArbiterWaitTest, ARangeStaysOpenUntilItsLaunchHasEnded) {
  only(Phase::traffic);
  EXPECT_EQ(launch_waiting("waits"), Ticket::owner);
  EXPECT_THAT(range_.calls, ElementsAre("enter traffic", "begin"));
  EXPECT_TRUE(says("waited_in_vain"));
  EXPECT_EQ(launch("other"), Ticket::native) << "at once, and without asking";
  go_on_later();
  EXPECT_EQ(launch("other"), Ticket::owner);
  EXPECT_THAT(range_.calls,
              ElementsAre("enter traffic", "begin", "end", "leave", "enter traffic", "begin", "end"));
  ASSERT_EQ(windows_.size(), 1U);
  EXPECT_EQ(windows_[0].window.outcome, CoverageReason::window_discarded);
  EXPECT_EQ(taken("waits", Phase::traffic), 0);
}

// What is captured would fall into its range.
TEST_F(ArbiterWaitTest, ARangeWhoseLaunchGoesOnIsLeftBeforeAStreamCaptures) {
  only(Phase::traffic);
  launch_waiting("waits");
  go_on_later();
  arbiter().stream_capture_began();
  EXPECT_THAT(range_.calls, ElementsAre("enter traffic", "begin", "end", "leave"));
}

TEST_F(ArbiterWaitTest, NothingIsMeasuredBesideWorkThatGoesOn) {
  only(Phase::traffic);
  gpu_goes_on_ = true;
  EXPECT_EQ(launch("k"), Ticket::native);
  EXPECT_THAT(range_.calls, IsEmpty());
  now_ns_ += kOneSecond;
  const auto before_ns = now_ns_;
  EXPECT_EQ(launch("k"), Ticket::native);
  EXPECT_LT(now_ns_ - before_ns, kOneSecond) << "what was waited for in vain is only asked for";
  EXPECT_EQ(patience_.count(), 0);
  EXPECT_EQ(arbiter().reason(group("k"), Phase::traffic), CoverageReason::gpu_busy);
  go_on_later();
  EXPECT_EQ(launch("k"), Ticket::owner);
}

TEST_F(ArbiterWaitTest, AKernelThatHoldsTheProgramUpTwiceIsNotMeasured) {
  only(Phase::traffic);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(launch_waiting("waits"), Ticket::owner);
    go_on_later();
  }
  EXPECT_EQ(launch("waits"), Ticket::native);
  EXPECT_EQ(launch("other"), Ticket::owner);
}

TEST_F(ArbiterWaitTest, AKernelThatIsTimedMayWait) {
  only(Phase::bytes);
  options_.budget = Budget{};
  options_.enabled[index_of(Phase::hits)] = true;  // otherwise who chose one phase wants the first launch
  groups_.timed(group("a"), 1000);
  for (int i = 0; i < 4; ++i) (void)launch("a");
  EXPECT_NE(launch_waiting("waits"), Ticket::none);
  EXPECT_GT(group("waits").needs.overdue, 0);
}

// However often its kernels wait.
TEST_F(ArbiterWaitTest, AProgramIsHeldUpForSomeSecondsOnly) {
  only(Phase::traffic);
  std::int64_t held_up_ns = 0;
  for (int i = 0; i < 100; ++i) {
    const auto before_ns = now_ns_;
    (void)launch_waiting(("waits" + std::to_string(i)).c_str());
    held_up_ns += now_ns_ - before_ns;
    gpu_goes_on_ = false;
    now_ns_ += 200'000'000;
  }
  EXPECT_GT(held_up_ns, 3 * kOneSecond);
  EXPECT_LT(held_up_ns, 6 * kOneSecond);
}

TEST_F(ArbiterWaitTest, AKernelThatIsKnownToTakeLongIsWaitedFor) {
  only(Phase::traffic);
  groups_.timed(group("long"), 3 * kOneSecond);
  EXPECT_EQ(launch_waiting("long"), Ticket::owner);
  EXPECT_GE(patience_.count(), 6 * kOneSecond);
}

// CUPTI would wait for what still runs.
TEST_F(ArbiterWaitTest, TheEndWaitsForNothing) {
  only(Phase::traffic);
  launch("k");
  gpu_goes_on_ = true;
  arbiter().finish();
  EXPECT_THAT(range_.calls, Not(Contains("leave")));
}

TEST_F(ArbiterWaitTest, AContextMayEndWhileItsWorkGoesOn) {
  only(Phase::traffic);
  launch_waiting("waits");
  arbiter().context_ending(context_);
  EXPECT_THAT(range_.calls, Not(Contains("release")));
  EXPECT_THAT(lines_.calls, ElementsAre("release"));
  gpu_goes_on_ = false;
  EXPECT_EQ(launch("k"), Ticket::native) << "nothing is measured any more";
  arbiter().finish();
}

// A launch of another thread does not return in time.
TEST_F(ArbiterWaitTest, WhatIsOpenForALostContextIsNotTouched) {
  only(Phase::traffic);
  launch("k");
  group("other").satisfied = true;
  const auto ticket = arbiter().before_launch(launch_of("other"), group("other"));
  EXPECT_EQ(ticket, Ticket::native);
  arbiter().context_ending(context_);
  arbiter().after_launch(ticket);
  now_ns_ += kOneSecond;
  arbiter().tidy();
  EXPECT_EQ(launch("k"), Ticket::native);
  arbiter().finish();
  EXPECT_THAT(range_.calls, ElementsAre("enter traffic", "begin", "end"));
}

}  // namespace
}  // namespace coalescope::recorder
