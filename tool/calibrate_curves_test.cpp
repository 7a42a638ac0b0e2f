#include "tool/calibrate_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tool/calibrate_table.h"

namespace coalescope::tool {
namespace {

using kernels::Measurement;
using model::Calibration;
using model::MetricId;
using model::Verdict;
using testing::HasSubstr;
using testing::Optional;

Measurement footprint() {
  Measurement made;
  made.row.family = "C1";
  made.row.case_id = "footprint/4194304";
  made.row.quantity = kernels::kGbPerSecond;
  made.row.unit = "GB/s";
  made.row.abscissa = 4194304;
  made.row.measured = 5000;
  made.spread = 100;
  made.kernel = "coalescope::kernels::read";
  return made;
}

// One launch each that counted reads and hits.
kernels::CaptureRows counted(std::int64_t sectors, std::int64_t hits) {
  kernels::CaptureRows rows;
  rows.kernels.push_back(
      {model::KernelId{1}, model::ProcessId{1}, "_ZN10coalescope7kernels4readEv", {}, {}, {}});
  model::KernelGroup group;
  group.id = model::GroupId{1};
  group.kernel_id = model::KernelId{1};
  rows.groups.push_back(group);
  model::Launch launch;
  launch.id = model::LaunchId{1};
  launch.group_id = group.id;
  rows.launches.push_back(launch);
  rows.readings = {{launch.id, MetricId::l2_read_sectors, sectors},
                   {launch.id, MetricId::l2_write_sectors, 0},
                   {launch.id, MetricId::l2_hit_sectors, hits}};
  return rows;
}

TEST(Measurements, AreReadAsTheyWereWritten) {
  Measurement skipped;
  skipped.row.family = "D8";
  skipped.row.case_id = "peer_copy";
  skipped.row.verdict = Verdict::skipped;
  skipped.row.note = "one GPU";
  const auto read = read_measurements(to_json_line(footprint()) + to_json_line(skipped));
  ASSERT_TRUE(read.has_value()) << read.error().text();
  ASSERT_EQ(read->size(), 2U);
  EXPECT_EQ(to_json_line(read->at(0)), to_json_line(footprint()));
  EXPECT_EQ(to_json_line(read->at(1)), to_json_line(skipped));
}

TEST(Measurements, ARowThatIsNoneIsAnError) {
  for (const char* text : {"{", "[]\n", "{}\n", "3\n", "\n"})
    EXPECT_EQ(read_measurements(text).error().code, base::ErrorCode::damaged) << text;
  EXPECT_TRUE(read_measurements("").value().empty());
}

TEST(CurveRows, TheSpreadIsARowOfItsOwn) {
  const Measurement measurement = footprint();
  const auto rows = rows_of({&measurement, 1}, {});
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].quantity, "bandwidth_gb_s");
  EXPECT_EQ(rows[1].quantity, "bandwidth_gb_s_spread");
  EXPECT_THAT(rows[1].measured, Optional(100.0));
  EXPECT_EQ(rows[1].case_id, rows[0].case_id);
}

TEST(CurveRows, TheHitRateComesFromTheKernelsOwnCounters) {
  const Measurement measurement = footprint();
  const auto rows = rows_of({&measurement, 1}, counted(1000, 750));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[2].quantity, "l2_hit_rate");
  EXPECT_THAT(rows[2].measured, Optional(0.75));
  EXPECT_EQ(rows_of({&measurement, 1}, counted(0, 0)).size(), 2U) << "of nothing there is no share";
}

TEST(Levels, AreTheShareOfTheCarriedBytesThatWasAskedFor) {
  kernels::Case one;
  one.family = "A4";
  one.id = "strided/2";
  one.kernel = "coalescope::kernels::read";
  one.abscissa = 2;
  one.useful_bytes = 16'000;
  const kernels::Case* const pointer = &one;
  const auto rows = levels_of({&pointer, 1}, counted(1000, 0));
  ASSERT_EQ(rows.size(), 1U) << "L1 and DRAM were not counted";
  EXPECT_EQ(rows[0].case_id, "needed_share_l2/2");
  EXPECT_THAT(rows[0].measured, Optional(0.5));
}

TEST(CurveTable, ALineHasFigureSpreadAndExpectation) {
  Measurement measurement = footprint();
  measurement.row.expected = 5500;
  const std::string table = to_curve_table(rows_of({&measurement, 1}, {}));
  EXPECT_THAT(table, testing::ContainsRegex(
                         "C1 +footprint 4 MiB +bandwidth_gb_s +5.00 TB/s +\\+- 1.0 %, expected 5.50 TB/s\n"));
  EXPECT_THAT(table, testing::Not(HasSubstr("_spread")));
}

TEST(CurveTable, WhatWasSkippedSaysWhy) {
  Measurement skipped;
  skipped.row.family = "D8";
  skipped.row.case_id = "peer_copy";
  skipped.row.quantity = "bandwidth_gb_s";
  skipped.row.verdict = Verdict::skipped;
  skipped.row.note = "one GPU is visible";
  EXPECT_THAT(to_curve_table(rows_of({&skipped, 1}, {})),
              testing::ContainsRegex("D8 +peer_copy +bandwidth_gb_s +skipped +one GPU is visible\n"));
}

}  // namespace
}  // namespace coalescope::tool
