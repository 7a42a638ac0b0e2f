#include "reports/analysis/rows/request_lines.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

constexpr BlockShape kFlat{256, 1, 1};

TEST(RequestLines, ContiguousLanesFillLines) {
  EXPECT_EQ(lines_of({4, 4, 32}, false, kFlat), 1);
  EXPECT_EQ(lines_of({16, 16, 32}, false, kFlat), 4) << "16 bytes a lane";
  EXPECT_EQ(lines_of({1, 1, 32}, false, kFlat), 1) << "one word for all";
}

// Lanes 28 bytes apart touch 28 sectors in 7 lines; lanes a row apart have a line each.
TEST(RequestLines, ADistanceBelowASectorLeavesSectorsTogether) {
  EXPECT_EQ(lines_of({28, 4, 32}, false, kFlat), 7);
  EXPECT_EQ(lines_of({8, 4, 32}, false, kFlat), 2) << "every second word";
  EXPECT_EQ(lines_of({32, 4, 32}, false, kFlat), 32);
  EXPECT_EQ(lines_of({16, 2, 16}, false, kFlat), 16) << "half a warp";
}

TEST(RequestLines, IndicesLieAnywhere) {
  EXPECT_EQ(lines_of({24, 4, 32}, true, kFlat), 24);
}

// 8 rows of 4 words: half a sector of each.
TEST(RequestLines, RowsOfANarrowBlockLieApart) {
  EXPECT_EQ(lines_of({8, 4, 32}, false, {4, 64, 1}), 8);
  EXPECT_TRUE(follows_rows_of({8, 4, 32}, {4, 64, 1}));
  EXPECT_FALSE(follows_rows_of({8, 4, 32}, kFlat));
  EXPECT_FALSE(follows_rows_of({4, 4, 32}, {8, 32, 1})) << "whole sectors of each row";
  EXPECT_EQ(lines_of({16, 4, 32}, false, {16, 16, 1}), 16) << "columns of a tile 16 wide";
  EXPECT_FALSE(follows_rows_of({16, 4, 32}, {16, 16, 1}));
  EXPECT_EQ(lines_of({8, 4, 32}, false, {16, 12, 3}), 2) << "every second word: lanes of a row share sectors";
}

// 4 rows of 8 words, each in one sector or two: 1 + 7 / 8 in the mean.
TEST(RequestLines, RowsOfANarrowBlockMayBeginAnywhere) {
  EXPECT_TRUE(follows_rows_of({7.43, 4, 32}, {8, 8, 8}));
  EXPECT_NEAR(lines_of({7.43, 4, 32}, false, {8, 8, 8}), 4 * (1 + 28.0 / 128), 1e-9);
  EXPECT_FALSE(follows_rows_of({8, 4, 32}, {8, 8, 8})) << "every second word";
  EXPECT_FALSE(follows_rows_of({7.43, 4, 32}, {32, 8, 1}));
}

}  // namespace
}  // namespace coalescope::analysis
