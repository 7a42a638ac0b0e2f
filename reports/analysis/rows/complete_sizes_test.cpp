#include "reports/analysis/rows/complete_sizes.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::GroupId;
using model::MetricId;
using model::Phase;

capture::GroupView group(std::int64_t id, std::int64_t blocks) {
  capture::GroupView view;
  view.group_id = GroupId{id};
  view.kernel_name = "update";
  view.grid = {blocks, 1, 1};
  view.block = {128, 1, 1};
  return view;
}

model::Coverage coverage(std::int64_t id, Phase phase, CoverageReason reason) {
  model::Coverage row;
  row.group_id = GroupId{id};
  row.phase = phase;
  row.launches_measured = reason == CoverageReason::measured ? 2 : 0;
  row.reason = reason;
  return row;
}

const capture::MetricSum kTwoLaunches{2, 4000, 1900, 2100};

TEST(CompleteSizes, AShapeHasTheCountsOfTheNearestSizeInProportion) {
  const std::vector groups{group(1, 10), group(2, 90), group(3, 100), group(4, 40)};
  ReadingsByGroup readings;
  readings[GroupId{1}][MetricId::global_load_sectors] = {1, 7, 7, 7};
  readings[GroupId{3}][MetricId::global_load_sectors] = kTwoLaunches;
  const std::vector rows{coverage(1, Phase::bytes, CoverageReason::measured),
                         coverage(2, Phase::bytes, CoverageReason::size_measured),
                         coverage(3, Phase::bytes, CoverageReason::measured),
                         coverage(4, Phase::bytes, CoverageReason::budget_spent)};
  const auto complete = complete_sizes(groups, readings, {}, rows);
  const auto& sum = complete.readings.at(GroupId{2}).at(MetricId::global_load_sectors);
  EXPECT_EQ(sum.launches, 20);
  EXPECT_EQ(sum.sum, 36'000) << "nine tenths of the other's, a launch";
  EXPECT_EQ(sum.least, 1710);
  EXPECT_EQ(sum.greatest, 1890);
  EXPECT_TRUE(complete.groups.contains(GroupId{2}));
  EXPECT_FALSE(complete.groups.contains(GroupId{3})) << "it was measured";
  EXPECT_FALSE(complete.readings.contains(GroupId{4})) << "no size stands for it";
}

TEST(CompleteSizes, TimesAndOtherPhasesStayTheShapesOwn) {
  const std::vector groups{group(1, 10), group(2, 20)};
  ReadingsByGroup readings;
  readings[GroupId{1}][MetricId::traffic_ns] = kTwoLaunches;
  readings[GroupId{1}][MetricId::dram_read_bytes] = kTwoLaunches;
  readings[GroupId{1}][MetricId::global_load_sectors] = kTwoLaunches;
  const std::vector rows{coverage(1, Phase::traffic, CoverageReason::measured),
                         coverage(2, Phase::traffic, CoverageReason::size_measured)};
  const auto complete = complete_sizes(groups, readings, {}, rows);
  const auto& got = complete.readings.at(GroupId{2});
  EXPECT_EQ(got.size(), 1U);
  EXPECT_EQ(got.at(MetricId::dram_read_bytes).sum, 8000);
}

TEST(CompleteSizes, InstructionsKeepTheirRatios) {
  const std::vector groups{group(1, 10), group(2, 7)};
  capture::InstructionView load;
  load.group_id = GroupId{1};
  load.launches = 1;
  load.loads = 50;
  load.threads = 1600;
  load.sectors = 801;
  const std::vector instructions{load};
  const std::vector rows{coverage(1, Phase::lines, CoverageReason::measured),
                         coverage(2, Phase::lines, CoverageReason::size_measured)};
  const auto complete = complete_sizes(groups, {}, instructions, rows);
  ASSERT_EQ(complete.instructions.size(), 2U);
  const auto& got = complete.instructions.back();
  EXPECT_EQ(got.group_id, GroupId{2});
  EXPECT_EQ(got.launches, 10);
  EXPECT_EQ(got.loads, 350);
  EXPECT_EQ(got.threads, 32 * 350);
  EXPECT_EQ(got.sectors, 7 * 801);
}

}  // namespace
}  // namespace coalescope::analysis
