#include "injection/recorder/scheduler.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace coalescope::recorder {
namespace {

using model::Phase;

constexpr std::int64_t kMillisecond = 1'000'000;

SchedulerOptions unlimited(int samples = 2) {
  SchedulerOptions options;
  options.samples = samples;
  options.budget = std::nullopt;
  return options;
}

// Plays launches the way the arbiter does and tells the phase of each.
class Player {
 public:
  explicit Player(const SchedulerOptions& options) : scheduler(options) {}

  Phase launch(GroupNeeds& group, std::int64_t now_ns = 0) {
    ++group.launches;
    const Phase chosen = scheduler.choose(group, now_ns, all_gpu_ns);
    if (scheduler.must_close(chosen, group)) scheduler.closed();
    if (chosen != Phase::trace && scheduler.open() == Phase::trace) {
      scheduler.opened(chosen);
      ++windows;
    }
    const Phase measured = scheduler.open();
    ++group.taken[index_of(measured)];
    if (measured == Phase::trace) return measured;
    scheduler.charge_launch(group, launch_cost_ns);
    in_window = scheduler.open() == Phase::lines || in_window == kCapacity - 1 ? 0 : in_window + 1;
    if (in_window == 0) scheduler.closed();
    return measured;
  }

  Scheduler scheduler;
  std::int64_t all_gpu_ns = 0;
  std::int64_t launch_cost_ns = 50'000;
  int windows = 0;

 private:
  static constexpr int kCapacity = 32;
  int in_window = 0;
};

int measured(const GroupNeeds& group) {
  int launches = 0;
  for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits})
    launches += group.taken[index_of(phase)];
  return launches;
}
// One each of bytes and lines, two each of traffic and hits.
constexpr int kAskedFor = 6;

TEST(Scheduler, AKernelLaunchedOnceIsMeasuredForItsDegree) {
  Player player(unlimited());
  GroupNeeds group;
  EXPECT_EQ(player.launch(group), Phase::bytes);
}

TEST(Scheduler, TheSecondLaunchGivesTheLines) {
  Player player(unlimited());
  GroupNeeds group;
  player.launch(group);
  EXPECT_EQ(player.launch(group), Phase::lines);
}

TEST(Scheduler, TheThirdLaunchRunsNativelyForItsTime) {
  Player player(unlimited());
  GroupNeeds group;
  player.launch(group);
  player.launch(group);
  EXPECT_EQ(player.launch(group), Phase::trace);
  EXPECT_EQ(player.launch(group), Phase::traffic);
}

TEST(Scheduler, AGroupThatHasItsDegreeAndItsLinesFillsUpWhereItIs) {
  Player player(unlimited(2));
  GroupNeeds group;
  for (int i = 0; i < 3; ++i) player.launch(group);
  for (const Phase phase : {Phase::traffic, Phase::traffic, Phase::hits, Phase::hits})
    EXPECT_EQ(player.launch(group), phase) << model::name_of(phase);
}

TEST(Scheduler, GroupsLaunchedInTurnShareWindows) {
  Player player(unlimited());
  std::vector<GroupNeeds> groups(30);
  for (int round = 0; round < 12; ++round)
    for (auto& group : groups) player.launch(group);
  for (const auto& group : groups) EXPECT_TRUE(player.scheduler.satisfied(group));
  // Two windows at most of bytes, traffic and hits each; lines are armed launch by launch.
  EXPECT_LE(player.windows, 6 + 2 * 30);
}

TEST(Scheduler, EnoughLaunchesFillEveryPhaseAndThenCostNothing) {
  Player player(unlimited());
  GroupNeeds group;
  for (int i = 0; i < 2000; ++i) player.launch(group);
  for (const Phase phase : {Phase::traffic, Phase::hits})
    EXPECT_GE(group.taken[index_of(phase)], 2) << model::name_of(phase);
  for (const Phase patched : {Phase::bytes, Phase::lines}) EXPECT_EQ(group.taken[index_of(patched)], 1);
  EXPECT_TRUE(player.scheduler.satisfied(group));
  EXPECT_EQ(player.launch(group), Phase::trace);
}

TEST(Scheduler, AnotherPassWaitsWhileTheOpenOneIsInUse) {
  Player player(unlimited());
  GroupNeeds ahead;
  for (int i = 0; i < 5; ++i) player.launch(ahead);  // bytes, lines, trace, traffic, traffic
  GroupNeeds behind;
  for (const Phase phase : {Phase::bytes, Phase::lines, Phase::trace}) behind.taken[index_of(phase)] = 1;
  EXPECT_EQ(player.launch(behind), Phase::traffic);
  EXPECT_NE(player.launch(ahead), Phase::hits) << "it lacks them, but others are still served here";
}

TEST(Scheduler, TheDegreeNeverWaits) {
  Player player(unlimited());
  GroupNeeds early;
  while (player.launch(early) != Phase::traffic) {
  }
  GroupNeeds late;
  EXPECT_EQ(player.launch(late), Phase::bytes);
}

TEST(Scheduler, WhatIsSwitchedOffIsNeverChosen) {
  auto options = unlimited();
  options.enabled[index_of(Phase::bytes)] = false;
  options.enabled[index_of(Phase::traffic)] = false;
  options.enabled[index_of(Phase::hits)] = false;
  Player player(options);
  GroupNeeds group;
  std::map<Phase, int> seen;
  for (int i = 0; i < 20; ++i) ++seen[player.launch(group)];
  EXPECT_EQ(seen[Phase::lines], 1);
  EXPECT_EQ(seen[Phase::trace], 19);
}

TEST(Scheduler, WhatTheUserAskedForAloneComesFirst) {
  auto options = unlimited();
  options.enabled.fill(false);
  options.enabled[index_of(Phase::traffic)] = true;
  Player player(options);
  GroupNeeds group;
  EXPECT_EQ(player.launch(group), Phase::traffic);
  EXPECT_EQ(player.launch(group), Phase::trace);
}

TEST(Scheduler, ADisabledPhaseDoesNotBlockTheOthers) {
  Player player(unlimited());
  player.scheduler.disable(Phase::bytes);
  GroupNeeds group;
  for (int i = 0; i < 40; ++i) player.launch(group);
  EXPECT_EQ(group.taken[index_of(Phase::bytes)], 0);
  EXPECT_GE(group.taken[index_of(Phase::hits)], 2);
}

TEST(Scheduler, AWindowDiscardedTwiceIsNotTriedAThirdTime) {
  Player player(unlimited());
  GroupNeeds group;
  group.discarded[index_of(Phase::bytes)] = 2;
  EXPECT_FALSE(player.scheduler.lacks(group, Phase::bytes));
  EXPECT_NE(player.launch(group), Phase::bytes);
}

SchedulerOptions limited(Budget budget) {
  SchedulerOptions options;
  options.budget = budget;
  return options;
}

TEST(Scheduler, WhatCannotBePaidIsNotChosenAndSaysSo) {
  Player player(limited({0.10, 1000 * kMillisecond}));
  player.scheduler.charge(990 * kMillisecond);
  GroupNeeds group;
  EXPECT_NE(player.launch(group), Phase::bytes) << "a configuration costs more than what is left";
  EXPECT_TRUE(group.refused_for_budget);
}

TEST(Scheduler, TheBudgetGrowsWithTheRun) {
  Player player(limited({0.10, 1000 * kMillisecond}));
  player.scheduler.charge(1500 * kMillisecond);
  GroupNeeds group;
  EXPECT_EQ(player.launch(group, 1000 * kMillisecond), Phase::trace);
  EXPECT_EQ(player.launch(group, 10'000 * kMillisecond), Phase::bytes);
}

TEST(Scheduler, ABudgetInSecondsDoesNotGrow) {
  Player player(limited({0, 1000 * kMillisecond}));
  player.scheduler.charge(1500 * kMillisecond);
  GroupNeeds group;
  EXPECT_EQ(player.launch(group, 1'000'000 * kMillisecond), Phase::trace);
}

TEST(Scheduler, ARefusedGroupRestsBeforeItAsksAgain) {
  Player player(limited({0, 0}));
  GroupNeeds group;
  EXPECT_FALSE(group.rests());
  player.launch(group);
  int rests = 0;
  while (group.rests()) ++rests;
  EXPECT_GT(rests, 0);
}

TEST(Scheduler, AKernelThatWouldBeSlowedDownTooMuchIsNotMeasured) {
  Player player(limited({0.10, 1000 * kMillisecond}));
  GroupNeeds seconds_long;
  seconds_long.native_ns = 2000 * kMillisecond;
  GroupNeeds quick;
  quick.native_ns = kMillisecond / 10;
  EXPECT_EQ(player.launch(seconds_long), Phase::trace) << "patched it would take ten times as long";
  EXPECT_EQ(player.launch(quick), Phase::bytes);
}

TEST(Scheduler, LightKernelsLeaveHalfOfTheBudgetToTheOthers) {
  Player player(limited({0, 1000 * kMillisecond}));
  player.all_gpu_ns = 10'000 * kMillisecond;
  player.scheduler.charge(600 * kMillisecond);
  GroupNeeds light, heavy, unknown;
  light.gpu_ns = 10 * kMillisecond;
  heavy.gpu_ns = 5000 * kMillisecond;
  EXPECT_EQ(player.launch(light), Phase::trace);
  EXPECT_EQ(player.launch(heavy), Phase::bytes);
  EXPECT_EQ(player.launch(unknown), Phase::bytes);
}

GroupNeeds& satisfied(GroupNeeds& group, std::int64_t native_ns) {
  for (auto& taken : group.taken) taken = 2;
  group.native_ns = native_ns;
  return group;
}

TEST(Scheduler, APatchedWindowClosesBeforeASlowLaunchThatDoesNotNeedIt) {
  Scheduler scheduler(unlimited());
  scheduler.opened(Phase::bytes);
  GroupNeeds slow, quick;
  EXPECT_TRUE(scheduler.must_close(Phase::trace, satisfied(slow, 5 * kMillisecond)));
  EXPECT_TRUE(scheduler.must_close(Phase::trace, satisfied(quick, kMillisecond / 100)));
  EXPECT_TRUE(scheduler.must_close(Phase::lines, quick));
  EXPECT_FALSE(scheduler.must_close(Phase::bytes, quick));
}

TEST(Scheduler, NoLaunchOfAShortLoopIsMeasuredWithoutNeed) {
  for (const std::size_t kernels : {1U, 2U, 4U}) {
    Player player(unlimited());
    std::vector<GroupNeeds> groups(kernels);
    for (int round = 0; round < 20; ++round)
      for (auto& group : groups) player.launch(group);
    for (const auto& group : groups) {
      EXPECT_EQ(measured(group), kAskedFor) << kernels;
      EXPECT_EQ(group.taken[index_of(Phase::trace)], 20 - kAskedFor) << kernels;
    }
  }
}

TEST(Scheduler, AThousandKernelsInTurnAreMeasuredAsOftenAsAskedFor) {
  Player player(unlimited());
  std::vector<GroupNeeds> groups(1000);
  for (int round = 0; round < 20; ++round)
    for (auto& group : groups) player.launch(group);
  int beyond_need = 0;
  for (const auto& group : groups) {
    EXPECT_TRUE(player.scheduler.satisfied(group));
    beyond_need += measured(group) - kAskedFor;
  }
  EXPECT_LE(beyond_need, 10);
  // As many as their launches fill: 32 of bytes, 63 each of traffic and hits, and a few.
  EXPECT_LE(player.windows, 1000 + 32 + 2 * 63 + 4);
}

// A step of a model: some kernels come often, most once.
std::vector<std::size_t> steps_of(std::size_t kernels, int steps) {
  std::vector<std::size_t> launches;
  for (int step = 0; step < steps; ++step)
    for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
      launches.push_back(kernel);
      if (kernel % 3 == 0) launches.push_back(0);
      if (kernel % 5 == 0) launches.push_back(kernel);
    }
  return launches;
}

TEST(Scheduler, KernelsThatOthersWindowsHoldKeepTimedLaunches) {
  Player player(unlimited());
  std::vector<GroupNeeds> groups(30);
  for (const auto kernel : steps_of(groups.size(), 20)) {
    player.launch(groups[kernel]);
    const auto& group = groups[kernel];
    if (group.launches < 20) continue;
    EXPECT_GE(group.taken[index_of(Phase::trace)], 6) << kernel;
  }
}

TEST(Scheduler, AWindowThatOthersWantIsNotLeftForEachLaunchThatDoesNot) {
  Player player(unlimited());
  std::vector<GroupNeeds> groups(30);
  for (const auto kernel : steps_of(groups.size(), 50)) player.launch(groups[kernel]);
  for (const auto& group : groups) EXPECT_TRUE(player.scheduler.satisfied(group));
  EXPECT_LE(player.windows, 30 + 60);
}

TEST(Scheduler, AWindowClosesWhenUnwantedLaunchesHaveCostAsMuchAsEnteringIt) {
  Player player(unlimited());
  GroupNeeds other;
  while (player.launch(other) != Phase::traffic) {
  }
  GroupNeeds group;
  satisfied(group, 4 * kMillisecond).launches = 1000;
  player.launch_cost_ns = 4 * kMillisecond;
  int launches = 0;
  while (player.launch(group) == Phase::traffic && launches < 1000) ++launches;
  EXPECT_EQ(launches, 6) << "of 4 ms each, where entering takes 22 ms";
}

TEST(Scheduler, AHardwareWindowClosesForALaunchThatHasNoTimeYet) {
  Scheduler scheduler(unlimited());
  scheduler.opened(Phase::traffic);
  const GroupNeeds group;
  EXPECT_TRUE(scheduler.must_close(Phase::trace, group));
}

TEST(Scheduler, OneLaunchTakesNoMoreThanATenthOfTheBudget) {
  SchedulerOptions options;
  options.budget = Budget{0.05, 1'000 * kMillisecond};
  Player player(options);
  GroupNeeds group;
  group.native_ns = 2 * kMillisecond;
  group.gpu_ns = 2 * kMillisecond;
  EXPECT_EQ(player.launch(group), Phase::bytes);
  group.cost_ns[index_of(Phase::bytes)] = 40 * kMillisecond;  // so its lines take some 160
  for (int i = 0; i < 200; ++i) EXPECT_NE(player.launch(group), Phase::lines);
  EXPECT_TRUE(group.refused_for_budget);
  // A longer run has more to give.
  const std::int64_t later_ns = 20'000 * kMillisecond;
  for (int i = 0; i < 64 && group.taken[index_of(Phase::lines)] == 0; ++i) player.launch(group, later_ns);
  EXPECT_EQ(group.taken[index_of(Phase::lines)], 1);
}

}  // namespace
}  // namespace coalescope::recorder
