#include "reports/analysis/rows/copy_surroundings.h"

#include <gtest/gtest.h>
#include <vector>

namespace coalescope::analysis {
namespace {

// Copies of one class, and kernels in stream 7.
class CopySurroundings : public testing::Test {
 protected:
  CopySurroundings() {
    groups_[0].process_id = {1};
    groups_[0].device_id = {1};
    rows_[0].device_id = 1;
    rows_[0].direction = model::Direction::device_to_host;
    rows_[0].smallest_bytes = rows_[0].largest_bytes = 64;
  }
  void kernel(std::int64_t start_ns, std::uint32_t ns) {
    launches_.launches.push_back({start_ns, ns, 0});
    launches_.streams.push_back(7);
  }
  void copy(std::int64_t start_ns, std::int32_t stream) {
    capture::TransferPlace& place = copies_.emplace_back();
    place.process = place.device = 1;
    place.direction = model::Direction::device_to_host;
    place.start_ns = start_ns;
    place.gpu_ns = 10;
    place.bytes = 64;
    place.stream = stream;
  }
  const TransferRow& row() {
    take_surroundings(rows_, copies_, launches_, groups_);
    return rows_[0];
  }

  std::vector<capture::GroupView> groups_{1};
  std::vector<TransferRow> rows_{1};
  capture::LaunchPlaces launches_;
  std::vector<capture::TransferPlace> copies_;
};

TEST_F(CopySurroundings, ACopyBesideAKernelKeepsNoneWaiting) {
  kernel(0, 100);
  copy(20, 7);
  copy(95, 7);   // it ends later
  copy(200, 7);  // alone
  EXPECT_EQ(row().beside_others, 1.0 / 3);
}

TEST_F(CopySurroundings, TellHowMuchOfTheirTimeIsBesideKernels) {
  kernel(0, 100);
  kernel(103, 2);
  copy(90, 20);  // 10 beside the first, 2 beside the second
  copy(200, 4);
  EXPECT_EQ(row().time_beside_kernels, 0.5);
}

TEST_F(CopySurroundings, NorDoesADownloadBesideAnUpload) {
  copy(20, 7);
  copy(200, 7);
  copies_.push_back(copies_.front());
  copies_.back().direction = model::Direction::host_to_device;
  copies_.back().start_ns = 0;
  copies_.back().gpu_ns = 100;
  EXPECT_EQ(row().beside_others, 1.0 / 2);
  rows_[0].direction = model::Direction::host_to_device;
  for (auto& place : copies_)
    place.direction =
        place.gpu_ns == 100 ? model::Direction::device_to_host : model::Direction::host_to_device;
  EXPECT_EQ(row().beside_others, 0) << "kernels wait for uploads";
}

TEST_F(CopySurroundings, NorDoResultsInAStreamOfTheirOwn) {
  for (int step = 0; step < 4; ++step) {
    kernel(1000 * step, 100);
    copy(1000 * step + 200, 8);
  }
  EXPECT_EQ(row().beside_others, 1);
  copy(3300, 8);
  copy(3400, 8);
  EXPECT_EQ(row().beside_others, 4.0 / 6) << "copies in a row take time of their own";
  rows_[0].direction = model::Direction::host_to_device;
  for (auto& place : copies_) place.direction = model::Direction::host_to_device;
  EXPECT_EQ(row().beside_others, 0) << "kernels wait for what they work on";
}

TEST_F(CopySurroundings, TheGpuIdlesSinceTheLastOperation) {
  kernel(0, 100);
  copy(130, 7);
  copy(145, 7);
  copy(300, 7);
  EXPECT_EQ(row().idle_before_ns, 60) << "the mean of 5, 30 and 145";
}

// XLA stages the three arrays of a call before it copies the first.
TEST_F(CopySurroundings, OfSeveralTogetherTheFirstMayWaitForAll) {
  for (std::int64_t round = 0; round < 20; ++round) {
    kernel(100'000 * round, 1000);
    for (const std::int64_t behind : {31'000, 31'010, 31'020}) copy(100'000 * round + behind, 7);
  }
  copies_.back().start_ns += 40'000;  // the recorder measured: the twentieth that is longest does not count
  EXPECT_NEAR(static_cast<double>(row().idle_before_ns.value_or(0)), 10'000, 700);
}

TEST_F(CopySurroundings, ACopyThatFollowsAnotherWaitsForTheHost) {
  for (std::int64_t i = 0; i < 9; ++i) copy(9'010 * i, 7);
  EXPECT_EQ(row().in_a_row, 8.0 / 9);
  EXPECT_EQ(row().idle_in_a_row_ns, 9'000 - 2'400) << "without what recording takes of a copy";
}

TEST_F(CopySurroundings, SetsAreInARowWithoutAKernelInBetween) {
  rows_[0].direction = model::Direction::set;
  for (const std::int64_t start : {10, 30, 50, 300}) copy(start, 7);
  copy(40, 8);
  for (auto& place : copies_) place.direction = model::Direction::set;
  kernel(100, 100);
  EXPECT_EQ(row().in_a_row, 2.0 / 5);
  rows_[0].direction = model::Direction::device_to_device;
  for (auto& place : copies_) place.direction = model::Direction::device_to_device;
  EXPECT_EQ(row().in_a_row, 2.0 / 5) << "copies within the device";
}

TEST_F(CopySurroundings, OfCopiesThatAreNotListedNothingIsKnown) {
  kernel(0, 100);
  EXPECT_EQ(row().beside_others, std::nullopt);
  EXPECT_EQ(row().idle_before_ns, std::nullopt);
}

}  // namespace
}  // namespace coalescope::analysis
