#include "reports/html/transfer_callers.h"

#include <gtest/gtest.h>

namespace coalescope::html {
namespace {

analysis::TransferRow upload(std::int64_t bytes_each, std::int64_t transfers, std::int64_t gpu_ns) {
  analysis::TransferRow row;
  row.direction = model::Direction::host_to_device;
  row.source_memory = model::MemoryKind::pageable;
  row.destination_memory = model::MemoryKind::device;
  row.smallest_bytes = row.largest_bytes = bytes_each;
  row.transfers = transfers;
  row.bytes = bytes_each * transfers;
  row.gpu_ns = gpu_ns;
  row.reference_bandwidth = 10e9;
  return row;
}

analysis::CallSiteRow line(std::int64_t id, std::int64_t number) {
  analysis::CallSiteRow site;
  site.id = id;
  site.kind = model::FrameKind::python;
  site.file = "/home/me/train.py";
  site.line = number;
  site.function = "step";
  site.own = true;
  return site;
}

analysis::SiteUse use(std::int64_t site, std::int64_t calls, std::int64_t bytes, std::int64_t gpu_ns) {
  return {site, model::SiteRole::launch, calls, bytes, gpu_ns, gpu_ns, std::nullopt};
}

TEST(TransferCallers, ClassesOfOneLineAreOneRowAndTheRestIsNotKnown) {
  analysis::Report report;
  report.call_sites = {line(1, 51), line(2, 58)};
  report.transfers = {upload(1000, 10, 900), upload(64000, 2, 20000)};
  report.transfers[0].call_sites = {use(1, 6, 6000, 500), use(2, 3, 3000, 300)};
  report.transfers[1].call_sites = {use(1, 2, 128000, 20000)};
  const auto callers = transfer_callers(report);
  ASSERT_EQ(callers.size(), 3U);
  EXPECT_EQ(callers[0].caller, "train.py:51 step()");
  EXPECT_EQ(callers[0].transfers, 8);
  EXPECT_EQ(callers[0].bytes, 134000);
  EXPECT_EQ(callers[0].gpu_ns, 20500);
  EXPECT_EQ(callers[0].smallest_bytes, 1000);
  EXPECT_EQ(callers[0].largest_bytes, 64000);
  EXPECT_DOUBLE_EQ(callers[0].reference_ns.value(), 13400);
  EXPECT_EQ(callers[1].caller, "train.py:58 step()");
  EXPECT_EQ(callers[2].caller, "") << "one copy has no call site";
  EXPECT_EQ(callers[2].transfers, 1);
  EXPECT_EQ(callers[2].gpu_ns, 100);
}

TEST(TransferCallers, WhatIsNotKnownOfAPartIsNotKnownOfTheLine) {
  analysis::Report report;
  report.call_sites = {line(1, 51)};
  report.transfers = {upload(1000, 1, 900), upload(64000, 1, 900)};
  report.transfers[1].gpu_ns = std::nullopt;
  report.transfers[1].reference_bandwidth = std::nullopt;
  for (auto& row : report.transfers) row.call_sites = {use(1, 1, row.bytes, 900)};
  const auto callers = transfer_callers(report);
  ASSERT_EQ(callers.size(), 1U);
  EXPECT_EQ(callers[0].gpu_ns, std::nullopt);
  EXPECT_EQ(callers[0].reference_ns, std::nullopt);
}

}  // namespace
}  // namespace coalescope::html
