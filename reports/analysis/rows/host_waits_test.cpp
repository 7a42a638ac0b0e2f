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

}  // namespace
}  // namespace coalescope::analysis
