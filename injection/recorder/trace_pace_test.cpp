#include "injection/recorder/trace_pace.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

TEST(TracePace, ListsEverythingUpToItsLimit) {
  TracePace pace(1000);
  EXPECT_EQ(pace.turn_at(kDay, 999, true), Turn::listed);
  EXPECT_TRUE(pace.lists(2 * kDay));
  EXPECT_TRUE(pace.gaps().empty());
  EXPECT_EQ(pace.turn_at(2 * kDay, 1000, true), Turn::counted);
  EXPECT_TRUE(pace.lists(2 * kDay - 1));
  EXPECT_FALSE(pace.lists(2 * kDay));
}

TEST(TracePace, ListsLessWhereLaunchesFollowFast) {
  TracePace fast(1'000'000, 50'000), slow(1'000'000, 50'000);
  std::int64_t now_ns = 0;
  Turn turn = Turn::listed;
  for (std::int64_t rows = 0; turn == Turn::listed; rows += 5'000)
    turn = fast.turn_at(now_ns += kSecond / 4, rows, true);
  EXPECT_EQ(now_ns, 11 * kSecond / 4) << "20,000 a second";
  for (std::int64_t rows = 0; rows < 900'000; rows += 1'000)
    EXPECT_EQ(slow.turn_at(now_ns += kSecond / 4, rows, true), Turn::listed) << "4,000 a second";
}

TEST(TracePace, ANewKernelEndsAStretch) {
  TracePace pace(1000);
  EXPECT_EQ(pace.turn_at(kSecond, 1000, true), Turn::counted);
  pace.wake(2 * kSecond);
  EXPECT_NE(pace.turn_at(2 * kSecond, 1000, true), Turn::counted);
  EXPECT_NE(pace.turn_at(2 * kSecond + kSecond / 4, 1000, true), Turn::counted);
  EXPECT_EQ(pace.turn_at(2 * kSecond + kSecond / 2, 1000, true), Turn::counted);
}

TEST(TracePace, WithoutALimitListsEverything) {
  TracePace pace(std::nullopt);
  EXPECT_EQ(pace.turn_at(kDay, std::int64_t{1} << 40, true), Turn::listed);
  EXPECT_TRUE(pace.gaps().empty());
}

TEST(TracePace, WhatWasMissedIsAGapAndNoSample) {
  TracePace pace(1000);
  pace.missed(5 * kSecond, 7 * kSecond);
  EXPECT_FALSE(pace.samples());
  EXPECT_TRUE(pace.lists(5 * kSecond - 1));
  EXPECT_FALSE(pace.lists(6 * kSecond));
  EXPECT_TRUE(pace.lists(7 * kSecond));
  EXPECT_EQ(pace.turn_at(kDay, 1000, true), Turn::counted);
  pace.missed(kDay, kDay + kSecond);  // inside of a gap
  EXPECT_EQ(pace.gaps().size(), 2U);
}

TEST(TracePace, OfADayListsADozenStretches) {
  TracePace pace(1000);
  std::int64_t listed = 0, timed = 0, counted = 0;
  for (std::int64_t now = 0; now < kDay; now += kSecond / 4) {
    const Turn turn = pace.turn_at(now, 1000, true);
    ++(turn == Turn::listed ? listed : turn == Turn::timed ? timed : counted);
  }
  const auto looks = static_cast<double>(kDay / (kSecond / 4));
  EXPECT_NEAR(static_cast<double>(listed + timed) / looks, 0.05, 0.005);
  EXPECT_EQ(pace.gaps().size(), 15U);  // before and after each of 14 listed samples: 2^13 < 8,640 samples
  EXPECT_LT(listed, 14 * 4);
  EXPECT_FALSE(pace.gaps().back().ended_ns);
  for (std::size_t i = 1; i < pace.gaps().size(); ++i)
    EXPECT_LT(*pace.gaps()[i - 1].ended_ns, pace.gaps()[i].began_ns);
}

TEST(TracePace, ARecordBelongsToTheTurnInWhichItsKernelBegan) {
  TracePace pace(0);
  ASSERT_EQ(pace.turn_at(10, 0, true), Turn::counted);
  ASSERT_EQ(pace.turn_at(10 * kSecond, 0, true), Turn::listed);
  ASSERT_EQ(pace.turn_at(11 * kSecond, 0, true), Turn::counted);
  EXPECT_TRUE(pace.lists(9));
  EXPECT_FALSE(pace.lists(9 * kSecond));
  EXPECT_TRUE(pace.lists(10 * kSecond));
  EXPECT_TRUE(pace.lists(11 * kSecond - 1));
  EXPECT_FALSE(pace.lists(11 * kSecond));
}

TEST(TracePace, WhatCannotBeCountedIsTimed) {
  TracePace pace(0);
  EXPECT_EQ(pace.turn_at(0, 0, false), Turn::timed);
  EXPECT_EQ(pace.turn_at(kSecond, 0, true), Turn::counted);
  EXPECT_EQ(pace.turn_at(2 * kSecond, 0, false), Turn::timed);
  EXPECT_FALSE(pace.lists(2 * kSecond));
}

}  // namespace
}  // namespace coalescope::recorder
