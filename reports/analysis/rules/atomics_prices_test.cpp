// What A01 says that atomics cost, against what was measured.

#include <gtest/gtest.h>

#include "reports/analysis/rules/rule_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::access;
using test::h100;
using test::KernelCase;
using test::kRequests;

Cost cost_of(const KernelRow& row, const Machine& machine) {
  return kContendedAtomics.assess(KernelCase(row, machine).subject()).cost;
}

TEST(PriceOfAtomics, ContentionIsPricedByTheCurveOfAtomics) {
  KernelRow row = test::kernel(access(kRequests, 128, 4), access(0, 0, 0), 8'388'608, 1'000'000);
  row.reduction = access(kRequests, 4, 32);
  row.reduction.lanes = 32;
  Machine machine = h100();
  machine.atomics.reset();
  EXPECT_EQ(cost_of(row, machine).lost_ns, std::nullopt) << "not calibrated";
  machine.atomics = KnownCurve{{"1e9/s", "addresses", true, {{1, 2.5, {}}, {32, 80, {}}}}, "test"};
  row.grid = {8192, 1, 1};
  // 2 Mi atomics at 2.5 a ns are 839 of the 1,000 us, so they limit it; one a block is a 256th of that.
  EXPECT_NEAR(static_cast<double>(*cost_of(row, machine).lost_ns), 1e6 * (1 - 1 / 256.0), 2'000);
}

// Small values are the likelier: a few of 1,024 addresses get most. Nothing else takes the time.
TEST(PriceOfAtomics, AddressesUsedUnevenlyTakeLongerThanTheCurveSays) {
  KernelRow row = test::kernel(access(524'288, 128, 4), access(0, 0, 0), 67'211'648, 2'978'886);
  row.grid = {65'536, 1, 1};
  row.reduction = access(524'288, 124, 26);
  row.reduction.lanes = 32;
  Machine machine = h100();
  machine.atomics = KnownCurve{{"1e9/s", "addresses", true, {{1024, 107.2, {}}, {65'536, 515, {}}}}, "test"};
  PointerRow bins;
  bins.memory = model::MemoryKind::device;
  bins.allocation_bytes = 4096;
  const std::array pointers{&bins};
  const auto cost = kContendedAtomics.assess({row, machine, {}, pointers, nullptr}).cost;
  EXPECT_NEAR(static_cast<double>(*cost.lost_ns) / 2'978'886, 0.988, 0.06);
  // By the code they go to another of its allocations.
  row.least_atomic_bytes = 65'536 * 4;
  EXPECT_LT(kContendedAtomics.assess({row, machine, {}, pointers, nullptr}).cost.lost_ns, 2'978'886 / 2);
}

// A block has to add to each address once: a histogram that is counted in shared memory gains nothing more.
TEST(PriceOfAtomics, AtomicsThatWereAddedUpInBlocksGainNothing) {
  KernelRow row = test::kernel(access(1'048'576, 128, 4), access(0, 0, 0), 134'217'728, 99'682);
  row.grid = {8192, 1, 1};
  row.reduction = access(65'536, 128, 4);
  row.reduction.lanes = 32;
  row.shared.requests = 1'048'576;
  Machine machine = h100();
  machine.atomics = KnownCurve{{"1e9/s", "addresses", true, {{256, 26.28, {}}, {65'536, 308.6, {}}}}, "test"};
  PointerRow bins;
  bins.memory = model::MemoryKind::device;
  bins.allocation_bytes = 257 * 4;
  const std::array pointers{&bins};
  const auto lost_ns = [&] {
    return kContendedAtomics.assess({row, machine, {}, pointers, nullptr}).cost.lost_ns;
  };
  EXPECT_EQ(lost_ns(), 0);
  row.reduction.sectors = 20 * 65'536;
  EXPECT_EQ(lost_ns(), 0) << "words that are apart";
  // The same without shared memory: 19.4 sectors per request; neighbours add to distant words. 7.37 ms on an
  // H100.
  row.reduction = access(1'048'576, 128, 20);
  row.reduction.lanes = 32;
  row.shared.requests.reset();
  row.median_gpu_ns = row.gpu_ns = 7'374'516;
  EXPECT_NEAR(static_cast<double>(*lost_ns()) / 7'374'516, 0.986, 0.02);
}

// Rates of an H100, as shipped.
KnownCurve rates_of_atomics() {
  return {{"1e9/s",
           "addresses",
           true,
           {{1, 1.36, {}},
            {16, 13.2, {}},
            {64, 13.2, {}},
            {256, 27.3, {}},
            {1024, 107, {}},
            {4096, 288, {}},
            {262'144, 515, {}}}},
          "test"};
}

// bench/jury/public/upsample_gradient.cu on an H100: four lanes of a warp add to one of many words. The
// repair saves 57 %; the price leaves the launch its traffic at the rate of 4 bytes a thread, which it need
// not keep.
TEST(PriceOfAtomics, LanesOfAWarpThatShareAWordAreAddedUpThere) {
  KernelRow row = test::kernel(access(2'097'152, 128, 4), access(0, 0, 0), 283'448'832, 228'133);
  row.grid = {262'144, 1, 1};
  row.reduction = access(2'097'152, 32, 1);
  row.reduction.lanes = 32;
  Machine machine = h100();
  machine.atomics = rates_of_atomics();
  const auto cost = cost_of(row, machine);
  ASSERT_TRUE(cost.lost_ns);
  EXPECT_NEAR(static_cast<double>(*cost.lost_ns) / 228'133, 0.45, 0.02);
}

// bench/jury/public/spin_energy.cu on an H100: each lane adds 8 bytes to one address, in 7.36 ms; 0.3 % of
// that without. Taken for two addresses of 4 bytes, the atomics would explain a sixth of the launch.
TEST(PriceOfAtomics, AtomicsOfEightBytesWorkOnHalfAsManyAddresses) {
  KernelRow row = test::kernel(access(393'216, 128, 4), access(0, 0, 0), 50'350'720, 7'361'498);
  row.grid = {16'384, 1, 1};
  row.reduction = access(131'072, 8, 1);
  row.reduction.lanes = 32;
  row.reduction.width_bytes = 8;
  Machine machine = h100();
  machine.atomics = rates_of_atomics();
  const auto lost = [&] {
    return static_cast<double>(cost_of(row, machine).lost_ns.value_or(0)) / 7'361'498;
  };
  EXPECT_NEAR(lost(), 0.99, 0.01);
  row.reduction.width_bytes.reset();
  EXPECT_LT(lost(), 0.7);
}

// A histogram of 64 counters in a library's pool of memory on an H100: 6.23 ms, and 0.8 % of that when each
// block counts first. Its time alone tells how few the counters are.
TEST(PriceOfAtomics, FewAddressesInAPoolAreKnownByTheTimeOfTheLaunch) {
  KernelRow row = test::kernel(access(1'048'576, 128, 4), access(0, 0, 0), 134'300'288, 6'233'883);
  row.grid = {262'144, 1, 1};
  row.block = {128, 1, 1};
  row.dram_write_bytes = 12'434'432;
  row.instructions = 34'603'008;
  row.reduction = access(1'048'576, 128, 8);
  row.reduction.lanes = 32;
  Machine machine = h100();
  machine.multiprocessors = 132;
  machine.threads_per_multiprocessor = 2048;
  machine.instructions_per_ns = 800;
  machine.atomics = rates_of_atomics();
  PointerRow pool;
  pool.memory = model::MemoryKind::device;
  pool.allocation_bytes = 256 << 20;
  const std::array pointers{&pool};
  const auto assessed = [&] { return kContendedAtomics.assess({row, machine, {}, pointers, nullptr}); };
  const auto found = assessed();
  ASSERT_TRUE(found.cost.lost_ns);
  EXPECT_NEAR(static_cast<double>(*found.cost.lost_ns) / 6'233'883, 0.99, 0.02);
  EXPECT_NE(found.evidence.text.find("nothing else that was measured explains"), std::string::npos);

  const auto says_nothing = [&](std::string_view why) { EXPECT_FALSE(assessed().measure.reaches(2)) << why; };
  row.instructions = 34'603'008 * 50;
  says_nothing("its instructions take a third of the time");
  row.instructions = 34'603'008;
  row.dram_write_bytes = 8 * 1'048'576 * 32;
  EXPECT_TRUE(assessed().measure.reaches(2)) << "what is written may be data of earlier launches";
  row.dram_read_bytes = 134'300'288 + 8 * 1'048'576 * 32;
  says_nothing("the memory that its atomics change does not fit L2");
  row.dram_read_bytes = 134'300'288;
  row.dram_write_bytes = 12'434'432;
  row.load = access(8 * 1'048'576, 128, 4);
  says_nothing("one of nine requests is an atomic");
  row.load = access(1'048'576, 128, 4);
  row.grid = {132, 1, 1};
  says_nothing("few warps wait for their own requests");
}

// A block that keeps counters goes over all it can, so that as many blocks remain as multiprocessors hold.
TEST(PriceOfAtomics, BlocksThatAddUpAreThoseThatAMultiprocessorHolds) {
  KernelRow row = test::kernel(access(1'024, 128, 4), access(0, 0, 0), 131'072, 7'374'516);
  row.grid = {8192, 1, 1};
  row.reduction = access(1'048'576, 128, 20);
  row.reduction.lanes = 32;
  Machine machine = h100();
  machine.multiprocessors = 132;
  machine.atomics = KnownCurve{{"1e9/s", "addresses", true, {{256, 26.28, {}}, {65'536, 308.6, {}}}}, "test"};
  PointerRow bins;
  bins.memory = model::MemoryKind::device;
  bins.allocation_bytes = 1'024 * 4;
  const std::array pointers{&bins};
  const auto lost_ns = [&] {
    return kContendedAtomics.assess({row, machine, {}, pointers, nullptr}).cost.lost_ns.value_or(0);
  };
  const auto not_told = lost_ns();
  machine.threads_per_multiprocessor = 2048;
  EXPECT_EQ(lost_ns(), not_told);
  machine.threads_per_multiprocessor = 1024;
  EXPECT_GT(lost_ns(), not_told);
}

// bench/jury/tenth/torch_angle_sums.py on an H200: 20 neighbouring rows are added to each row, in 2.34 ms.
// Sums of segments took a sixth of that.
class RepeatedAtomics : public ::testing::Test {
 protected:
  RepeatedAtomics() {
    row_ = test::kernel(access(20'990'544, 66, 3), access(0, 0, 0), 1'526'583'126, 2'338'103);
    row_.load.sectors = 52'476'360;
    row_.grid = {1056, 1, 1};
    row_.block = {128, 1, 1};
    row_.reduction = access(10'495'272, 128, 4);
    row_.reduction.lanes = 32;
    row_.l2_read_sectors = 43'446'588;
    row_.l2_write_sectors = 0;
    row_.instructions = 1'081'139'736;
    row_.least_atomic_bytes = 1 << 26;
    machine_.atomics = rates_of_atomics();
    machine_.multiprocessors = 132;
    machine_.instructions_per_ns = 132 * 4 * 1.98;
  }
  [[nodiscard]] Assessment said() const {
    return kRepeatedAtomics.assess(KernelCase(row_, machine_).subject());
  }

  KernelRow row_;
  Machine machine_ = h100();
};

TEST_F(RepeatedAtomics, SegmentsAreReadAndStoredOnce) {
  EXPECT_NEAR(*said().measure.value, 20, 0.1) << "times to each address";
  EXPECT_NEAR(static_cast<double>(*said().cost.lost_ns) / 2'338'103, 0.71, 0.01)
      << "at an H100's rates; H200: 0.81";
}

TEST_F(RepeatedAtomics, WhatElseExplainsTheLaunchIsNotPutDownToThem) {
  row_.median_gpu_ns = row_.gpu_ns = 900'000;
  EXPECT_EQ(said().measure.value, 0) << "as fast as atomics are";
}

TEST_F(RepeatedAtomics, FewAdditionsToEachAddressAreNoSegments) {
  row_.least_atomic_bytes = 1 << 28;
  EXPECT_LT(said().measure.value, kRepeatedAtomics.about.limit);
  row_.least_atomic_bytes.reset();
  EXPECT_EQ(said().measure.value, 0) << "where they go to is not known";
}

}  // namespace
}  // namespace coalescope::analysis
