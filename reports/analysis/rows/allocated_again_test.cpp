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
    return allocated_again_rows(
        allocations_, diagnostics_, waits_,
        occupied_times({processes_, groups_, launches_, {}, {}, {}, gaps_, waits_, {}, {}}),
        CallStacks(sites_));
  }

  void add_site(std::int64_t id, model::FrameKind kind, std::int64_t line) {
    CallSiteRow& site = sites_.emplace_back();
    site.id = id;
    site.kind = kind;
    site.file = "/home/me/train.py";
    site.line = line;
    site.own = true;
  }
  // Two lines ask for device memory in each round, which a third gives back.
  void empties_a_pool() {
    for (int round = 0; round < 10; ++round)
      for (const std::int64_t site : {4, 5}) {
        auto& each = pins(100 + 40 * round + 10 * (site - 4), 4096);
        each.kind = AllocationKind::device;
        each.call_site_id = model::CallSiteId{site};
        each.freed_ns = (130 + 40 * round + 3 * (site - 4)) * kUs;
        each.free_call_site_id = model::CallSiteId{6};
      }
  }

  std::vector<model::Process> processes_{1};
  std::vector<capture::GroupView> groups_{1};
  std::vector<capture::LaunchPlace> launches_;
  std::vector<model::TraceGap> gaps_;
  std::vector<model::Diagnostic> diagnostics_;
  std::vector<model::Allocation> allocations_;
  std::vector<CallSiteRow> sites_;
  std::vector<model::Synchronization> waits_;
};

// To look at each stack would take too long.
TEST_F(AllocatedAgain, CallsWhoseStackWasNotLookedAtAreThoseThatAskForAsMuch) {
  for (int round = 0; round < 20; ++round) {
    auto& large = pins(100 + 40 * round, 4096);
    auto& small = pins(120 + 40 * round, 512);
    small.call_site_id = model::CallSiteId{5};
    if (round % 4 == 0) continue;
    large.call_site_id.reset();
    small.call_site_id.reset();
  }
  const auto found = rows();
  ASSERT_EQ(found.size(), 2U);
  for (const auto& each : found) {
    EXPECT_EQ(each.allocations, 20);
    EXPECT_EQ(each.again, 19);
    EXPECT_EQ(each.call_site_id, each.largest_bytes == 4096 ? 4 : 5);
  }
}

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
    works(100 + 20 * round + 8, 16);  // from the second microsecond of the call that gives back
  }
  EXPECT_EQ(row().calls_ns, 9 * (5 + 3) * kUs);
  EXPECT_EQ(row().idle_ns, (1 + 9 * 4) * kUs) << "it cannot work for more than all the time";
}

// The host is late with its launches because of these calls, also where the GPU idles after them.
TEST_F(AllocatedAgain, TheGpuIdlesBehindTheCalls) {
  for (int round = 0; round < 10; ++round) {
    pins(100 + 20 * round, 4096);
    works(100 + 20 * round + 8, 10);
  }
  EXPECT_EQ(row().idle_ns, 9 * (5 + 3) * kUs);
  // What the host gains before another wait is lost in it.
  for (int round = 0; round < 10; ++round)
    waits_.push_back({1, {1}, model::SynchronizationKind::stream, {}, (110 + 20 * round) * kUs, 9 * kUs, {}});
  EXPECT_EQ(row().idle_ns, (1 + 8 * (5 + 3) + 5) * kUs)
      << "the first call that gives back, and the last that pins";
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

TEST_F(AllocatedAgain, APythonLineThatEmptiesAPoolIsTheOneToChange) {
  empties_a_pool();
  for (const std::int64_t id : {4, 5, 6}) add_site(id, model::FrameKind::python, 10 * id);
  EXPECT_TRUE(row().emptied);
  EXPECT_EQ(row().call_site_id, 6);
  EXPECT_EQ(row().allocations, 20);
  EXPECT_EQ(row().again, 18);
}

TEST_F(AllocatedAgain, WhoAsksForMemoryIsTheOneToChangeElsewhere) {
  empties_a_pool();
  EXPECT_EQ(rows().size(), 2U) << "nothing is known of the line that gives it back";
  for (const std::int64_t id : {4, 5, 6}) add_site(id, model::FrameKind::native, 10 * id);
  EXPECT_EQ(rows().size(), 2U) << "native code gives back what it asked for";
  sites_.clear();
  for (const std::int64_t id : {4, 5, 6}) add_site(id, model::FrameKind::python, 10);
  EXPECT_EQ(rows().size(), 2U) << "one line that calls native code which does both";
  for (const auto& each : rows()) EXPECT_FALSE(each.emptied);
}

// One repair ends what a function allocates in each round.
TEST_F(AllocatedAgain, LinesOfOneFunctionAreOneCause) {
  add_site(4, model::FrameKind::native, 10);
  add_site(5, model::FrameKind::native, 20);
  for (auto& site : sites_) site.function = "make_pyramid";
  for (int round = 0; round < 10; ++round)
    for (const std::int64_t site : {4, 5}) {
      auto& each = pins(100 + 40 * round + 20 * (site - 4), site == 5 ? 4096 : 512);
      each.call_site_id = model::CallSiteId{site};
      if (site == 5) each.call_ns = 9 * kUs;
    }
  ASSERT_EQ(rows().size(), 1U);
  EXPECT_EQ(rows()[0].allocations, 20);
  EXPECT_EQ(rows()[0].call_site_id, 5) << "its calls take longest";
  sites_[0].function = "another";
  EXPECT_EQ(rows().size(), 2U);
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
