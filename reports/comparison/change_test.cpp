#include "reports/comparison/change.h"

#include <gtest/gtest.h>

#include "reports/comparison/verdict.h"

namespace coalescope::comparison {
namespace {

TEST(Change, LaunchesThatAllAgreeLeaveNoNoise) {
  EXPECT_EQ(noise_of(0, 0), 0);
  EXPECT_EQ(judge(1000, 1001, noise_of(0, 0)), Judgement::worse);
  EXPECT_EQ(judge(1001, 1000, noise_of(0, 0)), Judgement::better);
}

TEST(Change, OneLaunchMayBeAnother) {
  EXPECT_EQ(noise_of(std::nullopt, 0), kOneLaunch);
  EXPECT_EQ(judge(1000, 1010, noise_of(std::nullopt, std::nullopt)), Judgement::same);
  EXPECT_EQ(judge(1000, 1050, noise_of(std::nullopt, std::nullopt)), Judgement::worse)
      << "5 % is more than launches of one kernel and shape differ";
}

TEST(Change, LaunchesThatDifferHideWhatIsLikeThem) {
  EXPECT_DOUBLE_EQ(noise_of(0, 0.1), 0.2);
  EXPECT_EQ(noise_of(0.001, 0), kOneLaunch);
  EXPECT_EQ(judge(1000, 1150, noise_of(0.1, std::nullopt)), Judgement::same);
  EXPECT_EQ(judge(1000, 1300, noise_of(0.1, std::nullopt)), Judgement::worse);
}

TEST(Change, WhatWasNotMeasuredDidNotChange) {
  EXPECT_EQ(judge(std::nullopt, 5, 0), Judgement::same);
  EXPECT_EQ(judge(5, std::nullopt, 0), Judgement::same);
}

TEST(Change, SmallBesideTheRestIsNone) {
  EXPECT_EQ(judge(0, 10, 0, 11), Judgement::same);
  EXPECT_EQ(judge(0, 12, 0, 11), Judgement::worse);
}

TEST(Change, RelativeToWhatThereWas) {
  Number number;
  number.before = 100;
  number.after = 105;
  EXPECT_DOUBLE_EQ(relative(number).value(), 0.05);
  number.before = 0;
  EXPECT_EQ(relative(number), std::nullopt) << "from none there is no share";
}

TEST(Change, TheSizeOfAChangeIsSaidWithItsSign) {
  const auto text = [](double before, double after) {
    Number number;
    number.before = before;
    number.after = after;
    return relative_text(number);
  };
  EXPECT_EQ(text(100, 100), "0 %");
  EXPECT_EQ(text(100, 105), "+5.0 %");
  EXPECT_EQ(text(100'000, 199'990), "+100 %");
  EXPECT_EQ(text(100, 400), "+300 %");
  EXPECT_EQ(text(100, 1600), "x16");
  EXPECT_EQ(text(100, 25), "-75.0 %");
  EXPECT_EQ(text(100, 0), "-100 %");
  EXPECT_EQ(text(1'000'000, 1), "more than -99.9 %") << "not all of it";
  EXPECT_EQ(text(1'000'000, 1'000'010), "under +0.1 %");
  EXPECT_EQ(text(0, 5), "from none");
}

TEST(Change, BetterAndWorseTogetherAreNeither) {
  EXPECT_EQ(both(Judgement::same, Judgement::worse), Judgement::worse);
  EXPECT_EQ(both(Judgement::worse, Judgement::worse), Judgement::worse);
  EXPECT_EQ(both(Judgement::better, Judgement::worse), Judgement::changed);
}

}  // namespace
}  // namespace coalescope::comparison
