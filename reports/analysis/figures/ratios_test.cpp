#include "reports/analysis/figures/ratios.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

// 8,192 warps, counted on an H100: {data bytes, sectors, degree}.
TEST(Ratios, DegreeIsTheTextbooks) {
  EXPECT_EQ(degree(1048576, 32768), 1.0);  // lanes side by side
  EXPECT_EQ(degree(131072, 8192), 0.5);    // eight lanes share a word
  EXPECT_EQ(degree(32768, 8192), 0.125);   // one word for the warp
  EXPECT_EQ(degree(12800, 3200), 0.125);   // a stride of 8 words
}

TEST(Ratios, NothingMovedIsNothingToJudge) {
  EXPECT_EQ(degree(0, 0), std::nullopt);
  EXPECT_EQ(sectors_per_request(0, 0), std::nullopt);
  EXPECT_EQ(sector_efficiency(0, 0), std::nullopt);
  EXPECT_EQ(bandwidth(1, 0), std::nullopt);
}

TEST(Ratios, NotMeasuredStaysNotMeasured) {
  EXPECT_EQ(degree(std::nullopt, 4), std::nullopt);
  EXPECT_EQ(degree(4, std::nullopt), std::nullopt);
  EXPECT_EQ(sectors_per_request(std::nullopt, 4), std::nullopt);
  EXPECT_EQ(l2_hit_ratio(std::nullopt, 4), std::nullopt);
}

TEST(Ratios, SharedWordIsEfficientAndNotCoalesced) {
  EXPECT_EQ(sector_efficiency(8192, 8192), 1.0);
  EXPECT_EQ(best_sector_efficiency(32768, 8192, 8192), 1.0);
  EXPECT_EQ(degree(32768, 8192), 0.125);
}

TEST(Ratios, EfficiencyFromAKernelsCounters) {
  EXPECT_EQ(best_sector_efficiency(128, 32, 1), 0.125);  // a stride of 32 words
  EXPECT_EQ(best_sector_efficiency(128, 5, 1), 0.8);     // an offset of one word
  EXPECT_EQ(best_sector_efficiency(128, 4, 100), 1.0);   // most requests had no lane on
  EXPECT_EQ(best_sector_efficiency(128, std::nullopt, 1), std::nullopt);
}

TEST(Ratios, HitRatioOutsideItsRangeIsNone) {
  EXPECT_EQ(l2_hit_ratio(75.0, 100.0), 0.75);
  EXPECT_EQ(l2_hit_ratio(100.5, 100.0), 1.0);
  EXPECT_EQ(l2_hit_ratio(102.0, 100.0), std::nullopt);
  EXPECT_EQ(l2_hit_ratio(-1.0, 100.0), std::nullopt);
}

TEST(Ratios, BandwidthIsBytesASecond) {
  EXPECT_DOUBLE_EQ(*bandwidth(61600, 61600), 1e9);
}

}  // namespace
}  // namespace coalescope::analysis
