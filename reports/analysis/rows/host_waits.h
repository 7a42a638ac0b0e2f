#pragma once
// How often the host waited for the GPU, which is when it may change what kernels read from its memory.

#include <span>

#include "core/capture/views.h"
#include "core/model/activity.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Sets KernelRow::launches_per_wait. Waits and synchronous copies of the whole process count, so that the
// figure is the least that it can be.
void take_waits(std::span<KernelRow> kernels, std::span<const model::SynchronizationTotal> waits,
                std::span<const capture::TransferView> transfers);

}  // namespace coalescope::analysis
