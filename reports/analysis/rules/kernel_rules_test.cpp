// Rules about how kernels read and write global memory: what each finds, where it must find nothing, and
// where it must not judge.
#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "reports/analysis/rules/kernel_cases_test.h"
#include "reports/analysis/rules/rule_table.h"
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
using test::kNone;
using test::kRequests;
using test::line_of;
using test::loading;
using test::loading_beyond;
using test::quiet;
using test::quiet_priced;
using test::storing;
using testing::HasSubstr;

TEST(RuleTable, EveryRuleHasItsPartsAndAPage) {
  std::set<std::string_view> ids;
  for (const RuleAbout* rule : rule_catalogue()) {
    EXPECT_EQ(rule->id.size(), 3U);
    for (const auto text : {rule->title, rule->families, rule->measure, rule->calibrated})
      EXPECT_FALSE(text.empty()) << rule->id;
    const auto page =
        std::filesystem::path(COALESCOPE_SOURCE_DIR) / "docs/rules" / (std::string(rule->id) + ".md");
    EXPECT_TRUE(std::filesystem::exists(page)) << page;
    EXPECT_GE(rule->unpriced_limit, rule->limit) << rule->id;
    ids.insert(rule->id);
  }
  EXPECT_GE(ids.size(), 23U);
}

TEST(G01, FiresOnStridesLoadsAndStoresApart) {
  EXPECT_TRUE(fires(kUncoalescedLoads, loading(access(kRequests, 128, 32))));
  EXPECT_TRUE(quiet(kUncoalescedStores, loading(access(kRequests, 128, 32))));
  EXPECT_TRUE(fires(kUncoalescedStores, storing(access(kRequests, 128, 8))));
  EXPECT_TRUE(quiet(kUncoalescedLoads, storing(access(kRequests, 128, 8))));
}

// {distinct bytes, sectors} a request: contiguous, permuted, 1, 2, 8 and 16-byte elements, half the lanes
// off.
TEST(G01, FindsNothingOnEveryCleanPattern) {
  for (const auto& [bytes, sectors] :
       {std::pair{128, 4}, {32, 1}, {64, 2}, {256, 8}, {512, 16}, {16, 1}, {4, 1}}) {
    EXPECT_TRUE(quiet(kUncoalescedLoads, loading(access(kRequests, bytes, sectors)))) << bytes;
    EXPECT_TRUE(quiet(kUncoalescedStores, storing(access(kRequests, bytes, sectors)))) << bytes;
  }
  EXPECT_TRUE(quiet(kUncoalescedStores, storing(kNone)));
}

TEST(G01, DoesNotJudgeWhatWasNotMeasured) {
  KernelRow row = loading(kClean);
  row.load = Access{};
  EXPECT_TRUE(cannot(kUncoalescedLoads, row));
  row.unmeasured.push_back({model::Phase::bytes, model::CoverageReason::budget_spent, "text"});
  EXPECT_THAT(judgement_of(kUncoalescedLoads, KernelCase(row).subject()).not_judged.at(0).why,
              HasSubstr("degree and sectors not measured: the measuring time was spent"));
}

TEST(G01, AnOffsetNeedsAPrice) {
  const KernelRow row = loading_beyond(access(kRequests, 128, 5));
  EXPECT_TRUE(quiet(kUncoalescedLoads, row));
  EXPECT_TRUE(fires_priced(kUncoalescedLoads, row));
}

TEST(G01, AdviceFollowsTheSignature) {
  const KernelRow offset = loading_beyond(access(kRequests, 128, 5));
  EXPECT_THAT(advice(kUncoalescedLoads, offset, test::h100()), HasSubstr("align the base"));
  Access rows = access(kRequests, 128, 4);
  rows.sectors = kRequests * 39 / 8;  // seven rows of eight begin off a boundary
  rows.sectors_per_request = 4.875;
  rows.sector_efficiency = 4 / 4.875;
  EXPECT_THAT(advice(kUncoalescedLoads, loading_beyond(rows), test::h100()), HasSubstr("cudaMallocPitch"));
  EXPECT_THAT(advice(kUncoalescedLoads, loading(access(kRequests, 128, 12))),
              HasSubstr("3.0 elements apart"));
  Access fields = access(kRequests, 128, 12);
  fields.l2_degree = 1.0;
  EXPECT_THAT(advice(kUncoalescedLoads, loading(fields)), HasSubstr("structure"));
  EXPECT_THAT(advice(kUncoalescedLoads, loading(access(kRequests, 128, 32))),
              HasSubstr("a part of each sector"));
  Access column = access(kRequests, 128, 32);
  column.l2_degree = 0.125;
  column.dram_degree = 1.0;
  EXPECT_THAT(advice(kUncoalescedLoads, loading(column)), HasSubstr("a[32][33]"));
  EXPECT_THAT(advice(kUncoalescedStores, storing(column)), HasSubstr("write down a column"));
  EXPECT_THAT(advice(kUncoalescedLoads, test::kernel(column, column, 1 << 24, 11'000)),
              HasSubstr("threadIdx and blockIdx"));
}

// What a sentence says with figures can be read without it.
TEST(G01, FactsAndIdsStandBesideTheSentences) {
  const Finding finding =
      finding_of(kUncoalescedLoads, KernelCase(loading(access(kRequests, 128, 12))).subject());
  EXPECT_EQ(finding.advice_id, "G01.stride");
  ASSERT_EQ(finding.advice_parameters.size(), 1U);
  EXPECT_EQ(finding.advice_parameters[0].key, "times_too_many_sectors");
  EXPECT_DOUBLE_EQ(finding.advice_parameters[0].value, 3);
  const auto sectors = std::ranges::find(finding.facts, "sectors_per_request", &Fact::key);
  ASSERT_NE(sectors, finding.facts.end());
  EXPECT_EQ(sectors->value, 12);
  EXPECT_EQ(sectors->unit, "sectors");
}

TEST(G01, EvidenceHasTheDegreeOfEachLevel) {
  Access column = access(kRequests, 128, 32);
  column.l2_degree = 0.131;
  column.dram_degree = 1.2;
  const auto text = finding_of(kUncoalescedLoads, KernelCase(loading(column)).subject()).evidence;
  EXPECT_THAT(text, HasSubstr("32.0 sectors per request (ideal: 4.0)"));
  EXPECT_THAT(text, HasSubstr("L1 12.5 %, L2 13.1 %, DRAM 100 %"));
}

TEST(G01, LeavesWhatCrossesTheBusToZ01) {
  KernelRow row = loading(access(kRequests, 128, 32));
  EXPECT_TRUE(fires(kUncoalescedLoads, row));
  row.sysmem_sectors = row.l2_read_sectors;
  EXPECT_TRUE(quiet(kUncoalescedLoads, row));
}

TEST(G05, TakesOverFromG01WhereALoadGivesTheIndex) {
  const KernelRow row = loading(access(kRequests, 128, 32));
  LineRow line = line_of(row, "a.cu", 7, true);
  KernelCase kernel(row, {line});
  EXPECT_TRUE(finds(kUncoalescedLoads, kernel.subject()));
  EXPECT_TRUE(finds_nothing(kScatteredReads, kernel.subject()));
  kernel.lines[0].indexed = true;
  EXPECT_TRUE(finds_nothing(kUncoalescedLoads, kernel.subject()));
  EXPECT_TRUE(finds(kScatteredReads, kernel.subject()));
  kernel.row.load = Access{};
  EXPECT_TRUE(cannot_judge(kScatteredReads, kernel.subject()));
}

// The index on a line of its own, and DRAM that brings the same memory again and again.
TEST(G05, KnowsAGatherWhoseIndexIsOnAnotherLine) {
  const KernelRow row = loading(access(kRequests, 128, 32));
  KernelCase kernel(row, {line_of(row, "a.cu", 8, true), line_of(loading(kClean), "a.cu", 7, true)});
  kernel.row.footprint_bytes = 8'388'608;
  kernel.row.dram_read_bytes = 4 * 8'388'608;
  EXPECT_TRUE(finds(kScatteredReads, kernel.subject()));
  EXPECT_TRUE(finds_nothing(kUncoalescedLoads, kernel.subject()));
  kernel.row.dram_read_bytes = 2 * 8'388'608;
  EXPECT_TRUE(finds_nothing(kScatteredReads, kernel.subject()))
      << "a stride brings each sector and its neighbour";
  kernel.row.dram_read_bytes = 4 * 8'388'608;
  kernel.lines.pop_back();
  EXPECT_TRUE(finds_nothing(kScatteredReads, kernel.subject())) << "no load that could give the index";
}

TEST(G02, FiresWhereAllLanesReadOneWord) {
  KernelRow row = loading(access(kRequests, 4, 1));
  LineRow line = line_of(row, "a.cu", 7, true);
  line.broadcast_loads = line.loads;
  EXPECT_TRUE(finds(kBroadcastLoads, KernelCase(row, {line}).subject()));
  line.broadcast_loads = *line.loads / 10;
  EXPECT_TRUE(finds_nothing(kBroadcastLoads, KernelCase(row, {line}).subject())) << "a scalar here and there";
}

TEST(G02, WithoutLinesJudgesOnlyKernelsThatDoNothingElse) {
  EXPECT_TRUE(fires(kBroadcastLoads, loading(access(kRequests, 4, 1))));
  EXPECT_TRUE(fires(kBroadcastLoads, loading(access(kRequests, 8, 1))));
  EXPECT_TRUE(quiet(kBroadcastLoads, loading(access(kRequests, 32, 1))));
  EXPECT_TRUE(quiet(kBroadcastLoads, loading(access(kRequests, 16, 1))));
  EXPECT_TRUE(cannot(kBroadcastLoads, loading(kClean)));
  EXPECT_TRUE(quiet(kBroadcastLoads, loading(kNone)));
  EXPECT_TRUE(cannot(kBroadcastLoads, loading(Access{std::nullopt, 4})));
}

KernelRow with_lanes(double lanes) {
  KernelRow row = loading(kClean);
  row.load.lanes = row.store.lanes = lanes;
  return row;
}

TEST(G03, FiresOnWarpsThatAreHalfEmpty) {
  EXPECT_TRUE(fires_priced(kPartialWarps, with_lanes(16)));
  EXPECT_TRUE(fires_priced(kPartialWarps, with_lanes(24)));
  EXPECT_TRUE(quiet_priced(kPartialWarps, with_lanes(32)));
  EXPECT_TRUE(quiet_priced(kPartialWarps, with_lanes(30.5))) << "a guard at the end of each row";
}

// One lane of each block stores the block's sum.
TEST(G03, FindsNothingOnAReductionsResult) {
  KernelRow row = test::kernel(kClean, access(256, 4, 1), 1 << 24, 11'000);
  row.load.lanes = 32;
  row.store.lanes = 1;
  EXPECT_TRUE(quiet(kPartialWarps, row));
}

// Matrix products: one lane asks for a tile, or cp.async brings it.
TEST(G03, FindsNothingWhereOtherAccessesMoveTheData) {
  KernelRow row = with_lanes(1);
  ASSERT_TRUE(fires(kPartialWarps, row));
  row.async_copy.sectors = 100 * row.load.sectors.value();
  EXPECT_TRUE(quiet(kPartialWarps, row));
  row.async_copy.sectors = 0;
  row.tma_instructions = 8;
  EXPECT_TRUE(quiet(kPartialWarps, row));
}

TEST(G03, DoesNotJudgeWithoutLines) {
  EXPECT_TRUE(cannot(kPartialWarps, loading(kClean)));
}

TEST(G03, AdviceKnowsBlocksThatAreNoMultipleOf32) {
  KernelRow row = with_lanes(24);
  row.block = {48, 1, 1};
  EXPECT_THAT(advice(kPartialWarps, row, test::h100()), HasSubstr("48 leave 16 lanes"));
  row.block = {256, 1, 1};
  EXPECT_THAT(advice(kPartialWarps, row, test::h100()), HasSubstr("condition"));
}

KernelRow with_elements(std::int64_t bytes) {
  const std::int64_t sectors = std::max<std::int64_t>(1, bytes);
  KernelRow row = test::kernel(access(kRequests, 32 * bytes, sectors), access(kRequests, 32 * bytes, sectors),
                               1 << 24, 11'000);
  row.load.lanes = row.store.lanes = 32;
  return row;
}

TEST(G04, FiresOnBytesAndHalfWords) {
  EXPECT_TRUE(fires_priced(kNarrowElements, with_elements(1)));
  EXPECT_TRUE(fires_priced(kNarrowElements, with_elements(2)));
  for (const int bytes : {4, 8, 16})
    EXPECT_TRUE(quiet_priced(kNarrowElements, with_elements(bytes))) << bytes;
}

// Two lanes read each word: the counters of the loads are those of half words.
TEST(G04, FindsNothingWhereOnlyLoadsLookNarrow) {
  KernelRow row = loading(access(kRequests, 64, 2));
  row.load.lanes = row.store.lanes = 32;
  EXPECT_TRUE(quiet(kNarrowElements, row));
}

TEST(G04, DoesNotJudgeWithoutLines) {
  EXPECT_TRUE(cannot(kNarrowElements, loading(kClean)));
}

}  // namespace
}  // namespace coalescope::analysis
