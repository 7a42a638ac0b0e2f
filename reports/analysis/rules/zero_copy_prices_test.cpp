// What Z01 says that memory of the host costs, against what was measured.

#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::access;
using test::h100;
using test::KernelCase;

// Reads with a stride of 8 words bring all of the array over the bus, as a copy does: little to gain from
// one.
TEST(PriceOfZeroCopy, AKernelThatReadsAgainIsComparedWithACopyOfItsMemory) {
  KernelRow row = test::kernel(access(4 * 1'048'576, 128, 4), access(2 * 1'048'576, 128, 4), 0, 10'526'707);
  row.sysmem_sectors = 2 * 8'388'608;
  row.host_footprint_bytes = 268'435'456;
  const Assessment twice = kZeroCopy.assess(KernelCase(row, h100()).subject());
  EXPECT_NEAR(static_cast<double>(*twice.cost.lost_ns), 5.4e6, 0.3e6) << "half of the time";
  EXPECT_EQ(twice.advice.id, "Z01.copy");
  row.median_gpu_ns = 5'000'000;
  EXPECT_EQ(kZeroCopy.assess(KernelCase(row, h100()).subject()).cost.lost_ns, 0) << "a copy takes as long";
}

// 32 MiB a launch, 600 launches and 5 waits: one copy serves 100 of them. Measured on an H100: 658 us,
// repaired 35 us.
TEST(PriceOfZeroCopy, OneCopyServesLaunchesThatReadTheSame) {
  KernelRow row = test::kernel(access(2 * 262'144, 128, 4), access(262'144, 128, 4), 13'000'000, 658'000);
  row.sysmem_sectors = 1'048'576;
  row.host_footprint_bytes = 1'048'576 * 32;
  row.launches_per_wait = 100;
  const Assessment assessment = kZeroCopy.assess(KernelCase(row, h100()).subject());
  EXPECT_NEAR(static_cast<double>(*assessment.cost.lost_ns) / 658'000, 0.947, 0.05);
  EXPECT_EQ(assessment.advice.id, "Z01.copy_once");
}

TEST(PriceOfZeroCopy, AKernelThatTakesPartsOfSectorsIsComparedWithThoseSideBySide) {
  KernelRow row = test::kernel(access(262'144, 128, 32), access(262'144, 128, 4), 0, 5'490'000);
  row.sysmem_sectors = 8'388'608;
  const Assessment unknown_memory = kZeroCopy.assess(KernelCase(row, h100()).subject());
  EXPECT_EQ(unknown_memory.cost.lost_ns, 5'490'000 * 7 / 8);
  row.host_footprint_bytes = 268'435'456;
  const Assessment parts = kZeroCopy.assess(KernelCase(row, h100()).subject());
  EXPECT_EQ(parts.advice.id, "Z01.side_by_side");
  EXPECT_EQ(parts.cost.lost_ns, 5'490'000 * 7 / 8);
}

}  // namespace
}  // namespace coalescope::analysis
