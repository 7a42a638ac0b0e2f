#pragma once
// What the device did beside the copies of a class, and before them.

#include <span>

#include "core/capture/views.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Sets TransferRow::beside_others, time_beside_kernels, in_a_row, idle_in_a_row_ns and idle_before_ns, of
// copies that are listed one by one.
void take_surroundings(std::span<TransferRow> rows, std::span<const capture::TransferPlace> copies,
                       const capture::LaunchPlaces& launches, std::span<const capture::GroupView> groups);

}  // namespace coalescope::analysis
