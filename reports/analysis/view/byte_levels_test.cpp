#include "reports/analysis/view/byte_levels.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

// Loads 3,200 bytes in 400 sectors; L2 moves 200, DRAM 1,600 bytes.
KernelRow measured_row(std::int64_t id, std::int64_t launches, std::int64_t gpu_ns) {
  KernelRow row;
  row.id = id;
  row.device_id = 1;
  row.launches = launches;
  row.gpu_ns = gpu_ns;
  row.load.data_bytes = 3'200;
  row.load.sectors = 400;
  row.store.data_bytes = row.store.sectors = 0;
  row.l2_sectors = 200;
  row.dram_read_bytes = 1'500;
  row.dram_write_bytes = 100;
  return row;
}

Report run_of_kernels(std::vector<KernelRow> rows) {
  Report report;
  report.kernels = std::move(rows);
  DeviceRow device;
  device.properties.id = {1};
  device.ceilings = {{"DRAM", 64e9, "measured"}};
  report.devices = {device};
  return report;
}

TEST(ByteLevels, AddUpOverLaunches) {
  const Report report = run_of_kernels({measured_row(1, 10, 1'000)});
  const auto sum = byte_levels(report);
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->levels[0].bytes, 32'000);
  EXPECT_EQ(sum->levels[1].bytes, 128'000);
  EXPECT_EQ(sum->levels[2].bytes, 64'000);
  EXPECT_EQ(sum->levels[3].bytes, 16'000);
  EXPECT_EQ(sum->levels[3].bandwidth, 16e9);
  ASSERT_NE(sum->levels[3].ceiling, nullptr);
  EXPECT_EQ(sum->levels[3].ceiling->bandwidth, 64e9);
  EXPECT_EQ(sum->levels[0].ceiling, nullptr) << "nothing bounds what is asked for";
  EXPECT_EQ(sum->share, 1);
}

TEST(ByteLevels, KernelsThatLackALevelAreLeftOutOfAll) {
  KernelRow without = measured_row(2, 1, 3'000);
  without.dram_read_bytes.reset();
  const auto sum = byte_levels(run_of_kernels({measured_row(1, 10, 1'000), without}));
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->kernels, 1U);
  EXPECT_EQ(sum->levels[0].bytes, 32'000);
  EXPECT_EQ(sum->share, 0.25);
}

TEST(ByteLevels, WhereNoneHasAllWhatIsMissingStaysMissing) {
  KernelRow without = measured_row(2, 1, 3'000);
  without.dram_read_bytes.reset();
  const auto sum = byte_levels(run_of_kernels({without}));
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->levels[1].bytes, 12'800);
  EXPECT_FALSE(sum->levels[2].bytes);
  EXPECT_FALSE(sum->levels[3].bytes);
  EXPECT_FALSE(sum->levels[3].bandwidth);
}

TEST(ByteLevels, WhatTmaAsksForIsNotCountedAndNotCompared) {
  KernelRow tma = measured_row(2, 1, 3'000);
  tma.tma_instructions = 64;
  const auto both = byte_levels(run_of_kernels({measured_row(1, 10, 1'000), tma}));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->kernels, 1U);
  const auto alone = byte_levels(run_of_kernels({tma}));
  ASSERT_TRUE(alone);
  EXPECT_FALSE(alone->levels[0].bytes);
  EXPECT_EQ(alone->levels[3].bytes, 1'600);
}

TEST(ByteLevels, NothingMeasuredIsNoSum) {
  KernelRow nothing;
  nothing.gpu_ns = 5;
  EXPECT_FALSE(byte_levels(run_of_kernels({nothing})));
  EXPECT_FALSE(byte_levels(run_of_kernels({})));
}

TEST(ByteLevels, OfSeveralDevicesNoCeilingHolds) {
  KernelRow other = measured_row(2, 1, 3'000);
  other.device_id = 2;
  const auto sum = byte_levels(run_of_kernels({measured_row(1, 10, 1'000), other}));
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->levels[3].ceiling, nullptr);
}

TEST(ByteLevels, ToolsAreNoPartOfTheRun) {
  KernelRow tool = measured_row(2, 1, 3'000);
  tool.origin = Origin::tool;
  const auto sum = byte_levels(run_of_kernels({measured_row(1, 10, 1'000), tool}));
  ASSERT_TRUE(sum);
  EXPECT_EQ(sum->gpu_ns, 1'000);
}

}  // namespace
}  // namespace coalescope::analysis
