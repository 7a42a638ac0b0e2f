// What rules about transfers and L2 windows say that a fault costs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rows/sample_rows_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;
using test::window;

std::optional<std::int64_t> lost_ns(const Rule<TransferSubject>& rule, const TransferRow& row,
                                    const Machine& machine = {}) {
  return rule.assess({row, machine}).cost.lost_ns;
}

TEST(PriceOfCopies, TransfersAreComparedWithTheirReference) {
  TransferRow row = test::copy(Direction::host_to_device, MemoryKind::pageable, 1, 134'217'728, 17'207'000);
  EXPECT_EQ(lost_ns(kPageableCopies, row), std::nullopt);
  row.reference_bandwidth = 55.0e9;
  EXPECT_NEAR(static_cast<double>(*lost_ns(kPageableCopies, row)), 14'766'678, 10);
  row.reference_bandwidth = 1e9;
  EXPECT_EQ(lost_ns(kPageableCopies, row), 0) << "faster than the reference is no gain below zero";
}

TEST(PriceOfCopies, OnlyWhatIsCopiedAgainAndAgainPaysForPinning) {
  TransferRow row = test::copy(Direction::device_to_host, MemoryKind::pageable, 10, 1'000'000, 1'000'000);
  row.reference_bandwidth = 50e9;
  row.bursts = 1;
  row.first_burst_bytes = 10'000'000;
  EXPECT_EQ(lost_ns(kPageableCopies, row), 0);
  row.bursts = 10;
  row.first_burst_bytes = 1'000'000;
  row.later_ns_per_byte = 0.1;
  EXPECT_EQ(lost_ns(kPageableCopies, row), 720'000)
      << "nine copies of 0.08 ns a byte; the first touched the memory";
  row.call_sites = {{.call_site_id = 1, .calls = 9}, {.call_site_id = 2, .calls = 1}};
  EXPECT_EQ(lost_ns(kPageableCopies, row), 720'000);
  row.time_beside_kernels = 0.75;
  EXPECT_EQ(lost_ns(kPageableCopies, row), 225'000) << "the kernels take the other 675 us in any case";
}

TEST(PriceOfCopies, AsynchronousCallsOfPageableMemoryKeepTheGpuIdle) {
  TransferRow row = test::copy(Direction::device_to_host, MemoryKind::pageable, 10, 1'000'000, 200'000);
  row.reference_bandwidth = 50e9;
  row.bursts = 10;
  row.first_burst_bytes = 1'000'000;
  row.later_ns_per_byte = 0.02;
  row.call_sites = {{.call_site_id = 1, .calls = 10, .idle_ns = 400'000}};
  row.asynchronous = false;
  EXPECT_EQ(lost_ns(kPageableCopies, row), 0) << "a call that waits in any case";
  row.asynchronous = true;
  EXPECT_EQ(lost_ns(kPageableCopies, row), 400'000);
  row.waited_apart = true;
  EXPECT_EQ(lost_ns(kPageableCopies, row), 0) << "the program wants the results at once";
}

TEST(PriceOfCopies, EachOfAnotherCallIsCopiedOnce) {
  TransferRow row = test::copy(Direction::device_to_host, MemoryKind::pageable, 4, 1'000'000, 400'000);
  row.reference_bandwidth = 50e9;
  row.bursts = 4;
  row.first_burst_bytes = 1'000'000;
  row.later_ns_per_byte = 0.1;
  EXPECT_GT(lost_ns(kPageableCopies, row), 0);
  row.call_sites = {{.call_site_id = 1, .calls = 2}, {.call_site_id = 2, .calls = 1}};
  EXPECT_GT(lost_ns(kPageableCopies, row), 0) << "one of the calls is not known";
  row.call_sites.push_back({.call_site_id = 3, .calls = 1});
  EXPECT_EQ(lost_ns(kPageableCopies, row), 0);
  row.call_sites.clear();
  row.bursts = 3;
  EXPECT_EQ(lost_ns(kPageableCopies, row), 0) << "as in a set-up";
}

TEST(PriceOfCopies, SmallTransfersLoseTheirFixedTime) {
  const TransferRow row = test::copy(Direction::host_to_device, MemoryKind::pinned, 1000, 4096, 2'560'000);
  Machine machine;
  machine.copy_ns = 2'490;
  EXPECT_EQ(lost_ns(kSmallCopies, row, machine), 999 * 2'490);
  EXPECT_EQ(lost_ns(kSmallCopies, row), std::nullopt);
}

KnownCurve level(double gb_s) {
  return {{"GB/s", "bytes", true, {{1e6, gb_s, {}}, {1e9, gb_s, {}}}}, "test"};
}

TEST(PriceOfCopies, PackedBytesStillHaveToBeCopied) {
  const TransferRow row =
      test::copy(Direction::host_to_device, MemoryKind::pinned, 1001, 16'000, 1001 * 2'100);
  Machine machine;
  machine.copy_ns = 2'490;
  machine.pinned_to_device = level(50);
  EXPECT_EQ(lost_ns(kSmallCopies, row, machine), 1000 * (2'100 - 320));
}
// Natively copies of 16 B in a queue follow each other every 2.4 us on an H100; records show 0.9 us of that.
TEST(PriceOfCopies, RecordsDoNotShowTheGapsOfAQueue) {
  TransferRow row = test::copy(Direction::host_to_device, MemoryKind::pinned, 1001, 16, 1001 * 900);
  Machine machine;
  machine.copy_ns = 2'490;
  row.asynchronous = false;
  EXPECT_EQ(lost_ns(kSmallCopies, row, machine), 1000 * 900) << "T03 prices the gaps of copies in turn";
  row.asynchronous = true;
  EXPECT_EQ(lost_ns(kSmallCopies, row, machine), 1000 * 2'490);
  row.waited_for = true;
  EXPECT_EQ(lost_ns(kSmallCopies, row, machine), 1000 * 900);
}

// bench/jury/tenth/spoken_sounds.cu on an H200: 2,048 copies of 8 KiB within the device, 2.7 us each by the
// records.
TEST(PriceOfCopies, SmallCopiesWithinTheDeviceLoseTheirFixedTimeToo) {
  TransferRow row = test::copy(Direction::device_to_device, MemoryKind::device, 1001, 8192, 1001 * 2'700);
  row.asynchronous = true;
  Machine machine;
  machine.copy_ns = 2'490;
  EXPECT_EQ(lost_ns(kSmallCopies, row, machine), 1000 * 2'490);
  row.gpu_ns = 1001 * 900;
  EXPECT_EQ(lost_ns(kSmallCopies, row, machine), 1000 * 2'490) << "the gaps of a queue";
  row.beside_others = 0.5;
  EXPECT_EQ(lost_ns(kSmallCopies, row, machine), 1000 * 1'245);
}

// A tuned hitRatio saves a fifth where a third of the accesses are to the region, and half where most are.
Machine with_residency() {
  Machine machine;
  machine.residency_full = level(2000);
  machine.residency_tuned = level(2500);
  machine.residency_most_full = level(2000);
  machine.residency_most_tuned = level(4000);
  return machine;
}

// Has 60 MiB under the window and 40 beside; L2 delivers 120 MiB, two thirds of it for the window.
KernelRow under_l2_window() {
  KernelRow row;
  row.id = 1;
  row.name = "kernel";
  row.launches = 10;
  row.median_gpu_ns = 100'000;
  row.gpu_ns = 1'000'000;
  row.footprint_bytes = 100 << 20;
  row.l2_read_sectors = (120 << 20) / 32;
  row.dram_read_bytes = 120 << 20;
  return row;
}

TEST(PriceOfWindows, IsByTheCurvesAndTheKernelsShareOfItsWindow) {
  const L2WindowRow row = window(60 << 20, 1.0, 30 << 20);
  const KernelRow kernel = under_l2_window();
  const std::vector<KernelUse> users{{&kernel, 1}};
  const auto cost = [&](const Machine& machine) {
    return kL2WindowOverSetAside.assess({row, machine, nullptr, users, {}, {}}).cost;
  };
  EXPECT_EQ(cost(Machine{}).lost_ns, std::nullopt);
  Machine machine = with_residency();
  // 0.2 + (0.5 - 0.2) x (2/3 - 1/3) / (7/8 - 1/3)
  EXPECT_NEAR(static_cast<double>(cost(machine).lost_ns.value_or(0)), 384'615, 10);
  EXPECT_EQ(cost(machine).of_ns, 1'000'000);
  machine.residency_most_full = machine.residency_most_tuned = std::nullopt;
  EXPECT_NEAR(static_cast<double>(cost(machine).lost_ns.value_or(0)), 400'000, 10) << "0.2 x (2/3) / (1/3)";
}

TEST(PriceOfWindows, IsNothingWhereDramIsReadOnce) {
  const L2WindowRow row = window(60 << 20, 1.0, 30 << 20);
  KernelRow kernel = under_l2_window();
  kernel.dram_read_bytes = 100 << 20;
  const std::vector<KernelUse> users{{&kernel, 1}};
  EXPECT_EQ(kL2WindowOverSetAside.assess({row, with_residency(), nullptr, users, {}, {}}).cost.lost_ns, 0);
}

TEST(PriceOfWindows, IsUnknownWithoutAKernelThatUsesTheWindow) {
  const L2WindowRow row = window(60 << 20, 1.0, 30 << 20);
  EXPECT_EQ(kL2WindowOverSetAside.assess({row, with_residency()}).cost.lost_ns, std::nullopt);
}

TEST(PriceOfWindows, IsOfOneRegionAndOnceForLaunchesThatRunAtOnce) {
  L2WindowRow row = window(60 << 20, 1.0, 30 << 20);
  row.other_windows = 1;
  row.other_bytes = 60 << 20;
  row.at_once = 2;
  KernelRow kernel = under_l2_window();
  kernel.dram_read_bytes = 100 << 20;  // measured alone it is not disturbed
  const std::vector<KernelUse> together{{&kernel, 1}};
  const Machine machine = with_residency();
  const L2WindowSubject subject{row, machine, nullptr, {}, {}, together};
  EXPECT_NEAR(static_cast<double>(kL2WindowsTogether.assess(subject).cost.lost_ns.value_or(0)), 192'308, 10);
  EXPECT_EQ(kL2WindowsTogether.assess(subject).cost.of_ns, 500'000);
  kernel.l2_read_sectors = (100 << 20) / 32;
  EXPECT_EQ(kL2WindowsTogether.assess(subject).cost.lost_ns, 0) << "comes back to nothing";
  row.first_of_all = false;
  EXPECT_EQ(kL2WindowsTogether.assess(subject).measure.value, 0) << "the first one has said it";
}

}  // namespace
}  // namespace coalescope::analysis
