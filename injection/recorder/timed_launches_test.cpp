#include "injection/recorder/timed_launches.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

constexpr std::int64_t kManyLaunches = 2'000'000;

TEST(TimedLaunches, AllOfAShortProgram) {
  TimedLaunches timed;
  for (std::uint32_t i = 0; i < TimedLaunches::kAll; ++i) EXPECT_EQ(timed.next(), 1U);
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

// One launch in so many is of a kind, as in a program that repeats itself.
TEST(TimedLaunches, FindEachRhythm) {
  for (const std::int64_t every : {2, 7, 16, 32, 64, 128, 256, 1000, 1024, 4096}) {
    TimedLaunches timed;
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < kManyLaunches; ++i) {
      const std::uint32_t weight = timed.next();
      if (i % every == every - 1) found += weight;
    }
    const auto longer = static_cast<double>(kManyLaunches) / static_cast<double>(every);
    EXPECT_NEAR(static_cast<double>(found), longer, 0.25 * longer) << "one in " << every;
  }
}

// A stream is full for a part of the program, and makes room for some hundred launches at once.
TEST(TimedLaunches, FindNearlyAllWaitsOfAFullStream) {
  constexpr std::int64_t kBegins = 500'000, kEnds = 1'500'000;
  for (const std::int64_t every : {100, 512, 1024}) {
    TimedLaunches timed;
    std::int64_t waits = 0, found = 0;
    for (std::int64_t i = 0; i < kManyLaunches; ++i) {
      const std::uint32_t weight = timed.next();
      if (i < kBegins || i >= kEnds || i % every != 0) continue;
      ++waits;
      found += weight;
      if (weight > 0) timed.waited();
    }
    EXPECT_NEAR(static_cast<double>(found), static_cast<double>(waits), 0.05 * static_cast<double>(waits))
        << "one in " << every;
  }
}

}  // namespace
}  // namespace coalescope::recorder
