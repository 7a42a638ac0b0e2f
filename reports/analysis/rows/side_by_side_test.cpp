#include "reports/analysis/rows/side_by_side.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

namespace coalescope::analysis {
namespace {

TEST(SideBySide, OnlyWhatRunsAtOnceOnOneDeviceCounts) {
  std::array<capture::GroupView, 3> groups;
  std::array<KernelRow, 4> kernels;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].group_id = model::GroupId{static_cast<std::int64_t>(i) + 1};
    groups[i].device_id = model::DeviceId{i == 2 ? 2 : 1};
    kernels[i].id = static_cast<std::int64_t>(i) + 1;
  }
  kernels[3].id = 9;
  const std::vector<capture::LaunchPlace> launches{
      {150, 100, 1}, {100, 100, 0}, {100, 100, 2}, {900, 100, 0}};
  take_side_by_side(kernels, launches, groups);
  EXPECT_EQ(kernels[0].beside_ratio, 0.25) << "half of one of two launches";
  EXPECT_EQ(kernels[1].beside_ratio, 0.5);
  EXPECT_EQ(kernels[2].beside_ratio, 0);
  EXPECT_EQ(kernels[3].beside_ratio, std::nullopt) << "it has no times";
}

}  // namespace
}  // namespace coalescope::analysis
