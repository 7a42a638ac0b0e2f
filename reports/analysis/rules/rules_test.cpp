// Each rule: where it speaks, where it must be silent, and where it must not judge.

#include "reports/analysis/rules/rules.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rule_table.h"
#include "reports/analysis/sample_rows_test.h"

namespace coalescope::analysis {
namespace {

using model::Direction;
using model::MemoryKind;
using test::access;
using test::kRequests;
using testing::HasSubstr;

const Access kNone = access(0, 0, 0);
const Access kClean = access(kRequests, 128, 4);

KernelRow loading(const Access& load) {
  return test::kernel(load, kClean, 16'777'216, 11'000);
}
KernelRow storing(const Access& store) {
  return test::kernel(kClean, store, 16'777'216, 11'000);
}

template <class Row>
bool speaks(const Rule<Row>& rule, const Row& row) {
  const auto value = rule.measure(row, Machine{});
  return value && *value >= rule.limit;
}
template <class Row>
bool judged(const Rule<Row>& rule, const Row& row) {
  return rule.measure(row, Machine{}).has_value();
}

TEST(RuleTable, EveryRuleHasItsPartsAndAPage) {
  const auto check = [](const auto* rule) {
    EXPECT_EQ(rule->id.size(), 3U);
    EXPECT_FALSE(rule->title.empty());
    const auto page =
        std::filesystem::path(COALESCOPE_SOURCE_DIR) / "docs/rules" / (std::string(rule->id) + ".md");
    EXPECT_TRUE(std::filesystem::exists(page)) << page;
    EXPECT_GE(rule->unpriced_limit, rule->limit) << rule->id;
    EXPECT_TRUE(rule->measure && rule->cost && rule->evidence && rule->advice) << rule->id;
  };
  for (const auto* rule : kernel_rules()) check(rule);
  for (const auto* rule : transfer_rules()) check(rule);
}

TEST(G01, FiresOnStridesLoadsAndStoresApart) {
  EXPECT_TRUE(speaks(kUncoalescedLoads, loading(access(kRequests, 128, 32))));
  EXPECT_FALSE(speaks(kUncoalescedStores, loading(access(kRequests, 128, 32))));
  EXPECT_TRUE(speaks(kUncoalescedStores, storing(access(kRequests, 128, 8))));
  EXPECT_FALSE(speaks(kUncoalescedLoads, storing(access(kRequests, 128, 8))));
}

// {distinct bytes, sectors} a request: contiguous, permuted, 1, 2, 8 and 16-byte elements, half the lanes
// off.
TEST(G01, IsSilentOnEveryCleanPattern) {
  for (const auto& [bytes, sectors] :
       {std::pair{128, 4}, {32, 1}, {64, 2}, {256, 8}, {512, 16}, {16, 1}, {4, 1}}) {
    EXPECT_FALSE(speaks(kUncoalescedLoads, loading(access(kRequests, bytes, sectors)))) << bytes;
    EXPECT_FALSE(speaks(kUncoalescedStores, storing(access(kRequests, bytes, sectors)))) << bytes;
  }
}

TEST(G01, DoesNotJudgeWhatWasNotMeasuredOrNotDone) {
  EXPECT_FALSE(judged(kUncoalescedLoads, loading(Access{})));
  EXPECT_FALSE(judged(kUncoalescedStores, storing(kNone)));
}

TEST(G01, AnOffsetNeedsAPrice) {
  const auto value = kUncoalescedLoads.measure(loading(access(kRequests, 128, 5)), Machine{});
  EXPECT_GE(*value, kUncoalescedLoads.limit);
  EXPECT_LT(*value, kUncoalescedLoads.unpriced_limit);
}

TEST(G01, AdviceFitsThePattern) {
  EXPECT_THAT(kUncoalescedLoads.advice(loading(access(kRequests, 128, 5))), HasSubstr("align"));
  EXPECT_THAT(kUncoalescedLoads.advice(loading(access(kRequests, 128, 12))), HasSubstr("stride"));
  EXPECT_THAT(kUncoalescedLoads.advice(loading(access(kRequests, 128, 32))), HasSubstr("far apart"));
  EXPECT_THAT(kUncoalescedStores.advice(storing(access(kRequests, 128, 32))), HasSubstr("write"));
}

TEST(G01, EvidenceNamesBothMeasures) {
  const auto text = kUncoalescedLoads.evidence(loading(access(kRequests, 128, 32)));
  EXPECT_THAT(text, HasSubstr("32.0 sectors a request where 4.0 would do"));
  EXPECT_THAT(text, HasSubstr("12.5 % of the bytes moved were asked for"));
}

TEST(G02, FiresWhereAllLanesReadOneWord) {
  EXPECT_TRUE(speaks(kBroadcastLoads, loading(access(kRequests, 4, 1))));
  EXPECT_TRUE(speaks(kBroadcastLoads, loading(access(kRequests, 8, 1))));
}

TEST(G02, IsSilentOnNarrowElementsStridesAndMixtures) {
  EXPECT_FALSE(speaks(kBroadcastLoads, loading(access(kRequests, 32, 1))));
  EXPECT_FALSE(speaks(kBroadcastLoads, loading(access(kRequests, 16, 1))));
  EXPECT_FALSE(speaks(kBroadcastLoads, loading(access(kRequests, 128, 32))));
  EXPECT_FALSE(speaks(kBroadcastLoads, loading(kClean)));
}

TEST(G02, DoesNotJudgeWhatWasNotMeasuredOrNotDone) {
  EXPECT_FALSE(judged(kBroadcastLoads, loading(Access{})));
  EXPECT_FALSE(judged(kBroadcastLoads, loading(kNone)));
}

KernelRow with_sysmem(std::optional<std::int64_t> sectors) {
  KernelRow row = loading(kClean);
  row.sysmem_sectors = sectors;
  return row;
}

TEST(Z01, FiresOnKernelsThatReadTheHost) {
  EXPECT_TRUE(speaks(kZeroCopyReads, with_sysmem(400'000)));
}

TEST(Z01, IsSilentOnTheBackgroundOfEveryKernel) {
  EXPECT_FALSE(speaks(kZeroCopyReads, with_sysmem(21'605)));
  EXPECT_FALSE(speaks(kZeroCopyReads, with_sysmem(0)));
}

TEST(Z01, DoesNotJudgeWhatWasNotMeasured) {
  EXPECT_FALSE(judged(kZeroCopyReads, with_sysmem(std::nullopt)));
  KernelRow row = with_sysmem(400'000);
  row.l2_sectors = std::nullopt;
  EXPECT_FALSE(judged(kZeroCopyReads, row));
}

TEST(Z01, SaysWhenBytesCrossedMoreThanOnce) {
  EXPECT_THAT(kZeroCopyReads.evidence(with_sysmem(2'000'000)), HasSubstr("crossed 3.8 times"));
  EXPECT_THAT(kZeroCopyReads.evidence(with_sysmem(400'000)), testing::Not(HasSubstr("crossed")));
}

TransferRow copies(Direction direction, MemoryKind host, std::int64_t count, std::int64_t bytes) {
  return test::copy(direction, host, count, bytes, 1'000'000);
}

TEST(T01, FiresOnPageableMemoryAtEitherEnd) {
  EXPECT_TRUE(speaks(kPageableCopies, copies(Direction::host_to_device, MemoryKind::pageable, 1, 1 << 20)));
  EXPECT_TRUE(speaks(kPageableCopies, copies(Direction::device_to_host, MemoryKind::pageable, 1, 1 << 20)));
}

TEST(T01, IsSilentOnPinnedAndOnSmallCopies) {
  EXPECT_FALSE(speaks(kPageableCopies, copies(Direction::host_to_device, MemoryKind::pinned, 1, 1 << 20)));
  EXPECT_FALSE(speaks(kPageableCopies, copies(Direction::host_to_device, MemoryKind::pageable, 500, 4096)));
}

TEST(T01, DoesNotJudgeUnknownMemoryAndOtherDirections) {
  EXPECT_FALSE(judged(kPageableCopies, copies(Direction::host_to_device, MemoryKind::unknown, 1, 1 << 20)));
  EXPECT_FALSE(judged(kPageableCopies, copies(Direction::device_to_device, MemoryKind::device, 1, 1 << 20)));
  EXPECT_FALSE(judged(kPageableCopies, copies(Direction::set, MemoryKind::device, 1, 1 << 20)));
}

TEST(T02, FiresOnManySmallCopies) {
  EXPECT_TRUE(speaks(kSmallCopies, copies(Direction::host_to_device, MemoryKind::pinned, 1000, 4096)));
}

TEST(T02, IsSilentOnAFewAndOnLargeOnes) {
  EXPECT_FALSE(speaks(kSmallCopies, copies(Direction::host_to_device, MemoryKind::pinned, 20, 4096)));
  EXPECT_FALSE(speaks(kSmallCopies, copies(Direction::host_to_device, MemoryKind::pinned, 1000, 1 << 20)));
}

TEST(T02, DoesNotJudgeCopiesOnTheDevice) {
  EXPECT_FALSE(judged(kSmallCopies, copies(Direction::device_to_device, MemoryKind::device, 1000, 4096)));
}

}  // namespace
}  // namespace coalescope::analysis
