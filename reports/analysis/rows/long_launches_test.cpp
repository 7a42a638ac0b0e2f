#include "reports/analysis/rows/long_launches.h"

#include <gtest/gtest.h>
#include <vector>

namespace coalescope::analysis {
namespace {

constexpr std::uint32_t kShortNs = 50'000, kLongNs = 1'000'000;

// One group, of which every fifth launch is long.
class LongLaunchesTest : public ::testing::Test {
 protected:
  LongLaunchesTest() {
    groups_[0].group_id = {7};
    kernels_[0].id = 7;
    kernels_[0].median_gpu_ns = kShortNs;
    kernels_[0].bytes_samples.measured = 1;
    for (int i = 0; i < 100; ++i) launches_.push_back({i * 1'000'000, i % 5 == 0 ? kLongNs : kShortNs, 0});
  }
  std::optional<LongLaunches> found() {
    take_long_launches(kernels_, launches_, groups_, readings_);
    return kernels_[0].long_launches;
  }

  std::vector<KernelRow> kernels_{1};
  std::vector<capture::GroupView> groups_{1};
  std::vector<capture::LaunchPlace> launches_;
  ReadingsByGroup readings_;
};

TEST_F(LongLaunchesTest, HaveTheirShareOfTheTime) {
  const auto long_ones = found();
  ASSERT_TRUE(long_ones);
  EXPECT_EQ(long_ones->launches, 20);
  EXPECT_EQ(long_ones->listed, 100);
  EXPECT_NEAR(long_ones->share, 20.0 * kLongNs / (20.0 * kLongNs + 80.0 * kShortNs), 1e-9);
}

TEST_F(LongLaunchesTest, OneWhoseTimeTheCountersToldWasMeasured) {
  readings_[model::GroupId{7}][model::MetricId::traffic_ns].greatest = kShortNs;
  EXPECT_TRUE(found());
  readings_[model::GroupId{7}][model::MetricId::traffic_ns].greatest = kLongNs;
  EXPECT_FALSE(found());
}

TEST_F(LongLaunchesTest, AreAmongManyThatWereMeasured) {
  kernels_[0].bytes_samples.measured = 14;
  EXPECT_TRUE(found());
  kernels_[0].bytes_samples.measured = 15;
  EXPECT_FALSE(found());
  kernels_[0].bytes_samples.measured = 0;
  EXPECT_FALSE(found()) << "nothing is said of its accesses";
}

TEST_F(LongLaunchesTest, FewOrShortLaunchesSayNothing) {
  launches_.resize(20);
  EXPECT_FALSE(found());
  launches_.assign(100, {0, kShortNs, 0});
  EXPECT_FALSE(found()) << "all take as long";
  kernels_[0].median_gpu_ns = 5'000;
  EXPECT_FALSE(found()) << "the median is next to nothing";
}

}  // namespace
}  // namespace coalescope::analysis
