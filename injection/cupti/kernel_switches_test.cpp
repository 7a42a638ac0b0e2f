#include "injection/cupti/kernel_switches.h"

#include <gtest/gtest.h>

namespace coalescope::cupti {
namespace {

TEST(KernelSwitches, KnowsWhatRanWhileRecordsWereOff) {
  KernelSwitches switches;
  EXPECT_FALSE(switches.were_off(0, 1'000));
  switches.switched_off(100);
  EXPECT_TRUE(switches.were_off(90, 100));
  EXPECT_TRUE(switches.were_off(5'000, 6'000));
  switches.switched_on(200);
  switches.switched_off(500);
  switches.switched_on(510);
  EXPECT_TRUE(switches.were_off(105, 106));
  EXPECT_TRUE(switches.were_off(200, 220));
  EXPECT_TRUE(switches.were_off(90, 600));
  EXPECT_FALSE(switches.were_off(80, 99));
  EXPECT_FALSE(switches.were_off(201, 499));
  EXPECT_FALSE(switches.were_off(511, 600));
}

TEST(KernelSwitches, KeepsTheLastOnes) {
  KernelSwitches switches;
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    switches.switched_off(100 * i);
    switches.switched_on(100 * i + 1);
  }
  EXPECT_TRUE(switches.were_off(999'900, 999'901));
  EXPECT_TRUE(switches.were_off(900'000, 900'000));
  EXPECT_FALSE(switches.were_off(999'950, 999'960));
}

}  // namespace
}  // namespace coalescope::cupti
