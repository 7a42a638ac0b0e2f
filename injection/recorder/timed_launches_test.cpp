#include "injection/recorder/timed_launches.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

constexpr std::int64_t kManyLaunches = 2'000'000;

TEST(TimedLaunches, AllOfAShortProgram) {
  TimedLaunches timed;
  for (std::uint32_t i = 0; i < TimedLaunches::kFirst; ++i) EXPECT_EQ(timed.next(), 1U);
}

TEST(TimedLaunches, StandForAsManyAsThereAre) {
  TimedLaunches timed;
  std::int64_t sum = 0, count = 0;
  for (std::int64_t i = 0; i < kManyLaunches; ++i) {
    const std::uint32_t weight = timed.next();
    sum += weight;
    count += weight > 0 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(sum), kManyLaunches, 0.03 * kManyLaunches);
  EXPECT_LT(count, kManyLaunches / 14);
}

// Of a program that repeats itself, one callback in so many takes longer.
TEST(TimedLaunches, FindEachRhythm) {
  for (const std::int64_t every : {2, 7, 16, 32, 64, 128, 256, 1000, 1024, 4096}) {
    TimedLaunches timed;
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < kManyLaunches; ++i) {
      const std::uint32_t weight = timed.next();
      if (i % every == every - 1) found += weight;
    }
    const auto waiting = static_cast<double>(kManyLaunches) / static_cast<double>(every);
    EXPECT_NEAR(static_cast<double>(found), waiting, 0.25 * waiting) << "one in " << every;
  }
}

}  // namespace
}  // namespace coalescope::recorder
