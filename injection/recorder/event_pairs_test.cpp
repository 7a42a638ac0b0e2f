#include "injection/recorder/event_pairs.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

constexpr std::uint64_t kStream = 7;
constexpr std::uint64_t kOther = 8;

TEST(EventPairs, APairIsOpenBetweenItsEvents) {
  EventPairs pairs;
  EXPECT_EQ(pairs.open(), 0U);
  EXPECT_TRUE(pairs.recorded(1, kStream));
  EXPECT_NE(pairs.open(), 0U);
  EXPECT_FALSE(pairs.recorded(2, kStream));
  EXPECT_EQ(pairs.open(), 0U);
}

TEST(EventPairs, EachPairHasANumberOfItsOwn) {
  EventPairs pairs;
  EXPECT_TRUE(pairs.recorded(1, kStream));
  const auto first = pairs.open();
  EXPECT_FALSE(pairs.recorded(2, kStream));
  EXPECT_TRUE(pairs.recorded(1, kStream));
  EXPECT_NE(pairs.open(), first);
}

TEST(EventPairs, EventsThatKeepNoTimeOpenNothing) {
  EventPairs pairs;
  pairs.created(1, false);
  EXPECT_FALSE(pairs.recorded(1, kStream));
  EXPECT_EQ(pairs.open(), 0U);
}

TEST(EventPairs, StreamsHavePairsOfTheirOwn) {
  EventPairs pairs;
  EXPECT_TRUE(pairs.recorded(1, kStream));
  EXPECT_TRUE(pairs.recorded(2, kOther));
  EXPECT_FALSE(pairs.recorded(3, kStream));
  EXPECT_NE(pairs.open(), 0U);
  EXPECT_FALSE(pairs.recorded(4, kOther));
  EXPECT_EQ(pairs.open(), 0U);
}

TEST(EventPairs, AnEventThatEndedATimeOpensNoPairLater) {
  EventPairs pairs;
  (void)pairs.recorded(1, kStream);
  (void)pairs.recorded(2, kStream);
  (void)pairs.read(1, 2);
  EXPECT_FALSE(pairs.recorded(2, kStream));
  EXPECT_EQ(pairs.open(), 0U);
  EXPECT_TRUE(pairs.recorded(1, kStream));
}

TEST(EventPairs, AnEventBetweenTwoTimesClosesOneAndOpensTheNext) {
  EventPairs pairs;
  (void)pairs.read(1, 2);
  (void)pairs.read(2, 3);
  EXPECT_TRUE(pairs.recorded(1, kStream));
  const auto first = pairs.open();
  EXPECT_TRUE(pairs.recorded(2, kStream));
  EXPECT_NE(pairs.open(), 0U);
  EXPECT_NE(pairs.open(), first);
  EXPECT_FALSE(pairs.recorded(3, kStream));
  EXPECT_EQ(pairs.open(), 0U);
}

TEST(EventPairs, ATimeTellsHowManyLaunchesInItWereMeasured) {
  EventPairs pairs;
  (void)pairs.recorded(1, kStream);
  pairs.measured();
  pairs.measured();
  (void)pairs.recorded(2, kStream);
  pairs.measured();
  EXPECT_EQ(pairs.read(1, 2), 2);
  (void)pairs.recorded(1, kStream);
  (void)pairs.recorded(2, kStream);
  EXPECT_EQ(pairs.read(1, 2), 0);
}

// They only wait, and every second launch of the program would count as timed.
TEST(EventPairs, EventsThatNobodyReadsAreNotBelievedForEver) {
  EventPairs pairs;
  for (int i = 0; i < 100; ++i) (void)pairs.recorded(1, kStream);
  EXPECT_FALSE(pairs.recorded(1, kStream));
  EXPECT_EQ(pairs.open(), 0U);
  (void)pairs.read(1, 2);
  EXPECT_TRUE(pairs.recorded(1, kStream));
}

TEST(EventPairs, AHandleThatIsUsedAgainIsANewEvent) {
  EventPairs pairs;
  (void)pairs.read(1, 2);
  pairs.destroyed(2);
  pairs.created(2, true);
  EXPECT_TRUE(pairs.recorded(2, kStream));
}

}  // namespace
}  // namespace coalescope::recorder
