// Rules about the other memory of kernels (shared, constant, local, host), atomics and rereads: what each
// finds, where it must find nothing, and where it must not judge.
#include <array>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rules/kernel_cases_test.h"
#include "reports/analysis/rules/rules.h"

namespace coalescope::analysis {
namespace {

using test::access;
using test::advice;
using test::cannot;
using test::cannot_judge;
using test::finding_of;
using test::finds;
using test::finds_nothing;
using test::fires;
using test::fires_priced;
using test::judgement_of;
using test::kClean;
using test::KernelCase;
using test::kRequests;
using test::line_of;
using test::loading;
using test::quiet;
using test::quiet_priced;
using testing::HasSubstr;

KernelRow with_wavefronts(std::int64_t wavefronts, std::int64_t ideal) {
  KernelRow row = loading(kClean);
  row.shared = {kRequests, wavefronts, ideal, wavefronts - ideal};
  return row;
}

TEST(S01, FiresOnConflictsOnly) {
  EXPECT_TRUE(fires(kBankConflicts, with_wavefronts(32 * kRequests, kRequests)));
  EXPECT_TRUE(fires(kBankConflicts, with_wavefronts(2 * kRequests, kRequests)));
  EXPECT_TRUE(quiet(kBankConflicts, with_wavefronts(kRequests, kRequests)));
  EXPECT_TRUE(quiet(kBankConflicts, with_wavefronts(2 * kRequests, 2 * kRequests)))
      << "8-byte words take two";
  EXPECT_TRUE(quiet(kBankConflicts, loading(kClean))) << "no shared memory";
}

TEST(S01, DoesNotJudgeWhatWasNotCounted) {
  KernelRow row = loading(kClean);
  row.shared = {};
  EXPECT_TRUE(cannot(kBankConflicts, row));
}

TEST(S02, FiresOnLinesThatFillSharedMemoryAgainAndAgainWithFewWarps) {
  KernelRow row = loading(access(32 * 1056, 128, 4));
  row.grid = {132, 1, 1};
  row.block = {256, 1, 1};  // 1,056 warps, 32 tiles each
  LineRow line = line_of(row, "a.cu", 7, true);
  line.shared.requests = line.loads;
  KernelCase kernel(row, {line});
  EXPECT_TRUE(cannot_judge(kStagingThroughRegisters, kernel.subject())) << "a GPU of unknown size";
  kernel.device.multiprocessors = 132;
  EXPECT_TRUE(finds(kStagingThroughRegisters, kernel.subject()));
  kernel.lines[0].async_copies = line.loads;
  EXPECT_TRUE(finds_nothing(kStagingThroughRegisters, kernel.subject())) << "asynchronous already";
  kernel.lines[0] = line;
  kernel.row.grid = {1056, 1, 1};
  EXPECT_TRUE(finds_nothing(kStagingThroughRegisters, kernel.subject())) << "other warps work meanwhile";
  EXPECT_TRUE(cannot(kStagingThroughRegisters, row)) << "no lines";
}

TEST(S02, LinesThatFillOneTileAreWaitedForOnce) {
  KernelRow row = test::kernel(access(64 * 1056, 128, 4), kClean, 16'777'216, 100'000);
  row.grid = {132, 1, 1};
  row.block = {256, 1, 1};
  LineRow line = line_of(row, "a.cu", 7, true);
  line.loads = line.shared.requests = 32 * 1056;
  line.instructions = 2;
  const auto lost = [&](const std::vector<LineRow>& lines) {
    KernelCase staging(row, lines);
    staging.device.multiprocessors = 132;
    staging.machine = test::h100();
    return kStagingThroughRegisters.assess(staging.subject()).cost.lost_ns;
  };
  EXPECT_GT(lost({line}), 0);
  EXPECT_EQ(lost({line, line}), lost({line}));
}

TEST(C01, FiresOnConstantLoadsAtSeveralAddresses) {
  KernelRow row = loading(kClean);
  row.unmeasured = {{model::Phase::traffic, model::CoverageReason::phase_off, ""}};
  EXPECT_TRUE(cannot(kConstantAddresses, row));
  EXPECT_EQ(judgement_of(kConstantAddresses, KernelCase(row).subject()).not_judged.front().why,
            "L2 and DRAM traffic not measured: switched off");
  row.constant_divergent_loads = 0;
  EXPECT_TRUE(quiet(kConstantAddresses, row));
  row.constant_divergent_loads = kRequests;
  row.constant_addresses = 32;
  EXPECT_TRUE(fires(kConstantAddresses, row));
  row.constant_addresses = 1.5;
  EXPECT_TRUE(quiet(kConstantAddresses, row));
}

TEST(L01, FiresOnLocalTraffic) {
  KernelRow row = loading(kClean);
  row.local_sectors = 4 * kRequests;
  EXPECT_TRUE(fires(kLocalMemory, row));
  row.local_sectors = 100;
  EXPECT_TRUE(quiet(kLocalMemory, row));
  row.local_sectors = 0;
  EXPECT_TRUE(quiet(kLocalMemory, row));
  row.local_sectors = std::nullopt;
  EXPECT_TRUE(cannot(kLocalMemory, row));
  row.local_sectors = 4 * kRequests;
  row.registers_per_thread = 255;
  EXPECT_THAT(advice(kLocalMemory, row), HasSubstr("255 registers"));
}

TEST(L01, TellsSpilledRegistersFromArrays) {
  KernelRow row = loading(kClean);
  row.local_sectors = 4 * kRequests;
  row.registers_per_thread = 32;
  LineRow line = test::line_of(row, "a.cu", 7, true);
  line.local_sectors = row.local_sectors;
  for (const bool spilled : {false, true}) {
    line.spilled = spilled;
    const auto found = test::finding_of(kLocalMemory, KernelCase(row, {line}).subject());
    EXPECT_EQ(found.advice_id, spilled ? "L01.more_registers" : "L01.constant_index");
    EXPECT_EQ(kLocalMemory.blame(line).has_value(), !spilled)
        << "no line of the kernel leaves too few registers";
  }
}

KernelRow reducing(std::int64_t bytes, std::int64_t sectors, std::optional<double> lanes) {
  KernelRow row = loading(kClean);
  row.reduction = access(kRequests, bytes, sectors);
  row.reduction.lanes = lanes;
  return row;
}

TEST(A01, FiresWhereLanesShareAnAddress) {
  EXPECT_TRUE(fires(kContendedAtomics, reducing(4, 32, 32)));
  EXPECT_TRUE(quiet(kContendedAtomics, reducing(128, 4, 32))) << "an address for each lane";
  EXPECT_TRUE(quiet(kContendedAtomics, reducing(4, 1, 1))) << "aggregated by the warp";
  EXPECT_TRUE(quiet(kContendedAtomics, loading(kClean))) << "no atomics";
}

// 8 lanes that add to 8 words share none of them, so that nothing says that all warps share these.
TEST(A01, TakesWordsForSharedOnlyWhereLanesShareThem) {
  KernelCase kernel(reducing(32, 4, 8));
  kernel.machine.atomics =
      KnownCurve{{"1e9/s", "addresses", true, {{1, 2, {}}, {256, 20, {}}, {262'144, 100, {}}}}, "test"};
  EXPECT_TRUE(finds_nothing(kContendedAtomics, kernel.subject()));
  kernel.row.reduction.lanes = 32;
  EXPECT_TRUE(finds(kContendedAtomics, kernel.subject()));
}

// 32 lanes go to nearly as many of 256 words, but all warps go to the same 256.
TEST(A01, KnowsFewAddressesByTheSmallestAllocation) {
  KernelCase kernel(reducing(120, 20, 32));
  kernel.machine.atomics =
      KnownCurve{{"1e9/s", "addresses", true, {{1, 2, {}}, {256, 20, {}}, {262'144, 100, {}}}}, "test"};
  PointerRow pointer;
  pointer.memory = model::MemoryKind::device;
  pointer.allocation_bytes = 1024;
  const std::array pointers{&pointer};
  const KernelSubject subject{kernel.row, kernel.machine, {}, pointers, nullptr};
  EXPECT_TRUE(finds(kContendedAtomics, subject));
  pointer.allocation_bytes = 1 << 22;
  EXPECT_TRUE(finds_nothing(kContendedAtomics, subject));
}

TEST(A01, FiresOnResultsThatCostTime) {
  Machine machine = test::h100();
  machine.atomics = KnownCurve{{"1e9/s", "addresses", true, {{1, 2, {}}, {262'144, 100, {}}}}, "test"};
  KernelCase kernel(test::kernel(kClean, kClean, 16'777'216, 1'000'000), machine);
  EXPECT_TRUE(finds_nothing(kReturningAtomics, kernel.subject()));
  kernel.row.atomic = access(kRequests, 128, 4);
  kernel.row.atomic.lanes = 32;
  EXPECT_TRUE(finds(kReturningAtomics, kernel.subject()));
  EXPECT_TRUE(quiet(kReturningAtomics, kernel.row)) << "no price, no finding";
  kernel.row.atomic.requests = std::nullopt;
  EXPECT_TRUE(cannot_judge(kReturningAtomics, kernel.subject()));
}

// The compiler lets one lane add for its warp; all warps still wait for the same counter.
TEST(A01, FewLanesCountWhereTheyTakeTheLaunch) {
  Machine machine = test::h100();
  machine.atomics = KnownCurve{{"1e9/s", "addresses", true, {{1, 2, {}}, {262'144, 100, {}}}}, "test"};
  KernelRow row = test::kernel(kClean, kClean, 16'777'216, 100'000);
  row.grid = {4096, 1, 1};
  row.block = {256, 1, 1};
  row.atomic = access(180'000, 4, 1);  // 90 us
  row.atomic.lanes = 1;
  EXPECT_TRUE(finds(kContendedAtomics, KernelCase(row, machine).subject()));
  row.median_gpu_ns = 1'000'000;
  EXPECT_TRUE(finds_nothing(kContendedAtomics, KernelCase(row, machine).subject())) << "they take a tenth";
  row.median_gpu_ns = 60'000;
  EXPECT_TRUE(finds_nothing(kContendedAtomics, KernelCase(row, machine).subject()))
      << "one counter would take longer than the launch";
}

TEST(A01, DoesNotJudgeWhatWasNotCounted) {
  KernelRow row = reducing(4, 1, 32);
  row.reduction.requests = std::nullopt;
  EXPECT_TRUE(cannot(kContendedAtomics, row)) << "without lines";
  row = loading(kClean);
  row.atomic.sectors = std::nullopt;
  EXPECT_TRUE(cannot(kContendedAtomics, row));
}

TEST(R04, FiresOnDataThatComeFromDramAgain) {
  KernelCase kernel(loading(kClean));
  kernel.device.l2_bytes = 50 << 20;
  kernel.row.dram_read_bytes = 512 << 20;
  EXPECT_TRUE(cannot_judge(kRereads, kernel.subject())) << "where its pointers lead is not known";
  kernel.row.footprint_bytes = 64 << 20;
  EXPECT_TRUE(finds(kRereads, kernel.subject()));
  kernel.row.has_loaded_pointers = true;
  EXPECT_TRUE(cannot_judge(kRereads, kernel.subject())) << "they may lead to other memory";
  kernel.row.has_loaded_pointers = false;
  kernel.row.footprint_bytes = 512 << 20;
  EXPECT_TRUE(finds_nothing(kRereads, kernel.subject()));
  kernel.row.dram_read_bytes = 40 << 20;
  kernel.row.footprint_bytes = 1 << 20;
  EXPECT_TRUE(finds_nothing(kRereads, kernel.subject())) << "as much as L2 holds";
  kernel.row.dram_read_bytes = 512 << 20;
  KernelSubject under_l2_window = kernel.subject();
  under_l2_window.under_l2_window = true;
  EXPECT_TRUE(finds_nothing(kRereads, under_l2_window)) << "R01 to R03 judge that";
  kernel.row.dram_read_bytes = std::nullopt;
  EXPECT_TRUE(cannot_judge(kRereads, kernel.subject()));
}

// Five passes over 512 MiB, and results of as many bytes.
TEST(R04, LeavesOutMemoryThatIsOnlyStored) {
  KernelCase kernel(loading(kClean));
  kernel.device.l2_bytes = 50 << 20;
  kernel.row.dram_read_bytes = std::int64_t{2560} << 20;
  kernel.row.footprint_bytes = 1024 << 20;
  EXPECT_TRUE(finds_nothing(kRereads, kernel.subject()));
  kernel.row.loaded_footprint_bytes = 512 << 20;
  kernel.row.store.degree = 1;
  EXPECT_TRUE(finds(kRereads, kernel.subject()));
  EXPECT_THAT(finding_of(kRereads, kernel.subject()).evidence,
              HasSubstr("5.0 times the 512 MiB that it loads"));
  kernel.row.store.degree = 0.25;
  EXPECT_TRUE(finds_nothing(kRereads, kernel.subject())) << "L2 may read the rest of sectors that are stored";
}

// DRAM brings two sectors for each that a lane goes to, and most of both are surplus.
TEST(R04, LeavesWhatSurplusBringsToOthers) {
  KernelCase kernel(loading(access(4'000'000, 128, 32)));
  kernel.device.l2_bytes = 50 << 20;
  kernel.row.footprint_bytes = 512 << 20;
  kernel.row.dram_read_bytes = std::int64_t{7} << 30;
  EXPECT_TRUE(finds_nothing(kRereads, kernel.subject()));
  kernel.row.load.sector_efficiency = 1;
  EXPECT_TRUE(finds(kRereads, kernel.subject()));
}

// A graph's neighbours, a table of hashes: no order of the work brings together what comes again.
TEST(R04, LeavesAloneWhatDataDecide) {
  const KernelRow row = loading(kClean);
  KernelCase kernel(row, {line_of(row, "a.cu", 8, true)});
  kernel.device.l2_bytes = 50 << 20;
  kernel.row.dram_read_bytes = 512 << 20;
  kernel.row.footprint_bytes = 64 << 20;
  kernel.lines[0].indexed_sectors = *kernel.lines[0].sectors / 3;
  EXPECT_TRUE(finds(kRereads, kernel.subject()));
  kernel.lines[0].indexed_sectors = kernel.lines[0].sectors;
  EXPECT_TRUE(finds_nothing(kRereads, kernel.subject()));
}

KernelRow with_sysmem(std::optional<std::int64_t> sectors) {
  KernelRow row = loading(kClean);
  row.sysmem_sectors = sectors;
  return row;
}

// 65,536 requests of 128 bytes: 262,144 sectors if each byte crosses once.
TEST(Z01, FiresWhereBytesCrossMoreThanOnce) {
  EXPECT_TRUE(fires(kZeroCopy, with_sysmem(2 * 262'144)));
  EXPECT_TRUE(quiet(kZeroCopy, with_sysmem(262'144))) << "once is what zero-copy is for";
  EXPECT_TRUE(quiet(kZeroCopy, with_sysmem(0)));
  EXPECT_THAT(finding_of(kZeroCopy, KernelCase(with_sysmem(2 * 262'144)).subject()).evidence,
              HasSubstr("crossed 2.0 times"));
}

// The host cannot have changed what launches read for none of which it waited.
TEST(Z01, FiresWhereLaunchesReadTheSameMemory) {
  KernelRow row = with_sysmem(262'144);
  row.host_footprint_bytes = 262'144 * 32;
  row.launches_per_wait = 1;
  EXPECT_TRUE(quiet(kZeroCopy, row));
  row.launches_per_wait = 100;
  EXPECT_TRUE(fires(kZeroCopy, row));
  row.host_footprint_bytes = 20 * 262'144 * 32;
  EXPECT_TRUE(quiet(kZeroCopy, row)) << "each may read a part of its own";
}

// The host's part of what it reads may be small, and the bus slow.
TEST(Z01, FiresWhereTheBusTakesAPartOfItsTime) {
  KernelRow row = with_sysmem(25'000);
  row.load = access(65'536 * 16, 128, 4);
  row.l2_sectors = 16 * 262'144;
  row.host_footprint_bytes = 25'000 * 32;
  row.launches_per_wait = 100;
  const double bus_ns = 25'000 * 32 / h100().host_to_device->bandwidth * 1e9;
  row.median_gpu_ns = static_cast<std::int64_t>(bus_ns * 20);
  EXPECT_TRUE(quiet_priced(kZeroCopy, row)) << "a twentieth";
  row.median_gpu_ns = static_cast<std::int64_t>(bus_ns * 5);
  EXPECT_TRUE(fires_priced(kZeroCopy, row));
  const auto lost = finding_of(kZeroCopy, KernelCase(row, h100()).subject()).lost_ns;
  EXPECT_GT(lost, 0);
  EXPECT_LE(lost, static_cast<std::int64_t>(bus_ns) + 1) << "the rest stays";
}

TEST(Z01, NamesTheLineThatReadsTheHostsMemory) {
  LineRow line;
  EXPECT_EQ(kZeroCopy.blame(line), std::nullopt);
  line.host_sectors = 40;
  EXPECT_EQ(kZeroCopy.blame(line), 40);
}

// Whose lanes are contiguous takes no part of a sector.
TEST(Z01, AdviceGoesByTheDegree) {
  KernelRow row = with_sysmem(2 * 262'144);
  EXPECT_EQ(finding_of(kZeroCopy, KernelCase(row).subject()).advice_id, "Z01.read_once");
  row.load.sector_efficiency = 0.125;
  EXPECT_EQ(finding_of(kZeroCopy, KernelCase(row).subject()).advice_id, "Z01.side_by_side");
}

TEST(Z01, DoesNotJudgeWhatWasNotMeasured) {
  EXPECT_TRUE(cannot(kZeroCopy, with_sysmem(std::nullopt)));
  KernelRow again = with_sysmem(262'144);
  again.host_footprint_bytes = 262'144 * 32 / 3;
  EXPECT_TRUE(fires(kZeroCopy, again)) << "each byte is asked for three times, and crosses three times";
  EXPECT_THAT(finding_of(kZeroCopy, KernelCase(again).subject()).evidence,
              HasSubstr("3.0 times the 2.67 MiB"));
  again.host_footprint_bytes = 262'144 * 32;
  EXPECT_TRUE(quiet(kZeroCopy, again));
  KernelRow row = with_sysmem(400'000);
  row.l2_sectors = std::nullopt;
  EXPECT_TRUE(cannot(kZeroCopy, row));
  row = with_sysmem(400'000);
  row.load.data_bytes = std::nullopt;
  EXPECT_TRUE(cannot(kZeroCopy, row));
}

}  // namespace
}  // namespace coalescope::analysis
