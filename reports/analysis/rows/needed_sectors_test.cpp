#include "reports/analysis/rows/needed_sectors.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

constexpr std::int64_t kManyRequests = 1000;

capture::InstructionCounts load(double lanes, double sectors, double ideal) {
  const auto of_all = [](double each) { return static_cast<std::int64_t>(each * kManyRequests); };
  capture::InstructionCounts counts;
  counts.loads = kManyRequests;
  counts.threads = of_all(lanes);
  counts.sectors = of_all(sectors);
  counts.ideal_sectors = of_all(ideal);
  return counts;
}

TEST(NeededSectors, AWholeWarpNeedsTheIdealOnes) {
  EXPECT_EQ(needed_sectors(load(32, 32, 4)), 4 * kManyRequests) << "far apart";
  EXPECT_EQ(needed_sectors(load(32, 5, 4)), 4 * kManyRequests) << "misaligned";
  EXPECT_EQ(needed_sectors(load(32, 1, 4)), kManyRequests)
      << "all lanes read one word: no more than there are";
}

// Seen on an H100: stores of about one lane in five of a contiguous array touched 3.3 sectors, 1.2 of which
// would hold them packed.
TEST(NeededSectors, IdleLanesLeaveGapsThatAreNoFault) {
  EXPECT_EQ(needed_sectors(load(6.4, 3.3, 1.2)), 3300);
  EXPECT_EQ(needed_sectors(load(16, 4, 2)), 4 * kManyRequests) << "every second lane of floats";
}

TEST(NeededSectors, FewLanesMayLieFarApart) {
  EXPECT_EQ(needed_sectors(load(16, 16, 2)), 4 * kManyRequests) << "no more than a contiguous warp touches";
  EXPECT_EQ(needed_sectors(load(16, 16, 8)), 16 * kManyRequests) << "16 bytes a lane";
}

TEST(NeededSectors, WithoutThreadsTheIdealCounts) {
  auto counts = load(32, 8, 4);
  counts.threads.reset();
  EXPECT_EQ(needed_sectors(counts), 4 * kManyRequests);
}

}  // namespace
}  // namespace coalescope::analysis
