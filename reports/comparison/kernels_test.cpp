#include "reports/comparison/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reports/comparison/compare.h"
#include "reports/comparison/sample_reports_test.h"
#include "reports/comparison/verdict.h"

namespace coalescope::comparison {
namespace {

using analysis::KernelRow;
using test::load_more;
using test::report_of;
using test::strided;
using testing::HasSubstr;

const Number& number_of(const KernelChange& change, std::string_view key) {
  const auto found = std::ranges::find(change.numbers, key, &Number::key);
  if (found == change.numbers.end()) throw std::out_of_range(std::string(key));
  return *found;
}

TEST(CompareKernels, ACaptureDoesNotDifferFromItself) {
  const auto report = report_of({strided(1, "copy(int)"), strided(2, "other(int)")});
  const Comparison comparison = compare(report, report);
  EXPECT_EQ(comparison.judgement, Judgement::same);
  EXPECT_THAT(comparison.verdict, HasSubstr("No difference: 2 kernels"));
  EXPECT_DOUBLE_EQ(comparison.coverage.value(), 1);
}

TEST(CompareKernels, FivePerCentOfBytesAreFound) {
  KernelRow more = strided(1, "copy(int)");
  load_more(more, 1.05);
  for (const auto spread : {std::optional<double>(0), std::optional<double>()}) {
    KernelRow before = strided(1, "copy(int)");
    before.launch_spread = more.launch_spread = spread;
    const Comparison comparison = compare(report_of({before}), report_of({more}));
    EXPECT_EQ(comparison.judgement, Judgement::worse);
    EXPECT_TRUE(comparison.is_worse);
    EXPECT_THAT(comparison.verdict, HasSubstr("copy(int): load sectors +5.0 %"));
    const Comparison back = compare(report_of({more}), report_of({before}));
    EXPECT_EQ(back.judgement, Judgement::better);
    EXPECT_FALSE(back.is_worse);
  }
}

TEST(CompareKernels, WhatLaunchesDifferByIsNoChange) {
  KernelRow before = strided(1, "copy(int)"), after = strided(1, "copy(int)");
  before.launch_spread = 0.1;
  load_more(after, 1.15);
  EXPECT_EQ(compare(report_of({before}), report_of({after})).judgement, Judgement::same);
}

TEST(CompareKernels, TimesDecideNothing) {
  KernelRow slow = strided(1, "copy(int)");
  slow.median_gpu_ns = 2 * test::kGpuNs;
  slow.gpu_ns = 20 * test::kGpuNs;
  const Comparison comparison = compare(report_of({strided(1, "copy(int)")}), report_of({slow}));
  EXPECT_EQ(comparison.judgement, Judgement::same);
  const Number& time = number_of(comparison.kernels.at(0), "gpu_ns");
  EXPECT_EQ(time.judgement, Judgement::worse);
  EXPECT_TRUE(time.advice);
}

TEST(CompareKernels, TheDegreeFallsWithTheSectorsThatCarryTheSame) {
  KernelRow wide = strided(1, "copy(int)");
  wide.load.sectors = *wide.load.sectors * 2;
  const auto changes = compare_kernels(report_of({strided(1, "copy(int)")}), report_of({wide}));
  const Number& degree = number_of(changes.at(0), "load_degree");
  EXPECT_EQ(degree.judgement, Judgement::worse);
  EXPECT_DOUBLE_EQ(*degree.before, 2 * *degree.after);
}

TEST(CompareKernels, WhatOneSideDidNotMeasureSaysSo) {
  KernelRow unmeasured = strided(1, "copy(int)");
  unmeasured.load = unmeasured.store = {};
  const Comparison comparison = compare(report_of({strided(1, "copy(int)")}), report_of({unmeasured}));
  EXPECT_EQ(comparison.kernels.at(0).not_compared, "its bytes were not measured after");
  EXPECT_EQ(comparison.judgement, Judgement::same);
  EXPECT_DOUBLE_EQ(comparison.coverage.value(), 0);
  EXPECT_THAT(comparison.verdict, HasSubstr("says little about the rest"));
}

TEST(CompareKernels, ANewKernelIsAChangeAndASmallOneIsNone) {
  KernelRow small = strided(2, "small(int)");
  small.gpu_ns = 1'000;
  const auto one = report_of({strided(1, "copy(int)")});
  EXPECT_EQ(compare(one, report_of({strided(1, "copy(int)"), strided(2, "large(int)")})).judgement,
            Judgement::changed);
  EXPECT_EQ(compare(one, report_of({strided(1, "copy(int)"), small})).judgement, Judgement::same);
}

TEST(CompareKernels, LaunchesOfALongRecordingAreNotExact) {
  KernelRow more = strided(1, "copy(int)");
  more.launches = 11;
  auto before = report_of({strided(1, "copy(int)")});
  EXPECT_EQ(compare(before, report_of({more})).judgement, Judgement::changed);
  before.diagnostics.push_back({.origin = "trace", .code = "sampled"});
  EXPECT_EQ(compare(before, report_of({more})).judgement, Judgement::same);
  more.launches = 15;
  EXPECT_EQ(compare(before, report_of({more})).judgement, Judgement::changed);
}

// `share` of copy(int)'s launches load four times what the others do; of 100.
std::vector<KernelRow> two_things(std::int64_t share) {
  std::vector<KernelRow> rows{strided(1, "copy(int)"), strided(2, "copy(int)")};
  load_more(rows[1], 4);
  rows[0].variant = 1, rows[0].launches = 100 - share;
  rows[1].variant = 2, rows[1].launches = share;
  return rows;
}

KernelRow one_thing() {
  KernelRow row = strided(1, "copy(int)");
  row.launches = 100;
  row.bytes_samples = row.traffic_samples = {4, 100};
  return row;
}

TEST(CompareKernels, WhatOnlySomeLaunchesDoNowIsFound) {
  const Comparison comparison = compare(report_of({one_thing()}), report_of(two_things(80)));
  EXPECT_EQ(comparison.judgement, Judgement::worse);
  EXPECT_THAT(comparison.verdict, HasSubstr("copy(int): load sectors +240 %"));
  EXPECT_EQ(compare(report_of(two_things(80)), report_of({one_thing()})).judgement, Judgement::better);
}

TEST(CompareKernels, WhatFewMeasuredLaunchesMayHaveMissedIsNoChange) {
  EXPECT_EQ(compare(report_of({one_thing()}), report_of(two_things(20))).judgement, Judgement::same);
  KernelRow sure = one_thing();
  sure.traffic_samples.measured = 40;
  EXPECT_EQ(compare(report_of({sure}), report_of(two_things(20))).judgement, Judgement::worse);
}

TEST(CompareKernels, VariantsMayHaveOtherNumbers) {
  std::vector<KernelRow> other = two_things(20);
  std::swap(other[0].variant, other[1].variant);
  EXPECT_EQ(compare(report_of(two_things(20)), report_of(other)).judgement, Judgement::same);
  EXPECT_EQ(compare(report_of(two_things(20)), report_of(two_things(40))).judgement, Judgement::worse);
}

TEST(CompareKernels, FewLaunchesThatWereNotMeasuredChangeNothing) {
  std::vector<KernelRow> rare = two_things(80);
  rare.push_back(strided(3, "copy(int)"));
  rare[2].load = rare[2].store = {};
  rare[2].variant = 3, rare[2].launches = 2;
  EXPECT_EQ(compare(report_of({one_thing()}), report_of(rare)).judgement, Judgement::worse);
  EXPECT_EQ(compare(report_of(two_things(80)), report_of(rare)).judgement, Judgement::same);
  rare[0].launches = 4, rare[1].launches = 86, rare[2].launches = 10;
  EXPECT_EQ(compare(report_of({one_thing()}), report_of(rare)).judgement, Judgement::worse)
      << "whatever they do, the others do more";
  EXPECT_EQ(compare(report_of(rare), report_of({one_thing()})).judgement, Judgement::better);
  EXPECT_EQ(number_of(compare_kernels(report_of({one_thing()}), report_of(rare)).at(0), "load_sectors").label,
            "load sectors (at least)");
  rare[0].launches = 60, rare[1].launches = 10, rare[2].launches = 30;
  EXPECT_THAT(compare(report_of({one_thing()}), report_of(rare)).kernels.at(0).not_compared,
              HasSubstr("no shape was measured both times"));
}

TEST(Compare, OtherGpusAndOtherProgramsAreNotComparable) {
  auto one = report_of({strided(1, "copy(int)")}), other = one;
  one.devices.push_back({});
  other.devices.push_back({});
  one.devices[0].properties.name = "NVIDIA H100";
  other.devices[0].properties.name = "NVIDIA A100";
  EXPECT_THAT(compare(one, other).verdict, HasSubstr("Not comparable"));
  auto stranger = report_of({strided(1, "scan(int)")});
  stranger.command = {"./scan"};
  EXPECT_THAT(compare(report_of({strided(1, "copy(int)")}), stranger).not_comparable,
              testing::ElementsAre(HasSubstr("of different programs")));
  EXPECT_THAT(compare(one, report_of({})).not_comparable,
              testing::ElementsAre(HasSubstr("no work on a GPU")));
}

}  // namespace
}  // namespace coalescope::comparison
