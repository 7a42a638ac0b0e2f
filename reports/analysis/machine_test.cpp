#include "reports/analysis/machine.h"

#include <gtest/gtest.h>

namespace coalescope::analysis {
namespace {

model::Device device(const std::string& name) {
  model::Device result;
  result.name = name;
  result.memory_clock_khz = 2'619'000;
  result.memory_bus_bits = 5120;
  return result;
}

model::Calibration bandwidth(const std::string& case_id, std::optional<double> gb_s) {
  model::Calibration row;
  row.case_id = case_id;
  row.quantity = "bandwidth_gb_s";
  row.measured = gb_s;
  return row;
}

TEST(Machine, PeakIsTwoTransfersAClock) {
  EXPECT_DOUBLE_EQ(*peak_dram_bandwidth(device("x")), 3.35232e12);
  EXPECT_EQ(peak_dram_bandwidth(model::Device{}), std::nullopt);
}

TEST(Machine, CalibrationGoesFirst) {
  const std::vector rows{bandwidth("sequential_copy", 2470.0),
                         bandwidth("copy_host_to_device_pinned/268435456", 26.0),
                         bandwidth("copy_host_to_device_pinned/4096", 1.3)};
  const Machine machine = machine_of(device("NVIDIA H100 80GB HBM3"), rows);
  EXPECT_DOUBLE_EQ(machine.dram->bandwidth, 2.47e12);
  EXPECT_DOUBLE_EQ(machine.host_to_device->bandwidth, 26e9);
  EXPECT_EQ(machine.copy_ns, 2993);  // 4096 / 1.3 - 4096 / 26 ns
  EXPECT_DOUBLE_EQ(machine.device_to_host->bandwidth, 54.6e9) << "what it leaves open comes from the product";
}

TEST(Machine, UnmeasuredCalibrationIsNone) {
  const std::vector rows{bandwidth("sequential_copy", std::nullopt)};
  EXPECT_DOUBLE_EQ(machine_of(device("unknown"), rows).dram->bandwidth, 3.35232e12);
}

TEST(Machine, UnknownProductsHaveOnlyTheirProperties) {
  const Machine machine = machine_of(device("some other GPU"), {});
  EXPECT_EQ(machine.dram->source, "peak by the device's properties");
  EXPECT_FALSE(machine.host_to_device || machine.device_to_host || machine.l2 || machine.copy_ns);
  EXPECT_EQ(ceilings(machine).size(), 1U);
}

}  // namespace
}  // namespace coalescope::analysis
