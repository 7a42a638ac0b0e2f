#pragma once
// How much of a launch fits on the GPU at once, by the limits of its multiprocessors.

#include <optional>

#include "reports/analysis/machine/machine.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Blocks; 0: one does not fit. std::nullopt: a limit, or what the kernel needs, is not known. The limits are
// those of the CUDA Programming Guide, "Technical Specifications per Compute Capability".
[[nodiscard]] std::optional<double> blocks_at_once(const KernelRow& kernel, const Machine& machine);

}  // namespace coalescope::analysis
