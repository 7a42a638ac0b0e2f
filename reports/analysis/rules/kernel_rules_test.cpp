// Rules about how kernels read and write global memory: what each finds, where it must find nothing, and
// where it must not judge.
#include <algorithm>
#include <array>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "reports/analysis/rules/access_pattern.h"
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
using test::kNone;
using test::kRequests;
using test::line_of;
using test::loading;
using test::loading_beyond;
using test::quiet;
using test::quiet_priced;
using test::storing;
using testing::HasSubstr;
using testing::Not;

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
              HasSubstr("degree and sectors not measured: too little measuring time was left"));
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
  EXPECT_THAT(advice(kUncoalescedStores, storing(column)), HasSubstr("walk down a column"));
  EXPECT_THAT(advice(kUncoalescedLoads, test::kernel(column, column, 1 << 24, 11'000)),
              HasSubstr("threadIdx and blockIdx"));
}

// A kernel of one dimension whose loads lie apart, in several instructions of one line.
KernelCase of_instructions(std::int64_t instructions, std::int64_t times, std::array<std::int64_t, 3> block) {
  KernelRow row = loading(access(kRequests, 128, 32));
  row.load.l2_degree = row.load.dram_degree = 1.0;
  row.block = block;
  row.grid = {kRequests / instructions / times * 32 / (block[0] * block[1]), 1, 1};
  LineRow line = line_of(row, "a.cu", 7, true);
  line.instructions = instructions;
  return {row, {line}};
}

std::string advice_id(const KernelCase& kernel) {
  return finding_of(kUncoalescedLoads, kernel.subject()).advice_id;
}

TEST(G01, FieldsOfAStructureAreNoColumn) {
  EXPECT_EQ(advice_id(of_instructions(4, 1, {256, 1, 1})), "G01.structures");
  EXPECT_EQ(advice_id(of_instructions(1, 1, {256, 1, 1})), "G01.transpose");
  EXPECT_EQ(advice_id(of_instructions(1, 64, {256, 1, 1})), "G01.chunks") << "a loop over a run of elements";
  EXPECT_EQ(advice_id(of_instructions(4, 1, {32, 8, 1})), "G01.transpose")
      << "the rows of the block share them";
}

// A column of a tile 16 wide: two rows of it in a warp, and DRAM moves each byte once.
TEST(G01, AColumnOfANarrowTileIsNoStride) {
  KernelRow row = loading(access(kRequests, 128, 16));
  row.load.l2_degree = 0.25;
  row.load.dram_degree = 1.0;
  row.block = {16, 16, 1};
  EXPECT_EQ(advice_id(row), "G01.transpose");
  row.block = {256, 1, 1};
  EXPECT_EQ(advice_id(row), "G01.stride");
}

// The mean of a broadcast and of lanes far apart looks like a stride.
TEST(G01, BroadcastsBesideLanesFarApartDoNotMakeAStride) {
  KernelRow row = loading(access(kRequests, 128, 32));
  row.load.sectors = kRequests * 33 / 2;
  row.load.sectors_per_request = 16.5;
  row.load.sector_efficiency = 2.5 / 16.5;
  row.load.l2_degree = row.load.dram_degree = 0.13;
  row.load.degree = 0.125;
  LineRow line = line_of(row, "a.cu", 7, true);
  line.broadcast_loads = kRequests / 2;
  EXPECT_EQ(advice_id({row, {line}}), "G01.far");
  line.broadcast_loads = 0;
  EXPECT_EQ(advice_id({row, {line}}), "G01.stride");
}

// One store in order and one far apart: the worse line has the shape, not their mean.
TEST(G01, TheWorstLineHasTheShape) {
  KernelRow row = storing(access(kRequests, 128, 18));
  LineRow apart = line_of(storing(access(kRequests / 2, 128, 32)), "a.cu", 7, false);
  LineRow in_order = line_of(storing(access(kRequests / 2, 128, 4)), "a.cu", 8, false);
  const auto id = [&](std::vector<LineRow> lines) {
    return finding_of(kUncoalescedStores, KernelCase(row, std::move(lines)).subject()).advice_id;
  };
  EXPECT_EQ(id({apart, in_order}), "G01.far");
  apart.scattered_stores = apart.stores;
  EXPECT_EQ(id({apart, in_order}), "G01.scatter") << "by the code";
  EXPECT_EQ(id({}), "G01.stride");
}

// Each thread moves 32 bytes in two pieces of 16: L1 serves the second from the sectors of the first.
KernelRow in_halves() {
  Access load = access(kRequests, 512, 32);
  load.lanes = 32;
  load.l2_degree = load.dram_degree = 1.0;
  KernelRow row = test::kernel(load, kClean, 41'943'040, 16'000);
  row.l2_read_sectors = kRequests * 16;
  row.l2_sectors = kRequests * 20;
  return row;
}

TEST(G01, PiecesOfWideElementsCostL2Nothing) {
  EXPECT_EQ(advice_id(in_halves()), "G01.halves");
  EXPECT_TRUE(quiet_priced(kUncoalescedLoads, in_halves()));
}

// A line that loads far apart and stores in order is not to blame for the stores.
TEST(G01, ALineHasItsPartOfTheSurplus) {
  LineRow line;
  line.loads = line.stores = 100;
  line.surplus_sectors = 1000;
  EXPECT_EQ(surplus_of(line, Operation::store), 500);
  line.stores = 0;
  EXPECT_EQ(surplus_of(line, Operation::load), 1000);
  EXPECT_EQ(surplus_of(line, Operation::store), std::nullopt);
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

// Columns of a tile of 16 pairs, on an H100: half of each store's sectors, and DRAM writes each once.
TEST(G01, KnowsTheColumnsOfANarrowTile) {
  KernelRow row = storing(access(kRequests, 256, 16));
  row.block = {16, 16, 1};
  row.store.degree = 0.5;
  row.store.l2_degree = 0.51;
  row.store.dram_degree = 0.964;
  EXPECT_THAT(advice(kUncoalescedStores, row), HasSubstr("walk down a column"));
  row.store.dram_degree = 0.55;
  EXPECT_THAT(advice(kUncoalescedStores, row), HasSubstr("elements apart"));
}

// Half a sector of each of 8 rows.
TEST(G01, KnowsBlocksThatAreNarrowerThanAWarp) {
  KernelRow row = loading(access(kRequests, 128, 8));
  row.block = {4, 64, 1};
  EXPECT_THAT(advice(kUncoalescedLoads, row), HasSubstr("make the block 32 threads wide"));
}

// Columns are turned where as much goes along rows; a sum over a column gives the column to another lane.
TEST(G01, TurnsTilesWhereTheOtherSideIsAsLarge) {
  KernelRow row = loading(access(kRequests, 128, 32));
  row.block = {32, 8, 1};
  row.load.dram_degree = 1;
  EXPECT_EQ(finding_of(kUncoalescedLoads, KernelCase(row).subject()).advice_id, "G01.transpose");
  row.store = access(64, 128, 4);
  EXPECT_EQ(finding_of(kUncoalescedLoads, KernelCase(row).subject()).advice_id, "G01.far_index");
}

// Sums of two by two points: each access goes to every other number of a row, and L1 has those between.
TEST(G01, KnowsEveryOtherElementFromColumns) {
  KernelRow row = loading(access(8 * kRequests, 128, 8));
  row.block = {32, 8, 1};
  row.load.l2_degree = 2;
  row.load.dram_degree = 2;
  KernelCase kernel(row, {line_of(row, "a.cu", 8, true)});
  EXPECT_EQ(finding_of(kUncoalescedLoads, kernel.subject()).advice_id, "G01.structures");
}

// The code shows steps along a run, though L1 keeps too little of it to tell.
TEST(G01, KnowsRunsByTheirUnrolledSteps) {
  KernelRow row = loading(access(16 * kRequests, 128, 32));
  row.grid = {8192, 1, 1};
  row.block = {256, 1, 1};
  row.load.dram_degree = 1;
  KernelCase kernel(row, {line_of(row, "a.cu", 8, true)});
  kernel.lines[0].instructions = 4;
  EXPECT_EQ(finding_of(kUncoalescedLoads, kernel.subject()).advice_id, "G01.far_index");
  kernel.lines[0].piecewise = row.load.requests;
  EXPECT_EQ(finding_of(kUncoalescedLoads, kernel.subject()).advice_id, "G01.chunks");
}

TEST(G01, NamesTheParameterAndItsMemory) {
  const KernelRow row = loading(access(kRequests, 128, 32));
  KernelCase kernel(row, {line_of(row, "a.cu", 8, true)});
  kernel.lines[0].parameter = 2;
  EXPECT_THAT(finding_of(kUncoalescedLoads, kernel.subject()).evidence, HasSubstr("; through parameter 2"));
  PointerRow pointer;
  pointer.parameter = 2;
  pointer.allocation_bytes = 64 << 20;
  pointer.place = "make()";
  KernelSubject subject = kernel.subject();
  const std::array<const PointerRow*, 1> pointers{&pointer};
  subject.pointers = pointers;
  EXPECT_THAT(finding_of(kUncoalescedLoads, subject).evidence,
              HasSubstr("; through parameter 2 (64 MiB, requested by make())"));
  kernel.lines[0].stores = 1;
  EXPECT_THAT(finding_of(kUncoalescedLoads, kernel.subject()).evidence, Not(HasSubstr("parameter")));
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

// Sorting indices would not help where L1 keeps the rest of each sector until it is asked for.
TEST(G05, LeavesWholeStructuresToG01) {
  const KernelRow row = loading(access(kRequests, 128, 32));
  KernelCase kernel(row, {line_of(row, "a.cu", 8, true)});
  kernel.lines[0].indexed = true;
  EXPECT_TRUE(finds(kScatteredReads, kernel.subject()));
  kernel.row.load.l2_degree = 1.0;
  EXPECT_TRUE(finds_nothing(kScatteredReads, kernel.subject()));
  EXPECT_TRUE(finds(kUncoalescedLoads, kernel.subject()));
}

// Sorted indices have gaps: lanes share some sectors, and DRAM and L2 bring each once.
TEST(G05, LeavesSortedIndicesAlone) {
  const KernelRow row = loading(access(kRequests, 128, 32));
  KernelCase kernel(row, {line_of(row, "a.cu", 8, true)});
  kernel.lines[0].indexed = true;
  kernel.row.footprint_bytes = 16'777'216;
  kernel.row.dram_read_bytes = 16'000'000;
  kernel.row.l2_read_sectors = 16'777'216 / 32;
  EXPECT_TRUE(finds_nothing(kScatteredReads, kernel.subject()));
  EXPECT_TRUE(finds_nothing(kUncoalescedLoads, kernel.subject()));
  kernel.row.dram_read_bytes = 64'000'000;
  EXPECT_TRUE(finds(kScatteredReads, kernel.subject()));
}

// By the code: the rows of a sparse matrix begin where data say, the elements of the vector lie there.
TEST(G05, RunsThatBeginAtAnIndexAreNoGather) {
  const KernelRow row = loading(access(kRequests, 128, 32));
  KernelCase kernel(row, {line_of(row, "a.cu", 8, true)});
  LineRow& line = kernel.lines[0];
  line.indexed = line.decoded = true;
  line.gathered_surplus = *line.surplus_sectors / 3;
  EXPECT_TRUE(finds(kUncoalescedLoads, kernel.subject()));
  line.gathered_surplus = line.surplus_sectors;
  EXPECT_TRUE(finds_nothing(kUncoalescedLoads, kernel.subject()));
  EXPECT_TRUE(finds_nothing(kScatteredReads, kernel.subject())) << "L1 or L2 holds what it reads";
  line.scattered_loads = line.loads;
  kernel.row.dram_read_bytes = 3 * 64 * kRequests * 32;
  EXPECT_TRUE(finds(kScatteredReads, kernel.subject()));
  kernel.row.dram_read_bytes = *row.load.sectors * 32 * 9 / 10;
  kernel.row.footprint_bytes = *row.load.sectors * 32;
  EXPECT_TRUE(finds_nothing(kScatteredReads, kernel.subject())) << "DRAM brings each sector once";
  kernel.row.footprint_bytes = *row.load.sectors * 32 / 2;
  EXPECT_TRUE(finds(kScatteredReads, kernel.subject())) << "L2 keeps some, and yet DRAM brings them again";
  kernel.row.footprint_bytes = *row.load.sectors * 32 / 3;
  kernel.row.dram_read_bytes = *kernel.row.footprint_bytes;
  kernel.row.l2_read_sectors = *row.load.sectors / 3;
  EXPECT_TRUE(finds_nothing(kScatteredReads, kernel.subject())) << "L1 keeps them";
  kernel.row.l2_read_sectors = row.load.sectors;
  EXPECT_TRUE(finds(kScatteredReads, kernel.subject())) << "L2 keeps them, and brings them again and again";
}

// A library's name says that data give the addresses; its code has no lines.
TEST(G05, KnowsALibrarysGatherByItsName) {
  KernelRow row = loading(access(kRequests, 128, 32));
  row.owner = "PyTorch ATen";
  row.full_name = "void at::native::_scatter_gather_elementwise_kernel<128, 8>(int)";
  KernelCase kernel(row, {line_of(row, "a.cu", 8, true)});
  EXPECT_TRUE(finds(kScatteredReads, kernel.subject()));
  EXPECT_TRUE(finds_nothing(kUncoalescedLoads, kernel.subject()));
  const KernelRow sorted = loading(access(kRequests, 128, 10));
  kernel.lines[0] = line_of(sorted, "a.cu", 8, true);
  EXPECT_TRUE(finds_nothing(kScatteredReads, kernel.subject()));
  EXPECT_TRUE(finds_nothing(kUncoalescedLoads, kernel.subject()));
}

}  // namespace
}  // namespace coalescope::analysis
