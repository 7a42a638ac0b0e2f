#pragma once
// How often a class of copies came again after kernels. Memory that is copied once in a run, such as the
// weights of a model, has nothing to gain from being pinned.

#include <span>

#include "core/capture/views.h"
#include "reports/analysis/report.h"
#include "reports/analysis/time_line.h"

namespace coalescope::analysis {

// Sets TransferRow::bursts and what belongs to it, of copies that are listed one by one. A burst ends where a
// kernel was launched, or where it moved more than the device's memory held at most, so that memory was
// copied again.
void take_bursts(std::span<TransferRow> rows, std::span<const capture::TransferPlace> copies,
                 const capture::LaunchPlaces& launches, std::span<const capture::GroupView> groups,
                 std::span<const MemoryCourse> memory);

}  // namespace coalescope::analysis
