#include "injection/recorder/event_pairs.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

constexpr std::uint64_t kStream = 7;
constexpr std::uint64_t kOther = 8;

// Whether the event opens a pair: each has a higher number than those before it.
bool opens(EventPairs& pairs, std::uint64_t event, std::uint64_t stream) {
  const auto before = pairs.open();
  pairs.recorded(event, stream);
  return pairs.open() > before;
}

TEST(EventPairs, APairIsOpenBetweenItsEvents) {
  EventPairs pairs;
  EXPECT_EQ(pairs.open(), 0U);
  EXPECT_TRUE(opens(pairs, 1, kStream));
  EXPECT_NE(pairs.open(), 0U);
  EXPECT_FALSE(opens(pairs, 2, kStream));
  EXPECT_EQ(pairs.open(), 0U);
}

TEST(EventPairs, EachPairHasANumberOfItsOwn) {
  EventPairs pairs;
  EXPECT_TRUE(opens(pairs, 1, kStream));
  const auto first = pairs.open();
  EXPECT_FALSE(opens(pairs, 2, kStream));
  EXPECT_TRUE(opens(pairs, 1, kStream));
  EXPECT_NE(pairs.open(), first);
}

TEST(EventPairs, EventsThatKeepNoTimeOpenNothing) {
  EventPairs pairs;
  pairs.created(1, false);
  EXPECT_FALSE(opens(pairs, 1, kStream));
  EXPECT_EQ(pairs.open(), 0U);
}

TEST(EventPairs, StreamsHavePairsOfTheirOwn) {
  EventPairs pairs;
  EXPECT_TRUE(opens(pairs, 1, kStream));
  EXPECT_TRUE(opens(pairs, 2, kOther));
  EXPECT_FALSE(opens(pairs, 3, kStream));
  EXPECT_NE(pairs.open(), 0U);
  EXPECT_FALSE(opens(pairs, 4, kOther));
  EXPECT_EQ(pairs.open(), 0U);
}

TEST(EventPairs, AnEventThatEndedATimeOpensNoPairLater) {
  EventPairs pairs;
  pairs.recorded(1, kStream);
  pairs.recorded(2, kStream);
  (void)pairs.read(1, 2);
  EXPECT_FALSE(opens(pairs, 2, kStream));
  EXPECT_EQ(pairs.open(), 0U);
  EXPECT_TRUE(opens(pairs, 1, kStream));
}

TEST(EventPairs, AnEventBetweenTwoTimesClosesOneAndOpensTheNext) {
  EventPairs pairs;
  (void)pairs.read(1, 2);
  (void)pairs.read(2, 3);
  EXPECT_TRUE(opens(pairs, 1, kStream));
  const auto first = pairs.open();
  EXPECT_TRUE(opens(pairs, 2, kStream));
  EXPECT_NE(pairs.open(), 0U);
  EXPECT_NE(pairs.open(), first);
  EXPECT_FALSE(opens(pairs, 3, kStream));
  EXPECT_EQ(pairs.open(), 0U);
}

TEST(EventPairs, ATimeTellsHowManyLaunchesInItWereMeasured) {
  EventPairs pairs;
  pairs.recorded(1, kStream);
  pairs.measured();
  pairs.measured();
  pairs.recorded(2, kStream);
  pairs.measured();
  EXPECT_EQ(pairs.read(1, 2), 2);
  pairs.recorded(1, kStream);
  pairs.recorded(2, kStream);
  EXPECT_EQ(pairs.read(1, 2), 0);
}

// They only wait, and every second launch of the program would count as timed.
TEST(EventPairs, EventsThatNobodyReadsAreNotBelievedForEver) {
  EventPairs pairs;
  for (int i = 0; i < 100; ++i) pairs.recorded(1, kStream);
  EXPECT_FALSE(opens(pairs, 1, kStream));
  EXPECT_EQ(pairs.open(), 0U);
  (void)pairs.read(1, 2);
  EXPECT_TRUE(opens(pairs, 1, kStream));
}

TEST(EventPairs, AHandleThatIsUsedAgainIsANewEvent) {
  EventPairs pairs;
  (void)pairs.read(1, 2);
  pairs.destroyed(2);
  pairs.created(2, true);
  EXPECT_TRUE(opens(pairs, 2, kStream));
}

}  // namespace
}  // namespace coalescope::recorder
