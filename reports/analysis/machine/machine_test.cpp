#include "reports/analysis/machine/machine.h"

#include <gtest/gtest.h>

#include "core/profile/sources.h"

namespace coalescope::analysis {
namespace {

model::Device device(const std::string& name) {
  model::Device result;
  result.name = name;
  result.memory_clock_khz = 2'619'000;
  result.memory_bus_bits = 5120;
  return result;
}

model::Calibration bandwidth_of(const std::string& case_id, std::optional<double> gb_s) {
  model::Calibration row;
  row.case_id = case_id;
  row.quantity = "bandwidth_gb_s";
  row.measured = gb_s;
  return row;
}

Machine machine_with(const model::Device& gpu, const std::vector<model::Calibration>& rows) {
  return machine_of(gpu, profile::profiles_for(gpu, profile::derive(rows), std::nullopt));
}

TEST(Machine, PeakIsTwoTransfersAClock) {
  EXPECT_DOUBLE_EQ(*peak_dram_bandwidth(device("x")), 3.35232e12);
  EXPECT_EQ(peak_dram_bandwidth(model::Device{}), std::nullopt);
}

TEST(Machine, TheCapturesCalibrationGoesFirst) {
  const Machine machine = machine_with(
      device("NVIDIA H100 80GB HBM3"),
      {bandwidth_of("sequential_copy", 2470.0), bandwidth_of("copy_host_to_device_pinned/268435456", 26.0)});
  EXPECT_DOUBLE_EQ(machine.dram->bandwidth, 2.47e12);
  EXPECT_EQ(machine.dram->source, "calibrated on this machine");
  EXPECT_DOUBLE_EQ(machine.host_to_device->bandwidth, 26e9);
  ASSERT_TRUE(machine.device_to_host) << "what it leaves open comes from the product";
  EXPECT_EQ(machine.device_to_host->source, "measured on another NVIDIA H100 80GB HBM3");
}

TEST(Machine, UnmeasuredCalibrationIsNone) {
  EXPECT_DOUBLE_EQ(
      machine_with(device("unknown"), {bandwidth_of("sequential_copy", std::nullopt)}).dram->bandwidth,
      3.35232e12);
}

TEST(Machine, UnknownProductsHaveOnlyTheirProperties) {
  const Machine machine = machine_with(device("some other GPU"), {});
  EXPECT_EQ(machine.dram->source, "peak by the device's properties");
  EXPECT_FALSE(machine.host_to_device || machine.device_to_host || machine.l2 || machine.copy_ns);
  EXPECT_FALSE(machine.wavefronts_per_ns) << "its clock is not known";
  EXPECT_EQ(ceilings(machine).size(), 1U);
}

TEST(Machine, CopyCurvesAreThoseOfTheProductAndOfNoOther) {
  const auto curves = copy_curves(machine_with(device("NVIDIA H100 80GB HBM3"), {}));
  ASSERT_EQ(curves.size(), 4U);
  EXPECT_EQ(curves[0].direction, model::Direction::host_to_device);
  EXPECT_EQ(curves[0].host_memory, model::MemoryKind::pinned);
  EXPECT_EQ(curves[0].source, "measured on another NVIDIA H100 80GB HBM3");
  ASSERT_GT(curves[0].points.size(), 4U);
  EXPECT_GT(curves[0].points.back().bandwidth, 1e10) << "bytes a second";
  EXPECT_TRUE(copy_curves(machine_with(device("some other GPU"), {})).empty());
}

TEST(Machine, WavefrontsAreWhatConflictsReachOrAtMostOneAClock) {
  model::Device gpu = device("x");
  gpu.multiprocessors = 132;
  gpu.clock_khz = 1'980'000;
  EXPECT_NEAR(*machine_of(gpu, {}).wavefronts_per_ns, 261.4, 0.1);
  profile::MachineProfile calibrated;
  calibrated.curves["shared_requests_over_conflicts"] = {
      "1e9/s", "degree", true, {{1, 200, {}}, {32, 7, {}}}};
  EXPECT_NEAR(*machine_of(gpu, std::vector{calibrated}).wavefronts_per_ns, 224, 1e-9);
}

TEST(Machine, AChipWithoutConstantsOfItsOwnSaysWhoseTheyAre) {
  model::Device gpu = device("NVIDIA A100");
  gpu.chip = "GA100";
  gpu.compute_capability_major = 8;
  const Machine other = machine_of(gpu, {});
  EXPECT_EQ(other.chip.measured_on, "an H100");
  EXPECT_NE(other.chip_remark.find("were measured on an H100 and not on GA100"), std::string::npos);
  EXPECT_TRUE(other.rates_are_peaks);

  gpu.chip = std::nullopt;
  EXPECT_NE(machine_of(gpu, {}).chip_remark.find("not on NVIDIA A100"), std::string::npos);
}

TEST(Machine, EveryProductOfAChipHasItsConstants) {
  model::Device gpu = device("NVIDIA GH200 480GB");
  gpu.chip = "GH100";
  EXPECT_EQ(machine_of(gpu, {}).chip_remark, "");
  // Where CUPTI was not asked for the chip, its capability tells it.
  gpu.chip = std::nullopt;
  gpu.compute_capability_major = 9;
  gpu.compute_capability_minor = 0;
  EXPECT_EQ(machine_of(gpu, {}).chip_remark, "");
}

TEST(Machine, RatesOfAProfileAreNoPeaks) {
  EXPECT_FALSE(machine_with(device("NVIDIA H100 80GB HBM3"), {}).rates_are_peaks);
  EXPECT_FALSE(machine_with(device("unknown"), {bandwidth_of("sequential_copy", 800.0)}).rates_are_peaks);
}

}  // namespace
}  // namespace coalescope::analysis
