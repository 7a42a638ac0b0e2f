#include "reports/analysis/rows/launch_spread.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using model::MetricId;

capture::MetricSum counted(std::vector<std::int64_t> values) {
  capture::MetricSum sum;
  sum.launches = std::ssize(values);
  sum.values = std::move(values);
  return sum;
}

TEST(LaunchSpread, OneLaunchTellsNothing) {
  EXPECT_EQ(launch_spread({}), std::nullopt);
  EXPECT_EQ(launch_spread({{MetricId::global_load_sectors, counted({100})}}), std::nullopt);
  EXPECT_EQ(launch_spread({{MetricId::global_load_sectors, counted({0, 0})}}), std::nullopt)
      << "what has no such accesses may do what it likes";
}

TEST(LaunchSpread, L1CountsTheSameInOtherLaunches) {
  EXPECT_EQ(launch_spread({{MetricId::global_load_sectors, counted({100})},
                           {MetricId::l1_load_sectors, counted({100, 100})}}),
            0);
  const auto differ = launch_spread(
      {{MetricId::global_load_sectors, counted({100})}, {MetricId::l1_load_sectors, counted({100, 110})}});
  ASSERT_TRUE(differ);
  EXPECT_NEAR(*differ, 0.1, 1e-9);
}

TEST(LaunchSpread, AsynchronousCopiesAreLoadsForL1) {
  EXPECT_EQ(launch_spread({{MetricId::global_load_sectors, counted({60})},
                           {MetricId::async_copy_sectors, counted({40})},
                           {MetricId::l1_load_sectors, counted({100})}}),
            0);
}

TEST(LaunchSpread, StoresCountAsMuchAsLoads) {
  const auto differ = launch_spread({{MetricId::global_load_sectors, counted({50, 50})},
                                     {MetricId::global_store_sectors, counted({0, 8})}});
  ASSERT_TRUE(differ);
  EXPECT_DOUBLE_EQ(*differ, 7) << "0 and 1 differ, and nothing is divided by 0";
}

// A matrix product that loads by the Tensor Memory Accelerator has the same name and grid for several sizes.
TEST(LaunchSpread, InstructionsTellOfWhatL1DoesNotCount) {
  const auto differ = launch_spread({{MetricId::global_load_sectors, counted({0})},
                                     {MetricId::l1_load_sectors, counted({0, 0})},
                                     {MetricId::executed_instructions, counted({1'100'000, 1'320'000})}});
  ASSERT_TRUE(differ);
  EXPECT_NEAR(*differ, 0.2, 1e-9);
}

}  // namespace
}  // namespace coalescope::analysis
