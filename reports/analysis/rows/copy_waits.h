#pragma once
// How long the GPU idles because copies keep their caller: they wait for it, or the driver stages pageable
// memory.

#include <span>
#include <vector>

#include "reports/analysis/report.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rows/time_line.h"

namespace coalescope::analysis {

// Sets SiteUse::idle_ns of the transfers' call sites. The sites of one line of the program have it together.
void take_copy_waits(std::vector<TransferRow>& transfers, std::span<const model::Synchronization> waits,
                     const OccupiedByProcess& occupied, const CallStacks& stacks);

}  // namespace coalescope::analysis
