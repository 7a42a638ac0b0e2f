#include "reports/analysis/rows/copy_bursts.h"

#include <array>
#include <gtest/gtest.h>
#include <vector>

namespace coalescope::analysis {
namespace {

capture::TransferPlace upload(std::int64_t start_ns, std::int64_t bytes) {
  capture::TransferPlace place;
  place.start_ns = start_ns;
  place.bytes = bytes;
  place.gpu_ns = 300;
  place.device = 1;
  place.direction = model::Direction::host_to_device;
  place.source_memory = model::MemoryKind::pageable;
  place.destination_memory = model::MemoryKind::device;
  return place;
}

TransferRow row_of(std::int64_t smallest_bytes, std::int64_t largest_bytes) {
  TransferRow row;
  row.device_id = 1;
  row.direction = model::Direction::host_to_device;
  row.source_memory = model::MemoryKind::pageable;
  row.destination_memory = model::MemoryKind::device;
  row.smallest_bytes = smallest_bytes;
  row.largest_bytes = largest_bytes;
  return row;
}

TEST(CopyBursts, KernelsBetweenCopiesOfAClassPartThem) {
  std::array rows{row_of(100, 200), row_of(1'000, 1'000), row_of(5'000, 5'000)};
  rows[1].transfers = 1;
  const std::vector copies{upload(50, 1'000), upload(10, 100), upload(11, 200), upload(30, 150)};
  std::array<capture::GroupView, 2> groups;
  groups[0].device_id = model::DeviceId{1};
  groups[1].device_id = model::DeviceId{2};
  capture::LaunchPlaces launches;
  launches.launches = {{20, 5, 0}, {10, 1, 1}};  // the second is on another device
  launches.measured = {{40, 0, 0}};
  take_bursts(rows, copies, launches, groups, {});
  EXPECT_EQ(rows[0].bursts, 2) << "two copies before the first kernel, one after it";
  EXPECT_EQ(rows[0].first_burst_bytes, 300);
  EXPECT_EQ(rows[0].later_ns_per_byte, 2.0);
  EXPECT_EQ(rows[1].bursts, 1);
  EXPECT_EQ(rows[2].first_burst_bytes, std::nullopt);
  EXPECT_EQ(rows[2].bursts, std::nullopt) << "its copies are only counted";
}

// A model's parameters, with a kernel behind each.
TEST(CopyBursts, WhatIsCopiedAtTheStartAndFitsIsOneBurst) {
  std::array rows{row_of(100, 100)};
  rows[0].transfers = 3;
  std::vector copies{upload(10, 100), upload(30, 100), upload(50, 100)};
  std::array<capture::GroupView, 1> groups;
  groups[0].device_id = model::DeviceId{1};
  capture::LaunchPlaces launches;
  launches.launches = {{20, 5, 0}, {40, 5, 0}};
  for (std::int64_t at = 100; at < 140; ++at) launches.launches.push_back({at, 1, 0});
  MemoryCourse course;
  course.device_id = 1;
  course.steps = {{0, 300}};
  take_bursts(rows, copies, launches, groups, std::array{course});
  EXPECT_EQ(rows[0].bursts, 1);
  EXPECT_EQ(rows[0].first_burst_bytes, 300);
  course.steps = {{0, 200}};
  rows[0].bursts.reset();
  rows[0].first_burst_bytes.reset();
  take_bursts(rows, copies, launches, groups, std::array{course});
  EXPECT_EQ(rows[0].bursts, 3) << "the device cannot hold them all";
  rows[0].bursts.reset();
  rows[0].first_burst_bytes.reset();
  course.steps = {{0, 300}};
  copies.back().start_ns = 120;
  take_bursts(rows, copies, launches, groups, std::array{course});
  EXPECT_EQ(rows[0].bursts, 3) << "they go on";
}

TEST(CopyBursts, OfCopiesInARowOnlyTheMemorysSizeTells) {
  std::array rows{row_of(100, 100)};
  rows[0].transfers = 2;
  const std::vector copies{upload(10, 100), upload(20, 100)};
  take_bursts(rows, copies, {}, {}, {});
  EXPECT_EQ(rows[0].bursts, std::nullopt);
  MemoryCourse course;
  course.device_id = 1;
  course.steps = {{0, 1'000}};
  take_bursts(rows, copies, {}, {}, std::vector{course});
  EXPECT_EQ(rows[0].bursts, 1);
}

TEST(CopyBursts, MoreThanTheDeviceHeldWasCopiedAgain) {
  std::array rows{row_of(100, 100)};
  const std::vector copies{upload(10, 100), upload(20, 100), upload(30, 100), upload(40, 100)};
  MemoryCourse course;
  course.device_id = 1;
  course.steps = {{0, 150}, {9, 200}};
  take_bursts(rows, copies, {}, {}, std::vector{course});
  EXPECT_EQ(rows[0].bursts, 2) << "200 bytes hold two copies";
  EXPECT_EQ(rows[0].first_burst_bytes, 200);
}

}  // namespace
}  // namespace coalescope::analysis
