// What rules about kernels say that a fault costs, against what was measured.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/figures/access_shape.h"
#include "reports/analysis/figures/ratios.h"
#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::access;
using test::kRequests;
using testing::HasSubstr;

using test::h100;
using test::KernelCase;

Cost cost_of(const Rule<KernelSubject>& rule, const KernelRow& row, const Machine& machine) {
  return rule.assess(KernelCase(row, machine).subject()).cost;
}

// What loads and stores together are said to cost, as a share of the kernel's time.
double lost_share(const KernelRow& row, const Machine& machine) {
  const auto loads = cost_of(kUncoalescedLoads, row, machine);
  const auto stores = cost_of(kUncoalescedStores, row, machine);
  if (!loads.lost_ns || !stores.lost_ns) return -1;
  return static_cast<double>(*loads.lost_ns + *stores.lost_ns) / static_cast<double>(*row.median_gpu_ns);
}

// Measured against the same copy with a stride of one word, which takes 11.0 us.
struct Measured {
  std::int64_t stride;
  std::int64_t gpu_ns;
};
class StridedGain : public testing::TestWithParam<Measured> {};

TEST_P(StridedGain, PredictsWhatTheRepairSavesWithinSixPoints) {
  const auto [stride, gpu_ns] = GetParam();
  const double truth = 1 - 11'000.0 / static_cast<double>(gpu_ns);
  Machine machine = h100();
  machine.launch_ns = 2812;  // as calibrated: a repaired launch of 11 us begins and ends, too
  EXPECT_NEAR(lost_share(test::strided_copy(stride, gpu_ns), machine), truth, 0.06) << "stride " << stride;
}

INSTANTIATE_TEST_SUITE_P(H100, StridedGain,
                         testing::Values(Measured{4, 38'500}, Measured{8, 71'400}, Measured{16, 98'600},
                                         Measured{32, 136'500}));

// 16 Mi threads: 5 sectors a request instead of 4, and 4 % of the time. L1 keeps what neighbours share.
TEST(PriceOfKernels, AnOffsetOfOneWordIsNotPricedByItsSectors) {
  KernelRow row = test::kernel(access(524'288, 128, 5), access(524'288, 128, 5), 134'217'728, 64'100);
  row.l2_read_sectors = row.l2_write_sectors = 2'150'000;
  EXPECT_EQ(cost_of(kUncoalescedLoads, row, h100()).lost_ns, 0);
}

// 12-byte structures: 12 sectors a load instead of 4, but L1 holds them for the other two loads, and DRAM is
// as busy as it can be.
TEST(PriceOfKernels, SurplusThatL1KeepsCostsNothingBesideABusyDram) {
  KernelRow row = test::kernel(access(3 * 524'288, 128, 12), access(524'288, 128, 4), 268'435'456, 95'600);
  row.l2_read_sectors = 12 * 524'288;
  row.l2_write_sectors = 4 * 524'288;
  EXPECT_EQ(cost_of(kUncoalescedLoads, row, h100()).lost_ns, 0);
}

// 8 bytes of a lane, stored as two words (take_light of the jury, an H200 with DRAM at 55 %): L2 gets sectors
// twice, and DRAM has as much to do after the repair.
TEST(PriceOfKernels, SurplusInL2CostsNothingWhereDramHasMostToDo) {
  KernelRow row = test::kernel(access(276'480, 128, 4), access(552'960, 128, 8), 87'899'008, 55'000);
  row.l2_read_sectors = 1'105'920;
  row.l2_write_sectors = 3'568'126;
  const auto cost = cost_of(kUncoalescedStores, row, h100());
  EXPECT_EQ(cost.lost_ns, 0);
  EXPECT_THAT(cost.basis, HasSubstr("DRAM has most to do"));
  row.median_gpu_ns = 70'000;
  EXPECT_EQ(cost_of(kUncoalescedStores, row, h100()).lost_ns, std::nullopt)
      << "DRAM is busy for less than half";
}

// Its stores are 10 of 100 sectors, and most of these are surplus: no more than that can be lost.
TEST(PriceOfKernels, ALittleSurplusIsATrifleWhateverElseIsUnknown) {
  KernelRow row = test::kernel(access(9 * 1024, 256, 8), access(512, 128, 16), 134'217'728, 64'100);
  row.dram_read_bytes.reset();
  row.dram_write_bytes.reset();
  row.l2_read_sectors.reset();
  EXPECT_EQ(cost_of(kUncoalescedStores, row, h100()).lost_ns, 0);
  row.store.sectors = 32 * 1024;
  row.store.requests = 1024;
  EXPECT_EQ(cost_of(kUncoalescedStores, row, h100()).lost_ns, std::nullopt);
}

// A thread for each row of a matrix: L1 serves the lanes' sectors eight times over. DRAM idles.
Cost cost_of_rows_of(std::int64_t gpu_ns) {
  KernelRow row = test::kernel(access(kRequests, 128, 32), access(kRequests, 128, 4), 16'777'216, gpu_ns);
  row.l2_read_sectors = row.l2_write_sectors = 4 * kRequests;
  return cost_of(kUncoalescedLoads, row, h100());
}

TEST(PriceOfKernels, SurplusThatL1KeepsIsNotCalledFreeWhereDramIdles) {
  const auto cost = cost_of_rows_of(60'000);
  EXPECT_EQ(cost.lost_ns, std::nullopt);
  EXPECT_THAT(cost.basis, HasSubstr("inside L1"));
  EXPECT_FALSE(cost.may_be_nothing) << "it may be all of the launch";
  const auto of_long_launches = cost_of_rows_of(100'000'000);
  EXPECT_EQ(of_long_launches.lost_ns, std::nullopt);
  EXPECT_TRUE(of_long_launches.may_be_nothing);
}

// It loads a table and computes for long: all lines of its requests together take next to nothing.
TEST(PriceOfKernels, AFewSurplusLinesInL1CostAtMostTheirLookups) {
  KernelRow row = test::kernel(access(16'896, 128, 8), access(1'056, 128, 4), 0, 378'000);
  row.shared.wavefronts = 8'811'264;
  row.grid = {1'056, 1, 1};
  row.block = {256, 1, 1};
  row.l2_read_sectors = 4 * 16'896;
  row.l2_write_sectors = 4 * 1'056;
  Machine machine = h100();
  machine.multiprocessors = 132;
  machine.wavefronts_per_ns = 260;
  const auto cost = cost_of(kUncoalescedLoads, row, machine);
  EXPECT_EQ(cost.lost_ns, 0);
  EXPECT_THAT(cost.basis, HasSubstr("takes at most"));
  machine.multiprocessors = 1;
  EXPECT_EQ(cost_of(kUncoalescedLoads, row, machine).lost_ns, std::nullopt);
}

// PyTorch's torch.stack on an H100, whose lanes store 4 bytes far apart: with contiguous stores it takes 5 %
// of that. DRAM reads each piece before it writes a part of it, and reaches little of its rate.
TEST(PriceOfKernels, ScatteredStoresKeepDramFarBelowItsRate) {
  KernelRow row = test::kernel(access(262'144, 512, 16), access(1'048'576, 128, 32), 0, 1'827'908);
  row.load.sector_efficiency = 1;
  row.dram_read_bytes = 1'208'093'568;
  row.dram_write_bytes = 1'073'885'184;
  EXPECT_NEAR(real(cost_of(kUncoalescedStores, row, h100()).lost_ns) / 1'827'908, 0.949, 0.03);
  // Few of the bytes are written: then it is scattered reads that cost.
  row.dram_read_bytes = 2'281'978'752;
  row.dram_write_bytes = 0;
  EXPECT_LT(real(cost_of(kUncoalescedStores, row, h100()).lost_ns) / 1'827'908, 0.75);
}

// A kernel that computes: its scattered loads move little beside its time.
TEST(PriceOfKernels, ComputeBoundKernelsGainLittle) {
  EXPECT_LT(lost_share(test::strided_copy(32, 10'000'000), h100()), 0.02);
}

// Columns of a 16-wide tile, H100: L2 has half of each line's sectors to write twice, DRAM moves nothing
// extra, and neither is busy for more than half of the launch. Measured: 305 us, repaired 162 us.
TEST(PriceOfKernels, ARepairedLaunchRunsAtItsBound) {
  KernelRow row = test::kernel(access(764'000, 256, 8), access(764'000, 256, 16), 410'082'304, 305'414);
  row.l2_read_sectors = 6'100'000;
  row.l2_write_sectors = 11'959'635;
  EXPECT_NEAR(static_cast<double>(*cost_of(kUncoalescedStores, row, h100()).lost_ns) / 305'414, 0.47, 0.05);
}

// Few threads, each along a row: nothing is busy, and a warp for each row saves nearly all. (H100: 2,011 us,
// repaired 90 us.)
TEST(PriceOfKernels, ALaunchOfFewWarpsWaitsForEachRequestInTurn) {
  KernelRow row = test::kernel(access(1'048'576, 256, 32), access(64, 256, 8), 269'000'000, 2'011'000);
  row.grid = {16, 1, 1};
  row.block = {128, 1, 1};
  row.l2_read_sectors = 8'470'000;
  row.l2_write_sectors = 512;
  row.load.l2_degree = 4 * *row.load.degree;
  LineRow line = test::line_of(row, "a.cu", 7, true);
  line.instructions = 2;
  KernelCase kernel(row, {line});
  kernel.machine = h100();
  kernel.machine.multiprocessors = 132;
  EXPECT_GT(*kUncoalescedLoads.assess(kernel.subject()).cost.lost_ns, 1'800'000);
}

// A diagonal of a table, 32 blocks of 128 threads: 2,370 ns on an H200, 2,162 with the diagonal side by side.
// No level is busy, and every launch takes as long as one more kernel does.
TEST(PriceOfKernels, FewWarpsWaitForTheSurplusOfTheirMultiprocessor) {
  KernelRow row = test::kernel(access(640, 79, 20), access(128, 128, 32), 1'856, 2'370);
  row.grid = {32, 1, 1};
  row.block = {128, 1, 1};
  row.l2_read_sectors = 4'284;
  row.l2_write_sectors = 3'972;
  Machine machine = h100();
  machine.multiprocessors = 132;
  machine.launch_ns = 2'812;
  const auto loads = cost_of(kUncoalescedLoads, row, machine),
             stores = cost_of(kUncoalescedStores, row, machine);
  EXPECT_NEAR(static_cast<double>(*loads.lost_ns + *stores.lost_ns), 208, 60);
  EXPECT_TRUE(loads.lost_ns == 0 || stores.lost_ns == 0) << "they go beside each other";
}

TEST(PriceOfKernels, OnlyTheOperationAtFaultIsCharged) {
  const KernelRow row =
      test::kernel(access(kRequests, 128, 32), access(kRequests, 128, 4), 142'606'336, 70'000);
  EXPECT_GT(*cost_of(kUncoalescedLoads, row, h100()).lost_ns, 40'000);
  const Assessment stores = kUncoalescedStores.assess(KernelCase(row, h100()).subject());
  EXPECT_EQ(stores.measure.value, 0);
  EXPECT_EQ(stores.cost.lost_ns, std::nullopt) << "nobody asks for the price of nothing";
}

// Traffic of other origin, such as bulk copies that no load counts, is not blamed on a small surplus.
TEST(PriceOfKernels, UnexplainedTrafficIsNotBlamedOnLoads) {
  const KernelRow row = test::kernel(access(100, 128, 32), access(100, 128, 4), 1'000'000'000, 400'000);
  EXPECT_LT(cost_of(kUncoalescedLoads, row, h100()).lost_ns.value_or(0), 4'000);
}

TEST(PriceOfKernels, WhatIsMissingIsSaidAndNothingIsInvented) {
  KernelRow row = test::strided_copy(32, 136'500);
  EXPECT_THAT(cost_of(kUncoalescedLoads, row, Machine{}).basis, HasSubstr("coalescope calibrate"));
  row.dram_read_bytes = std::nullopt;
  EXPECT_EQ(cost_of(kUncoalescedLoads, row, h100()).lost_ns, std::nullopt);
  EXPECT_THAT(cost_of(kUncoalescedLoads, row, h100()).basis, HasSubstr("traffic was not measured"));
  row.median_gpu_ns = std::nullopt;
  EXPECT_THAT(cost_of(kUncoalescedLoads, row, h100()).basis, HasSubstr("timed"));
  row.median_gpu_ns = 136'500;
  row.store.sectors = std::nullopt;
  EXPECT_THAT(cost_of(kUncoalescedLoads, row, h100()).basis, HasSubstr("sectors were not measured"));
}

// What differs has no figure of its own, and a price for all launches together.
TEST(PriceOfKernels, LaunchesThatDifferTakeTheMean) {
  KernelRow row = test::strided_copy(8, 136'500);
  const auto of_one = cost_of(kUncoalescedLoads, row, h100()).lost_ns;
  ASSERT_GT(of_one.value_or(0), 0);
  row.mixed.emplace();
  row.mixed->mean =
      Traffic{static_cast<double>(*row.l2_read_sectors), static_cast<double>(*row.l2_write_sectors),
              static_cast<double>(*row.dram_read_bytes), static_cast<double>(*row.dram_write_bytes), 0};
  row.l2_read_sectors = row.l2_write_sectors = row.dram_read_bytes = row.dram_write_bytes = std::nullopt;
  EXPECT_EQ(cost_of(kUncoalescedLoads, row, h100()).lost_ns, of_one);
  row.mixed->mean = std::nullopt;
  EXPECT_EQ(cost_of(kUncoalescedLoads, row, h100()).lost_ns, std::nullopt);
}

// With instructions measured the need is exact: a broadcast beside a coalesced load needs all its sectors.
TEST(PriceOfKernels, EfficiencyOfInstructionsGoesBeforeTheKernelsCounters) {
  Access mixed = access(2 * kRequests, 66, 0);
  mixed.sectors = 5 * kRequests;
  EXPECT_LT(*needed_share(mixed), 0.9);
  mixed.sector_efficiency = 1.0;
  EXPECT_EQ(needed_share(mixed), 1.0);
}

// 32x32 tiles without padding: blocks wait for their 32-way conflicts, on top of the memory. 127.6 us on an
// H100, about 62 with padding.
TEST(PriceOfKernels, BankConflictsComeOnTopOfMemory) {
  KernelRow row = test::kernel(access(524'288, 128, 4), access(524'288, 128, 4), 134'217'728, 127'600);
  row.shared = {2 * 524'288, 33 * 524'288, 2 * 524'288, 31 * 524'288};
  Machine machine = h100();
  machine.wavefronts_per_ns = 132 * 1.755;
  const auto cost = cost_of(kBankConflicts, row, machine);
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_NEAR(static_cast<double>(*cost.lost_ns), 65'600, 12'000);
  machine.wavefronts_per_ns = std::nullopt;
  EXPECT_EQ(cost_of(kBankConflicts, row, machine).lost_ns, std::nullopt);
}

// The reference kernel indexed by block + thread x grid, as recorded on an H100: 1.60 ms, its repaired twin
// 0.238.
TEST(PriceOfKernels, SurplusThatStaysInL2IsPricedByTheScatteredRate) {
  const Access scattered = access(2'097'152, 128, 32);
  KernelRow row = test::kernel(scattered, scattered, 558'891'008, 1'602'349);
  row.l2_read_sectors = row.l2_write_sectors = 65'638'196;
  EXPECT_NEAR(lost_share(row, h100()), 1 - 238.306 / 1602.349, 0.05);
}

TEST(PriceOfKernels, BytesGainByBeingMovedByTheWidestElement) {
  KernelRow row = test::kernel(access(8'388'608, 32, 1), access(8'388'608, 32, 1), 536'870'912, 730'758);
  row.load.lanes = row.store.lanes = 32;
  const auto cost = cost_of(kNarrowElements, row, h100());
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_NEAR(static_cast<double>(*cost.lost_ns) / 730'758, 1 - 178.242 / 730.758, 0.05);
}

TEST(PriceOfKernels, ConflictsHideWhereSharedMemoryIsQuiet) {
  KernelRow row = test::kernel(access(1'048'576, 128, 4), access(0, 0, 0), 134'217'728, 99'682);
  row.shared = {1'179'648, 2'228'224, 1'179'648, 1'048'576};
  Machine machine = h100();
  machine.wavefronts_per_ns = 259;
  EXPECT_EQ(cost_of(kBankConflicts, row, machine).lost_ns, 0);
}

KernelRow half_empty(std::int64_t dram_bytes, std::int64_t gpu_ns) {
  KernelRow row = test::kernel(access(kRequests, 64, 2), access(kRequests, 64, 2), dram_bytes, gpu_ns);
  row.load.lanes = row.store.lanes = 16;
  return row;
}

// A kernel that computes loses with its idle lanes; one that waits for DRAM does not.
TEST(PriceOfKernels, IdleLanesCostWhereMemoryDoesNotLimit) {
  EXPECT_EQ(cost_of(kPartialWarps, half_empty(8'388'608, 1'000'000), h100()).lost_ns, 500'000);
  EXPECT_LT(*cost_of(kPartialWarps, half_empty(134'217'728, 53'000), h100()).lost_ns, 2'000);
}

TEST(PriceOfKernels, IdleLanesCostNothingWhereEachWarpHasASchedulerOfItsOwn) {
  KernelRow row = half_empty(8'388'608, 1'000'000);
  row.block = {64, 1, 1};
  Machine machine = h100();
  machine.schedulers = 528;
  row.grid = {264, 1, 1};
  EXPECT_EQ(cost_of(kPartialWarps, row, machine).lost_ns, 0);
  row.grid = {330, 1, 1};
  EXPECT_EQ(cost_of(kPartialWarps, row, machine).lost_ns, 200'000) << "528 of the 660 warps can run at once";
  row.grid = {1000, 1, 1};
  EXPECT_EQ(cost_of(kPartialWarps, row, machine).lost_ns, 500'000);
}

// The semaphores of a matrix product, one for each block.
TEST(PriceOfAtomics, AFewKeepNoLongLaunchWaiting) {
  Machine machine = h100();
  machine.atomics = KnownCurve{{"1e9/s", "addresses", true, {{1, 2, {}}, {262'144, 100, {}}}}, "test"};
  KernelRow row = test::kernel(access(500, 128, 4), access(500, 128, 4), 8'388'608, 1'000'000);
  row.atomic = access(132, 4, 1);
  row.atomic.lanes = 1;
  EXPECT_EQ(cost_of(kReturningAtomics, row, machine).lost_ns, 0);
  row.atomic.requests = 1'000'000;
  row.atomic.lanes = 32;
  EXPECT_GT(cost_of(kReturningAtomics, row, machine).lost_ns.value_or(0), 100'000);
}

TEST(PriceOfBroadcasts, IsWhatTheyTakeOfABusyL1) {
  Machine machine = h100();
  machine.wavefronts_per_ns = 230;
  KernelRow row = test::kernel(access(33'554'432, 4, 1), access(524'288, 128, 4), 134'217'728, 150'000);
  row.load.sector_efficiency = 1;
  row.l2_read_sectors = 2'097'152;
  const auto cost = cost_of(kBroadcastLoads, row, machine);
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_GT(*cost.lost_ns, 60'000);
  row.load = access(524'288, 4, 1);
  const auto few = cost_of(kBroadcastLoads, row, machine);
  EXPECT_EQ(few.lost_ns, 0);
  EXPECT_THAT(few.basis, HasSubstr("no cost: DRAM is the limit"));
}

TEST(PriceOfBroadcasts, NobodyWaitsForAnIdleL1) {
  Machine machine = h100();
  machine.wavefronts_per_ns = 230;
  KernelRow row = test::kernel(access(33'554'432, 4, 1), access(524'288, 128, 4), 134'217'728, 1'500'000);
  row.load.sector_efficiency = 1;
  row.l2_read_sectors = 2'097'152;
  const auto cost = cost_of(kBroadcastLoads, row, machine);
  EXPECT_EQ(cost.lost_ns, 0);
  EXPECT_THAT(cost.basis, HasSubstr("L1 is busy for"));
}

// A launch is never faster than its instructions can be issued, of which a kernel reaches 77 %.
TEST(PriceOfSurplus, LeavesTheInstructions) {
  Machine machine = h100();
  machine.instructions_per_ns = 1'000;
  KernelRow row = test::strided_copy(8, 200'000);
  const auto without = cost_of(kUncoalescedLoads, row, machine).lost_ns.value_or(0) +
                       cost_of(kUncoalescedStores, row, machine).lost_ns.value_or(0);
  EXPECT_GT(without, 80'000);
  row.instructions = 115'500'000;
  EXPECT_NEAR(static_cast<double>(cost_of(kUncoalescedLoads, row, machine).lost_ns.value_or(0) +
                                  cost_of(kUncoalescedStores, row, machine).lost_ns.value_or(0)),
              50'000, 10);
  row.instructions = 170'000'000;
  EXPECT_EQ(cost_of(kUncoalescedLoads, row, machine).lost_ns, 0) << "they fill more than 80 % of the launch";
}

}  // namespace
}  // namespace coalescope::analysis
