#include "reports/analysis/rows/kernel_families.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

constexpr double kClose = 1e-9;

// `bytes`: asked for by the loads of a launch; nullopt: not measured.
KernelRow shape(std::int64_t id, std::int64_t blocks, std::int64_t gpu_ns,
                std::optional<std::int64_t> bytes) {
  KernelRow row;
  row.id = id;
  row.name = "update";
  row.mangled_name = "_Z6updatePf";
  row.process_id = 1;
  row.grid = {blocks, 1, 1};
  row.block = {128, 1, 1};
  row.launches = row.timed_launches = 10;
  row.gpu_ns = gpu_ns;
  row.load.data_bytes = bytes;
  row.bytes_samples = {bytes ? 1 : 0, 10};
  return row;
}

const FamilyTotal& total(const KernelFamily& family, std::string_view count) {
  return *std::ranges::find(family.totals, count, &FamilyTotal::count);
}

TEST(KernelFamilies, AreFunctionsWithTheirBlock) {
  std::vector<KernelRow> rows{shape(1, 10, 100, 1000), shape(2, 20, 300, 2000), shape(3, 20, 50, 2000)};
  rows[2].block = {64, 1, 1};
  const auto families = kernel_families(rows);
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].gpu_ns, 400);
  EXPECT_EQ(families[0].launches, 20);
  EXPECT_THAT(families[0].kernel_ids, testing::UnorderedElementsAre(1, 2));
  EXPECT_EQ(families[1].gpu_ns, 50);
}

TEST(KernelFamilies, OneShapeThatUsesTmaIsEnough) {
  std::vector<KernelRow> rows{shape(1, 10, 100, 1000), shape(2, 20, 300, 2000)};
  rows[0].tma_instructions = 0;
  EXPECT_FALSE(kernel_families(rows)[0].uses_tma);
  rows[1].tma_instructions = 12;
  EXPECT_TRUE(kernel_families(rows)[0].uses_tma);
}

TEST(KernelFamilies, KernelsOfOneNameAreNotOneFamily) {
  std::vector<KernelRow> rows{shape(1, 10, 100, 1000), shape(2, 10, 300, 2000)};
  rows[1].of_that_name = 2;
  EXPECT_EQ(kernel_families(rows).size(), 2U);
}

TEST(KernelFamilies, VariantsOfAShapeAreOneShape) {
  std::vector<KernelRow> rows{shape(1, 10, 100, 1000), shape(2, 10, 300, 2000), shape(3, 20, 50, 2000)};
  rows[0].variant = 1;
  rows[1].variant = 2;
  const auto family = kernel_families(rows).front();
  EXPECT_EQ(family.variants, 2);
  EXPECT_EQ(family.shapes, 2);
}

TEST(KernelFamilies, RatiosAreARangeOverTheShapesThatWereMeasured) {
  std::vector<KernelRow> rows{shape(1, 10, 100, 1000), shape(2, 20, 100, std::nullopt), shape(3, 30, 100, 1)};
  rows[0].load.degree = 0.5;
  rows[2].load.degree = 0.125;
  const auto family = kernel_families(rows).front();
  EXPECT_EQ(family.load_degree.least, 0.125);
  EXPECT_EQ(family.load_degree.greatest, 0.5);
  EXPECT_FALSE(family.store_degree.least);
  EXPECT_EQ(family.phases[0].shapes, 2);
  EXPECT_NEAR(family.phases[0].share.value(), 2.0 / 3, kClose);
}

TEST(KernelFamilies, WhatWasNotMeasuredLiesOnALineBetweenTheSizesNextToIt) {
  const std::vector<KernelRow> rows{shape(1, 10, 100, 1000), shape(2, 15, 100, std::nullopt),
                                    shape(3, 20, 100, 3000), shape(4, 25, 100, 4000),
                                    shape(5, 50, 100, std::nullopt)};
  const auto family = kernel_families(rows).front();
  const FamilyTotal& bytes = total(family, "load_bytes");
  EXPECT_EQ(bytes.measured, 80'000);
  EXPECT_EQ(bytes.estimated, 80'000 + 10 * 2000 + 10 * 8000);
  EXPECT_EQ(bytes.error, 0);
  EXPECT_FALSE(total(family, "dram_bytes").measured);
}

TEST(KernelFamilies, AnEstimateSaysHowFarItMissesWhatWasMeasured) {
  const std::vector<KernelRow> rows{shape(1, 10, 100, 1000), shape(2, 20, 100, 2500), shape(3, 30, 100, 3000),
                                    shape(4, 25, 100, std::nullopt)};
  EXPECT_NEAR(total(kernel_families(rows).front(), "load_bytes").error.value(), 0.2, kClose);
}

TEST(KernelFamilies, WhatIsOffByMoreThanATwentiethIsNoEstimate) {
  const std::vector<KernelRow> rows{shape(1, 10, 100, 1000), shape(2, 20, 100, 1800), shape(3, 30, 100, 3000),
                                    shape(4, 25, 100, std::nullopt)};
  const auto family = kernel_families(rows).front();
  EXPECT_FALSE(total(family, "load_bytes").estimated);
  EXPECT_NEAR(total(family, "load_bytes").error.value(), 2000.0 / 1800 - 1, kClose);
}

TEST(KernelFamilies, TrafficOfShapesWhoseLaunchesDifferIsNotEstimated) {
  std::vector<KernelRow> rows{shape(1, 10, 100, 1000), shape(2, 20, 100, 2000), shape(3, 30, 100, 3000),
                              shape(4, 25, 100, std::nullopt)};
  for (auto& row : rows) row.l2_sectors = row.load.data_bytes;
  EXPECT_TRUE(total(kernel_families(rows).front(), "l2_sectors").estimated);
  rows[3].mixed = Mixed{};
  EXPECT_FALSE(total(kernel_families(rows).front(), "l2_sectors").estimated);
  EXPECT_TRUE(total(kernel_families(rows).front(), "load_bytes").estimated);
}

TEST(KernelFamilies, NothingIsEstimatedFromTwoSizesOrWhereAllIsMeasured) {
  const std::vector<KernelRow> two{shape(1, 10, 100, 1000), shape(2, 20, 100, std::nullopt),
                                   shape(3, 30, 100, 3000)};
  EXPECT_EQ(total(kernel_families(two).front(), "load_bytes").measured, 40'000);
  EXPECT_FALSE(total(kernel_families(two).front(), "load_bytes").error)
      << "two sizes cannot tell how far a line misses";
  EXPECT_FALSE(total(kernel_families(two).front(), "load_bytes").estimated);
  const std::vector<KernelRow> all{shape(1, 10, 100, 1000), shape(2, 20, 100, 2000)};
  EXPECT_FALSE(total(kernel_families(all).front(), "load_bytes").estimated);
}

TEST(KernelFamilies, ProcessesOfUnequalWorkAreOneFamilyWithItsImbalance) {
  std::vector<KernelRow> rows{shape(1, 10, 100, 1000), shape(2, 10, 300, 1000)};
  rows[1].process_id = 2;
  const auto families = kernel_families(rows);
  ASSERT_EQ(families.size(), 1U);
  ASSERT_EQ(families[0].processes.size(), 2U);
  EXPECT_EQ(families[0].processes[0].process_id, 2);
  EXPECT_NEAR(families[0].imbalance.value(), 0.5, kClose);
}

}  // namespace
}  // namespace coalescope::analysis
