#include "injection/recorder/launch_selection.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

using model::CoverageReason;

LaunchSelection select(const Selection& selection, bool* inside = nullptr) {
  return std::move(
      LaunchSelection::compile(selection, [inside] { return inside != nullptr && *inside; }).value());
}

int taken_of(LaunchSelection& selection, int launches, std::int64_t now_ns = 0) {
  int taken = 0;
  for (int i = 0; i < launches; ++i) taken += selection.takes(now_ns) ? 1 : 0;
  return taken;
}

TEST(LaunchSelection, NothingSetTakesEverything) {
  auto selection = select({});
  EXPECT_FALSE(selection.is_limited());
  EXPECT_EQ(taken_of(selection, 10), 10);
  EXPECT_EQ(selection.judge("any_kernel").reason, CoverageReason::measured);
}

TEST(LaunchSelection, KernelsThatWaitForTheirPeersAreNeverMeasured) {
  auto selection = select({});
  EXPECT_EQ(selection.judge("ncclDevKernel_AllReduce_Sum_f32").reason, CoverageReason::skip_listed);
  EXPECT_EQ(selection.judge("nvshmemi_barrier").reason, CoverageReason::skip_listed);
  EXPECT_FALSE(selection.judge("ncclDevKernel_AllReduce_Sum_f32").may_never_end) << "its peers come";
  EXPECT_TRUE(selection.judge("nvshmemi_barrier").may_never_end);
}

TEST(LaunchSelection, NamesMatchMangledOrNot) {
  auto selection = select({.kernel = "^scale<float>|_Z4copy", .exclude = "secret"});
  EXPECT_EQ(selection.judge("_Z5scaleIfEvPT_i").reason, CoverageReason::measured);
  EXPECT_EQ(selection.judge("_Z4copyPf").reason, CoverageReason::measured);
  EXPECT_EQ(selection.judge("_Z5scaleIdEvPT_i").reason, CoverageReason::not_selected);
  EXPECT_EQ(selection.judge("_Z6secretPf").reason, CoverageReason::skip_listed);
}

TEST(LaunchSelection, SkipsAndThenTakesSoMany) {
  auto selection = select({.skip = 3, .launches = 2});
  EXPECT_EQ(taken_of(selection, 3), 0);
  EXPECT_EQ(taken_of(selection, 10), 2);
}

TEST(LaunchSelection, TimeCountsFromTheBeginningOfTheCapture) {
  auto selection = select({.after_ns = 100, .for_ns = 50});
  EXPECT_EQ(taken_of(selection, 1, 99), 0);
  EXPECT_EQ(taken_of(selection, 1, 100), 1);
  EXPECT_EQ(taken_of(selection, 1, 149), 1);
  EXPECT_EQ(taken_of(selection, 1, 150), 0);
}

TEST(LaunchSelection, TheProgramStartsAndStops) {
  auto selection = select({.from_start = false});
  EXPECT_EQ(taken_of(selection, 1), 0);
  selection.profiler_started();
  EXPECT_EQ(taken_of(selection, 1), 1);
  selection.profiler_stopped();
  EXPECT_EQ(taken_of(selection, 1), 0);
}

// Of a program that calls them for another profiler nothing is lost.
TEST(LaunchSelection, TheProgramsOwnStopMeansNothingUnlessAsked) {
  auto selection = select({.skip = 1});
  selection.profiler_started();
  selection.profiler_stopped();
  EXPECT_EQ(taken_of(selection, 3), 2);
}

TEST(LaunchSelection, LaunchesOutsideTheRangeAreNotCounted) {
  bool inside = false;
  auto selection = select({.launches = 1, .range = "step"}, &inside);
  EXPECT_EQ(taken_of(selection, 5), 0);
  inside = true;
  EXPECT_EQ(taken_of(selection, 5), 1);
}

TEST(LaunchSelection, AnExpressionThatIsNoneIsNamed) {
  for (const Selection& selection : {Selection{.kernel = "["}, Selection{.exclude = "("}}) {
    const auto made = LaunchSelection::compile(selection, [] { return true; });
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, base::ErrorCode::usage);
  }
}

}  // namespace
}  // namespace coalescope::recorder
