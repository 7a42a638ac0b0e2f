#include <array>
#include <gtest/gtest.h>
#include <map>
#include <vector>

#include "injection/recorder/scheduler_player_test.h"

namespace coalescope::recorder {
namespace {

using model::Phase;

SchedulerOptions unlimited(int samples = 2) {
  SchedulerOptions options;
  options.samples = samples;
  options.budget = std::nullopt;
  return options;
}

// A factorisation: each launch has a shape of its own, which is smaller than the one before. The first round
// tells times.
TEST(Scheduler, ShapesOfOneSizeShareWhatIsMeasured) {
  Player player({});
  std::vector<GroupNeeds> shapes(100);
  std::vector<SharedNeeds> sizes(10);
  for (auto& each : sizes) each.of_sizes = true;
  for (std::size_t i = 0; i < shapes.size(); ++i) shapes[i].shared = &sizes[i / 10];
  for (int round = 0; round < 6; ++round)
    for (std::size_t i = 0; i < shapes.size(); ++i)
      player.launch(shapes[i], (round * 100 + static_cast<std::int64_t>(i)) * kMillisecond);
  for (const auto& each : shapes) EXPECT_TRUE(player.scheduler.satisfied(each));
  for (const auto& each : sizes) {
    EXPECT_EQ(each.taken[index_of(Phase::lines)], 1);
    EXPECT_GE(each.taken[index_of(Phase::bytes)], 1);
    EXPECT_GE(each.taken[index_of(Phase::traffic)], 2);
    EXPECT_GE(each.taken[index_of(Phase::hits)], 2);
  }
}

// Each shape is launched a few times in a row; the first round sees none of them again.
TEST(Scheduler, OnlyAFewWindowsAreOpenedForShapesThatMayNeverComeAgain) {
  Player player({});
  std::vector<GroupNeeds> shapes(12);
  std::int64_t last_shape = 0, now_ns = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    shapes[i].shape = static_cast<std::int64_t>(i) + 1;
    shapes[i].last_shape = &last_shape;
  }
  const auto round = [&] {
    for (auto& each : shapes)
      for (int i = 0; i < 4; ++i) player.launch(each, now_ns += kMillisecond);
  };
  player.scheduler.opened(Phase::bytes, Player::kContext, 0);
  player.scheduler.charge(player.scheduler.left_ns(0) - 200 * kMillisecond);
  round();
  EXPECT_LE(player.sweeps_begun, 4);
  player.scheduler.charge(-800 * kMillisecond);
  for (int i = 0; i < 20; ++i) round();
  for (const auto& each : shapes) EXPECT_TRUE(player.scheduler.satisfied(each));
}

TEST(Scheduler, AShapeToWhichItsFunctionReturnsGetsAWindow) {
  Player player({});
  std::array<GroupNeeds, 2> shapes;
  std::int64_t last_shape = 0;
  for (auto& each : shapes) each.last_shape = &last_shape;
  shapes[0].shape = 1;
  shapes[1].shape = 2;
  player.scheduler.opened(Phase::bytes, Player::kContext, 0);
  player.scheduler.charge(player.scheduler.left_ns(0) - 60 * kMillisecond);
  const auto in_turn = [&](GroupNeeds& one, GroupNeeds& other) {
    for (int i = 0; i < 4; ++i) {
      player.launch(one, i * 2 * kMillisecond);
      player.launch(other, (i * 2 + 1) * kMillisecond);
    }
  };
  in_turn(shapes[0], shapes[0]);
  EXPECT_EQ(shapes[0].taken[index_of(Phase::traffic)], 0);
  in_turn(shapes[0], shapes[1]);
  EXPECT_GT(shapes[0].taken[index_of(Phase::traffic)] + shapes[1].taken[index_of(Phase::traffic)], 0);
}

TEST(Scheduler, AShapeThatTakesAsLongAsAWindowGetsOne) {
  Player player({});
  GroupNeeds shape;
  shape.shape = 1;
  player.scheduler.opened(Phase::bytes, Player::kContext, 0);
  player.scheduler.charge(player.scheduler.left_ns(0) - 60 * kMillisecond);
  for (int i = 1; i < 5; ++i) player.launch(shape, i * kMillisecond);
  EXPECT_EQ(shape.taken[index_of(Phase::traffic)], 0);
  shape.gpu_ns = 100 * kMillisecond;
  player.all_gpu_ns = shape.gpu_ns;
  for (int i = 5; i < 8; ++i) player.launch(shape, i * kMillisecond);
  EXPECT_GT(shape.taken[index_of(Phase::traffic)], 0);
}

TEST(Scheduler, WithoutALimitAShapeOfWhichThereMayBeManyIsMeasuredAtOnce) {
  Player player(unlimited());
  GroupNeeds shape;
  shape.shape = 5;
  EXPECT_EQ(player.launch(shape), Phase::bytes);
}

TEST(Scheduler, OfLaunchesThatDifferMoreSectorsOfL1AreWanted) {
  Player player({});
  GroupNeeds group;
  group.mixed = true;
  for (int round = 0; round < 200; ++round) player.launch(group, round * kMillisecond);
  EXPECT_GT(group.taken[index_of(Phase::hits)], 8);
  EXPECT_LE(group.taken[index_of(Phase::traffic)], 8);
}

TEST(Scheduler, VariantsShareAllButOneLookAtTheSectorsOfEach) {
  Player player({});
  std::vector<GroupNeeds> variants(4);
  SharedNeeds behaviour;
  for (auto& each : variants) each.shared = &behaviour;
  for (int round = 0; round < 100; ++round)
    for (auto& each : variants) player.launch(each, round * kMillisecond);
  for (const auto& each : variants) {
    EXPECT_TRUE(player.scheduler.satisfied(each));
    EXPECT_GE(each.taken[index_of(Phase::traffic)], 1);
    EXPECT_GE(each.taken[index_of(Phase::hits)], 1);
  }
  EXPECT_EQ(behaviour.taken[index_of(Phase::lines)], 1);
  EXPECT_EQ(behaviour.taken[index_of(Phase::bytes)], 1);
  EXPECT_LE(behaviour.taken[index_of(Phase::hits)], 4);
}

TEST(Scheduler, WithoutALimitEachShapeIsMeasured) {
  Player player(unlimited());
  std::vector<GroupNeeds> shapes(20);
  SharedNeeds size;
  size.of_sizes = true;
  for (auto& each : shapes) each.shared = &size;
  for (int round = 0; round < 100; ++round)
    for (auto& each : shapes) player.launch(each, round * kMillisecond);
  for (const auto& each : shapes)
    for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits})
      EXPECT_GE(each.taken[index_of(phase)], 1) << model::name_of(phase);
}

TEST(Scheduler, AKernelLaunchedOnceIsMeasuredForItsDegree) {
  Player player(unlimited());
  GroupNeeds group;
  EXPECT_EQ(player.launch(group), Phase::bytes);
}

TEST(Scheduler, AWindowWaitsForNewKernels) {
  Player player(unlimited());
  std::vector<GroupNeeds> groups(20);
  for (auto& group : groups) player.launch(group);
  EXPECT_EQ(player.scheduler.open(), Phase::bytes);
  EXPECT_EQ(player.launch(groups[0]), Phase::lines) << "which needs no other window";
  GroupNeeds late;
  EXPECT_EQ(player.launch(late), Phase::bytes);
  EXPECT_EQ(player.windows, 2);
}

TEST(Scheduler, AWindowDoesNotWaitForNewKernelsForLongerThanItTakesToComeBack) {
  Player player(unlimited());
  std::vector<GroupNeeds> groups(20);
  for (auto& group : groups) player.launch(group);
  for (auto& group : groups) group.taken[index_of(Phase::lines)] = 1;
  EXPECT_EQ(player.launch(groups[0], 40 * kMillisecond), Phase::trace);
  EXPECT_EQ(player.launch(groups[1], 60 * kMillisecond), Phase::traffic);
}

// To come back would mean to configure again.
TEST(Scheduler, WhatRepeatsInAnotherContextDoesNotTakeAWindowThatIsWanted) {
  Player player(unlimited());
  GroupNeeds here, there;
  for (int i = 0; i < 3; ++i) player.launch(here, i * kMillisecond);
  here.taken[index_of(Phase::hits)] = 0;
  there.comes_again = true;
  there.taken[index_of(Phase::lines)] = 1;
  ASSERT_TRUE(player.scheduler.open());
  EXPECT_EQ(player.launch(there, 3 * kMillisecond, Player::kContext + 1), Phase::trace);
}

// As a program does that runs the same on one GPU after the other.
TEST(Scheduler, KernelsOfOneContextAfterAnotherGetAllKindsOfAnswers) {
  Player player(unlimited());
  std::vector<GroupNeeds> groups(2);
  std::int64_t now_ns = 0;
  for (std::uint64_t context = 0; context < groups.size(); ++context)
    for (int i = 0; i < 40; ++i) player.launch(groups[context], now_ns += 20'000, context);
  for (const auto& group : groups) EXPECT_TRUE(player.scheduler.satisfied(group));
}

TEST(Scheduler, AProgramOfTwoLaunchesGetsTwoKindsOfAnswers) {
  Player player(unlimited());
  GroupNeeds group;
  EXPECT_EQ(player.launch(group), Phase::bytes);
  EXPECT_EQ(player.launch(group), Phase::lines);
}

TEST(Scheduler, AKernelOfThreeLaunchesHasATime) {
  Player player(unlimited());
  GroupNeeds group;
  std::vector<Phase> phases;
  for (int i = 0; i < 4; ++i) phases.push_back(player.launch(group));
  EXPECT_NE(phases[1], Phase::trace);
  EXPECT_EQ(phases[2], Phase::trace);
  EXPECT_NE(phases[3], Phase::trace);
}

TEST(Scheduler, AFewLaunchesOfOneKernelGiveAllKindsOfAnswers) {
  Player player(unlimited());
  GroupNeeds group;
  for (int i = 0; i < 30; ++i) player.launch(group, i * kMillisecond);
  EXPECT_TRUE(player.scheduler.satisfied(group));
  EXPECT_EQ(player.windows, 4) << "of bytes, lines, traffic and hits";
}

TEST(Scheduler, ALongKernelGetsLinesAfterItsDegree) {
  Player player(unlimited());
  GroupNeeds group;
  group.native_ns = 15 * kMillisecond;
  player.launch_cost_ns = 150 * kMillisecond;
  for (const Phase phase : {Phase::bytes, Phase::lines}) EXPECT_EQ(player.launch(group), phase);
}

TEST(Scheduler, TenLaunchesOfALongKernelGiveAllKindsOfAnswers) {
  Player player(unlimited());
  GroupNeeds group;
  group.native_ns = 15 * kMillisecond;
  player.launch_cost_ns = 20 * kMillisecond;
  for (int i = 0; i < 10; ++i) player.launch(group);
  for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits})
    EXPECT_GE(group.taken[index_of(phase)], 1) << model::name_of(phase);
}

TEST(Scheduler, EnoughLaunchesFillEveryPhaseAndThenCostNothing) {
  Player player(unlimited());
  GroupNeeds group;
  for (int i = 0; i < 2000; ++i) player.launch(group);
  EXPECT_TRUE(player.scheduler.satisfied(group));
  EXPECT_EQ(group.taken[index_of(Phase::lines)], 1);
  EXPECT_EQ(player.launch(group), Phase::trace);
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

TEST(Scheduler, AWindowIsNotKeptForWhatComesSeldom) {
  Player player(unlimited());
  GroupNeeds seldom, often;
  player.launch(seldom, 0);
  player.launch(seldom, 400 * kMillisecond);
  seldom.taken[index_of(Phase::hits)] = 0;
  player.scheduler.closed();
  player.scheduler.opened(Phase::hits, Player::kContext, 410 * kMillisecond);
  for (const Phase phase : {Phase::lines, Phase::traffic, Phase::hits}) often.taken[index_of(phase)] = 2;
  often.comes_again = true;
  int launches = 0;
  for (; launches < 200 && player.launch(often, (411 + launches) * kMillisecond) != Phase::bytes;
       ++launches) {
  }
  EXPECT_LT(launches, 60);
}

TEST(Scheduler, WhatCameOftenAndStayedAwayIsNotWaitedFor) {
  Player player(unlimited());
  GroupNeeds gone, here;
  for (int i = 0; i < 100; ++i) player.launch(gone, i * kMillisecond / 100);
  gone.taken[index_of(Phase::traffic)] = 0;
  player.scheduler.closed();
  here.taken[index_of(Phase::bytes)] = here.taken[index_of(Phase::lines)] = 1;
  int launches = 0;
  for (; launches < 200 && player.launch(here, 1000 * kMillisecond + launches) != Phase::hits; ++launches) {
  }
  EXPECT_LT(launches, 60) << "a window of traffic was kept for it";
}

TEST(Scheduler, AThousandKernelsInTurnShareWindows) {
  Player player(unlimited());
  std::vector<GroupNeeds> groups(1000);
  std::int64_t now_ns = 0;
  for (int round = 0; round < 20; ++round)
    for (auto& group : groups) player.launch(group, now_ns += 10'000);
  for (const auto& group : groups) EXPECT_TRUE(player.scheduler.satisfied(group));
  // As many as their launches fill, 32 of bytes, 63 each of traffic and hits, and lines one by one.
  EXPECT_LE(player.windows, 1000 + 32 + 2 * 63 + 80);
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

TEST(Scheduler, TheNextPassComesBeforeOneThatIsReachedOverOthers) {
  Player player(unlimited(1));
  GroupNeeds group;
  group.launches = 1;
  player.scheduler.opened(Phase::traffic, Player::kContext, 0);
  player.scheduler.closed();
  group.taken[index_of(Phase::lines)] = 1;
  EXPECT_EQ(player.launch(group), Phase::hits);
}

// As benchmarks and test suites do: each is launched in a row, and never again.
TEST(Scheduler, KernelsOneAfterAnotherEachGetAllKindsOfAnswers) {
  for (const int launches : {8, 18}) {
    Player player(unlimited());
    std::vector<GroupNeeds> groups(100);
    std::int64_t now_ns = 0;
    for (auto& group : groups)
      for (int i = 0; i < launches; ++i) player.launch(group, now_ns += 20'000);
    for (const auto& group : groups)
      for (const Phase phase : {Phase::bytes, Phase::lines, Phase::traffic, Phase::hits})
        EXPECT_GE(group.taken[index_of(phase)], 1) << launches << " launches: " << model::name_of(phase);
  }
}

TEST(Scheduler, AStepOfAModelIsSweptInAFewWindows) {
  Player player(unlimited());
  std::vector<GroupNeeds> groups(100);
  std::int64_t now_ns = 0;
  for (const auto kernel : steps_of(groups.size(), 10)) player.launch(groups[kernel], now_ns += 10'000);
  for (const auto& group : groups) EXPECT_TRUE(player.scheduler.satisfied(group));
  EXPECT_LE(player.windows, 100 + 100) << "lines one by one, all else in sweeps";
}

TEST(Scheduler, WhatTheLaunchingThreadDoesNotSeeOfAHardwarePassIsCharged) {
  Scheduler scheduler({});
  GroupNeeds group;
  scheduler.charge_launch(group, Phase::traffic, 0, 0);
  EXPECT_EQ(scheduler.spent_ns(), 90'000);
  scheduler.charge_launch(group, Phase::bytes, 0, 0);
  EXPECT_EQ(scheduler.spent_ns(), 90'000) << "it waits for a patched kernel";
}

}  // namespace
}  // namespace coalescope::recorder
