#include "reports/html/curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::html {
namespace {

using model::Calibration;
using model::Verdict;
using testing::Optional;

Calibration figure(const std::string& case_id, std::optional<double> x, double y) {
  Calibration row;
  row.family = "C1";
  row.case_id = case_id;
  row.quantity = "bandwidth_gb_s";
  row.unit = "GB/s";
  row.abscissa = x;
  row.measured = y;
  return row;
}

Calibration count(const std::string& quantity, double x, double value) {
  Calibration row = figure("offset_copy/" + std::to_string(static_cast<int>(x)), x, value);
  row.quantity = quantity;
  row.expected = value;
  row.verdict = Verdict::pass;
  return row;
}

TEST(Pictures, QuantitiesAndParametersAreKeptApart) {
  Calibration rate = figure("footprint/1", 1, 0.9);
  rate.quantity = "l2_hit_rate";
  rate.unit = "";
  Calibration other_rate = rate;
  other_rate.case_id = "footprint/2";
  other_rate.abscissa = 2;
  const std::vector rows{figure("footprint/1", 1, 10),  figure("footprint/2", 2, 20), rate, other_rate,
                         figure("hit_rate/0.5", .5, 3), figure("hit_rate/1", 1, 4)};
  const auto pictures = pictures_of("C1", rows);
  ASSERT_EQ(pictures.size(), 3U);
  EXPECT_EQ(pictures[0].id, "curve-C1");
  EXPECT_EQ(pictures[0].x, "bytes of the array");
  EXPECT_EQ(pictures[1].title, "Share of the sectors that L2 held");
  EXPECT_EQ(pictures[2].id, "curve-C1-3");
  EXPECT_EQ(pictures[2].x, "share of the loads that stay in L2");
  EXPECT_EQ(pictures[2].points[0].series, "hit_rate");
}

TEST(Pictures, ASpreadBelongsToItsFigure) {
  Calibration spread = figure("footprint/1", 1, 3);
  spread.quantity += "_spread";
  const std::vector rows{figure("footprint/1", 1, 10), spread, figure("footprint/2", 2, 20)};
  const auto pictures = pictures_of("C1", rows);
  ASSERT_EQ(pictures.size(), 1U);
  ASSERT_EQ(pictures[0].points.size(), 2U);
  EXPECT_THAT(pictures[0].points[0].spread, Optional(3.0));
  EXPECT_EQ(pictures[0].points[1].spread, std::nullopt);
}

TEST(Pictures, CasesWithoutAParameterAreBars) {
  const auto pictures = pictures_of("C4", std::vector{figure("never", {}, 1), figure("reset", {}, 2)});
  ASSERT_EQ(pictures.size(), 1U);
  EXPECT_EQ(pictures[0].x, "");
  EXPECT_EQ(pictures[0].points[1].series, "reset");
}

TEST(Pictures, OnePointIsNone) {
  EXPECT_TRUE(pictures_of("C1", std::vector{figure("footprint/1", 1, 10)}).empty());
}

TEST(Pictures, CountsAreShownByTheRequest) {
  const std::vector rows{count("global_load_sectors", 0, 400),  count("global_load_requests", 0, 100),
                         count("global_load_sectors", 1, 500),  count("global_load_requests", 1, 100),
                         count("global_store_sectors", 0, 400), count("global_store_requests", 0, 100),
                         count("global_store_sectors", 1, 400), count("global_store_requests", 1, 100)};
  const auto pictures = pictures_of("A3", rows);
  ASSERT_EQ(pictures.size(), 1U) << "the stores are the same everywhere";
  EXPECT_EQ(pictures[0].title, "Sectors per load request");
  EXPECT_EQ(pictures[0].points[1].y, 5);
  EXPECT_THAT(pictures[0].points[1].expected, Optional(5.0));
}

}  // namespace
}  // namespace coalescope::html
