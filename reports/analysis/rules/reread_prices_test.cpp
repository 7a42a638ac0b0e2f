// What reading the same bytes from DRAM again is said to cost.
#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::access;

Cost cost_of_rereads(const KernelRow& row) {
  return kRereads.assess(test::KernelCase(row, test::h100()).subject()).cost;
}

TEST(PriceOfRereads, IsNothingWhereDramIdles) {
  KernelRow row = test::kernel(access(8 * 524'288, 128, 4), access(0, 0, 0), 536'870'912, 2'400'000);
  row.load.sectors = std::nullopt;
  row.footprint_bytes = 67'108'864;
  EXPECT_EQ(cost_of_rereads(row).lost_ns, 0);
}

TEST(PriceOfRereads, IsWhatDramCarriedBeyondTheFootprint) {
  const Access loads = access(8 * 524'288, 128, 4);
  KernelRow row = test::kernel(loads, access(0, 0, 0), 536'870'912, 240'000);
  row.footprint_bytes = 67'108'864;
  const auto cost = cost_of_rereads(row);
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_GT(*cost.lost_ns, 120'000) << "what is left is bounded by L2";
}

}  // namespace
}  // namespace coalescope::analysis
