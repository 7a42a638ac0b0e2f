// Captures made of rows by hand: two reference kernels and a copy, then one thing wrong at a time.

#include "kernels/answers/comparison.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace coalescope::kernels {
namespace {

using model::Calibration;
using model::MetricId;
using testing::Optional;

constexpr model::GroupId kGroup{11};
constexpr model::KernelId kKernel{7};

const Case& one_case() {
  static const Case one = [] {
    Case made;
    made.family = "A3";
    made.id = "offset_copy/3";
    made.kernel = "coalescope::kernels::offset_copy<3>";
    made.abscissa = 3;
    made.useful_bytes = 8000;
    made.counts = {{MetricId::global_load_sectors, 500}, {MetricId::instruction_sectors, 1000}};
    return made;
  }();
  return one;
}

const Case& one_copy() {
  static const Case one = [] {
    Case made;
    made.family = "D1";
    made.id = "copy";
    made.useful_bytes = 4096;
    made.copy = HostCopy{model::Direction::host_to_device, model::MemoryKind::pinned, 4096};
    return made;
  }();
  return one;
}

model::Launch launch(std::int64_t id, std::optional<std::int64_t> gpu_ns,
                     std::optional<std::int64_t> window) {
  model::Launch row;
  row.id = model::LaunchId{id};
  row.group_id = kGroup;
  row.gpu_ns = gpu_ns;
  if (window) row.window_id = model::WindowId{*window};
  return row;
}

model::PhaseWindow window(std::int64_t id, model::Phase phase, std::int64_t launches) {
  model::PhaseWindow row;
  row.id = model::WindowId{id};
  row.phase = phase;
  row.launches = launches;
  return row;
}

model::Transfer transfer(std::int64_t bytes, std::int64_t gpu_ns, model::MemoryKind host) {
  model::Transfer row;
  row.direction = model::Direction::host_to_device;
  row.source_memory = host;
  row.destination_memory = model::MemoryKind::device;
  row.bytes = bytes;
  row.gpu_ns = gpu_ns;
  return row;
}

// Launches 1 and 2 in a bytes window, 3 in a lines window of its own, 4 to 6 native.
CaptureRows right_capture() {
  CaptureRows rows;
  rows.kernels.push_back({kKernel, {}, "_ZN10coalescope7kernels11offset_copyILi3EEEvPjPKj", {}, {}, {}});
  rows.groups.push_back({kGroup, {}, {}, kKernel, 1, 1, 1, 256, 1, 1, 0});
  rows.windows = {window(1, model::Phase::bytes, 2), window(2, model::Phase::lines, 1)};
  rows.launches = {launch(1, {}, 1),  launch(2, {}, 1),   launch(3, {}, 2),
                   launch(4, 70, {}), launch(5, 100, {}), launch(6, 80, {})};
  rows.readings = {{model::LaunchId{1}, MetricId::global_load_sectors, 500},
                   {model::LaunchId{2}, MetricId::global_load_sectors, 500}};
  rows.instruction_readings = {
      {model::WindowId{2}, model::InstructionId{1}, MetricId::instruction_sectors, 400},
      {model::WindowId{2}, model::InstructionId{2}, MetricId::instruction_sectors, 600}};
  rows.transfers = {transfer(4096, 2000, model::MemoryKind::pinned),
                    transfer(4096, 9000, model::MemoryKind::pageable),
                    transfer(8192, 9000, model::MemoryKind::pinned)};
  return rows;
}

Calibration result_of(const Case& one, const CaptureRows& rows, std::string_view quantity) {
  const Case* const pointer = &one;
  const std::vector<Calibration> all = compare({&pointer, 1}, rows);
  const auto found = std::ranges::find(all, quantity, &Calibration::quantity);
  if (found == all.end()) throw std::out_of_range(std::string(quantity));
  return *found;
}

TEST(Comparison, EqualCountsPass) {
  const Calibration row = result_of(one_case(), right_capture(), "global_load_sectors");
  EXPECT_EQ(row.verdict, model::Verdict::pass);
  EXPECT_THAT(row.expected, Optional(500));
  EXPECT_THAT(row.measured, Optional(500));
  EXPECT_THAT(row.note, Optional(std::string("2 launches")));
  EXPECT_EQ(row.family, "A3");
  EXPECT_EQ(row.case_id, "offset_copy/3");
  EXPECT_EQ(row.unit, "sectors");
  EXPECT_THAT(row.abscissa, Optional(3));
}

TEST(Comparison, OneLaunchOffByOneFailsThoughTheSumIsRight) {
  CaptureRows rows = right_capture();
  rows.readings[0].value = 499;
  rows.readings[1].value = 501;
  const Calibration row = result_of(one_case(), rows, "global_load_sectors");
  EXPECT_EQ(row.verdict, model::Verdict::fail);
  EXPECT_THAT(row.measured, Optional(499));
  EXPECT_THAT(row.note, Optional(std::string("2 of 2 launches differ")));
}

TEST(Comparison, CountsOfInstructionsAreSummedOverALaunch) {
  EXPECT_EQ(result_of(one_case(), right_capture(), "instruction_sectors").verdict, model::Verdict::pass);
  CaptureRows rows = right_capture();
  rows.instruction_readings[0].value = 401;
  const Calibration row = result_of(one_case(), rows, "instruction_sectors");
  EXPECT_EQ(row.verdict, model::Verdict::fail);
  EXPECT_THAT(row.measured, Optional(1001));
}

TEST(Comparison, InstructionWindowsOfSeveralLaunchesAreNotTheGroups) {
  CaptureRows rows = right_capture();
  rows.windows[1].launches = 2;
  EXPECT_EQ(result_of(one_case(), rows, "instruction_sectors").measured, std::nullopt);
}

TEST(Comparison, MissingKernelFails) {
  const Calibration row = result_of(one_case(), CaptureRows{}, "global_load_sectors");
  EXPECT_EQ(row.verdict, model::Verdict::fail);
  EXPECT_EQ(row.measured, std::nullopt);
  EXPECT_THAT(row.note, Optional(std::string("not measured: the kernel was not launched")));
}

TEST(Comparison, MissingReadingFailsWithTheReason) {
  CaptureRows rows = right_capture();
  rows.readings.clear();
  EXPECT_THAT(result_of(one_case(), rows, "global_load_sectors").note,
              Optional(std::string("not measured in any of 6 launches")));
  rows.coverage.push_back({kGroup, model::Phase::bytes, 6, 0, model::CoverageReason::budget_spent});
  const Calibration row = result_of(one_case(), rows, "global_load_sectors");
  EXPECT_EQ(row.verdict, model::Verdict::fail);
  EXPECT_EQ(row.measured, std::nullopt);
  EXPECT_THAT(row.note, Optional(std::string("not measured in any of 6 launches: budget_spent")));
}

TEST(Comparison, WhatThisGpuCannotMeasureIsSkipped) {
  CaptureRows rows = right_capture();
  rows.readings.clear();
  rows.coverage.push_back({kGroup, model::Phase::bytes, 6, 0, model::CoverageReason::unsupported});
  const Calibration row = result_of(one_case(), rows, "global_load_sectors");
  EXPECT_EQ(row.verdict, model::Verdict::skipped);
  EXPECT_EQ(row.measured, std::nullopt);
  EXPECT_THAT(row.note, Optional(testing::HasSubstr("this GPU")));
}

TEST(Comparison, ACounterThatThisGpuLacksIsSkippedAndTheOthersAreNot) {
  CaptureRows rows = right_capture();
  rows.readings.clear();
  model::MetricUsed used;
  used.id = MetricId::global_store_sectors;
  rows.metrics.push_back(used);
  EXPECT_EQ(result_of(one_case(), rows, "global_load_sectors").verdict, model::Verdict::skipped);
  EXPECT_EQ(result_of(one_case(), rows, "instruction_sectors").verdict, model::Verdict::pass);
  rows.metrics.front().id = MetricId::global_load_sectors;
  EXPECT_EQ(result_of(one_case(), rows, "global_load_sectors").verdict, model::Verdict::fail);
}

TEST(Comparison, ACaseOfANewerGpuIsSkipped) {
  Case newer = one_case();
  newer.least_capability = 80;
  CaptureRows rows = right_capture();
  model::Device device;
  device.compute_capability_major = 7;
  device.compute_capability_minor = 5;
  rows.devices.push_back(device);
  const Calibration row = result_of(newer, rows, "global_load_sectors");
  EXPECT_EQ(row.verdict, model::Verdict::skipped);
  EXPECT_THAT(row.note, Optional(std::string("needs compute capability 8.0, this GPU has 7.5")));
  rows.devices.front().compute_capability_major = 8;
  EXPECT_EQ(result_of(newer, rows, "global_load_sectors").verdict, model::Verdict::pass);
}

TEST(Comparison, ALeastCountIsPassedByMoreIfAllLaunchesAgree) {
  Case least = one_case();
  least.counts[0] = {MetricId::global_load_sectors, 400, true};
  EXPECT_EQ(result_of(least, right_capture(), "global_load_sectors").verdict, model::Verdict::pass);
  EXPECT_THAT(result_of(least, right_capture(), "global_load_sectors").measured, Optional(500));
  CaptureRows rows = right_capture();
  rows.readings[1].value = 501;
  EXPECT_EQ(result_of(least, rows, "global_load_sectors").verdict, model::Verdict::fail);
  least.counts[0].count = 501;
  EXPECT_EQ(result_of(least, right_capture(), "global_load_sectors").verdict, model::Verdict::fail);
}

TEST(Comparison, AMeasuredZeroIsAValue) {
  CaptureRows rows = right_capture();
  rows.readings[1].value = 0;
  EXPECT_THAT(result_of(one_case(), rows, "global_load_sectors").measured, Optional(0));
}

TEST(Comparison, BandwidthIsOfTheMedianNativeLaunch) {
  const Calibration row = result_of(one_case(), right_capture(), kBandwidthQuantity);
  EXPECT_EQ(row.verdict, model::Verdict::measured);
  EXPECT_THAT(row.measured, Optional(100));  // 8,000 bytes in 80 ns
  EXPECT_EQ(row.unit, "GB/s");
  EXPECT_EQ(row.expected, std::nullopt);
}

TEST(Comparison, TheSpreadIsTheInterquartileRange) {
  CaptureRows rows = right_capture();
  EXPECT_THROW(result_of(one_case(), rows, "bandwidth_gb_s_spread"), std::out_of_range)
      << "of three launches";
  rows.launches.push_back(launch(7, 80, {}));
  rows.launches.push_back(launch(8, 160, {}));
  const Calibration row = result_of(one_case(), rows, "bandwidth_gb_s_spread");
  EXPECT_EQ(row.verdict, model::Verdict::measured);
  EXPECT_THAT(row.measured, Optional(20));  // 8,000 bytes in 80 ns and in 100 ns
  EXPECT_EQ(row.unit, "GB/s");
  EXPECT_THAT(row.abscissa, Optional(3));
}

TEST(Comparison, TheSpreadOfCopyAndKernelIsTheMostOfBoth) {
  Case staged = one_case();
  staged.copy = one_copy().copy;
  CaptureRows rows = right_capture();
  for (const std::int64_t id : {7, 8}) rows.launches.push_back(launch(id, 100, {}));
  rows.transfers.clear();
  for (const std::int64_t ns : {300, 400, 400, 500, 500})
    rows.transfers.push_back(transfer(4096, ns, model::MemoryKind::pinned));
  EXPECT_THAT(result_of(staged, rows, "bandwidth_gb_s_spread").measured,
              Optional(testing::DoubleEq(8000.0 / 480 - 8000.0 / 600)));
}

TEST(Comparison, CopiesAreToldApartByMemoryAndSize) {
  EXPECT_THAT(result_of(one_copy(), right_capture(), kBandwidthQuantity).measured, Optional(2.048));
}

TEST(Comparison, CopyAndKernelTakeTheSumOfBoth) {
  Case staged = one_case();
  staged.copy = one_copy().copy;
  EXPECT_THAT(result_of(staged, right_capture(), kBandwidthQuantity).measured,
              Optional(testing::DoubleEq(8000.0 / 2080.0)));
}

TEST(Comparison, WithoutATimeThereIsNoBandwidth) {
  CaptureRows rows = right_capture();
  rows.launches.resize(3);
  const Calibration kernel = result_of(one_case(), rows, kBandwidthQuantity);
  EXPECT_EQ(kernel.verdict, model::Verdict::skipped);
  EXPECT_EQ(kernel.measured, std::nullopt);
  EXPECT_THAT(kernel.note, Optional(std::string("not measured: no launch was timed")));
  rows.transfers.clear();
  EXPECT_THAT(result_of(one_copy(), rows, kBandwidthQuantity).note,
              Optional(std::string("not measured: no such copy was timed")));
}

TEST(Comparison, RowsAreNumberedAcrossCases) {
  const std::vector<const Case*> both{&one_case(), &one_copy()};
  const std::vector<Calibration> all = compare(both, right_capture());
  ASSERT_EQ(all.size(), 4U);
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].id, static_cast<std::int64_t>(i + 1));
}

}  // namespace
}  // namespace coalescope::kernels
