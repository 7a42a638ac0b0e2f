#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "injection/recorder/arbiter_fixture_test.h"

namespace coalescope::recorder {
namespace {

using model::CoverageReason;
using model::Phase;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(ArbiterTest, ALinesWindowHoldsOneLaunch) {
  only(Phase::lines);
  launch("k");
  launch("k");
  launch("k");
  EXPECT_THAT(lines_.calls,
              ElementsAre("enter lines", "begin", "end", "leave", "enter lines", "begin", "end", "leave"));
  ASSERT_EQ(windows_.size(), 2U);
  EXPECT_EQ(windows_[0].window.outcome, CoverageReason::measured);
  EXPECT_EQ(windows_[0].window.launches, 1);
  EXPECT_EQ(windows_[0].readings.instructions.size(), 1U);
}

TEST_F(ArbiterTest, AWindowStaysOpenWhileItIsWanted) {
  only(Phase::bytes);
  launch("a");
  launch("b");
  EXPECT_THAT(range_.calls, ElementsAre("enter bytes", "begin", "end", "begin", "end"));
  launch("a");
  EXPECT_EQ(range_.calls.back(), "end");
  arbiter().finish();
  ASSERT_EQ(windows_.size(), 1U);
  EXPECT_EQ(windows_[0].launches.size(), 3U);
  EXPECT_EQ(windows_[0].readings.launches.size(), 3U);
  EXPECT_EQ(windows_[0].launches[1].group_id, group("b").row.id);
  EXPECT_EQ(windows_[0].launches[1].stream, 7);
  EXPECT_GT(windows_[0].launches[1].began_ns, windows_[0].launches[0].began_ns);
}

TEST_F(ArbiterTest, OthersRunNativelyWhileAWindowIsOpen) {
  only(Phase::traffic);
  group("c").needs.taken[index_of(Phase::traffic)] = 4;
  launch("a");
  EXPECT_EQ(launch("c"), Ticket::native);
  EXPECT_EQ(launch("nccl"), Ticket::native);
  EXPECT_EQ(launch("grid_sync", true), Ticket::native);
  const auto graph = arbiter().before_other_work();
  EXPECT_EQ(graph, Ticket::native);
  arbiter().after_launch(graph);
  EXPECT_THAT(range_.calls, ElementsAre("enter traffic", "begin", "end"));
  const int waits = waits_;
  launch("b");
  EXPECT_EQ(waits_, waits + 2) << "before the launch, because the graph may still run, and after it";
}

TEST_F(ArbiterTest, NothingIsDoneAloneWhileOtherWorkIsBeingAskedFor) {
  bool ran = false;
  const auto set = arbiter().before_other_work();
  EXPECT_FALSE(arbiter().alone([&] { ran = true; }));
  EXPECT_FALSE(ran);
  arbiter().after_launch(set);
  EXPECT_TRUE(arbiter().alone([&] { ran = true; }));
  EXPECT_TRUE(ran);
  EXPECT_EQ(launch("a"), Ticket::owner) << "the gate is open again";
}

TEST_F(ArbiterTest, AWindowIsLeftBeforeAKernelThatMayNeverEnd) {
  only(Phase::bytes);
  launch("k");
  launch("ncclDevKernel");
  EXPECT_EQ(range_.calls.back(), "end");
  EXPECT_EQ(launch("persistent"), Ticket::native);
  EXPECT_EQ(range_.calls.back(), "leave");
}

TEST_F(ArbiterTest, LinesNeedNoOtherWindowToBeLeft) {
  options_.enabled.fill(false);
  options_.enabled[index_of(Phase::bytes)] = options_.enabled[index_of(Phase::lines)] = true;
  launch("a");
  group("a").needs.taken[index_of(Phase::bytes)] = 2;
  launch("b");
  launch("a");
  EXPECT_THAT(lines_.calls, ElementsAre("enter lines", "begin", "end", "leave"));
  EXPECT_THAT(range_.calls, ::testing::Not(::testing::Contains("leave")));
}

TEST_F(ArbiterTest, ALaunchThatTheDriverRefusedHasNoReading) {
  only(Phase::bytes);
  launch("a");
  const auto info = launch_of("b");
  arbiter().after_launch(arbiter().before_launch(info, group("b")), false);
  launch("c");
  arbiter().finish();
  EXPECT_EQ(taken("b", Phase::bytes), 0);
  ASSERT_EQ(windows_.size(), 1U);
  EXPECT_EQ(windows_[0].window.launches, 2);
  ASSERT_EQ(windows_[0].launches.size(), 2U);
  EXPECT_EQ(windows_[0].launches[1].group_id, group("c").row.id);
  EXPECT_EQ(windows_[0].readings.launches.size(), 2U);
}

TEST_F(ArbiterTest, ALaunchThatCannotBeginRunsNatively) {
  only(Phase::bytes);
  range_.fail_begin = base::Error{base::ErrorCode::unsafe, "code is gone", ""};
  EXPECT_EQ(launch("k"), Ticket::native);
  EXPECT_THAT(range_.calls, ElementsAre("enter bytes", "begin", "leave"));
  EXPECT_EQ(arbiter().reason(group("k"), Phase::bytes), CoverageReason::code_unloaded);
}

// What it has read would be lost if the program were killed.
TEST_F(ArbiterTest, AWindowThatNobodyUsesIsLeft) {
  only(Phase::bytes);
  launch("k");
  arbiter().tidy();
  EXPECT_THAT(windows_, IsEmpty());
  now_ns_ += 1'000'000'000;
  arbiter().tidy();
  EXPECT_EQ(windows_.size(), 1U);
}

TEST_F(ArbiterTest, AFullWindowIsLeft) {
  only(Phase::bytes);
  range_.range_capacity = 2;
  launch("a");
  launch("b");
  EXPECT_THAT(range_.calls, ElementsAre("enter bytes", "begin", "end", "begin", "end", "leave"));
}

TEST_F(ArbiterTest, ASatisfiedGroupRunsNatively) {
  only(Phase::lines);
  launch("k");
  launch("k");
  EXPECT_EQ(launch("k"), Ticket::native);
  EXPECT_TRUE(group("k").satisfied);
}

TEST_F(ArbiterTest, AWindowThatIsThrownAwayCountsOnceForAGroup) {
  only(Phase::traffic);
  range_.missing_ranges = 1;
  launch("k");
  launch("k");
  arbiter().close_window();
  EXPECT_EQ(group("k").needs.discarded[index_of(Phase::traffic)], 1);
  range_.missing_ranges = 0;
  for (int i = 0; i < 8; ++i) launch("k");
  arbiter().finish();
  EXPECT_GT(taken("k", Phase::traffic), 0);
}

struct DiscardCase {
  const char* name;
  void (*spoil)(FakeProbe&);
};
class Discard : public ArbiterTest, public ::testing::WithParamInterface<DiscardCase> {};

TEST_P(Discard, KeepsNoReadingAndAsksAgainOnce) {
  only(Phase::bytes);
  GetParam().spoil(range_);
  for (int windows = 0; windows < 3; ++windows) {
    for (int i = 0; i < 4; ++i) launch("k");
    arbiter().close_window();
  }
  arbiter().finish();
  EXPECT_EQ(windows_.size(), 2U);
  for (const auto& record : windows_) {
    EXPECT_EQ(record.window.outcome, CoverageReason::window_discarded);
    EXPECT_THAT(record.readings.launches, IsEmpty());
  }
  EXPECT_EQ(taken("k", Phase::bytes), 0);
  EXPECT_EQ(group("k").needs.discarded[index_of(Phase::bytes)], 2);
  EXPECT_EQ(arbiter().reason(group("k"), Phase::bytes), CoverageReason::window_discarded);
}

INSTANTIATE_TEST_SUITE_P(
    Windows, Discard,
    ::testing::Values(DiscardCase{"range_missing", [](FakeProbe& probe) { probe.missing_ranges = 1; }},
                      DiscardCase{"dropped", [](FakeProbe& probe) { probe.dropped = 1; }},
                      DiscardCase{"not_a_number", [](FakeProbe& probe) { probe.valid = false; }},
                      DiscardCase{"all_zero", [](FakeProbe& probe) { probe.value = 0; }}),
    [](const ::testing::TestParamInfo<DiscardCase>& discard) { return discard.param.name; });

TEST_F(ArbiterTest, ZeroIsBelievedOnceThePhaseHasWorked) {
  only(Phase::bytes);
  launch("k");
  arbiter().close_window();
  range_.value = 0;
  launch("computes_only");
  arbiter().finish();
  EXPECT_EQ(windows_.back().window.outcome, CoverageReason::measured);
  EXPECT_EQ(windows_.back().readings.launches.front().front().second, 0);
}

TEST_F(ArbiterTest, APhaseThatCannotBeEnteredIsSwitchedOffWithItsReason) {
  range_.fail_enter = base::Error{base::ErrorCode::not_permitted, "no counters", "ask"};
  for (int i = 0; i < 20; ++i) launch("k");
  EXPECT_EQ(taken("k", Phase::lines), 2) << "the other phases go on";
  EXPECT_EQ(arbiter().reason(group("k"), Phase::bytes), CoverageReason::no_permission);
  EXPECT_EQ(std::count(range_.calls.begin(), range_.calls.end(), "enter bytes"), 1);
  EXPECT_FALSE(diagnostics_.take_changed().empty());
}

TEST_F(ArbiterTest, CountersThatOthersHoldAreAskedForAgain) {
  only(Phase::bytes);
  range_.fail_enter = base::Error{base::ErrorCode::busy, "held by another process", ""};
  launch("k");
  EXPECT_EQ(arbiter().reason(group("k"), Phase::bytes), CoverageReason::counters_busy);
  EXPECT_FALSE(diagnostics_.take_changed().empty());
  range_.fail_enter.reset();
  now_ns_ += 1'000'000'000;
  for (int i = 0; i < 40; ++i) launch("k");
  EXPECT_GE(taken("k", Phase::bytes), 2);
}

TEST_F(ArbiterTest, AKernelThatRanWhileOthersHeldTheCountersLacksThemForThat) {
  only(Phase::bytes);
  range_.fail_enter = base::Error{base::ErrorCode::busy, "held by another process", ""};
  launch("early");
  range_.fail_enter.reset();
  now_ns_ += 1'000'000'000;
  for (int i = 0; i < 40; ++i) launch("late");
  EXPECT_GE(taken("late", Phase::bytes), 2);
  EXPECT_EQ(arbiter().reason(group("early"), Phase::bytes), CoverageReason::counters_busy);
}

TEST_F(ArbiterTest, CountersThatNobodyEverLetsGoOfAreGivenUp) {
  only(Phase::bytes);
  range_.fail_enter = base::Error{base::ErrorCode::busy, "held by another profiler", ""};
  for (int i = 0; i < 5000; ++i) {
    launch("k");
    now_ns_ += 200'000'000;
  }
  EXPECT_EQ(arbiter().reason(group("k"), Phase::bytes), CoverageReason::counters_busy);
}

TEST_F(ArbiterTest, APhaseThatCannotBeLeftIsSwitchedOff) {
  only(Phase::bytes);
  range_.fail_leave = base::Error{base::ErrorCode::failed, "stop failed", ""};
  launch("k");
  arbiter().close_window();
  ASSERT_EQ(windows_.size(), 1U);
  EXPECT_EQ(windows_[0].window.outcome, CoverageReason::failed);
  EXPECT_EQ(arbiter().reason(group("k"), Phase::bytes), CoverageReason::failed);
}

// To leave it would wait for the GPU, which ends a stream capture.
TEST_F(ArbiterTest, TheWindowStaysOpenAndUnusedWhileAStreamCaptures) {
  only(Phase::bytes);
  launch("k");
  const int waits = waits_;
  arbiter().stream_capture_began();
  launch("k");
  launch("other");
  arbiter().close_window();
  EXPECT_EQ(waits_, waits);
  EXPECT_THAT(range_.calls, ElementsAre("enter bytes", "begin", "end"));
  arbiter().stream_capture_ended();
  launch("other");
  EXPECT_THAT(range_.calls, ElementsAre("enter bytes", "begin", "end", "begin", "end"));
  arbiter().close_window();
  ASSERT_EQ(windows_.size(), 1U);
  EXPECT_EQ(windows_[0].launches.size(), 2U);
}

TEST_F(ArbiterTest, TheWindowIsLeftAtTheEndOfAProcessThatStillCaptures) {
  only(Phase::bytes);
  launch("k");
  arbiter().stream_capture_began();
  arbiter().finish();
  EXPECT_EQ(range_.calls.back(), "end") << "measuring ends, the program goes on";
  arbiter().process_ends();
  EXPECT_EQ(windows_.size(), 1U);
}

TEST_F(ArbiterTest, PatchedCodeThatGoesInAStreamCaptureEndsMeasuring) {
  only(Phase::bytes);
  launch("k");
  arbiter().stream_capture_began();
  arbiter().patched_code_unloads();
  arbiter().stream_capture_ended();
  EXPECT_EQ(launch("other"), Ticket::native);
  arbiter().finish();
  EXPECT_THAT(range_.calls, ElementsAre("enter bytes", "begin", "end")) << "never touched again";
}

TEST_F(ArbiterTest, CodeThatComesOrGoesLeavesTheWindowOpen) {
  only(Phase::bytes);
  launch("k");
  arbiter().code_change_began();
  EXPECT_EQ(launch("other"), Ticket::native);
  arbiter().code_change_ended();
  EXPECT_EQ(launch("other"), Ticket::owner);
  EXPECT_THAT(windows_, IsEmpty());
}

TEST_F(ArbiterTest, AKernelThatAnAutotunerTimedBesideItsGraphsIsOneOfGraphs) {
  Group& kernel = group("k");
  kernel.needs.refused_while_timed = true;
  kernel.launches_seen = 1206;
  kernel.launches_in_graph = 600;
  EXPECT_EQ(arbiter().reason(kernel, Phase::bytes), CoverageReason::timed_by_program);
  kernel.launches_in_graph = 1200;
  EXPECT_EQ(arbiter().reason(kernel, Phase::bytes), CoverageReason::in_graph);
}

TEST_F(ArbiterTest, ASizeThatAnotherShapeWasMeasuredForSaysSo) {
  SharedNeeds sizes;
  sizes.of_sizes = true;
  sizes.taken[index_of(Phase::bytes)] = 1;
  Group& shape = group("k");
  shape.needs.shared = &sizes;
  EXPECT_EQ(arbiter().reason(shape, Phase::bytes), CoverageReason::size_measured);
  EXPECT_EQ(arbiter().reason(shape, Phase::lines), CoverageReason::too_few_launches);
}

TEST_F(ArbiterTest, SkipListedAndCooperativeLaunchesAreNeverMeasured) {
  launch("ncclDevKernel");
  launch("grid_sync", true);
  EXPECT_THAT(range_.calls, IsEmpty());
  EXPECT_THAT(lines_.calls, IsEmpty());
  EXPECT_EQ(arbiter().reason(group("ncclDevKernel"), Phase::bytes), CoverageReason::skip_listed);
}

TEST_F(ArbiterTest, AnotherContextTakesAWindowOfItsOwn) {
  only(Phase::bytes);
  launch("k");
  context_ = ContextHandle{2, 2, 0};
  now_ns_ += 1'000'000'000;
  launch("k");
  EXPECT_THAT(range_.calls,
              ElementsAre("enter bytes", "begin", "end", "leave", "enter bytes", "begin", "end"));
}

TEST_F(ArbiterTest, TheEndOfAContextReleasesTheProbes) {
  only(Phase::bytes);
  launch("k");
  arbiter().context_ending(context_);
  EXPECT_EQ(range_.calls[3], "leave");
  EXPECT_EQ(range_.calls.back(), "release");
}

TEST_F(ArbiterTest, AReplayedLaunchCountsForAllThatItRead) {
  only(Phase::replay);
  launch("k");
  arbiter().finish();
  for (const Phase phase : {Phase::replay, Phase::bytes, Phase::traffic, Phase::hits}) {
    EXPECT_EQ(taken("k", phase), 1) << model::name_of(phase);
    EXPECT_EQ(arbiter().reason(group("k"), phase), CoverageReason::measured);
  }
}

TEST_F(ArbiterTest, AReplayThatCannotBeEnteredIsTheReasonForAllThatItWouldHaveRead) {
  only(Phase::replay);
  range_.fail_enter = base::Error{base::ErrorCode::unsupported, "no replay", ""};
  launch("k");
  EXPECT_EQ(arbiter().reason(group("k"), Phase::traffic), CoverageReason::unsupported);
}

TEST_F(ArbiterTest, ALaunchThatTheUserDidNotSelectRunsNatively) {
  only(Phase::bytes);
  auto info = launch_of("k");
  const auto ticket = arbiter().before_launch(info, group("k"), false);
  arbiter().after_launch(ticket);
  EXPECT_EQ(ticket, Ticket::native);
  EXPECT_THAT(range_.calls, IsEmpty());
}

TEST_F(ArbiterTest, AKernelSeenOnlyInAStreamCaptureSaysSo) {
  group("k").launches_in_stream_capture = 3;
  EXPECT_EQ(arbiter().reason(group("k"), Phase::bytes), CoverageReason::in_capture);
}

TEST_F(ArbiterTest, WhatMeasuringCostsIsCounted) {
  only(Phase::bytes);
  EXPECT_EQ(arbiter().spent_ns(), 0);
  launch("k");
  const auto spent_ns = arbiter().spent_ns();
  EXPECT_GT(spent_ns, 0);
  group("new").needs.native_ns = 1'000'000;  // more than the launch took: nothing was lost
  launch("new");
  EXPECT_EQ(arbiter().spent_ns(), spent_ns);
}

TEST_F(ArbiterTest, NothingIsMeasuredAfterTheEnd) {
  only(Phase::lines);
  arbiter().finish();
  launch("k");
  EXPECT_THAT(lines_.calls, IsEmpty());
}

}  // namespace
}  // namespace coalescope::recorder
