#include "reports/analysis/machine.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace coalescope::analysis {
namespace {

constexpr std::string_view kFromCalibration = "calibrated on this machine";
constexpr std::string_view kFromProperties = "peak by the device's properties";

// Paths and the reference case whose bandwidth is their ceiling.
struct Path {
  std::optional<Ceiling> Machine::*member;
  std::string_view name;
  std::string_view case_id;
};
constexpr std::array kPaths{
    Path{&Machine::dram, "DRAM", "sequential_copy"},
    Path{&Machine::l2, "L2", "l2_copy"},
    Path{&Machine::host_to_device, "pinned host to device", "copy_host_to_device_pinned/268435456"},
    Path{&Machine::device_to_host, "pinned device to host", "copy_device_to_host_pinned/268435456"},
    Path{&Machine::zero_copy_read, "zero-copy read", "zero_copy_read"},
};
constexpr std::string_view kSmallCopyCase = "copy_host_to_device_pinned/4096";
constexpr double kSmallCopyBytes = 4096;
constexpr std::string_view kBandwidth = "bandwidth_gb_s";

// What was measured on a product, for captures that carry no calibration. H100, PCIe 5 x16, CUDA 13.0, driver
// 580: DRAM by a kernel that reads two arrays of 64 MiB and writes a third (201.3 MB in 78.1 us), L2 by the
// reference kernel l2_copy (8,326,669 sectors in 37.15 us), copies of 128 MiB, 1,000 copies of 4 KiB at
// 1.6 GB/s, zero-copy by a coalesced read.
struct Product {
  std::string_view name;
  std::optional<double> dram, l2, host_to_device, device_to_host, zero_copy_read;
  std::optional<std::int64_t> copy_ns;
};
constexpr std::array kProducts{
    Product{"NVIDIA H100 80GB HBM3", 2.58e12, 7.17e12, 55.0e9, 54.6e9, 50.9e9, 2'490},
};

std::optional<double> calibrated(std::span<const model::Calibration> calibration, std::string_view case_id) {
  const auto row = std::ranges::find_if(calibration, [&](const model::Calibration& candidate) {
    return candidate.case_id == case_id && candidate.quantity == kBandwidth;
  });
  if (row == calibration.end() || !row->measured || *row->measured <= 0) return std::nullopt;
  return *row->measured * 1e9;
}

std::optional<Ceiling> ceiling(std::string_view path, std::optional<double> bandwidth,
                               std::string_view source) {
  if (!bandwidth) return std::nullopt;
  return Ceiling{std::string(path), *bandwidth, std::string(source)};
}

void take_calibration(Machine& machine, std::span<const model::Calibration> calibration) {
  for (const Path& path : kPaths)
    machine.*path.member = ceiling(path.name, calibrated(calibration, path.case_id), kFromCalibration);
  const auto small = calibrated(calibration, kSmallCopyCase);
  if (!small || !machine.host_to_device) return;
  const double seconds = kSmallCopyBytes / *small - kSmallCopyBytes / machine.host_to_device->bandwidth;
  if (seconds > 0) machine.copy_ns = static_cast<std::int64_t>(seconds * 1e9);
}

// Only what calibration left open.
void take_product(Machine& machine, const Product& product) {
  const std::string source = "measured on another " + std::string(product.name);
  const std::array bandwidths{product.dram, product.l2, product.host_to_device, product.device_to_host,
                              product.zero_copy_read};
  static_assert(bandwidths.size() == kPaths.size());
  for (std::size_t i = 0; i < kPaths.size(); ++i) {
    auto& known = machine.*kPaths[i].member;
    if (!known) known = ceiling(kPaths[i].name, bandwidths[i], source);
  }
  if (!machine.copy_ns) machine.copy_ns = product.copy_ns;
}

}  // namespace

std::optional<double> peak_dram_bandwidth(const model::Device& device) {
  if (!device.memory_clock_khz || !device.memory_bus_bits) return std::nullopt;
  return 2.0 * static_cast<double>(*device.memory_clock_khz) * 1e3 *
         static_cast<double>(*device.memory_bus_bits) / 8.0;
}

Machine machine_of(const model::Device& device, std::span<const model::Calibration> calibration) {
  Machine machine;
  take_calibration(machine, calibration);
  const auto product = std::ranges::find(kProducts, device.name, &Product::name);
  if (product != kProducts.end()) take_product(machine, *product);
  if (!machine.dram) machine.dram = ceiling("DRAM", peak_dram_bandwidth(device), kFromProperties);
  return machine;
}

std::vector<Ceiling> ceilings(const Machine& machine) {
  std::vector<Ceiling> known;
  for (const Path& path : kPaths)
    if (machine.*path.member) known.push_back(*(machine.*path.member));
  return known;
}

}  // namespace coalescope::analysis
