#pragma once
// Copies of whole arrays of which the next kernel changes a part. XLA makes such a copy where the program may
// still use the array that it hands to a step: it was not donated.

#include <span>

#include "core/capture/views.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Sets TransferRow::changed_by, of copies within a device that are listed one by one.
void take_changes(std::span<TransferRow> transfers, std::span<const KernelRow> kernels,
                  std::span<const capture::GroupView> groups, const capture::LaunchPlaces& launches,
                  std::span<const capture::TransferPlace> copies);

}  // namespace coalescope::analysis
