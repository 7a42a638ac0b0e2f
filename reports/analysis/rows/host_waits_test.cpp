#include "reports/analysis/rows/host_waits.h"

#include <array>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

TEST(HostWaits, LaunchesAreDividedByWhatTheProcessWaitedFor) {
  std::array<KernelRow, 2> kernels;
  kernels[0].process_id = 1;
  kernels[0].launches = 600;
  kernels[1].process_id = 2;
  kernels[1].launches = 600;
  std::array<model::SynchronizationTotal, 2> waits;
  waits[0].process_id = waits[1].process_id = model::ProcessId{1};
  waits[0].calls = 2;
  waits[1].calls = 1;
  std::array<capture::TransferView, 2> transfers;
  transfers[0].transfers = 2;
  transfers[1].asynchronous = true;
  transfers[1].transfers = 1000;
  take_waits(kernels, waits, transfers);
  EXPECT_EQ(kernels[0].launches_per_wait, 100.0) << "3 waits, 2 synchronous copies, and the end";
  EXPECT_EQ(kernels[1].launches_per_wait, std::nullopt) << "nothing was recorded of its waits";
}

TEST(HostWaits, TakeTheTimeOfCallsAndOfLaunchesAndWhatRecordingTakes) {
  Report report;
  model::Process& process = report.processes.emplace_back();
  process.launch_wait_ns = 40'000;
  process.recorder_cost_ns = 30'000;
  process.measuring_cost_ns = 10'000;
  KernelRow& kernel = report.kernels.emplace_back();
  kernel.launches = 10;
  std::array<model::SynchronizationTotal, 2> waits;
  waits[0].wait_ns = 500;
  waits[1].wait_ns = 700;
  EXPECT_EQ(host_wait_ns(report, waits), 40'000 + 1'200 + 20'000 + 10 * 1'200);
  report.kernels[0].owner = "XLA";
  EXPECT_EQ(host_wait_ns(report, waits), std::nullopt);
  report.kernels[0].owner.clear();
  kernel.gpu_ns = 7'000;
  kernel.call_sites.push_back({.role = model::SiteRole::graph_launch, .estimated_ns = 600});
  EXPECT_NE(host_wait_ns(report, waits), std::nullopt);
  kernel.call_sites[0].estimated_ns = 800;
  EXPECT_EQ(host_wait_ns(report, waits), std::nullopt) << "launches of graphs are not timed";
  kernel.call_sites.clear();
  report.processes.emplace_back();
  EXPECT_EQ(host_wait_ns(report, waits), std::nullopt) << "of which one?";
}

}  // namespace
}  // namespace coalescope::analysis
