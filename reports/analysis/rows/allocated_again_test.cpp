#include "reports/analysis/rows/allocated_again.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using model::AllocationKind;

// One process that has one kernel group. Times are microseconds; a call that pins takes 5, one that gives
// back takes 3, each memory is kept for 2.
class AllocatedAgain : public ::testing::Test {
 protected:
  static constexpr std::int64_t kUs = 1000;

  AllocatedAgain() {
    processes_[0].id = groups_[0].process_id = {1};
    groups_[0].device_id = {1};
    works(0, 1);
  }

  void works(std::int64_t from, std::uint32_t us) { launches_.push_back({from * kUs, us * 1000, 0}); }

  model::Allocation& pins(std::int64_t at, std::int64_t bytes) {
    auto& row = allocations_.emplace_back();
    row.process_id = {1};
    row.kind = AllocationKind::pinned;
    row.bytes = bytes;
    row.allocated_ns = (at + 5) * kUs;
    row.call_ns = 5 * kUs;
    row.freed_ns = (at + 7) * kUs;
    row.free_call_ns = 3 * kUs;
    row.call_site_id = model::CallSiteId{4};
    return row;
  }

  // Of the only call; an empty one where there is none.
  [[nodiscard]] AllocatedAgainRow row() const {
    const auto all = rows();
    EXPECT_LE(all.size(), 1U);
    return all.empty() ? AllocatedAgainRow() : all.front();
  }
  [[nodiscard]] std::vector<AllocatedAgainRow> rows() const {
    return allocated_again_rows(allocations_, diagnostics_,
                                {processes_, groups_, launches_, {}, {}, {}, gaps_, {}, {}, {}},
                                CallStacks({}));
  }

  std::vector<model::Process> processes_{1};
  std::vector<capture::GroupView> groups_{1};
  std::vector<capture::LaunchPlace> launches_;
  std::vector<model::TraceGap> gaps_;
  std::vector<model::Diagnostic> diagnostics_;
  std::vector<model::Allocation> allocations_;
};

TEST_F(AllocatedAgain, AllButTheFirstOfARoundAreCountedWithTheFreesBeforeThem) {
  for (int round = 0; round < 10; ++round) pins(100 + 20 * round, 4096);
  EXPECT_EQ(row().allocations, 10);
  EXPECT_EQ(row().again, 9);
  EXPECT_EQ(row().calls_ns, 9 * (5 + 3) * kUs);
  EXPECT_EQ(row().idle_ns, 9 * (5 + 3) * kUs);
  EXPECT_EQ(row().call_site_id, 4);
  EXPECT_EQ(row().unlisted, 0);
}

TEST_F(AllocatedAgain, WhatAGpuWorksMeanwhileIsNoIdleTime) {
  for (int round = 0; round < 10; ++round) {
    pins(100 + 20 * round, 4096);
    works(100 + 20 * round + 8, 10);  // from the second microsecond of the call that gives back
  }
  EXPECT_EQ(row().calls_ns, 9 * (5 + 3) * kUs);
  EXPECT_EQ(row().idle_ns, 9 * (5 + 1) * kUs);
}

TEST_F(AllocatedAgain, WhileNothingWasListedAGpuMayHaveWorked) {
  for (int round = 0; round < 10; ++round) pins(100 + 20 * round, 4096);
  gaps_.push_back({1, {1}, 50 * kUs, 1000 * kUs});
  EXPECT_EQ(row().again, 9);
  EXPECT_EQ(row().idle_ns, 0);
}

TEST_F(AllocatedAgain, StartUpCountsForNothing) {
  for (int round = 0; round < 10; ++round) pins(100 + 20 * round, 4096);
  launches_.clear();
  works(1000, 5);
  EXPECT_TRUE(rows().empty());
  launches_.clear();
  EXPECT_TRUE(rows().empty()) << "no GPU worked at all";
}

TEST_F(AllocatedAgain, MemoryThatIsKeptIsNotPinnedAgain) {
  for (int round = 0; round < 10; ++round) pins(100 + 20 * round, 4096).freed_ns.reset();
  EXPECT_TRUE(rows().empty());
}

TEST_F(AllocatedAgain, APoolThatGrowsIsNotPinnedAgain) {
  for (int round = 0; round < 10; ++round) pins(100 + 20 * round, 4096 + 512 * round);
  EXPECT_TRUE(rows().empty()) << "none of them fits into one before";
}

TEST_F(AllocatedAgain, MuchLargerMemoryIsNotForThis) {
  for (int round = 0; round < 10; ++round) pins(100 + 20 * round, round == 0 ? 1 << 20 : 4096);
  EXPECT_EQ(row().again, 8);
}

TEST_F(AllocatedAgain, TwoBuffersInTurnAreBothNeeded) {
  for (int round = 0; round < 10; ++round) pins(100 + 20 * round, 4096).freed_ns = (125 + 20 * round) * kUs;
  EXPECT_EQ(row().again, 8);
}

TEST_F(AllocatedAgain, EachCallIsJudgedByItself) {
  for (int round = 0; round < 10; ++round) {
    pins(100 + 40 * round, 4096);
    pins(120 + 40 * round, 4096).call_site_id = model::CallSiteId{5};
    pins(130 + 40 * round, 4096).kind = AllocationKind::device;
    pins(135 + 40 * round, 4096).kind = AllocationKind::pool;  // which keeps what is given back
  }
  ASSERT_EQ(rows().size(), 3U);
  for (const auto& each : rows()) EXPECT_EQ(each.again, 9);
}

TEST_F(AllocatedAgain, WhatAnOlderCaptureDoesNotTellIsNotZero) {
  for (int round = 0; round < 10; ++round) {
    auto& each = pins(100 + 20 * round, 4096);
    each.call_ns.reset();
    each.free_call_ns.reset();
  }
  EXPECT_EQ(row().again, 9);
  EXPECT_EQ(row().calls_ns, std::nullopt);
}

TEST_F(AllocatedAgain, AllocationsThatAreNotListedAreTold) {
  for (int round = 0; round < 10; ++round) pins(100 + 20 * round, 4096);
  diagnostics_.resize(2);
  diagnostics_[0].origin = diagnostics_[1].origin = "memory";
  diagnostics_[0].code = "allocations_dropped";
  diagnostics_[0].count = 7;
  diagnostics_[1].code = "events_dropped";
  diagnostics_[1].process_id = model::ProcessId{2};
  EXPECT_EQ(row().unlisted, 7);
}

}  // namespace
}  // namespace coalescope::analysis
