#include "tool/calibrate_twins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace coalescope::tool {
namespace {

using kernels::Side;
using testing::HasSubstr;
using testing::Optional;

TwinResult result_with(const char* id, std::optional<double> fault_us, std::optional<double> clean_us) {
  TwinResult result;
  result.twin = kernels::twin_named(id).value();
  result.fault_us = fault_us;
  result.clean_us = clean_us;
  return result;
}

TEST(CalibrateTwins, FamiliesSelectPairs) {
  const std::vector<std::string> letter{"D"}, family{"A3"}, none{"E"};
  EXPECT_EQ(select_twins({}).size(), kernels::twins().size());
  for (const kernels::Twin* twin : select_twins(letter)) EXPECT_EQ(twin->family.front(), 'D') << twin->id;
  EXPECT_FALSE(select_twins(letter).empty());
  for (const kernels::Twin* twin : select_twins(family)) EXPECT_EQ(twin->family, "A3");
  EXPECT_TRUE(select_twins(none).empty());
}

TEST(CalibrateTwins, ASideIsATimeOrSkipped) {
  TwinResult result;
  ASSERT_TRUE(read_side("{\"us\":12.5}\n", Side::fault, result));
  ASSERT_TRUE(read_side("{\"us\":10}", Side::clean, result));
  EXPECT_THAT(result.fault_us, Optional(12.5));
  EXPECT_THAT(result.clean_us, Optional(10.0));
  ASSERT_TRUE(read_side("{\"skipped\":\"one GPU\"}", Side::clean, result));
  EXPECT_THAT(result.skipped, Optional(std::string("one GPU")));
  EXPECT_FALSE(read_side("", Side::fault, result));
  EXPECT_FALSE(read_side("{\"us\":\"fast\"}", Side::fault, result));
}

TEST(CalibrateTwins, TimesKeepWhatWasMeasuredAndWhatWasNot) {
  TwinResult skipped = result_with("peer_without_access", {}, {});
  skipped.skipped = "one GPU";
  const std::vector<TwinResult> results{result_with("grid_strided", 40, 10), skipped,
                                        result_with("strided_field", 40, {})};
  const auto json = nlohmann::json::parse(to_times_json(results));
  EXPECT_EQ(json.at("twins").size(), 1U) << "a pair with one time is no pair";
  EXPECT_EQ(json.at("twins").at("grid_strided").at("fault_us"), 40);
  EXPECT_EQ(json.at("twins").at("grid_strided").at("family"), "A5");
  EXPECT_EQ(json.at("skipped").at("peer_without_access"), "one GPU");
}

TEST(CalibrateTwins, TheTableSaysWhatTheRepairSaves) {
  TwinResult failed = result_with("strided_field", 40, {});
  failed.failed = "clean: it did not end well";
  const std::vector<TwinResult> results{result_with("grid_strided", 40, 10), failed};
  const std::string table = to_twin_table(results);
  EXPECT_THAT(table, testing::ContainsRegex("A5 +grid_strided +G01 +40\\.0 us +10\\.0 us +75\\.0 %\n"));
  EXPECT_THAT(table, HasSubstr("FAILED: clean: it did not end well"));
}

TEST(CalibrateTwins, NoPairOfTheFamiliesIsAUsageError) {
  const std::vector<std::string> none{"E"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_twins("/nonexistent", testing::TempDir(), none), 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("no twin"));
}

}  // namespace
}  // namespace coalescope::tool
