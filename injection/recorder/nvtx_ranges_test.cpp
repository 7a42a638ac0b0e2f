#include "injection/recorder/nvtx_ranges.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <thread>

namespace coalescope::recorder {
namespace {

std::int64_t now_ns = 0;
std::int64_t fake_clock() {
  return ++now_ns;
}

class NvtxRangesTest : public ::testing::Test {
 protected:
  void SetUp() override { now_ns = 1000; }

  NvtxRanges ranges_{&fake_clock};
};

TEST_F(NvtxRangesTest, NestedRangesHaveTheirDepthsAndTimes) {
  const auto step = ranges_.text("step");
  const auto copy = ranges_.text("copy");
  EXPECT_EQ(ranges_.push(0, step), 0);
  EXPECT_EQ(ranges_.push(0, copy), 1);
  EXPECT_EQ(ranges_.pop(0), 1);
  EXPECT_EQ(ranges_.pop(0), 0);
  EXPECT_EQ(ranges_.pop(0), -1) << "none is open";
  const auto taken = ranges_.take(1000, false);
  ASSERT_EQ(taken.ranges.size(), 2U);
  EXPECT_EQ(taken.ranges[0].depth, 1);
  EXPECT_EQ(taken.ranges[0].start_ns, 2);
  EXPECT_EQ(taken.ranges[0].end_ns, 3);
  EXPECT_EQ(taken.ranges[1].start_ns, 1);
  EXPECT_EQ(taken.ranges[1].end_ns, 4);
  ASSERT_EQ(taken.names.size(), 2U);
  EXPECT_EQ(taken.names[0].name, "copy");
  EXPECT_EQ(taken.names[0].domain, std::nullopt);
  EXPECT_EQ(taken.ranges[1].name_id, taken.names[1].id);
}

TEST_F(NvtxRangesTest, ARangeBeyondWhatFitsIsNoOtherRange) {
  ranges_.select("step");
  const auto other = ranges_.text("other"), step = ranges_.text("step");
  std::uint64_t last = 0;
  for (int i = 0; i < 65'536; ++i) last = ranges_.start(0, other);
  const auto beyond = ranges_.start(0, step);
  EXPECT_NE(beyond, last);
  EXPECT_FALSE(ranges_.inside_selected_range()) << "its end would not be seen";
  ranges_.end(beyond);
  EXPECT_EQ(ranges_.take(0, false).dropped, 1);
  ranges_.end(last);
  EXPECT_EQ(ranges_.take(0, false).ranges.size(), 1U);
}

TEST_F(NvtxRangesTest, NamesAreGivenOnce) {
  for (int i = 0; i < 3; ++i) {
    ranges_.push(0, ranges_.text("step"));
    ranges_.pop(0);
    EXPECT_EQ(ranges_.take(0, false).names.size(), i == 0 ? 1U : 0U);
  }
}

TEST_F(NvtxRangesTest, ANameThatNoCaptureTakesIsCutBetweenCharacters) {
  std::string name(4095, 'x');
  for (int i = 0; i < 1'000'000; ++i) name += "\u00e9";
  ranges_.push(0, ranges_.text(name));
  ranges_.pop(0);
  const auto taken = ranges_.take(0, false);
  ASSERT_EQ(taken.names.size(), 1U);
  EXPECT_EQ(taken.names[0].name, std::string(4095, 'x'));
}

TEST_F(NvtxRangesTest, DomainsNestByThemselves) {
  const auto library = ranges_.domain("library");
  EXPECT_EQ(ranges_.push(0, ranges_.text("a")), 0);
  EXPECT_EQ(ranges_.push(library, ranges_.text("b")), 0);
  EXPECT_EQ(ranges_.pop(0), 0) << "under a range of another domain";
  EXPECT_EQ(ranges_.pop(library), 0);
  const auto taken = ranges_.take(0, false);
  EXPECT_EQ(taken.names[0].name, "a");
  EXPECT_EQ(taken.names[1].domain, "library");
}

TEST_F(NvtxRangesTest, StartAndEndMayLieOnTwoThreads) {
  const auto range = ranges_.start(0, ranges_.text("load"));
  std::thread([&] { ranges_.end(range); }).join();
  ranges_.end(range);  // twice
  const auto taken = ranges_.take(0, false);
  ASSERT_EQ(taken.ranges.size(), 1U);
  EXPECT_EQ(taken.ranges[0].kind, model::RangeKind::start_end);
}

TEST_F(NvtxRangesTest, SelectedPushRangesAreTheThreadsOwn) {
  ranges_.select("train");
  const auto train = ranges_.text("train");
  EXPECT_FALSE(ranges_.inside_selected_range());
  ranges_.push(0, train);
  ranges_.push(0, ranges_.text("inner"));
  EXPECT_TRUE(ranges_.inside_selected_range());
  std::thread([&] { EXPECT_FALSE(ranges_.inside_selected_range()); }).join();
  ranges_.pop(0);
  EXPECT_TRUE(ranges_.inside_selected_range());
  ranges_.pop(0);
  EXPECT_FALSE(ranges_.inside_selected_range());
}

TEST_F(NvtxRangesTest, SelectedStartRangesAreTheProcesss) {
  ranges_.select("train");
  const auto range = ranges_.start(0, ranges_.text("train"));
  std::thread([&] { EXPECT_TRUE(ranges_.inside_selected_range()); }).join();
  ranges_.end(range);
  EXPECT_FALSE(ranges_.inside_selected_range());
}

TEST_F(NvtxRangesTest, ASelectionMayNameADomain) {
  ranges_.select("train@app");
  const auto train = ranges_.text("train");
  ranges_.push(0, train);
  EXPECT_FALSE(ranges_.inside_selected_range());
  ranges_.push(ranges_.domain("app"), train);
  EXPECT_TRUE(ranges_.inside_selected_range());
  ranges_.pop(ranges_.domain("app"));
  ranges_.pop(0);
}

TEST_F(NvtxRangesTest, WhatLibrariesMarkForThemselvesIsLeftOut) {
  const auto name = ranges_.text("cub::DeviceReduce::Sum");
  const auto cccl = ranges_.domain("CCCL");
  EXPECT_EQ(ranges_.domain("TSL"), 0U) << "no domain, so that XLA makes no names";
  EXPECT_EQ(ranges_.push(0, ranges_.text("a")), 0);
  EXPECT_EQ(ranges_.push(cccl, name), 0);
  EXPECT_EQ(ranges_.pop(cccl), 0);
  ranges_.end(ranges_.start(cccl, name));
  EXPECT_EQ(ranges_.pop(0), 0);
  const auto taken = ranges_.take(0, true);
  ASSERT_EQ(taken.ranges.size(), 1U);
  EXPECT_EQ(taken.names[0].name, "a");
  EXPECT_EQ(taken.dropped, 0);
}

TEST_F(NvtxRangesTest, ASelectedRangeMayBeALibrarys) {
  ranges_.select("cub::DeviceReduce::Sum");
  const auto cccl = ranges_.domain("CCCL");
  EXPECT_NE(ranges_.domain("TSL"), 0U);
  ranges_.push(cccl, ranges_.text("cub::DeviceReduce::Sum"));
  EXPECT_TRUE(ranges_.inside_selected_range());
  ranges_.pop(cccl);
}

TEST_F(NvtxRangesTest, OpenRangesAreListedAtTheEndWithoutOne) {
  ranges_.push(0, ranges_.text("main"));
  (void)ranges_.start(0, ranges_.text("load"));
  EXPECT_TRUE(ranges_.take(0, false).ranges.empty());
  const auto taken = ranges_.take(0, true);
  ASSERT_EQ(taken.ranges.size(), 2U);
  EXPECT_EQ(taken.ranges[0].end_ns, std::nullopt);
  EXPECT_EQ(taken.ranges[1].end_ns, std::nullopt);
  ranges_.pop(0);
}

// As many as fit are kept, and the rest is counted.
TEST_F(NvtxRangesTest, WhatNobodyFetchesIsBounded) {
  const auto text = ranges_.text("x");
  for (int i = 0; i < 70'000; ++i) {
    ranges_.push(0, text);
    ranges_.pop(0);
  }
  const auto taken = ranges_.take(0, false);
  EXPECT_EQ(static_cast<std::int64_t>(taken.ranges.size()) + taken.dropped, 70'000);
  EXPECT_GT(taken.dropped, 0);
  EXPECT_EQ(ranges_.take(0, false).dropped, 0);
}

TEST_F(NvtxRangesTest, TooManyNamesShareOne) {
  for (int i = 0; i < 20'000; ++i) (void)ranges_.text("iteration " + std::to_string(i));
  ranges_.push(0, ranges_.text("another"));
  ranges_.pop(0);
  EXPECT_EQ(ranges_.take(0, false).names[0].name, "(other names)");
}

TEST_F(NvtxRangesTest, DeepNestingIsCountedDown) {
  const auto text = ranges_.text("x");
  for (int i = 0; i < 100; ++i) ranges_.push(0, text);
  for (int i = 0; i < 100; ++i) EXPECT_GE(ranges_.pop(0), 0);
  EXPECT_EQ(ranges_.pop(0), -1);
  const auto taken = ranges_.take(0, false);
  EXPECT_EQ(taken.ranges.size(), 64U);
  EXPECT_EQ(taken.dropped, 36);
}

TEST_F(NvtxRangesTest, AForkedChildKeepsNothing) {
  ranges_.silence();
  ranges_.push(0, ranges_.text("x"));
  ranges_.pop(0);
  ranges_.end(ranges_.start(0, 1));
  EXPECT_TRUE(ranges_.take(0, true).ranges.empty());
}

}  // namespace
}  // namespace coalescope::recorder
