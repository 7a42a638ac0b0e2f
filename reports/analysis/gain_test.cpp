#include "reports/analysis/gain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/sample_rows_test.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;
using test::access;
using test::kRequests;
using testing::HasSubstr;

using test::h100;

// What loads and stores together are said to cost, as a share of the kernel's time.
double lost_share(const KernelRow& row, const Machine& machine) {
  const auto loads = surplus_cost(row, Operation::load, machine);
  const auto stores = surplus_cost(row, Operation::store, machine);
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
  EXPECT_NEAR(lost_share(test::strided_copy(stride, gpu_ns), h100()), truth, 0.06) << "stride " << stride;
}

INSTANTIATE_TEST_SUITE_P(H100, StridedGain,
                         testing::Values(Measured{4, 38'500}, Measured{8, 71'400}, Measured{16, 98'600},
                                         Measured{32, 136'500}));

// 16 Mi threads: 5 sectors a request instead of 4, and 4 % of the time. L1 keeps what neighbours share.
TEST(Gain, AnOffsetOfOneWordIsNotPricedByItsSectors) {
  KernelRow row = test::kernel(access(524'288, 128, 5), access(524'288, 128, 5), 134'217'728, 64'100);
  row.l2_read_sectors = row.l2_write_sectors = 2'150'000;
  EXPECT_EQ(surplus_cost(row, Operation::load, h100()).lost_ns, 0);
}

// 12-byte structures: 12 sectors a load instead of 4, but L1 holds them for the other two loads, and DRAM is
// as busy as it can be.
TEST(Gain, SurplusThatL1KeepsCostsNothingBesideABusyDram) {
  KernelRow row = test::kernel(access(3 * 524'288, 128, 12), access(524'288, 128, 4), 268'435'456, 95'600);
  row.l2_read_sectors = 12 * 524'288;
  row.l2_write_sectors = 4 * 524'288;
  EXPECT_EQ(surplus_cost(row, Operation::load, h100()).lost_ns, 0);
}

// A thread for each row of a matrix: L1 serves the lanes' sectors eight times over. DRAM idles.
TEST(Gain, SurplusThatL1KeepsIsNotCalledFreeWhereDramIdles) {
  KernelRow row = test::kernel(access(kRequests, 128, 32), access(kRequests, 128, 4), 16'777'216, 60'000);
  row.l2_read_sectors = row.l2_write_sectors = 4 * kRequests;
  const auto cost = surplus_cost(row, Operation::load, h100());
  EXPECT_EQ(cost.lost_ns, std::nullopt);
  EXPECT_THAT(cost.basis, HasSubstr("inside L1"));
}

// A kernel that computes: its scattered loads move little beside its time.
TEST(Gain, ComputeBoundKernelsGainLittle) {
  EXPECT_LT(lost_share(test::strided_copy(32, 10'000'000), h100()), 0.02);
}

TEST(Gain, OnlyTheOperationAtFaultIsCharged) {
  const KernelRow row =
      test::kernel(access(kRequests, 128, 32), access(kRequests, 128, 4), 142'606'336, 70'000);
  EXPECT_GT(*surplus_cost(row, Operation::load, h100()).lost_ns, 40'000);
  EXPECT_EQ(surplus_cost(row, Operation::store, h100()).lost_ns, 0);
}

// Traffic of other origin, such as bulk copies that no load counts, is not blamed on a small surplus.
TEST(Gain, UnexplainedTrafficIsNotBlamedOnLoads) {
  const KernelRow row = test::kernel(access(100, 128, 32), access(100, 128, 4), 1'000'000'000, 400'000);
  EXPECT_LT(surplus_cost(row, Operation::load, h100()).lost_ns.value_or(0), 4'000);
}

TEST(Gain, WhatIsMissingIsSaidAndNothingIsInvented) {
  KernelRow row = test::strided_copy(32, 136'500);
  EXPECT_THAT(surplus_cost(row, Operation::load, Machine{}).basis, HasSubstr("coalescope calibrate"));
  row.dram_read_bytes = std::nullopt;
  EXPECT_EQ(surplus_cost(row, Operation::load, h100()).lost_ns, std::nullopt);
  EXPECT_THAT(surplus_cost(row, Operation::load, h100()).basis, HasSubstr("traffic was not measured"));
  row.median_gpu_ns = std::nullopt;
  EXPECT_THAT(surplus_cost(row, Operation::load, h100()).basis, HasSubstr("timed"));
  row.load.sectors = std::nullopt;
  EXPECT_THAT(surplus_cost(row, Operation::load, h100()).basis, HasSubstr("sectors were not measured"));
}

// With instructions measured the need is exact: a broadcast beside a coalesced load needs all its sectors.
TEST(Gain, EfficiencyOfInstructionsGoesBeforeTheKernelsCounters) {
  Access mixed = access(2 * kRequests, 66, 0);
  mixed.sectors = 5 * kRequests;
  EXPECT_LT(*needed_share(mixed), 0.9);
  mixed.sector_efficiency = 1.0;
  EXPECT_EQ(needed_share(mixed), 1.0);
}

TEST(Gain, TransfersAreComparedWithTheirReference) {
  TransferRow row = test::copy(Direction::host_to_device, MemoryKind::pageable, 1, 134'217'728, 17'207'000);
  EXPECT_EQ(slow_transfer_cost(row).lost_ns, std::nullopt);
  row.reference_bandwidth = 55.0e9;
  EXPECT_NEAR(static_cast<double>(*slow_transfer_cost(row).lost_ns), 14'766'678, 10);
  row.reference_bandwidth = 1e9;
  EXPECT_EQ(slow_transfer_cost(row).lost_ns, 0) << "faster than the reference is no gain below zero";
}

TEST(Gain, SmallTransfersLoseTheirFixedTime) {
  const TransferRow row = test::copy(Direction::host_to_device, MemoryKind::pinned, 1000, 4096, 2'560'000);
  Machine machine;
  machine.copy_ns = 2'490;
  EXPECT_EQ(small_transfer_cost(row, machine).lost_ns, 999 * 2'490);
  EXPECT_EQ(small_transfer_cost(row, Machine{}).lost_ns, std::nullopt);
}

// Reads with a stride of 8 words bring all of the array over the bus, as a copy does: little to gain from
// one.
TEST(Gain, AZeroCopyKernelThatReadsAgainIsComparedWithACopyOfItsMemory) {
  KernelRow row = test::kernel(access(4 * 1'048'576, 128, 4), access(2 * 1'048'576, 128, 4), 0, 10'526'707);
  row.sysmem_sectors = 2 * 8'388'608;
  const auto twice = repeated_crossing_cost(row, {1, 268'435'456}, h100());
  EXPECT_NEAR(static_cast<double>(*twice.lost_ns), 5.4e6, 0.3e6) << "half of the time";
  EXPECT_TRUE(copy_is_better(row, {1, 268'435'456}, h100()));
  EXPECT_EQ(repeated_crossing_cost(row, {1, std::nullopt}, h100()).lost_ns, std::nullopt)
      << "a copy of unknown size";
  row.median_gpu_ns = 5'000'000;
  EXPECT_EQ(repeated_crossing_cost(row, {1, 268'435'456}, h100()).lost_ns, 0) << "a copy takes as long";
}

TEST(Gain, AZeroCopyKernelThatTakesPartsOfSectorsIsComparedWithThoseSideBySide) {
  KernelRow row = test::kernel(access(262'144, 128, 32), access(262'144, 128, 4), 0, 5'490'000);
  row.sysmem_sectors = 8'388'608;
  EXPECT_FALSE(copy_is_better(row, {8, 268'435'456}, h100()));
  EXPECT_EQ(repeated_crossing_cost(row, {8, 268'435'456}, h100()).lost_ns, 5'490'000 * 7 / 8);
  EXPECT_EQ(repeated_crossing_cost(row, {8, std::nullopt}, h100()).lost_ns, 5'490'000 * 7 / 8);
  row.load.data_bytes = std::nullopt;
  EXPECT_EQ(repeated_crossing_cost(row, {8, 268'435'456}, h100()).lost_ns, std::nullopt);
}

// 32x32 tiles without padding: blocks wait for their 32-way conflicts, on top of the memory. 127.6 us on an
// H100, about 62 with padding.
TEST(Gain, BankConflictsComeOnTopOfMemory) {
  KernelRow row = test::kernel(access(524'288, 128, 4), access(524'288, 128, 4), 134'217'728, 127'600);
  row.shared = {2 * 524'288, 33 * 524'288, 2 * 524'288, 31 * 524'288};
  Machine machine = h100();
  machine.wavefronts_per_ns = 132 * 1.755;
  const auto cost = conflict_cost(row, machine);
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_NEAR(static_cast<double>(*cost.lost_ns), 65'600, 12'000);
  machine.wavefronts_per_ns = std::nullopt;
  EXPECT_EQ(conflict_cost(row, machine).lost_ns, std::nullopt);
}

// The reference kernel indexed by block + thread x grid, as recorded on an H100: 1.60 ms, its repaired twin
// 0.238.
TEST(Gain, SurplusThatStaysInL2IsPricedByTheScatteredRate) {
  const Access scattered = access(2'097'152, 128, 32);
  KernelRow row = test::kernel(scattered, scattered, 558'891'008, 1'602'349);
  row.l2_read_sectors = row.l2_write_sectors = 65'638'196;
  EXPECT_NEAR(lost_share(row, h100()), 1 - 238.306 / 1602.349, 0.05);
}

TEST(Gain, BytesGainByBeingMovedByTheWidestElement) {
  KernelRow row = test::kernel(access(8'388'608, 32, 1), access(8'388'608, 32, 1), 536'870'912, 730'758);
  row.load.lanes = row.store.lanes = 32;
  const auto cost = narrow_cost(row, 1, h100());
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_NEAR(static_cast<double>(*cost.lost_ns) / 730'758, 1 - 178.242 / 730.758, 0.05);
}

TEST(Gain, ContentionIsPricedByTheCurveOfAtomics) {
  KernelRow row = test::kernel(access(kRequests, 128, 4), access(0, 0, 0), 8'388'608, 1'000'000);
  row.reduction = access(kRequests, 4, 32);
  row.reduction.lanes = 32;
  Machine machine = h100();
  machine.atomics.reset();
  EXPECT_EQ(contention_cost(row, row.reduction, 1, machine).lost_ns, std::nullopt) << "not calibrated";
  machine.atomics = KnownCurve{{"1e9/s", "addresses", true, {{1, 2.5, {}}, {32, 80, {}}}}, "test"};
  row.grid = {8192, 1, 1};
  // 2 Mi atomics at 2.5 a ns are 839 of the 1,000 us, so they limit it; one a block is a 256th of that.
  EXPECT_NEAR(static_cast<double>(*contention_cost(row, row.reduction, 1, machine).lost_ns),
              1e6 * (1 - 1 / 256.0), 2'000);
}

// A block has to add to each address once: a histogram that is counted in shared memory gains nothing more.
TEST(Gain, AtomicsThatWereAddedUpInBlocksGainNothing) {
  KernelRow row = test::kernel(access(1'048'576, 128, 4), access(0, 0, 0), 134'217'728, 99'682);
  row.grid = {8192, 1, 1};
  row.reduction = access(65'536, 128, 4);
  row.reduction.lanes = 32;
  Machine machine = h100();
  machine.atomics = KnownCurve{{"1e9/s", "addresses", true, {{256, 26.28, {}}, {65'536, 308.6, {}}}}, "test"};
  EXPECT_EQ(contention_cost(row, row.reduction, 257, machine).lost_ns, 0);
  // The same without: 19.4 sectors a request, as neighbours count in words apart; 7.37 ms on an H100.
  row.reduction = access(1'048'576, 128, 20);
  row.reduction.lanes = 32;
  row.median_gpu_ns = row.gpu_ns = 7'374'516;
  EXPECT_NEAR(static_cast<double>(*contention_cost(row, row.reduction, 257, machine).lost_ns) / 7'374'516,
              0.986, 0.02);
}

// Registers spilled until 98 % of what L1 serves is local, and no traffic measured: 794 us on an H100, 76
// without.
TEST(Gain, LocalMemoryIsPricedByTheLeastTrafficToo) {
  KernelRow row = test::kernel(access(1'048'576, 128, 4), access(16'384, 128, 4), 0, 793'715);
  row.l2_read_sectors = row.l2_write_sectors = std::nullopt;
  row.local_load_sectors = 89'522'176;
  row.local_store_sectors = 91'029'504;
  row.local_sectors = *row.local_load_sectors + *row.local_store_sectors;
  row.footprint_bytes = std::nullopt;
  EXPECT_EQ(local_cost(row, h100()).lost_ns, std::nullopt);
  row.footprint_bytes = 136'314'880;
  const auto cost = local_cost(row, h100());
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_NEAR(static_cast<double>(*cost.lost_ns) / 793'715, 0.90, 0.05);
  EXPECT_NE(cost.basis.find("was not measured"), std::string::npos);
}

TEST(Gain, ConflictsHideWhereSharedMemoryIsQuiet) {
  KernelRow row = test::kernel(access(1'048'576, 128, 4), access(0, 0, 0), 134'217'728, 99'682);
  row.shared = {1'179'648, 2'228'224, 1'179'648, 1'048'576};
  Machine machine = h100();
  machine.wavefronts_per_ns = 259;
  EXPECT_EQ(conflict_cost(row, machine).lost_ns, 0);
}

// A kernel that computes loses with its idle lanes; one that waits for DRAM does not.
TEST(Gain, IdleLanesCostWhereMemoryDoesNotLimit) {
  const KernelRow computing =
      test::kernel(access(kRequests, 64, 2), access(kRequests, 64, 2), 8'388'608, 1'000'000);
  EXPECT_EQ(idle_lanes_cost(computing, 16, h100()).lost_ns, 500'000);
  const KernelRow copying =
      test::kernel(access(kRequests, 64, 2), access(kRequests, 64, 2), 134'217'728, 53'000);
  EXPECT_LT(*idle_lanes_cost(copying, 16, h100()).lost_ns, 2'000);
}

TEST(Gain, IdleLanesCostNothingWhereEachWarpHasASchedulerOfItsOwn) {
  KernelRow row = test::kernel(access(kRequests, 64, 2), access(kRequests, 64, 2), 8'388'608, 1'000'000);
  row.block = {64, 1, 1};
  Machine machine = h100();
  machine.schedulers = 528;
  row.grid = {264, 1, 1};
  EXPECT_EQ(idle_lanes_cost(row, 16, machine).lost_ns, 0);
  row.grid = {330, 1, 1};
  EXPECT_EQ(idle_lanes_cost(row, 16, machine).lost_ns, 200'000) << "528 of the 660 warps can run at once";
  row.grid = {1000, 1, 1};
  EXPECT_EQ(idle_lanes_cost(row, 16, machine).lost_ns, 500'000);
}

// The semaphores of a matrix product, one for each block.
TEST(Gain, AFewAtomicsKeepNoLongLaunchWaiting) {
  Machine machine = h100();
  machine.atomics = KnownCurve{{"1e9/s", "addresses", true, {{1, 2, {}}, {262'144, 100, {}}}}, "test"};
  KernelRow row = test::kernel(access(kRequests, 128, 4), access(kRequests, 128, 4), 8'388'608, 1'000'000);
  row.atomic = access(132, 4, 1);
  row.atomic.lanes = 1;
  EXPECT_EQ(returning_cost(row, machine).lost_ns, 0);
  row.atomic.requests = 1'000'000;
  row.atomic.lanes = 32;
  EXPECT_GT(returning_cost(row, machine).lost_ns.value_or(0), 100'000);
}

TEST(Gain, BroadcastsCostWhereL1IsBusyWithThem) {
  Machine machine = h100();
  machine.wavefronts_per_ns = 230;
  KernelRow row = test::kernel(access(33'554'432, 4, 1), access(524'288, 128, 4), 134'217'728, 150'000);
  row.load.sector_efficiency = 1;
  row.l2_read_sectors = 2'097'152;
  const auto cost = broadcast_cost(row, 33'000'000, machine);
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_GT(*cost.lost_ns, 60'000);
  row.load = access(524'288, 128, 4);
  EXPECT_EQ(broadcast_cost(row, 1'000, machine).lost_ns, std::nullopt);
}

TEST(Gain, RereadsAreWhatDramCarriedBeyondTheFootprint) {
  const Access loads = access(8 * 524'288, 128, 4);
  const KernelRow row = test::kernel(loads, access(0, 0, 0), 536'870'912, 240'000);
  const auto cost = reread_cost(row, 67'108'864, h100());
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_GT(*cost.lost_ns, 120'000) << "what is left is bounded by L2";
}

}  // namespace
}  // namespace coalescope::analysis
