#include "tool/calibrate_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace coalescope::tool {
namespace {

using kernels::Case;
using model::Calibration;
using model::Verdict;
using testing::HasSubstr;
using testing::Not;

Case kernel_case() {
  Case one;
  one.family = "A3";
  one.id = "offset_copy/3";
  one.kernel = "offset_copy<3>";
  one.counts = {{model::MetricId::global_load_sectors, 500}};
  return one;
}

Calibration count(std::string quantity, double expected, std::optional<double> measured) {
  Calibration row;
  row.case_id = "offset_copy/3";
  row.quantity = std::move(quantity);
  row.expected = expected;
  row.measured = measured;
  row.verdict = measured == expected ? Verdict::pass : Verdict::fail;
  row.note = measured ? "3 launches" : "not measured in any of 3 launches";
  return row;
}

Calibration bandwidth(const std::string& case_id, std::optional<double> gb_s) {
  Calibration row;
  row.case_id = case_id;
  row.quantity = "bandwidth_gb_s";
  row.measured = gb_s;
  row.verdict = gb_s ? Verdict::measured : Verdict::skipped;
  if (!gb_s) row.note = "not measured: no launch was timed";
  return row;
}

std::vector<Calibration> right_results() {
  return {count("global_load_sectors", 1'500'000, 1'500'000), count("global_load_requests", 300'000, 300'000),
          count("global_store_sectors", 1'200'000, 1'200'000),
          count("global_store_requests", 300'000, 300'000), bandwidth("offset_copy/3", 2500)};
}

std::string table_of(const Case& one, const std::vector<Calibration>& results) {
  const Case* const pointer = &one;
  return to_table({&pointer, 1}, results);
}

TEST(CalibrateTable, ARowShowsBothSidesTheVerdictAndTheBandwidth) {
  const std::string table = table_of(kernel_case(), right_results());
  EXPECT_THAT(table, testing::ContainsRegex(
                         "A3 +offset_copy/3 +5\\.0 \\+ 4\\.0 +5\\.0 \\+ 4\\.0 +pass +2\\.50 TB/s\n"));
  EXPECT_THAT(table, Not(HasSubstr("FAIL")));
}

TEST(CalibrateTable, AWrongCountIsNamedExactly) {
  std::vector<Calibration> results = right_results();
  results[0] = count("global_load_sectors", 1'500'000, 1'500'001);
  const std::string table = table_of(kernel_case(), results);
  EXPECT_THAT(table, HasSubstr("FAIL"));
  EXPECT_THAT(table, HasSubstr("global_load_sectors: expected 1,500,000, measured 1,500,001 (3 launches)\n"));
}

TEST(CalibrateTable, WhatWasNotMeasuredIsSaidInWords) {
  std::vector<Calibration> results = right_results();
  results[0] = count("global_load_sectors", 1'500'000, std::nullopt);
  results[4] = bandwidth("offset_copy/3", std::nullopt);
  const std::string table = table_of(kernel_case(), results);
  EXPECT_THAT(table, testing::ContainsRegex("5\\.0 \\+ 4\\.0 +not measured +FAIL"));
  EXPECT_THAT(table, HasSubstr("expected 1,500,000, not measured in any of 3 launches\n"));
  EXPECT_THAT(table, HasSubstr("not measured: no launch was timed\n"));
}

TEST(CalibrateTable, ACopyHasNoCounts) {
  Case copy;
  copy.family = "D1";
  copy.id = "copy";
  const std::string table = table_of(copy, {bandwidth("copy", 55)});
  EXPECT_THAT(table, testing::ContainsRegex("D1 +copy +a copy +a copy +no count +55\\.0 GB/s\n"));
}

TEST(CalibrateTable, TheSummaryCountsVerdicts) {
  std::vector<Calibration> results = right_results();
  EXPECT_EQ(summary(verdicts(results)), "4 of 4 counts are exact in every launch that was measured");
  results[1].verdict = Verdict::fail;
  EXPECT_EQ(verdicts(results).failed, 1);
  EXPECT_EQ(summary(verdicts(results)), "3 of 4 counts are exact in every launch that was measured");
  EXPECT_THAT(summary(CountVerdicts{}), HasSubstr("no counts were compared"));
}

}  // namespace
}  // namespace coalescope::tool
