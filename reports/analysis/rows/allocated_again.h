#pragma once
// Memory that one call allocates or pins again and again, though it could have kept what it gave back.

#include <span>
#include <vector>

#include "core/model/diagnostic.h"
#include "core/model/memory.h"
#include "reports/analysis/program.h"
#include "reports/analysis/rows/call_stacks.h"
#include "reports/analysis/rows/time_line.h"

namespace coalescope::analysis {

// Most time first. What was allocated before the first work on a GPU is a part of the start-up, and counts
// for nothing.
[[nodiscard]] std::vector<AllocatedAgainRow> allocated_again_rows(
    std::span<const model::Allocation> allocations, std::span<const model::Diagnostic> diagnostics,
    std::span<const model::Synchronization> waits, const OccupiedByProcess& occupied,
    const CallStacks& stacks);

}  // namespace coalescope::analysis
