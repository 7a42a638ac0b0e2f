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
  options.budget_share = std::nullopt;
  return options;
}

// Plays launches the way the arbiter does and tells the phase of each.
class Player {
 public:
  explicit Player(const SchedulerOptions& options) : scheduler(options) {}

  Phase launch(GroupNeeds& group, std::int64_t now_ns = 0) {
    const Phase chosen = scheduler.choose(group, now_ns);
    if (scheduler.must_close(chosen, group)) scheduler.closed();
    if (chosen != Phase::trace && scheduler.open() == Phase::trace) scheduler.opened(chosen);
    const Phase measured = scheduler.open();
    ++group.taken[index_of(measured)];
    if (measured == Phase::lines) scheduler.closed();
    return measured;
  }

  Scheduler scheduler;
};

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
  EXPECT_EQ(player.launch(group), Phase::bytes);
}

TEST(Scheduler, EnoughLaunchesFillEveryPhaseAndThenCostNothing) {
  Player player(unlimited());
  GroupNeeds group;
  for (int i = 0; i < 60; ++i) player.launch(group);
  for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits})
    EXPECT_GE(group.taken[index_of(phase)], 2) << model::name_of(phase);
  EXPECT_TRUE(player.scheduler.satisfied(group));
  EXPECT_EQ(player.launch(group), Phase::trace);
}

TEST(Scheduler, TheConfigurationIsNotChangedWhileOthersStillUseIt) {
  Player player(unlimited());
  GroupNeeds first;
  std::vector<GroupNeeds> others(6);
  // `first` soon lacks only traffic and hits; every other launch brings a group that wants bytes.
  for (int i = 0; i < 5; ++i) player.launch(first);
  for (auto& other : others) {
    EXPECT_EQ(player.launch(first), Phase::trace);
    EXPECT_EQ(player.launch(other), Phase::bytes);
  }
}

TEST(Scheduler, ALateGroupGetsWhatIsConfiguredFirst) {
  Player player(unlimited());
  GroupNeeds early;
  while (player.launch(early) != Phase::traffic) {
  }
  GroupNeeds late;
  EXPECT_TRUE(late.taken[index_of(Phase::bytes)] == 0);
  const Phase phase = player.launch(late);
  EXPECT_TRUE(phase == Phase::lines || phase == Phase::traffic) << model::name_of(phase);
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
  EXPECT_EQ(seen[Phase::lines], 2);
  EXPECT_EQ(seen[Phase::trace], 18);
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

TEST(Scheduler, WhatCannotBePaidIsNotChosenAndSaysSo) {
  SchedulerOptions options;
  options.budget_share = 0.10;
  options.budget_grant_ns = 1000 * kMillisecond;
  Player player(options);
  player.scheduler.charge(990 * kMillisecond);
  GroupNeeds group;
  EXPECT_NE(player.launch(group, 0), Phase::bytes) << "a configuration costs more than what is left";
  EXPECT_TRUE(group.refused_for_budget);
}

TEST(Scheduler, TheBudgetGrowsWithTheRun) {
  SchedulerOptions options;
  options.budget_share = 0.10;
  options.budget_grant_ns = 1000 * kMillisecond;
  Player player(options);
  player.scheduler.charge(1500 * kMillisecond);
  GroupNeeds group;
  EXPECT_EQ(player.launch(group, 1000 * kMillisecond), Phase::trace);
  EXPECT_EQ(player.launch(group, 10'000 * kMillisecond), Phase::bytes);
}

TEST(Scheduler, APatchedWindowClosesBeforeALaunchThatDoesNotNeedIt) {
  Scheduler scheduler(unlimited());
  scheduler.opened(Phase::bytes);
  GroupNeeds group;
  group.taken[index_of(Phase::trace)] = 1;
  EXPECT_TRUE(scheduler.must_close(Phase::trace, group));
  EXPECT_TRUE(scheduler.must_close(Phase::lines, group));
  EXPECT_FALSE(scheduler.must_close(Phase::bytes, group));
}

TEST(Scheduler, AHardwareWindowStaysOpenForAFewLaunches) {
  Scheduler scheduler(unlimited());
  scheduler.opened(Phase::traffic);
  GroupNeeds satisfied;
  for (auto& taken : satisfied.taken) taken = 2;
  EXPECT_FALSE(scheduler.must_close(Phase::trace, satisfied));
  for (int i = 0; i < 10; ++i) (void)scheduler.choose(satisfied, 0);
  EXPECT_TRUE(scheduler.must_close(Phase::trace, satisfied));
}

TEST(Scheduler, AHardwareWindowClosesForALaunchThatHasNoTimeYet) {
  Scheduler scheduler(unlimited());
  scheduler.opened(Phase::traffic);
  const GroupNeeds group;
  EXPECT_TRUE(scheduler.must_close(Phase::trace, group));
}

}  // namespace
}  // namespace coalescope::recorder
