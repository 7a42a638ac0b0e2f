#pragma once
// Launches that take much longer than most of their group, though nothing tells them apart: what the data
// make of them. Where few launches were measured, the group's counts may be those of the others.

#include <span>

#include "core/capture/views.h"
#include "reports/analysis/report.h"
#include "reports/analysis/rows/kernel_rows.h"

namespace coalescope::analysis {

// Sets KernelRow::long_launches.
void take_long_launches(std::span<KernelRow> kernels, std::span<const capture::LaunchPlace> launches,
                        std::span<const capture::GroupView> groups, const ReadingsByGroup& readings);

}  // namespace coalescope::analysis
