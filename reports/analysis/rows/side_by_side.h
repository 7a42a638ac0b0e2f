#pragma once
// How much of a kernel's time others ran beside it on the same device: what one of them leaves of the GPU the
// others may use.

#include <span>

#include "core/capture/views.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Sets KernelRow::beside_ratio, of the launches that have times of their own.
void take_side_by_side(std::span<KernelRow> kernels, std::span<const capture::LaunchPlace> launches,
                       std::span<const capture::GroupView> groups);

}  // namespace coalescope::analysis
