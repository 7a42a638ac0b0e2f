// What a measured launch is charged, and that a kernel is timed before it is patched.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "injection/recorder/arbiter_fixture_test.h"
#include "injection/recorder/phase_prices.h"

namespace coalescope::recorder {
namespace {

using model::CoverageReason;
using model::Phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A program that queues a second of work ahead of the GPU keeps it busy while the recorder waits.
TEST_F(ArbiterTest, WaitingForWhatTheProgramHasQueuedIsNoCost) {
  only(Phase::traffic);
  queued_ns_ = 1'000'000'000;
  launch("k");
  launch("k");
  arbiter().finish();
  EXPECT_EQ(waits_, 6) << "before and after each launch, and before the window and the recording end";
  EXPECT_LT(arbiter().spent_ns(), 1'000'000);
  EXPECT_GE(arbiter().waited_ns(), 1'000'000'000);
}

// The launch itself returns at once.
TEST_F(ArbiterTest, WhatAPatchedKernelTakesIsACost) {
  only(Phase::lines);
  auto info = launch_of("k");
  group("k").launches_seen++;
  const auto ticket = arbiter().before_launch(info, group("k"));
  queued_ns_ = 300'000'000;
  arbiter().after_launch(ticket);
  EXPECT_GE(arbiter().spent_ns(), 300'000'000);
  EXPECT_LT(arbiter().spent_ns(), 400'000'000);
  EXPECT_LT(arbiter().waited_ns(), 400'000'000) << "once, to leave the window; not for what patching takes";
  ASSERT_EQ(windows_.size(), 1U);
  EXPECT_GE(windows_.front().window.launches_cost_ns, 300'000'000);
  EXPECT_LT(windows_.front().window.cost_ns, 1'000'000) << "of entering and leaving";
}

// Nodes that replace a launch of a graph are launched within one call, and each waits for the one before it.
TEST_F(ArbiterTest, WhatSurroundsMeasuredLaunchesCostsTheTimeThatIsNotTheirs) {
  only(Phase::lines);
  groups_.timed(group("k"), 100'000'000);
  const auto before = arbiter().read_meter();
  queued_ns_ = 300'000'000;  // of other work before the launch, and of the patched kernel
  launch("k");
  const auto launch_ns = arbiter().spent_ns();
  now_ns_ += 50'000'000;
  arbiter().charge_since(before);
  EXPECT_NEAR(static_cast<double>(launch_ns), 200e6, 1e6);
  EXPECT_NEAR(static_cast<double>(arbiter().spent_ns() - launch_ns), 50e6, 1e6);
}

TEST_F(ArbiterTest, InstructionsOfAMeasuredLaunchTellWhatPatchingItsKernelCosts) {
  only(Phase::traffic);
  range_.instructions = 123'456;
  group("wide").row.grid_x = 1'000;
  launch("k");
  launch("wide");
  EXPECT_EQ(group("k").needs.instructions, 0) << "nothing is read before the window is left";
  arbiter().finish();
  EXPECT_EQ(group("k").needs.instructions, 123'456 * kPricedMultiprocessors) << "by one block";
  EXPECT_EQ(group("wide").needs.instructions, 123'456);
}

TEST_F(ArbiterTest, AKernelWithoutATimeIsTimedBeforeItIsPatched) {
  only(Phase::traffic);
  options_.budget = Budget{};
  options_.enabled[index_of(Phase::lines)] = true;
  EXPECT_EQ(launch("first"), Ticket::owner);
  arbiter().close_window();
  range_.calls.clear();
  groups_.timed(group("first"), 1'000'000);  // windows of hardware counters wait while new kernels come
  queued_ns_ = 3'000'000;
  EXPECT_EQ(launch("k"), Ticket::timed);
  EXPECT_THAT(lines_.calls, IsEmpty()) << "it might take seconds";
  EXPECT_GE(group("k").needs.native_ns, 3'000'000);
  EXPECT_EQ(launch("k"), Ticket::owner);
  EXPECT_THAT(lines_.calls, ElementsAre("enter lines", "begin", "end", "leave"));
}

TEST_F(ArbiterTest, AKernelThatTakesLongIsNotPatched) {
  only(Phase::lines);
  options_.budget = Budget{};
  groups_.timed(group("k"), 150'000'000);
  for (int i = 0; i < 5; ++i) launch("k");
  EXPECT_THAT(lines_.calls, IsEmpty());
  EXPECT_EQ(arbiter().reason(group("k"), Phase::lines), CoverageReason::budget_spent);
}

}  // namespace
}  // namespace coalescope::recorder
