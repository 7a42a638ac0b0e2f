#include "injection/recorder/launch_gate.h"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace coalescope::recorder {
namespace {

using namespace std::chrono_literals;

TEST(LaunchGate, NativeLaunchesPassWhileItIsOpen) {
  LaunchGate gate;
  EXPECT_TRUE(gate.enter_native());
  EXPECT_TRUE(gate.enter_native());
  gate.exit_native();
  gate.exit_native();
}

TEST(LaunchGate, NobodyPassesWhileItIsShut) {
  LaunchGate gate;
  ASSERT_TRUE(gate.shut(1ms, 1ms));
  EXPECT_FALSE(gate.enter_native());
  EXPECT_TRUE(gate.is_shut());
  gate.release();
  EXPECT_TRUE(gate.enter_native());
  gate.exit_native();
}

TEST(LaunchGate, AnOwnerThatGoesNativeIsInFlightAtOnce) {
  LaunchGate gate;
  ASSERT_TRUE(gate.shut(1ms, 1ms));
  gate.release_into_native();
  EXPECT_FALSE(gate.shut(1ms, 1ms)) << "its launch has not returned";
  gate.exit_native();
  EXPECT_TRUE(gate.shut(1ms, 1ms));
  gate.release();
}

TEST(LaunchGate, ItGivesUpWhenALaunchDoesNotReturn) {
  LaunchGate gate;
  ASSERT_TRUE(gate.enter_native());
  EXPECT_FALSE(gate.shut(2ms, 2ms));
  EXPECT_TRUE(gate.enter_native()) << "a failed attempt must leave the gate open";
  gate.exit_native();
  gate.exit_native();
  EXPECT_TRUE(gate.shut(2ms, 2ms));
  gate.release();
}

TEST(LaunchGate, ItGivesUpWhenAnotherThreadHoldsIt) {
  LaunchGate gate;
  ASSERT_TRUE(gate.shut(1ms, 1ms));
  bool got = true;
  std::thread other([&] { got = gate.shut(2ms, 2ms); });
  other.join();
  EXPECT_FALSE(got);
  gate.release();
}

TEST(LaunchGate, WhoeverPassesWaitsForItsOwner) {
  LaunchGate gate;
  ASSERT_TRUE(gate.shut(1ms, 1ms));
  EXPECT_FALSE(gate.pass(1ms)) << "the owner takes longer";
  gate.release();
  EXPECT_TRUE(gate.pass(1ms));
  EXPECT_FALSE(gate.shut(1ms, 1ms)) << "its launch has not returned";
  gate.exit_native();
}

// Threads that shut the gate for each launch of theirs never keep out those that only pass.
TEST(LaunchGate, OwnersLetOthersPass) {
  LaunchGate gate;
  std::atomic<bool> stop{false};
  std::vector<std::thread> owners;
  for (int i = 0; i < 3; ++i)
    owners.emplace_back([&] {
      while (!stop)
        if (gate.shut(1s, 1s)) gate.release();
    });
  int passed = 0;
  for (int i = 0; i < 200; ++i) {
    if (!gate.pass(10s)) continue;
    ++passed;
    gate.exit_native();
  }
  stop = true;
  for (auto& owner : owners) owner.join();
  EXPECT_EQ(passed, 200);
}

// Whoever owns the gate is alone: no native launch is between its enter and its exit.
TEST(LaunchGate, TheOwnerIsAlone) {
  LaunchGate gate;
  std::atomic<bool> stop{false};
  std::atomic<int> inside{0};
  std::atomic<int> violations{0};
  std::vector<std::thread> launchers;
  for (int i = 0; i < 3; ++i) {
    launchers.emplace_back([&] {
      while (!stop) {
        if (!gate.pass(1s)) continue;
        ++inside;
        --inside;
        gate.exit_native();
      }
    });
  }
  int owned = 0;
  for (int i = 0; i < 200; ++i) {
    if (!gate.shut(1s, 1s)) continue;
    ++owned;
    for (int n = 0; n < 50; ++n) violations += inside.load() != 0;
    gate.release();
  }
  stop = true;
  for (auto& launcher : launchers) launcher.join();
  EXPECT_GT(owned, 0);
  EXPECT_EQ(violations, 0);
}

}  // namespace
}  // namespace coalescope::recorder
