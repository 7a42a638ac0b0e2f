#include "reports/analysis/rows/site_uses.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;

constexpr std::int64_t kItem = 1, kLog = 2;  // lines of a program

Report results_on_the_host() {
  Report report;
  TransferRow row;
  row.id = row.device_id = 1;
  row.direction = Direction::device_to_host;
  row.source_memory = MemoryKind::device;
  row.destination_memory = MemoryKind::pinned;
  row.asynchronous = true;
  row.smallest_bytes = row.largest_bytes = 4;
  row.transfers = 100;
  report.transfers.push_back(row);
  return report;
}

model::TransferSite copies(std::int64_t site, std::int64_t transfers) {
  model::TransferSite row;
  row.device_id = {1};
  row.direction = Direction::device_to_host;
  row.source_memory = MemoryKind::device;
  row.destination_memory = MemoryKind::pinned;
  row.asynchronous = true;
  row.size_class = model::size_class(4);
  row.call_site_id = {site};
  row.transfers = transfers;
  return row;
}

model::SynchronizationSite waits(std::int64_t site, std::int64_t calls) {
  model::SynchronizationSite row;
  row.kind = model::SynchronizationKind::stream;
  row.call_site_id = {site};
  row.calls = calls;
  return row;
}

bool are_waited_for(const SiteTables& tables) {
  Report report = results_on_the_host();
  take_call_sites(report, tables);
  return report.transfers.front().waited_for;
}

TEST(SiteUses, CopiesAreWaitedForWhereTheSamePlaceWaits) {
  EXPECT_TRUE(are_waited_for({{}, {}, {copies(kItem, 100)}, {waits(kItem, 100)}}));
  EXPECT_TRUE(are_waited_for({{}, {}, {copies(kItem, 95), copies(kLog, 5)}, {waits(kItem, 95)}}));
}

TEST(SiteUses, CopiesAreNotWaitedForWhereAnotherPlaceWaits) {
  EXPECT_FALSE(are_waited_for({{}, {}, {copies(kItem, 100)}, {waits(kLog, 100)}}));
  EXPECT_FALSE(are_waited_for({{}, {}, {copies(kItem, 100)}, {}}));
}

TEST(SiteUses, CopiesThatWereOnlyCountedAreDividedLikeTheOthers) {
  Report report = results_on_the_host();
  report.transfers.front().timed_transfers = 20;
  model::TransferSite often = copies(kItem, 15), rare = copies(kLog, 5);
  often.bytes = 60;
  often.gpu_ns = 150;
  take_call_sites(report, {{}, {}, {often, rare}, {}});
  const auto& uses = report.transfers.front().call_sites;
  ASSERT_EQ(uses.size(), 2U);
  EXPECT_EQ(uses[0].calls, 75);
  EXPECT_EQ(uses[0].bytes, 300);
  EXPECT_EQ(uses[0].gpu_ns, 750);
  EXPECT_EQ(uses[1].calls, 25);
}

// In C++ the copy and the wait are two calls.
constexpr std::int64_t kCaller = 11, kOther = 12;

TEST(SiteUses, CopiesAreWaitedForWhereTheSameFunctionWaits) {
  const auto are_waited_for_in = [](std::int64_t caller_of_the_wait) {
    Report report = results_on_the_host();
    for (const std::int64_t id : {kItem, kLog, kCaller, kOther}) {
      CallSiteRow frame;
      frame.id = id;
      frame.own = true;
      if (id == kItem) frame.caller_id = kCaller;
      if (id == kLog) frame.caller_id = caller_of_the_wait;
      report.call_sites.push_back(frame);
    }
    take_call_sites(report, {{}, {}, {copies(kItem, 100)}, {waits(kLog, 100)}});
    return report.transfers.front().waited_for;
  };
  EXPECT_TRUE(are_waited_for_in(kCaller));
  EXPECT_FALSE(are_waited_for_in(kOther)) << "another call of a function";
}

// One wait at the end of many copies.
TEST(SiteUses, CopiesAreNotWaitedForWhereFewerWaitsThanCopiesAre) {
  EXPECT_FALSE(are_waited_for({{}, {}, {copies(kItem, 100)}, {waits(kItem, 10)}}));
}

// Of calls that follow each other fast only some have a stack: of waits and copies other parts.
TEST(SiteUses, WaitsAndCopiesAreComparedByHowManyEachOfThemStandsFor) {
  const auto are_waited_for_of = [](std::int64_t all_copies, std::int64_t all_waits) {
    Report report = results_on_the_host();
    report.transfers.front().transfers = all_copies;
    WaitRow& row = report.program.waits.emplace_back();
    row.kind = model::SynchronizationKind::stream;
    row.calls = all_waits;
    take_call_sites(report, {{}, {}, {copies(kItem, 100)}, {waits(kItem, 70)}});
    return report.transfers.front().waited_for;
  };
  EXPECT_TRUE(are_waited_for_of(1000, 1000));
  EXPECT_FALSE(are_waited_for_of(1000, 700));
}

TEST(SiteUses, TimeOfToolsIsNobodys) {
  Report report;
  for (const std::int64_t id : {1, 2}) {
    KernelRow& row = report.kernels.emplace_back();
    row.id = id;
    row.gpu_ns = 100 * id;
    if (id == 2) row.origin = Origin::tool;
  }
  report.call_sites.emplace_back().id = kItem;
  model::LaunchSite own, of_a_tool;
  own.group_id = {1};
  of_a_tool.group_id = {2};
  own.call_site_id = of_a_tool.call_site_id = {kItem};
  own.launches = of_a_tool.launches = own.timed_launches = of_a_tool.timed_launches = 1;
  own.gpu_ns = 100;
  of_a_tool.gpu_ns = 200;
  take_call_sites(report, {{}, {own, of_a_tool}, {}, {}});
  add_up_call_sites(report);
  EXPECT_EQ(report.kernels[1].call_sites.size(), 1U) << "it is still known who launched them";
  EXPECT_EQ(report.call_sites[0].exclusive.kernel_ns, 100);
  EXPECT_EQ(report.call_sites[0].inclusive.kernel_ns, 100);
}

}  // namespace
}  // namespace coalescope::analysis
