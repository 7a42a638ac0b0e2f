#include "injection/recorder/copy_counts.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

using model::Direction;
using model::MemoryKind;

constexpr std::uint64_t kPinned = 0x1000, kPageable = 0x9000, kPinnedBytes = 0x1000;

class CopyCountsTest : public ::testing::Test {
 protected:
  CopyCountsTest() { host_memory_.add(kPinned, kPinnedBytes); }

  void upload(std::int64_t bytes, std::uint64_t from = kPageable) {
    const CopyCall copy{.device = model::DeviceId{1},
                        .direction = Direction::host_to_device,
                        .asynchronous = true,
                        .bytes = static_cast<std::uint64_t>(bytes),
                        .host = from};
    counts_.called(copy, ++correlation_);
  }
  [[nodiscard]] static model::Transfer record(std::int64_t bytes, MemoryKind from = MemoryKind::pageable,
                                              MemoryKind to = MemoryKind::device) {
    model::Transfer row;
    row.device_id = model::DeviceId{1};
    row.direction = Direction::host_to_device;
    row.source_memory = from;
    row.destination_memory = to;
    row.asynchronous = true;
    row.bytes = bytes;
    row.gpu_ns = 900;
    return row;
  }
  void recorded(const model::Transfer& row) { counts_.recorded(row, correlation_); }

  HostMemory host_memory_;
  CopyCounts counts_{host_memory_};
  std::uint32_t correlation_ = 0;
};

TEST_F(CopyCountsTest, WhatIsCalledAndHasNoRecordRemains) {
  for (int i = 0; i < 5; ++i) upload(100 + i);
  counts_.records_stop();
  recorded(record(100));
  recorded(record(101));
  const auto rest = counts_.without_record();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].transfers, 3);
  EXPECT_EQ(rest[0].bytes, 102 + 103 + 104);
  EXPECT_EQ(rest[0].smallest_bytes, 100);
  EXPECT_EQ(rest[0].largest_bytes, 104);
  EXPECT_FALSE(rest[0].timed);
  EXPECT_EQ(rest[0].source_memory, MemoryKind::pageable);
  EXPECT_EQ(rest[0].destination_memory, MemoryKind::device);
}

TEST_F(CopyCountsTest, WhileAllHaveRecordsNothingRemains) {
  upload(100);
  EXPECT_TRUE(counts_.without_record().empty());
}

TEST_F(CopyCountsTest, PinnedAndPageableMemoryAreApart) {
  upload(100);
  upload(100, kPinned);
  upload(100, kPinned + kPinnedBytes - 1);
  counts_.records_stop();
  const auto rest = counts_.without_record();
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_EQ(rest[0].source_memory, MemoryKind::pageable);
  EXPECT_EQ(rest[0].transfers, 1);
  EXPECT_EQ(rest[1].source_memory, MemoryKind::pinned);
  EXPECT_EQ(rest[1].transfers, 2);
}

TEST_F(CopyCountsTest, AClassIsCountedOnceItHasARecord) {
  EXPECT_TRUE(counts_.can_count());
  upload(100);
  EXPECT_FALSE(counts_.can_count());
  recorded(record(100));
  EXPECT_TRUE(counts_.can_count());
  upload(1'000'000);
  EXPECT_FALSE(counts_.can_count());
}

TEST_F(CopyCountsTest, VariablesOfAModuleAreMemoryOfTheDevice) {
  upload(100);
  recorded(record(100, MemoryKind::pageable, MemoryKind::device_static));
  EXPECT_TRUE(counts_.can_count());
}

TEST_F(CopyCountsTest, WhereRecordsSayMoreThanCallsNothingIsCounted) {
  upload(100);
  recorded(record(100));
  recorded(record(100));
  EXPECT_FALSE(counts_.can_count());
  upload(100);
  recorded(record(100, MemoryKind::pinned));
  EXPECT_FALSE(counts_.can_count());
}

TEST_F(CopyCountsTest, CopiesOfGraphsAndSetsAreNotCalled) {
  model::Transfer row = record(100);
  row.graph_id = 7;
  recorded(row);
  row = record(100);
  row.direction = Direction::set;
  recorded(row);
  EXPECT_TRUE(counts_.can_count());
}

TEST_F(CopyCountsTest, CallsAreCountedUntilRecordsComeAgain) {
  upload(100);
  recorded(record(100));
  counts_.records_stop();
  upload(100);
  counts_.give_up();
  EXPECT_FALSE(counts_.can_count());
  upload(100);
  counts_.records_come();
  upload(100);
  recorded(record(100));
  const auto rest = counts_.without_record();
  ASSERT_EQ(rest.size(), 1U);
  EXPECT_EQ(rest[0].transfers, 2) << "the last call was not counted, and its record stands for no other";
}

TEST_F(CopyCountsTest, ACopyOfNothingIsNone) {
  upload(0);
  EXPECT_TRUE(counts_.can_count());
}

}  // namespace
}  // namespace coalescope::recorder
