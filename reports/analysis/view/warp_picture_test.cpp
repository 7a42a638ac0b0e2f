#include "reports/analysis/view/warp_picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace coalescope::analysis {
namespace {

using testing::HasSubstr;
using testing::Not;

Finding finding_of(std::string rule, std::vector<Fact> facts, std::string title = "Uncoalesced loads") {
  Finding finding;
  finding.rule = std::move(rule);
  finding.title = std::move(title);
  finding.facts = std::move(facts);
  return finding;
}

Finding uncoalesced_of(double touched, double needed) {
  return finding_of("G01", {{"sectors_per_request", touched, "sectors"},
                            {"needed_sectors_per_request", needed, "sectors"}});
}

std::size_t sectors_used(const WarpPicture& picture) {
  std::set<int> sectors;
  for (const auto& lane : picture.lanes)
    if (lane.takes_part) sectors.insert(lane.sector);
  return sectors.size();
}

long lanes_on(const WarpPicture& picture) {
  return std::ranges::count(picture.lanes, true, &LaneBytes::takes_part);
}

TEST(WarpPicture, AStrideTouchesAsManySectorsAsCounted) {
  const auto picture = warp_picture({}, uncoalesced_of(8, 4));
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->sectors, 8);
  EXPECT_EQ(sectors_used(*picture), 8U);
  EXPECT_EQ(picture->element_bytes, 4);
  EXPECT_EQ(picture->lanes[1].offset, 8) << "every second word";
  EXPECT_THAT(picture->words, HasSubstr("32 lanes touch 8.0 sectors, and 4.0 would hold their bytes"));
}

TEST(WarpPicture, LanesFarApartHaveASectorEach) {
  const auto picture = warp_picture({}, uncoalesced_of(32, 4));
  ASSERT_TRUE(picture);
  EXPECT_EQ(sectors_used(*picture), 32U);
  EXPECT_TRUE(picture->apart);
  EXPECT_TRUE(picture->schematic);
  EXPECT_THAT(picture->words, HasSubstr("schematic"));
}

TEST(WarpPicture, AnOffsetReachesIntoOneSectorMore) {
  const auto picture = warp_picture({}, uncoalesced_of(5, 4));
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->sectors, 5);
  EXPECT_EQ(picture->lanes[0].offset, 28);
  EXPECT_EQ(picture->lanes[31].sector, 4);
}

TEST(WarpPicture, EightBytesALaneNeedEightSectors) {
  const auto picture = warp_picture({}, uncoalesced_of(16, 8));
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->element_bytes, 8);
  EXPECT_EQ(picture->sectors, 16);
}

TEST(WarpPicture, TheLineAtFaultGoesBeforeTheKernelsMean) {
  Report report;
  LineRow line;
  line.kernel_id = 3;
  line.file = "a.cu";
  line.line = 7;
  line.sectors_per_request = 24;
  line.sector_efficiency = 0.125;
  line.lanes = 24;
  report.lines = {line};
  Finding finding = uncoalesced_of(9, 4);
  finding.kernel_id = 3;
  finding.file = "a.cu";
  finding.line = 7;
  const auto picture = warp_picture(report, finding);
  ASSERT_TRUE(picture);
  EXPECT_EQ(sectors_used(*picture), 24U);
  EXPECT_EQ(lanes_on(*picture), 24);
  EXPECT_THAT(picture->words, HasSubstr("24.0 of 32 lanes touch 24.0 sectors"));
  report.lines[0].loads = report.lines[0].stores = 10;
  EXPECT_THAT(warp_picture(report, finding)->words, HasSubstr("32 lanes touch 9.0 sectors"))
      << "the line's mean is of both";
}

TEST(WarpPicture, AGatherIsInNoOrder) {
  const auto picture = warp_picture({}, finding_of("G05", {{"sectors_per_request", 20, "sectors"},
                                                           {"needed_sectors_per_request", 4, "sectors"}}));
  ASSERT_TRUE(picture);
  EXPECT_EQ(sectors_used(*picture), 20U);
  EXPECT_NE(picture->lanes[1].sector, 1);
  EXPECT_TRUE(picture->schematic);
}

TEST(WarpPicture, ABroadcastIsOneWord) {
  const auto picture = warp_picture({}, finding_of("G02", {}));
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->sectors, 1);
  EXPECT_EQ(sectors_used(*picture), 1U);
}

TEST(WarpPicture, NarrowElementsFillFewSectorsAndNothingIsInferred) {
  const auto picture = warp_picture({}, finding_of("G04", {{"element_bytes", 2, "bytes"}}));
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->sectors, 2);
  EXPECT_FALSE(picture->schematic);
  EXPECT_THAT(picture->words, Not(HasSubstr("schematic")));
}

TEST(WarpPicture, LanesThatTakeNoPartAreOff) {
  Report report;
  report.kernels.emplace_back().id = 1;
  Finding finding = finding_of("G03", {{"idle_share", 0.25, "share"}});
  finding.kernel_id = 1;
  const auto picture = warp_picture(report, finding);
  ASSERT_TRUE(picture);
  EXPECT_EQ(lanes_on(*picture), 24);
}

TEST(WarpPicture, AtomicsMeetInFewWords) {
  const auto picture = warp_picture({}, finding_of("A01", {{"words_per_request", 2, "words"}}));
  ASSERT_TRUE(picture);
  std::set<std::pair<int, double>> words;
  for (const auto& lane : picture->lanes) words.emplace(lane.sector, lane.offset);
  EXPECT_EQ(words.size(), 2U);
}

TEST(WarpPicture, WhatWasNotCountedIsNotDrawn) {
  EXPECT_FALSE(warp_picture({}, finding_of("G01", {})));
  EXPECT_FALSE(warp_picture({}, finding_of("G04", {})));
  EXPECT_FALSE(warp_picture({}, finding_of("A01", {})));
  EXPECT_FALSE(warp_picture({}, finding_of("T01", {{"sectors_per_request", 8, "sectors"}})));
}

}  // namespace
}  // namespace coalescope::analysis
