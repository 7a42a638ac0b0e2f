#include "kernels/curves/experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace coalescope::kernels {
namespace {

Measurement full() {
  Measurement measurement;
  measurement.row.family = "C1";
  measurement.row.case_id = "footprint/4096";
  measurement.row.quantity = kGbPerSecond;
  measurement.row.unit = "GB/s";
  measurement.row.abscissa = 4096;
  measurement.row.expected = 2000.5;
  measurement.row.measured = 1999.123456789;
  measurement.row.verdict = model::Verdict::measured;
  measurement.row.note = "a \"note\" with \\ and \n a line";
  measurement.spread = 3.5;
  measurement.kernel = "read_quads<1>";
  return measurement;
}

TEST(Experiments, HaveIdsOfTheirOwn) {
  std::set<std::string_view> ids;
  for (const Experiment& experiment : experiments())
    EXPECT_TRUE(ids.insert(experiment.id).second) << experiment.id;
}

TEST(Experiments, AreSelectedByFamilyOrLetter) {
  const std::vector<std::string> c1{"C1"}, c{"C"}, none{"Z"};
  EXPECT_EQ(select_experiments({}).size(), experiments().size());
  EXPECT_EQ(select_experiments(c1).size(), 2U);
  EXPECT_GT(select_experiments(c).size(), 5U);
  EXPECT_TRUE(select_experiments(none).empty());
}

TEST(MeasurementLine, IsJsonThatLosesNothing) {
  const std::string line = to_json_line(full());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto object = nlohmann::json::parse(line);
  EXPECT_EQ(object["family"], "C1");
  EXPECT_EQ(object["case"], "footprint/4096");
  EXPECT_EQ(object["x"], 4096);
  EXPECT_EQ(object["expected"], 2000.5);
  EXPECT_EQ(object["measured"], 1999.123456789);
  EXPECT_EQ(object["spread"], 3.5);
  EXPECT_EQ(object["verdict"], "measured");
  EXPECT_EQ(object["kernel"], "read_quads<1>");
  EXPECT_EQ(object["note"], *full().row.note);
}

TEST(MeasurementLine, WhatIsMissingOrNoNumberIsNull) {
  Measurement skipped;
  skipped.row.verdict = model::Verdict::skipped;
  skipped.spread = std::numeric_limits<double>::quiet_NaN();
  skipped.row.measured = std::numeric_limits<double>::infinity();
  const auto object = nlohmann::json::parse(to_json_line(skipped));
  for (const char* key : {"x", "expected", "measured", "spread", "note"})
    EXPECT_TRUE(object[key].is_null()) << key;
  EXPECT_EQ(object["verdict"], "skipped");
}

}  // namespace
}  // namespace coalescope::kernels
