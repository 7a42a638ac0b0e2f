#include "injection/recorder/allocation_table.h"

#include <gtest/gtest.h>

namespace coalescope::recorder {
namespace {

model::Allocation device(std::int64_t address, std::int64_t bytes, std::int64_t time_ns) {
  model::Allocation row;
  row.kind = model::AllocationKind::device;
  row.address = address;
  row.bytes = bytes;
  row.allocated_ns = time_ns;
  return row;
}

TEST(AllocationTable, ARowIsWrittenOnceWhenItEndsBeforeTheCommit) {
  AllocationTable table;
  table.allocated(device(0x100, 64, 5));
  table.freed(0x100, 9);
  const auto changed = table.take_changed();
  ASSERT_EQ(changed.rows.size(), 1U);
  EXPECT_EQ(changed.rows[0].id, 1);
  EXPECT_EQ(changed.rows[0].freed_ns, 9);
  EXPECT_TRUE(table.take_changed().rows.empty());
}

TEST(AllocationTable, ALiveRowIsWrittenAtTheCommitAndAgainAtItsEnd) {
  AllocationTable table;
  table.allocated(device(0x100, 64, 5));
  const auto live = table.take_changed();
  ASSERT_EQ(live.rows.size(), 1U);
  EXPECT_EQ(live.rows[0].freed_ns, std::nullopt);
  EXPECT_TRUE(table.take_changed().rows.empty());
  table.freed(0x100, 9);
  const auto ended = table.take_changed();
  ASSERT_EQ(ended.rows.size(), 1U);
  EXPECT_EQ(ended.rows[0].id, live.rows[0].id);
}

TEST(AllocationTable, AnAddressIsUsedAgain) {
  AllocationTable table;
  for (int round = 0; round < 3; ++round) {
    table.allocated(device(0x100, 64, round));
    table.freed(0x100, round);
  }
  const auto changed = table.take_changed();
  ASSERT_EQ(changed.rows.size(), 3U);
  EXPECT_EQ(changed.rows[2].id, 3);
}

// A context's end gives everything back without a call.
TEST(AllocationTable, AnEndThatWasNotSeenStaysUnknown) {
  AllocationTable table;
  table.allocated(device(0x100, 64, 1));
  table.allocated(device(0x100, 32, 2));
  const auto changed = table.take_changed();
  ASSERT_EQ(changed.rows.size(), 2U);
  EXPECT_EQ(changed.rows[0].freed_ns, std::nullopt);
  table.freed(0x200, 3);
  EXPECT_TRUE(table.take_changed().rows.empty()) << "nobody allocated that";
}

TEST(AllocationTable, ACallThatGivesBackTellsItsTimeWhenItReturns) {
  AllocationTable table;
  table.allocated(device(0x100, 64, 1));
  table.freed(0x100, 2);
  table.allocated(device(0x100, 32, 3));  // by another thread, before the call has returned
  EXPECT_EQ(table.at(0x100), model::AllocationId{2});
  table.free_returned(0x100, 2, {7, model::CallSiteId{3}});
  const auto changed = table.take_changed();
  ASSERT_EQ(changed.rows.size(), 2U);
  EXPECT_EQ(changed.rows[0].id, 1);
  EXPECT_EQ(changed.rows[0].free_call_ns, 7);
  EXPECT_EQ(changed.rows[0].free_call_site_id, model::CallSiteId{3});
  EXPECT_EQ(changed.rows[1].free_call_ns, std::nullopt);
}

TEST(AllocationTable, ACallThatReturnsAfterTheCommitChangesTheRowAgain) {
  AllocationTable table;
  table.allocated(device(0x100, 64, 1));
  table.freed(0x100, 2);
  const auto freed = table.take_changed();
  ASSERT_EQ(freed.rows.size(), 1U);
  EXPECT_EQ(freed.rows[0].freed_ns, 2);
  EXPECT_EQ(freed.rows[0].free_call_ns, std::nullopt) << "it may never return";
  EXPECT_TRUE(table.take_changed().rows.empty());
  table.free_returned(0x100, 2, {7, model::CallSiteId{3}});
  table.free_returned(0x100, 2, {9, std::nullopt});
  const auto returned = table.take_changed();
  ASSERT_EQ(returned.rows.size(), 1U);
  EXPECT_EQ(returned.rows[0].id, freed.rows[0].id);
  EXPECT_EQ(returned.rows[0].free_call_ns, 7);
}

TEST(AllocationTable, WhatIsBeyondTheLimitIsCounted) {
  AllocationTable table;
  for (int i = 0; i < 260'000; ++i) {
    table.allocated(device(0x1000 + i, 8, i));
    table.freed(0x1000 + i, i);
  }
  const auto changed = table.take_changed();
  EXPECT_EQ(static_cast<std::int64_t>(changed.rows.size()) + changed.dropped, 260'000);
  EXPECT_GT(changed.dropped, 0);
  EXPECT_EQ(table.take_changed().dropped, 0);
}

}  // namespace
}  // namespace coalescope::recorder
