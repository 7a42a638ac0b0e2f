#include "reports/comparison/transfers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/comparison/compare.h"
#include "reports/comparison/sample_reports_test.h"

namespace coalescope::comparison {
namespace {

using analysis::Report;
using model::Direction;
using model::MemoryKind;

constexpr std::int64_t kCopyBytes = 64 << 20, kCopies = 20, kCopyNs = 20'000'000;

Report with_copies(MemoryKind host, std::int64_t copies = kCopies, std::int64_t bytes = kCopyBytes) {
  Report report = test::report_of({test::strided(1, "copy(int)")});
  report.transfers.push_back(analysis::test::copy(Direction::host_to_device, host, copies, bytes, kCopyNs));
  return report;
}

Judgement judged(const Report& before, const Report& after) {
  return compare_transfers(before, after).at(0).judgement;
}

TEST(CompareTransfers, TheSameCopiesAreTheSameInAnyOrder) {
  EXPECT_EQ(judged(with_copies(MemoryKind::pageable), with_copies(MemoryKind::pageable)), Judgement::same);
}

TEST(CompareTransfers, PinnedMemoryIsBetterThoughTheBytesStay) {
  EXPECT_EQ(judged(with_copies(MemoryKind::pageable), with_copies(MemoryKind::pinned)), Judgement::better);
  EXPECT_EQ(judged(with_copies(MemoryKind::pinned), with_copies(MemoryKind::pageable)), Judgement::worse);
}

TEST(CompareTransfers, MoreBytesAreWorseAndAFewSmallCopiesAreNothing) {
  EXPECT_EQ(
      judged(with_copies(MemoryKind::pinned), with_copies(MemoryKind::pinned, kCopies, kCopyBytes * 21 / 20)),
      Judgement::worse);
  EXPECT_EQ(judged(with_copies(MemoryKind::pinned, 10, 100), with_copies(MemoryKind::pinned, 15, 100)),
            Judgement::same);
}

TEST(CompareTransfers, ADirectionThatCameIsWorse) {
  const Report none = test::report_of({test::strided(1, "copy(int)")});
  EXPECT_EQ(judged(none, with_copies(MemoryKind::pinned)), Judgement::worse);
}

TEST(CompareTransfers, TheVerdictSaysOfWhat) {
  const auto verdict = [](std::int64_t copies, std::int64_t bytes) {
    return compare(with_copies(MemoryKind::pinned), with_copies(MemoryKind::pinned, copies, bytes)).verdict;
  };
  EXPECT_THAT(verdict(kCopies, 2 * kCopyBytes), testing::HasSubstr("host to device transfers: bytes +100 %"));
  EXPECT_THAT(verdict(2 * kCopies, kCopyBytes / 2),
              testing::HasSubstr("host to device transfers: number +100 %"));
}

TEST(CompareTransfers, ASetOfMemoryIsNamedInFull) {
  EXPECT_EQ(transfers_subject({"set", {}, Judgement::same}), "transfers: memory set");
  EXPECT_EQ(transfers_subject({"host to device", {}, Judgement::same}), "transfers: host to device");
}

TEST(CompareTransfers, TimesAreAdvice) {
  Report slow = with_copies(MemoryKind::pinned);
  slow.transfers[0].gpu_ns = 10 * kCopyNs;
  const auto rows = compare_transfers(with_copies(MemoryKind::pinned), slow);
  EXPECT_EQ(rows.at(0).judgement, Judgement::same);
  EXPECT_EQ(rows.at(0).numbers.back().judgement, Judgement::worse);
}

Report with_peak(model::AllocationKind kind, std::int64_t bytes) {
  Report report = test::report_of({test::strided(1, "copy(int)")});
  analysis::AllocationSum sum;
  sum.kind = kind;
  sum.most_bytes = bytes;
  report.program.allocations.push_back(sum);
  return report;
}

TEST(CompareMemory, MoreOfTheDevicesIsWorseAndMorePinnedIsAChange) {
  using model::AllocationKind;
  const auto judged_memory = [](AllocationKind kind, std::int64_t after) {
    return compare_memory(with_peak(kind, 100 << 20), with_peak(kind, after)).at(0).judgement;
  };
  EXPECT_EQ(judged_memory(AllocationKind::device, 110 << 20), Judgement::worse);
  EXPECT_EQ(judged_memory(AllocationKind::device, 101 << 20), Judgement::same);
  EXPECT_EQ(judged_memory(AllocationKind::pinned, 200 << 20), Judgement::changed);
}

TEST(CompareFindingsOfTransfers, OneThatVanishedWithItsPageableBytesTellsItsGain) {
  Report before = with_copies(MemoryKind::pageable), after = with_copies(MemoryKind::pinned);
  before.transfers[0].id = 1;
  after.transfers[0].gpu_ns = kCopyNs / 4;
  analysis::Finding finding;
  finding.rule = "T01";
  finding.subject = "pageable host to device, 64 MiB";
  finding.subjects = {{analysis::SubjectKind::transfers, 1}};
  finding.lost_ns = kCopyNs / 2;
  before.findings = {finding};
  const Comparison comparison = compare(before, after);
  ASSERT_EQ(comparison.findings.size(), 1U);
  EXPECT_EQ(comparison.findings[0].state, FindingState::vanished);
  EXPECT_TRUE(comparison.findings[0].decides);
  EXPECT_EQ(comparison.findings[0].gained_ns, kCopyNs - kCopyNs / 4);
}

}  // namespace
}  // namespace coalescope::comparison
