// What local memory is said to cost, and what is said of accesses beside it, against what was measured.

#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::access;
using test::h100;
using test::KernelCase;

Cost local_cost_of(const Rule<KernelSubject>& rule, const KernelRow& row, const Machine& machine) {
  return rule.assess(KernelCase(row, machine).subject()).cost;
}

// Registers spilled until 98 % of what L1 serves is local, and no traffic measured: 794 us on an H100, 76
// without.
TEST(PriceOfLocalMemory, IsTakenFromTheLeastTrafficToo) {
  KernelRow row = test::kernel(access(1'048'576, 128, 4), access(16'384, 128, 4), 0, 793'715);
  row.l2_read_sectors = row.l2_write_sectors = std::nullopt;
  row.local_load_sectors = 89'522'176;
  row.local_store_sectors = 91'029'504;
  row.local_sectors = *row.local_load_sectors + *row.local_store_sectors;
  row.footprint_bytes = std::nullopt;
  EXPECT_EQ(local_cost_of(kLocalMemory, row, h100()).lost_ns, std::nullopt);
  row.footprint_bytes = 136'314'880;
  const auto cost = local_cost_of(kLocalMemory, row, h100());
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_NEAR(static_cast<double>(*cost.lost_ns) / 793'715, 0.90, 0.05);
  EXPECT_NE(cost.basis.find("was not measured"), std::string::npos);
}

// A Kalman filter on an H200: 4 blocks whose threads go along runs 512 bytes apart in L1, and spill matrices.
// What L2 moves is local memory, whose sectors make lines.
TEST(PriceOfLocalMemory, IsNotThatOfScatteredStores) {
  KernelRow row = test::kernel(access(198'592, 250, 31), access(6'624, 250, 31), 221'000'000, 1'740'000);
  row.grid = {4, 1, 1};
  row.block = {256, 1, 1};
  row.l2_read_sectors = 6'775'787;
  row.l2_write_sectors = 5'679'324;
  row.local_load_sectors = 6'656'625;
  row.local_store_sectors = 5'474'575;
  row.local_sectors = *row.local_load_sectors + *row.local_store_sectors;
  Machine machine = h100();
  machine.multiprocessors = 132;
  EXPECT_LT(*local_cost_of(kUncoalescedStores, row, machine).lost_ns, 120'000);
  LineRow line = test::line_of(row, "a.cu", 129, true);
  line.instructions = 2;
  line.piecewise = 1;
  KernelCase kernel(row, {line});
  kernel.machine = machine;
  EXPECT_LT(*kUncoalescedLoads.assess(kernel.subject()).cost.lost_ns, 900'000)
      << "warps that take a run each leave the spilled matrices to their threads";
}

// A search whose board lies in local memory: its instructions alone take nearly the whole launch (H100).
TEST(PriceOfLocalMemory, LeavesMostInstructions) {
  KernelRow row = test::kernel(access(474'432, 44, 16), access(118'608, 256, 8), 66'759'552, 38'525'243);
  row.local_load_sectors = 7'542'758'872;
  row.local_store_sectors = 1'126'922'912;
  row.local_sectors = *row.local_load_sectors + *row.local_store_sectors;
  row.instructions = 34'976'527'549;
  const auto cost = local_cost_of(kLocalMemory, row, h100());
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_LT(static_cast<double>(*cost.lost_ns) / 38'525'243, 0.6);
}

}  // namespace
}  // namespace coalescope::analysis
