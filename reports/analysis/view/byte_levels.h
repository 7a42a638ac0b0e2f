#pragma once
// The bytes of kernels on their way from the request to DRAM, level by level, and how near each level came to
// what the GPU can do.

#include <array>
#include <span>
#include <string_view>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct ByteLevel {
  std::string_view name;
  std::string_view about;
  std::optional<double> bytes;      // over all launches; nullopt: not measured
  std::optional<double> bandwidth;  // bytes / GPU time
  const Ceiling* ceiling = nullptr;
};

struct ByteLevels {
  std::array<ByteLevel, 4> levels;  // requested, L1, L2, DRAM
  std::size_t kernels = 0;          // rows whose counts these are
  std::int64_t gpu_ns = 0;          // their time
  double share = 0;                 // of the time of all rows
};

// Only rows in which every level was measured count, so that the levels can be compared; where there is none,
// those whose requests were, or else those whose L2 and DRAM traffic was. nullopt: there is none of these.
// Ceilings are of the device that ran them, and missing where these are several. Points into the report.
[[nodiscard]] std::optional<ByteLevels> byte_levels(std::span<const KernelRow* const> rows,
                                                    const Report& report);
// Of all kernels of the program's own work.
[[nodiscard]] std::optional<ByteLevels> byte_levels(const Report& report);

}  // namespace coalescope::analysis
