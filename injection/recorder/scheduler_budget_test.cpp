#include <gtest/gtest.h>
#include <vector>

#include "injection/recorder/scheduler_player_test.h"

// What the scheduler measures while the budget is short.

namespace coalescope::recorder {
namespace {

using model::Phase;

SchedulerOptions limited(Budget budget) {
  SchedulerOptions options;
  options.budget = budget;
  return options;
}

TEST(SchedulerBudget, WhatCannotBePaidIsNotChosenAndSaysSo) {
  Player player(limited({0.10, 1000 * kMillisecond}));
  player.scheduler.charge(990 * kMillisecond);
  GroupNeeds group;
  EXPECT_NE(player.launch(group), Phase::bytes) << "a configuration costs more than what is left";
  EXPECT_TRUE(group.refused_for_budget);
}

TEST(SchedulerBudget, TheBudgetGrowsWithTheRun) {
  Player player(limited({0.10, 1000 * kMillisecond}));
  player.scheduler.charge(1500 * kMillisecond);
  GroupNeeds group;
  EXPECT_EQ(player.launch(group, 1000 * kMillisecond), Phase::trace);
  EXPECT_NE(player.launch(group, 10'000 * kMillisecond), Phase::trace);
}

TEST(SchedulerBudget, ABudgetInSecondsDoesNotGrow) {
  Player player(limited({0, 1000 * kMillisecond}));
  player.scheduler.charge(1500 * kMillisecond);
  GroupNeeds group;
  EXPECT_EQ(player.launch(group, 1'000'000 * kMillisecond), Phase::trace);
}

TEST(SchedulerBudget, WhatHasNotBeenMeasuredMayTakeMoreOfALongRun) {
  Player player({});
  player.scheduler.opened(Phase::bytes, Player::kContext, 0);
  player.scheduler.charge(2200 * kMillisecond);  // of 2 s, or of 2.4 s for what is new
  GroupNeeds known, unknown;
  for (GroupNeeds* group : {&known, &unknown}) group->native_ns = kMillisecond / 10;
  for (const Phase phase : kMeasuredPhases) known.taken[index_of(phase)] = 1;
  EXPECT_EQ(player.launch(known, 20'000 * kMillisecond), Phase::trace);
  EXPECT_EQ(player.launch(unknown, 20'000 * kMillisecond), Phase::bytes);
}

TEST(SchedulerBudget, ARefusedGroupRestsBeforeItAsksAgain) {
  Player player(limited({0, 0}));
  GroupNeeds group;
  EXPECT_FALSE(group.rests());
  player.launch(group);
  int rests = 0;
  while (group.rests()) ++rests;
  EXPECT_GT(rests, 0);
}

TEST(SchedulerBudget, AnEarlyLaunchOfASlowKernelAsksAgainSoon) {
  Player player(limited({0, 0}));
  GroupNeeds group;
  for (int i = 0; i < 3; ++i) player.launch(group, i * 50 * kMillisecond);
  EXPECT_LE(group.rest, 2) << "its launches are 50 ms apart";
}

// Its first launch cannot be patched: it might take seconds. Hardware counters take no longer than the
// kernel.
TEST(SchedulerBudget, AKernelIsTimedBeforeItIsPatched) {
  Player player({});
  player.all_gpu_ns = kMillisecond;
  GroupNeeds first, second;
  EXPECT_EQ(player.launch(first), Phase::traffic);
  player.scheduler.closed();
  EXPECT_EQ(player.launch(second), Phase::trace)
      << "windows of hardware counters wait while new kernels come";
  EXPECT_GT(second.native_ns, 0);
  EXPECT_TRUE(is_patched(player.launch(second)));
}

TEST(SchedulerBudget, AKernelIsNotWaitedForWhenNothingIsLeft) {
  Player player(limited({0, 0}));
  GroupNeeds group;
  player.launch(group);
  EXPECT_EQ(group.native_ns, 0);
}

TEST(SchedulerBudget, AKernelThatWouldBeSlowedDownTooMuchIsNotPatched) {
  Player player(limited({0.10, 1000 * kMillisecond}));
  GroupNeeds seconds_long;
  seconds_long.native_ns = 2000 * kMillisecond;
  const Phase measured = player.launch(seconds_long);
  EXPECT_EQ(measured, Phase::traffic) << "what is read beside the kernel does not slow it down";
}

TEST(SchedulerBudget, APhaseThatIsTooDearDoesNotBlockTheOthers) {
  Player player(limited({0, 1000 * kMillisecond}));
  GroupNeeds group;
  group.native_ns = 15 * kMillisecond;
  player.launch_cost_ns = 10 * kMillisecond;
  for (int i = 0; i < 20; ++i) player.launch(group, i * 20 * kMillisecond);
  for (const Phase phase : {Phase::bytes, Phase::traffic, Phase::hits})
    EXPECT_GE(group.taken[index_of(phase)], 1) << model::name_of(phase);
}

// As atomics on few addresses are: long, with few instructions to patch.
TEST(SchedulerBudget, ALongKernelOfFewInstructionsIsPatched) {
  for (const bool counted : {false, true}) {
    Player player(limited({0, 1000 * kMillisecond}));
    player.scheduler.charge(300 * kMillisecond);  // a configuration
    GroupNeeds group;
    group.native_ns = 47 * kMillisecond;
    group.instructions = counted ? 20'000'000 : 0;
    player.launch_cost_ns = 10 * kMillisecond;
    for (int i = 0; i < 12; ++i) player.launch(group, i * 47 * kMillisecond);
    for (const Phase phase : {Phase::bytes, Phase::lines})
      EXPECT_EQ(group.taken[index_of(phase)], counted ? 1 : 0) << model::name_of(phase);
  }
}

// Whose lines take 324 ms on an H100, and would take 15 s if it did little but access L1.
TEST(SchedulerBudget, ItsInstructionsSayWhatPatchingAKernelCostsAtMost) {
  const Player player({});
  GroupNeeds group;
  group.native_ns = 15 * kMillisecond;
  const auto by_time = player.scheduler.longest_ns(group, Phase::lines);
  group.instructions = 1'300'000'000;
  group.cost_ns[index_of(Phase::bytes)] = 200 * kMillisecond;
  EXPECT_LE(player.scheduler.longest_ns(group, Phase::lines), by_time) << "it is waited for as long";
  Player with_half_a_second(limited({0, 500 * kMillisecond}));
  for (const Phase phase : {Phase::bytes, Phase::traffic, Phase::hits}) group.count(phase, 2);
  EXPECT_EQ(with_half_a_second.launch(group), Phase::lines);
}

// Kernels in turn, of which the last one takes most of the time, with too little for all of them.
TEST(SchedulerBudget, WhatIsLeftGoesWhereTheTimeGoes) {
  Player player(limited({0, 1000 * kMillisecond}));
  std::vector<GroupNeeds> groups(400);
  for (auto& group : groups) {
    group.native_ns = kMillisecond / 100;
    group.gpu_ns = kMillisecond;
  }
  groups.back().gpu_ns = 3600 * kMillisecond;
  groups.back().native_ns = kMillisecond;
  player.all_gpu_ns = 4000 * kMillisecond;
  player.launch_cost_ns = 2 * kMillisecond;
  std::int64_t now_ns = 0;
  for (int round = 0; round < 10; ++round)
    for (auto& group : groups)
      if (!group.rests()) player.launch(group, now_ns += kMillisecond / 10);
  EXPECT_EQ(groups.back().taken[index_of(Phase::lines)], 1);
  EXPECT_GE(groups.back().taken[index_of(Phase::bytes)], 1);
  EXPECT_LE(player.scheduler.spent_ns(), 1000 * kMillisecond);
}

// As while a model is set up: each kernel has its few launches in a row, and next to no time.
TEST(SchedulerBudget, FewWindowsOfHardwareCountersAreOpenedForLittleWhileNewKernelsCome) {
  Player player({});
  std::vector<GroupNeeds> groups(40);
  player.all_gpu_ns = 1000 * kMillisecond;
  std::int64_t now_ns = 0;
  for (auto& group : groups) {
    group.gpu_ns = kMillisecond / 100;
    for (int i = 0; i < 8; ++i) player.launch(group, now_ns += kMillisecond);
  }
  int in_hardware = 0;
  for (const auto& group : groups) {
    if (group.taken[index_of(Phase::traffic)] + group.taken[index_of(Phase::hits)] > 0) ++in_hardware;
    EXPECT_GE(group.taken[index_of(Phase::bytes)], 1);
  }
  EXPECT_LE(in_hardware, 5) << "all that wait together are worth a window now and then";
  // What most of the time goes to is measured in every way.
  GroupNeeds large;
  large.gpu_ns = 500 * kMillisecond;
  for (int i = 0; i < 8; ++i) player.launch(large, now_ns += kMillisecond);
  for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits})
    EXPECT_GE(large.taken[index_of(phase)], 1) << model::name_of(phase);
}

}  // namespace
}  // namespace coalescope::recorder
