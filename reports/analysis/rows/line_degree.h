#pragma once
// The distinct bytes that single instructions asked for. No counter says them: sectors and ideal sectors
// bound them, and the kernel's own sum, which is counted, narrows the bounds. Where all loads but one are
// known, the last one is; where the sum is as large as it can be, all are.

#include <optional>
#include <span>
#include <vector>

#include "core/capture/views.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Over all launches that were summed.
struct DistinctBytes {
  double least = 0;
  double greatest = 0;
  bool narrowed = false;  // by the kernel's sum
};

// One for each instruction; std::nullopt: neither a load nor a store, or not counted. Instructions of a group
// must stand together.
[[nodiscard]] std::vector<std::optional<DistinctBytes>> distinct_bytes(
    std::span<const capture::InstructionView> instructions, std::span<const KernelRow> kernels);

}  // namespace coalescope::analysis
