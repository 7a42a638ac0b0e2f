#include "injection/recorder/program_log.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "injection/recorder/part_file_test.h"

namespace coalescope::recorder {
namespace {

class ProgramLogTest : public PartFileTest {
 protected:
  template <class Row>
  std::vector<Row> rows() {
    log_.write(*file_, diagnostics_, 0, false);
    return written<Row>();
  }

  static model::Allocation allocation(std::int64_t address, std::int64_t bytes) {
    model::Allocation row;
    row.kind = model::AllocationKind::device;
    row.device_id = model::DeviceId{1};
    row.address = address;
    row.bytes = bytes;
    return row;
  }

  HostMemory host_memory_;
  ProgramLog log_{host_memory_};
};

TEST_F(ProgramLogTest, AllocationsAreListedWithTheirEnds) {
  log_.allocated(allocation(0x1000, 4096));
  log_.allocated(allocation(0x2000, 4096));
  log_.freed(0x1000, 7);
  const auto allocations = rows<model::Allocation>();
  ASSERT_EQ(allocations.size(), 2U);
  EXPECT_EQ(allocations[0].freed_ns, 7);
  EXPECT_EQ(allocations[1].freed_ns, std::nullopt);
}

TEST_F(ProgramLogTest, AllocationsHaveTheTimesOfTheirCalls) {
  auto first = allocation(0x1000, 4096);
  first.call_ns = 3;
  log_.allocated(first);
  EXPECT_FALSE(log_.freed(0x2000, 7)) << "nobody allocated that";
  EXPECT_TRUE(log_.freed(0x1000, 8));
  log_.free_returned(0x1000, 8, {5, model::CallSiteId{3}});
  const auto allocations = rows<model::Allocation>();
  ASSERT_EQ(allocations.size(), 1U);
  EXPECT_EQ(allocations[0].call_ns, 3);
  EXPECT_EQ(allocations[0].free_call_ns, 5);
  EXPECT_EQ(allocations[0].free_call_site_id, model::CallSiteId{3});
}

TEST_F(ProgramLogTest, AnL2WindowOfALaunchIsKeptOnceAGroup) {
  model::L2Window l2_window;
  l2_window.target = model::L2WindowTarget::launch;
  l2_window.bytes = 1 << 20;
  l2_window.hit_ratio = 0.5;
  for (const std::int64_t group : {1, 1, 2}) {
    l2_window.group_id = model::GroupId{group};
    log_.add(l2_window);
  }
  l2_window.bytes = 2 << 20;
  log_.add(l2_window);
  l2_window.target = model::L2WindowTarget::stream;
  l2_window.group_id.reset();
  log_.add(l2_window);
  log_.add(l2_window);
  EXPECT_EQ(rows<model::L2Window>().size(), 5U);
}

TEST_F(ProgramLogTest, PointersAndSettingsBecomeRows) {
  log_.add(model::GroupPointer{.group_id = {3}, .parameter = 1, .memory = model::MemoryKind::managed});
  log_.add(model::L2Setting{.device_id = model::DeviceId{1}, .bytes = 4096});
  ASSERT_EQ(rows<model::GroupPointer>().size(), 1U);
  EXPECT_EQ(rows<model::GroupPointer>()[0].memory, model::MemoryKind::managed);
  EXPECT_EQ(rows<model::L2Setting>()[0].bytes, 4096);
}

// Addresses are used again: the one that was there when the kernel was launched is meant.
TEST_F(ProgramLogTest, APointerNamesTheAllocationThatItLedTo) {
  log_.allocated(allocation(0x1000, 4096));
  log_.freed(0x1000, 7);
  log_.allocated(allocation(0x1000, 4096));
  for (const std::int64_t range : {0x1000, 0x9000})
    log_.add(model::GroupPointer{
        .group_id = {3}, .parameter = range, .address = range + 8, .range_address = range});
  log_.freed(0x1000, 9);
  const auto pointers = rows<model::GroupPointer>();
  ASSERT_EQ(pointers.size(), 2U);
  EXPECT_EQ(pointers[0].allocation_id, model::AllocationId{2});
  EXPECT_EQ(pointers[1].allocation_id, std::nullopt);
}

// A loop of small ones: so many are listed, each with its end, and the rest is counted. Large ones go on.
TEST_F(ProgramLogTest, SmallAllocationsAreListedUpToALimit) {
  for (int i = 0; i < 60'000; ++i) {
    log_.allocated(allocation(0x1000, 512));
    if (log_.freed(0x1000, i)) log_.free_returned(0x1000, i, {});
  }
  log_.allocated(allocation(0x2000, 1 << 20));
  const auto listed = rows<model::Allocation>();
  const auto remarks = diagnostics_.take_changed();
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].code, "allocations_dropped");
  EXPECT_EQ(static_cast<std::int64_t>(listed.size()) + remarks[0].count, 60'001);
  EXPECT_EQ(listed.back().bytes, 1 << 20);
  EXPECT_TRUE(std::ranges::all_of(listed, [](const auto& row) { return row.freed_ns || row.bytes != 512; }));
}

TEST_F(ProgramLogTest, WhatComesTooFastIsCounted) {
  for (int i = 0; i < 140'000; ++i) log_.allocated(allocation(i + 1, 1 << 20));
  log_.write(*file_, diagnostics_, 0, false);
  const auto remarks = diagnostics_.take_changed();
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].code, "events_dropped");
  EXPECT_EQ(remarks[0].severity, model::Severity::data_loss);
}

class LongRunTest : public ProgramLogTest {
 protected:
  LongRunTest() { options_.most_listed = 0; }
};

TEST_F(LongRunTest, ATotalFollowsTimesThatComeLate) {
  EXPECT_FALSE(file_->keep_pace(1, true, false));
  Group& group = groups_.find_or_add("kernel", 0, {});
  group.launches_seen = 1;
  file_->write_total(group);
  KernelRun run;
  run.kernel_name = "kernel";
  run.start_ns = 5;
  run.gpu_ns = 7;
  file_->kernel(run);
  file_->write_total(group);
  const auto totals = rows<model::LaunchTotal>();
  ASSERT_EQ(totals.size(), 1U);
  EXPECT_EQ(totals[0].launches, 1);
  EXPECT_EQ(totals[0].timed_launches, 1);
  EXPECT_EQ(totals[0].gpu_ns, 7);
}

}  // namespace
}  // namespace coalescope::recorder
