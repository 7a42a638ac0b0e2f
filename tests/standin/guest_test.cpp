// What a guest must not do: measure what the program times or tunes, patch what is about to go away, or hold
// the memory that the program needs.

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/standin/harness_test.h"

namespace standin {
namespace {

using coalescope::model::CoverageReason;
using coalescope::model::Phase;

TEST(Guest, CandidatesOfAnAutotunerAreNotMeasured) {
  const auto recorded = record(R"(
kernel steady
module tried {
  kernel candidate
}
repeat 12 {
  load tried
  launch candidate
  sync
  time {
    launch candidate
  }
  unload tried
}
launch steady times=20
)");
  expect_exact(recorded);
  for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits}) {
    EXPECT_EQ(recorded.measured("candidate", phase), 0);
    EXPECT_GT(recorded.measured("steady", phase), 0);
    EXPECT_TRUE(recorded.has_reason("candidate", phase, CoverageReason::timed_by_program));
  }
}

TEST(Guest, CodeMadeAtRunTimeIsMeasuredOnceItStays) {
  const auto recorded = record(R"(
module made {
  kernel generated
}
load made
launch generated times=20
)");
  expect_exact(recorded);
  for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits})
    EXPECT_GT(recorded.measured("generated", phase), 0);
}

TEST(Guest, NothingNewIsPatchedAfterPatchedCodeIsGone) {
  for (const char* goes : {"unload made", "destroy first\nuse second"}) {
    SCOPED_TRACE(goes);
    const auto recorded = record(std::string(R"(
kernel other
module made {
  kernel generated
}
load made
launch generated times=20
context second
use first
sync
)") + goes + "\nlaunch other times=20\nsync\n");
    expect_unharmed(recorded);
    expect_no_wrong_number(recorded);
    EXPECT_GT(recorded.measured("generated", Phase::bytes), 0);
    EXPECT_EQ(recorded.measured("other", Phase::bytes), 0);
    EXPECT_TRUE(recorded.has_reason("other", Phase::bytes, CoverageReason::code_unloaded))
        << recorded.diagnostics_text();
    EXPECT_GT(recorded.measured("other", Phase::traffic), 0);
  }
}

TEST(Guest, CodeThatWasNeverPatchedMayGo) {
  const auto recorded = record(R"(
kernel other
module made {
  kernel generated
}
repeat 6 {
  load made
  launch generated
  sync
  unload made
  launch other times=6
}
)");
  expect_exact(recorded);
  EXPECT_GT(recorded.measured("other", Phase::bytes), 0);
}

TEST(Guest, ModulesComeAndGoBesideMeasuring) {
  const auto recorded = record(R"(
kernel a
kernel b
module made {
  kernel generated
}
threads 1 left {
  launch a times=3000
}
repeat 300 {
  load made
  launch generated
  unload made
  launch b
}
sleep ms=500
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
}

// Code that was made at run time may be a candidate.
TEST(Guest, ATimeThatTheProgramMayChooseByIsNotSpoilt) {
  const auto recorded = record(R"(
module made {
  kernel timed
}
load made
repeat 20 {
  time times=3 {
    launch timed
  }
}
)");
  expect_exact(recorded);
  EXPECT_EQ(recorded.measured("timed", Phase::lines), 0);
  EXPECT_TRUE(recorded.has_reason("timed", Phase::lines, CoverageReason::timed_by_program));
}

std::string times_each(int launches) {
  return "kernel timed\nrepeat " + std::to_string(launches) + " {\n  time {\n    launch timed\n  }\n}\n";
}

// XLA's delay kernel, an event, the candidate, an event: records would lengthen the time between the events.
TEST(Guest, WhatXlaTimesHasNoRecords) {
  const auto recorded = record(R"(
kernel DelayKernel
kernel candidate
kernel kept
repeat 20 {
  launch candidate
  launch DelayKernel
  time {
    launch candidate
    copy to_device bytes=64
  }
  copy to_host bytes=4096
}
launch kept times=10
)",
                               {"--only", "trace"});
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  EXPECT_EQ(recorded.launches_of("candidate"), 20);
  EXPECT_EQ(recorded.launches_of("kept"), 10);
  const auto& totals = recorded.rows.launch_totals;
  const auto of = [&](const std::string& kernel) {
    return std::ranges::find(totals, kernel,
                             [&](const auto& total) { return recorded.kernel_of(total.group_id); });
  };
  ASSERT_EQ(totals.size(), 2U);
  ASSERT_NE(of("DelayKernel"), totals.end());
  EXPECT_EQ(of("DelayKernel")->launches, 20);
  EXPECT_EQ(of("candidate")->launches, 20);
  EXPECT_EQ(of("candidate")->timed_launches, 0);
  EXPECT_TRUE(recorded.has_reason("DelayKernel", Phase::trace, CoverageReason::timed_by_program));
  EXPECT_TRUE(recorded.says("candidates_untraced")) << recorded.diagnostics_text();
  EXPECT_EQ(recorded.rows.transfers.size(), 20U) << "those after the times were read";
}

TEST(Guest, AFewTimesOfEachKernelAreNotSpoilt) {
  const auto few = record(times_each(8));
  expect_exact(few);
  EXPECT_EQ(few.measured("timed", Phase::bytes), 0);
  EXPECT_TRUE(few.has_reason("timed", Phase::bytes, CoverageReason::timed_by_program));
  const auto many = record(times_each(30));
  expect_unharmed(many);
  expect_no_wrong_number(many);
  EXPECT_GT(many.measured("timed", Phase::bytes), 0);
  EXPECT_TRUE(many.says("times_contain_measuring")) << many.diagnostics_text();
}

TEST(Guest, WhatTheProgramTimesIsMeasuredIfOneAsks) {
  const auto recorded = record(times_each(8), {"--timed", "measure", "--budget", "none"});
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  EXPECT_GT(recorded.measured("timed", Phase::bytes), 0);
}

TEST(Guest, LaunchesOutsideOfTheProgramsTimesArePreferred) {
  const auto recorded = record(R"(
kernel timed
repeat 10 {
  launch timed
  time {
    launch timed times=8
  }
}
)");
  expect_exact(recorded);
  EXPECT_GT(recorded.measured("timed", Phase::bytes), 0);
  EXPECT_GT(recorded.measured("timed", Phase::lines), 0);
}

// A benchmark has no other launches; the report says that the time is too long.
TEST(Guest, ALoopThatIsTimedAsAWholeIsMeasuredAndSaysSo) {
  const auto recorded = record(R"(
kernel timed
time {
  launch timed times=40
}
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
  EXPECT_GT(recorded.measured("timed", Phase::bytes), 0);
  EXPECT_TRUE(recorded.says("times_contain_measuring")) << recorded.diagnostics_text();
}

TEST(Guest, TheProgramGetsTheMemoryThatItAsksFor) {
  const auto recorded = record(R"(
kernel a
memory free_mb=400
launch a times=10
sync
allocate mb=390
launch a times=10
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  EXPECT_GT(recorded.measured("a", Phase::bytes), 0);
  EXPECT_TRUE(recorded.says("given_back")) << recorded.diagnostics_text();
}

// The player exports nothing: its functions are named when it has ended.
TEST(Guest, TheCallThatAskedForMemoryIsItsOwn) {
  const auto recorded = record(R"(
kernel a
memory free_mb=400
launch a
allocate mb=90
)");
  expect_unharmed(recorded);
  const auto& sites = recorded.rows.call_sites;
  const auto names = [](const char* function) {
    return [function](const auto& site) {
      return site.module.ends_with("/player") && site.symbol.value_or("").find(function) != std::string::npos;
    };
  };
  const auto allocate = std::ranges::find_if(sites, names("Player8allocate"));
  ASSERT_NE(allocate, sites.end());
  EXPECT_TRUE(allocate->caller_id);
  EXPECT_TRUE(std::ranges::any_of(sites, names("main")));
  EXPECT_TRUE(std::ranges::any_of(sites, names("Player6launch")));
}

TEST(Guest, WithoutRoomItDoesWithout) {
  const auto recorded = record(R"(
kernel a
memory free_mb=100
launch a times=30
allocate mb=99
)");
  expect_unharmed(recorded);
  expect_no_wrong_number(recorded);
  expect_every_launch(recorded);
  EXPECT_EQ(recorded.measured("a", Phase::bytes), 0);
  EXPECT_GT(recorded.measured("a", Phase::lines), 0);
}

}  // namespace
}  // namespace standin
