// From the capture's views to the rows of kernels, and the words for what is missing.

#include "reports/analysis/rows/kernel_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/analysis/rows/sample_rows_test.h"
#include "reports/analysis/rows/unmeasured.h"

namespace coalescope::analysis {
namespace {

using model::CoverageReason;
using model::GroupId;
using model::MetricId;
using model::Phase;
using testing::ElementsAre;
using testing::HasSubstr;

capture::GroupView group(std::int64_t id, const char* name) {
  capture::GroupView view;
  view.group_id = {id};
  view.kernel_name = name;
  view.launches = 10;
  view.timed_launches = 4;
  view.timed_gpu_ns = 4'100;
  view.median_gpu_ns = 1'000;
  return view;
}

KernelRow only_row(const capture::GroupView& view, const capture::GroupReadings& readings,
                   std::span<const model::Coverage> coverage = {}) {
  return kernel_rows(std::array{view}, {{view.group_id, readings}}, {}, coverage, {}).at(0);
}

TEST(KernelRows, UntimedLaunchesCountAsTheMedian) {
  const KernelRow row = only_row(group(1, "k"), {});
  EXPECT_EQ(row.gpu_ns, 4'100 + 6 * 1'000);
  auto untimed = group(1, "k");
  untimed.timed_launches = 0;
  untimed.timed_gpu_ns = untimed.median_gpu_ns = std::nullopt;
  EXPECT_EQ(only_row(untimed, {}).gpu_ns, std::nullopt);
}

TEST(KernelRows, AKernelWhoseLaunchesWereAllMeasuredHasTheTimeOfTheCounters) {
  auto untimed = group(1, "k");
  untimed.launches = 5;
  untimed.timed_launches = 0;
  untimed.timed_gpu_ns = untimed.median_gpu_ns = std::nullopt;
  const capture::GroupReadings readings{{MetricId::traffic_ns, {2, 82'800}}};
  const KernelRow row = only_row(untimed, readings);
  EXPECT_EQ(row.median_gpu_ns, 41'400 - 1'400) << "less what the counter holds beyond the kernel";
  EXPECT_EQ(row.gpu_ns, 5 * 40'000);
  EXPECT_EQ(row.timed_launches, 2);
  EXPECT_EQ(only_row(group(1, "k"), readings).median_gpu_ns, 1'000)
      << "where there is a trace, its time counts";
}

TEST(KernelRows, NoBytesOfLocalMemoryBesideItsSectorsAreNotKnown) {
  auto view = group(1, "k");
  view.local_bytes_per_thread = 0;
  EXPECT_EQ(only_row(view, {}).local_bytes_per_thread, 0);
  const capture::GroupReadings readings{{MetricId::local_load_sectors, {1, 64}},
                                        {MetricId::local_store_sectors, {1, 64}}};
  EXPECT_EQ(only_row(view, readings).local_bytes_per_thread, std::nullopt);
  view.local_bytes_per_thread = 16;
  EXPECT_EQ(only_row(view, readings).local_bytes_per_thread, 16);
}

TEST(KernelRows, AKernelWhoseLaunchesWereAllCountedSaysWhyItHasNoTime) {
  auto untimed = group(1, "k");
  untimed.launches = 2;
  untimed.timed_launches = 0;
  untimed.timed_gpu_ns = untimed.median_gpu_ns = std::nullopt;
  const auto reason_of = [&](std::int64_t counted_by_lines) {
    const std::array coverage{
        model::Coverage{{1}, Phase::bytes, 2, 1, CoverageReason::measured},
        model::Coverage{{1}, Phase::lines, 2, counted_by_lines, CoverageReason::measured}};
    const KernelRow row = only_row(untimed, {}, coverage);
    return std::ranges::find(row.unmeasured, Phase::trace, &Unmeasured::phase)->reason;
  };
  EXPECT_EQ(reason_of(1), CoverageReason::too_few_launches);
  EXPECT_EQ(reason_of(0), CoverageReason::measured) << "the other launch should have a time";
}

// Different numbers of launches for traffic and hits: means are compared, not sums.
TEST(KernelRows, HitRatioComparesMeans) {
  const KernelRow row = only_row(group(1, "k"), {{MetricId::l2_read_sectors, {2, 160}},
                                                 {MetricId::l2_write_sectors, {2, 40}},
                                                 {MetricId::l2_hit_sectors, {3, 225}}});
  EXPECT_EQ(row.l2_sectors, 100);
  EXPECT_EQ(row.l2_hit_ratio, 0.75);
}

TEST(KernelRows, LaunchesThatDifferHaveNoMean) {
  const auto row_with = [](std::int64_t least, std::int64_t greatest) {
    return only_row(group(1, "k"), {{MetricId::l2_read_sectors, {2, least + greatest, least, greatest}},
                                    {MetricId::l2_write_sectors, {2, 200, 100, 100}},
                                    {MetricId::dram_read_bytes, {2, 6400, 3200, 3200}},
                                    {MetricId::global_load_bytes, {1, 3200, 3200, 3200}},
                                    {MetricId::l2_hit_sectors, {2, 400, 200, 200}}});
  };
  const KernelRow same = row_with(4'000, 4'200);
  EXPECT_FALSE(same.mixed);
  EXPECT_EQ(same.l2_read_sectors, 4'100);
  const KernelRow mixed = row_with(4'000, 17'000);
  ASSERT_TRUE(mixed.mixed);
  EXPECT_EQ(mixed.mixed->least, 4'000);
  EXPECT_EQ(mixed.mixed->greatest, 17'000);
  EXPECT_EQ(mixed.l2_read_sectors, std::nullopt);
  EXPECT_EQ(mixed.dram_read_bytes, std::nullopt);
  EXPECT_EQ(mixed.l2_hit_ratio, std::nullopt);
  EXPECT_EQ(mixed.load.data_bytes, 3200);
  EXPECT_THAT(mixed.unmeasured,
              testing::Contains(testing::Field(
                  &Unmeasured::text, HasSubstr("measured launches differ (sectors read from L2: "))));
  EXPECT_THAT(mixed.traits, testing::Contains(HasSubstr("mixed")));
  EXPECT_FALSE(row_with(4, 17).mixed) << "a few sectors are anybody's";
}

TEST(KernelRows, AsynchronousCopiesAreLoadsForL1) {
  const KernelRow row =
      only_row(group(1, "k"), {{MetricId::l1_load_sectors, {2, 168'000, 84'000, 84'000, {84'000, 84'000}}},
                               {MetricId::global_load_sectors, {1, 4'000, 4'000, 4'000, {4'000}}},
                               {MetricId::async_copy_sectors, {1, 80'000, 80'000, 80'000, {80'000}}}});
  EXPECT_FALSE(row.mixed);
}

TEST(KernelRows, KernelsOfOneNameHaveNumbers) {
  std::vector<capture::GroupView> groups{group(1, "fusion"), group(2, "fusion"), group(3, "other")};
  groups[0].kernel_id = model::KernelId{1};
  groups[1].kernel_id = model::KernelId{2};
  groups[2].kernel_id = model::KernelId{3};
  const auto rows = kernel_rows(groups, {}, {}, {}, {});
  const auto named = [&](std::int64_t id) { return std::ranges::find(rows, id, &KernelRow::id)->name; };
  EXPECT_EQ(named(1), "fusion #1");
  EXPECT_EQ(named(2), "fusion #2");
  EXPECT_EQ(named(3), "other");
}

TEST(KernelRows, WhatL1CountsTellsWhetherBytesAndTrafficAreOfTheSameLaunches) {
  const auto row_with = [](std::int64_t bytes_sectors) {
    return only_row(
        group(1, "k"),
        {{MetricId::l1_load_sectors, {3, 12'100, 4'000, 4'100, {4'000, 4'100, 4'000}}},
         {MetricId::global_load_sectors, {1, bytes_sectors, bytes_sectors, bytes_sectors, {bytes_sectors}}},
         {MetricId::l2_read_sectors, {3, 12'000, 4'000, 4'000}}});
  };
  EXPECT_FALSE(row_with(4'050).mixed);
  const KernelRow mixed = row_with(32'000);
  ASSERT_TRUE(mixed.mixed);
  ASSERT_EQ(mixed.mixed->parts.size(), 2U);
  EXPECT_EQ(mixed.mixed->parts[0].launches, 3);
  EXPECT_EQ(mixed.mixed->parts[1].value, 32'000);
  EXPECT_EQ(mixed.l2_read_sectors, std::nullopt);
  EXPECT_THAT(mixed.unmeasured,
              testing::Contains(testing::Field(&Unmeasured::text, HasSubstr("4,000 in 3, 32,000 in 1"))));
}

TEST(KernelRows, AVariantSaysSo) {
  auto view = group(1, "k");
  view.variant = 2;
  view.parameters = "parameter 2: 32, not 1";
  std::vector<KernelRow> rows{only_row(view, {}), only_row(group(2, "k"), {})};
  EXPECT_THAT(rows[0].traits,
              testing::Contains("parameters differ from those of variant 1 (parameter 2: 32, not 1)"));
  number_variants(rows);
  EXPECT_EQ(rows[0].name, "k [2]");
  EXPECT_EQ(rows[1].name, "k");
}

TEST(KernelRows, MoreHitsThanAccessesIsSaidAndNotClamped) {
  const KernelRow row = only_row(group(1, "k"), {{MetricId::l2_read_sectors, {1, 100}},
                                                 {MetricId::l2_write_sectors, {1, 0}},
                                                 {MetricId::l2_hit_sectors, {1, 120}}});
  EXPECT_EQ(row.l2_hit_ratio, std::nullopt);
  EXPECT_THAT(row.unmeasured, testing::Contains(testing::Field(&Unmeasured::text, HasSubstr("more hits"))));
}

TEST(KernelRows, HitsOfAtomicsAreOfAccessesThatNobodyCounts) {
  const auto row_with = [](std::int64_t atomics) {
    return only_row(group(1, "k"), {{MetricId::l2_read_sectors, {1, 1000}},
                                    {MetricId::l2_write_sectors, {1, 0}},
                                    {MetricId::global_atomic_sectors, {1, atomics}},
                                    {MetricId::global_reduction_sectors, {1, 0}},
                                    {MetricId::l2_hit_sectors, {1, 900}}});
  };
  EXPECT_EQ(row_with(5).l2_hit_ratio, 0.9);
  EXPECT_EQ(row_with(50).l2_hit_ratio, std::nullopt);
  EXPECT_THAT(row_with(50).unmeasured,
              testing::Contains(testing::Field(&Unmeasured::text, HasSubstr("atomics"))));
}

TEST(KernelRows, MeasuredZeroIsNotMissing) {
  const KernelRow row = only_row(group(1, "k"), {{MetricId::global_store_bytes, {1, 0}},
                                                 {MetricId::global_store_sectors, {1, 0}},
                                                 {MetricId::global_store_requests, {1, 0}}});
  EXPECT_EQ(row.store.sectors, 0);
  EXPECT_EQ(row.store.degree, std::nullopt);
  EXPECT_EQ(row.load.sectors, std::nullopt);
}

TEST(KernelRows, CountsThatNoLaunchCanHaveAreRefused) {
  const KernelRow row = only_row(
      group(1, "k"), {{MetricId::dram_read_bytes, {1, INT64_MAX}}, {MetricId::dram_write_bytes, {1, -1}}});
  EXPECT_EQ(row.dram_read_bytes, std::nullopt);
  EXPECT_EQ(row.dram_write_bytes, std::nullopt);
  EXPECT_THAT(row.unmeasured,
              testing::Contains(testing::Field(&Unmeasured::text, HasSubstr("no launch can have"))));
}

TEST(KernelRows, EachMissingPhaseHasItsReason) {
  const std::array coverage{model::Coverage{{1}, Phase::bytes, 10, 3, CoverageReason::measured},
                            model::Coverage{{1}, Phase::lines, 10, 0, CoverageReason::budget_spent}};
  const KernelRow row = only_row(group(1, "k"), {}, coverage);
  EXPECT_EQ(row.bytes_samples.measured, 3);
  EXPECT_EQ(row.bytes_samples.seen, 10);
  std::vector<Phase> missing;
  for (const auto& gap : row.unmeasured) missing.push_back(gap.phase);
  EXPECT_THAT(missing, ElementsAre(Phase::lines, Phase::traffic, Phase::hits));
  EXPECT_EQ(row.unmeasured[0].reason, CoverageReason::budget_spent);
}

TEST(KernelRows, KernelsWithTheSameShortNameAreToldApart) {
  const auto rows = kernel_rows(std::array{group(1, "_ZN1a4initEPf"), group(2, "_ZN1b4initEPf"),
                                           group(3, "_ZN1a4initEPf"), group(4, "_Z4copyPf")},
                                {}, {}, {}, {});
  std::vector<std::string> names;
  for (const auto& row : rows) names.push_back(row.name);
  EXPECT_THAT(names, ElementsAre("a::init", "b::init", "a::init", "copy"));
}

capture::InstructionView instruction(std::int64_t group_id, std::optional<std::string> file,
                                     std::int64_t line, std::int64_t sectors, std::int64_t ideal, bool load) {
  capture::InstructionView view;
  view.group_id = {group_id};
  view.pc_offset = line * 16;
  view.file = std::move(file);
  if (view.file) view.line = line;
  view.launches = 2;
  view.sectors = sectors;
  view.ideal_sectors = ideal;
  view.loads = load ? 10 : 0;
  view.stores = load ? 0 : 10;
  return view;
}

TEST(KernelRows, AtomicsAndAsynchronousCopiesStandApart) {
  auto view = instruction(1, "a.cu", 7, 320, 10, false);
  view.stores = 0;
  view.reductions = 10;
  view.threads = 320;
  view.shared_requests = 4;
  view.shared_wavefronts = 64;
  view.shared_ideal_wavefronts = 4;
  const std::array views{view};
  const auto rows = kernel_rows(std::array{group(1, "k")},
                                {{GroupId{1},
                                  {{MetricId::global_reduction_bytes, {1, 20}},
                                   {MetricId::global_reduction_sectors, {1, 160}},
                                   {MetricId::async_copy_bytes, {1, 4096}},
                                   {MetricId::async_copy_sectors, {1, 128}},
                                   {MetricId::async_copy_requests, {1, 32}},
                                   {MetricId::tma_instructions, {1, 3}}}}},
                                sum_instructions(views), {}, {});
  const KernelRow& row = rows.at(0);
  EXPECT_EQ(row.reduction.requests, 5) << "a launch, of two";
  EXPECT_EQ(row.reduction.lanes, 32.0);
  EXPECT_EQ(row.reduction.sectors_per_request, 32.0);
  EXPECT_EQ(row.atomic.sectors, std::nullopt);
  EXPECT_EQ(row.async_copy.degree, 1.0);
  EXPECT_EQ(row.shared.surplus_wavefronts, 30);
  EXPECT_THAT(row.traits, ElementsAre("reductions", "shared memory: bank conflicts", "asynchronous copies",
                                      "TMA (not counted)"));
}

// What L1 keeps from L2 is no waste there: 12-byte structures read field by field.
TEST(KernelRows, TheDegreeFollowsTheBytesDown) {
  const KernelRow row = only_row(group(1, "k"), {{MetricId::global_load_bytes, {1, 384}},
                                                 {MetricId::global_load_sectors, {1, 36}},
                                                 {MetricId::global_load_requests, {1, 3}},
                                                 {MetricId::l2_read_sectors, {1, 12}},
                                                 {MetricId::dram_read_bytes, {1, 768}}});
  EXPECT_NEAR(*row.load.degree, 1 / 3.0, 1e-9);
  EXPECT_EQ(row.load.l2_degree, 1.0);
  EXPECT_EQ(row.load.dram_degree, 0.5);
  EXPECT_EQ(row.store.l2_degree, std::nullopt);
}

// 100 requests of 32 lanes, 4 bytes each: 8 sectors touched where 4 would do. Alone, its ideal sectors leave
// it open whether the fourth is full; the kernel's own sum settles that.
TEST(Unmeasured, EveryReasonSaysWhyAndWhatToDo) {
  for (const auto& entry : model::kCoverageReasonNames)
    for (const auto& phase : model::kPhaseNames) {
      const std::string text = unmeasured_text(phase.value, entry.value, 2);
      EXPECT_THAT(text, HasSubstr(std::string(subject_of(phase.value)) + " not measured: "));
      EXPECT_THAT(text, HasSubstr("; ")) << entry.name;
      EXPECT_THAT(text, testing::Not(HasSubstr("{"))) << entry.name;
    }
  EXPECT_THAT(unmeasured_text(Phase::lines, CoverageReason::too_few_launches, 1),
              HasSubstr(": its only launch was used for other measurements; "));
  EXPECT_THAT(unmeasured_text(Phase::lines, CoverageReason::too_few_launches, 1200),
              HasSubstr(": its 1,200 launches were used for other measurements; "));
  EXPECT_THAT(unmeasured_text(Phase::lines, CoverageReason::too_few_launches, 0),
              HasSubstr(": no launch that could be measured was recorded; "));
  EXPECT_THAT(unmeasured_text(Phase::lines, CoverageReason::too_few_launches, std::nullopt),
              HasSubstr(": its launches were used for other measurements; "));
}

}  // namespace
}  // namespace coalescope::analysis
