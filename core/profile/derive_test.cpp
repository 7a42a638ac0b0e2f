#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/profile/sources.h"

namespace coalescope::profile {
namespace {

using model::Calibration;

Calibration row(std::string case_id, std::string quantity, std::optional<double> x, std::optional<double> y) {
  Calibration made;
  made.case_id = std::move(case_id);
  made.quantity = std::move(quantity);
  made.unit = "GB/s";
  made.abscissa = x;
  made.measured = y;
  return made;
}

TEST(Derive, ACurveIsThePointsOfItsCasesInOrder) {
  const std::vector rows{row("strided_copy/2", "bandwidth_gb_s", 2, 200),
                         row("strided_copy/1", "bandwidth_gb_s", 1, 300),
                         row("strided_copy/1", "bandwidth_gb_s_spread", 1, 4),
                         row("strided_copy/1", "global_load_sectors", 1, 128),
                         row("strided_copy/3", "bandwidth_gb_s", 3, std::nullopt),
                         row("strided_copy_of_another_kind/4", "bandwidth_gb_s", 4, 1)};
  const MachineProfile profile = derive(rows);
  const Curve& curve = profile.curves.at("bandwidth_over_stride");
  ASSERT_EQ(curve.points.size(), 2U);
  EXPECT_EQ(curve.unit, "GB/s");
  EXPECT_EQ(curve.points[0].x, 1);
  EXPECT_EQ(curve.points[0].y, 300);
  EXPECT_EQ(curve.points[0].spread, 4);
  EXPECT_EQ(curve.points[1].spread, std::nullopt);
  EXPECT_EQ(profile.curves.size(), 1U);
}

TEST(Derive, TheCeilingOfCopiesIsTheCeilingCasesOrElseThatOfTheCleanCopy) {
  std::vector rows{row("sequential_copy", "bandwidth_gb_s", {}, 2500)};
  EXPECT_EQ(derive(rows).figures.at("dram_copy_gb_s").value, 2500);
  rows.push_back(row("dram_copy", "bandwidth_gb_s", {}, 2700));
  EXPECT_EQ(derive(rows).figures.at("dram_copy_gb_s").value, 2700);
}

TEST(Derive, TheFixedCostOfACopyIsWhatItsBytesDoNotExplain) {
  const std::vector rows{row("copy_host_to_device_pinned/4000", "bandwidth_gb_s", 4000, 1),
                         row("copy_host_to_device_pinned/1000000", "bandwidth_gb_s", 1'000'000, 40)};
  EXPECT_NEAR(derive(rows).figures.at("copy_fixed_ns").value, 3900, 1e-6);
}

TEST(Derive, WhatWasSkippedOrGaveNothingIsNotThere) {
  const std::vector rows{row("peer_copy", "bandwidth_gb_s", {}, std::nullopt),
                         row("l2_read", "bandwidth_gb_s", {}, 0)};
  EXPECT_TRUE(derive(rows).figures.empty());
}

TEST(Derive, TheIdentityComesFromTheCapture) {
  model::Device device;
  device.uuid = "GPU-1";
  device.name = "A GPU";
  model::Process process;
  process.driver_version = 13000;
  model::Capture capture;
  capture.tool_version = "1.2";
  const MachineProfile profile = derive({}, device, process, capture);
  EXPECT_EQ(profile.gpu_uuid, "GPU-1");
  EXPECT_EQ(profile.driver_version, 13000);
  EXPECT_THAT(profile.provenance, testing::HasSubstr("A GPU"));
}

}  // namespace
}  // namespace coalescope::profile
