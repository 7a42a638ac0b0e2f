#pragma once
// What the paths of a machine can carry: the figures that costs are computed with, each with its origin. What
// is not known stays std::nullopt, and a cost that would need it is not stated.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/model/calibration.h"
#include "core/model/device.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct Machine {
  std::optional<Ceiling> dram;            // reads and writes together
  std::optional<Ceiling> l2;              // between L1 and L2
  std::optional<Ceiling> host_to_device;  // one large copy of pinned memory
  std::optional<Ceiling> device_to_host;
  std::optional<Ceiling> zero_copy_read;  // a kernel that reads the host's memory
  std::optional<std::int64_t> copy_ns;    // what a copy takes however small it is
};

// The data sheet's figure: two transfers a clock over the whole bus.
[[nodiscard]] std::optional<double> peak_dram_bandwidth(const model::Device& device);

// The best source of each figure: this capture's calibration, else what was measured on the same product,
// else the device's properties.
[[nodiscard]] Machine machine_of(const model::Device& device,
                                 std::span<const model::Calibration> calibration);

// The known figures, for the report.
[[nodiscard]] std::vector<Ceiling> ceilings(const Machine& machine);

}  // namespace coalescope::analysis
