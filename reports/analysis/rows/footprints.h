#pragma once
// The memory that a launch works on: whole allocations, each counted once.

#include <span>

#include "core/capture/views.h"
#include "core/model/memory.h"
#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Of each kernel: what its pointers lead to, and what is loaded of that, where the code of each of its loads
// tells from which pointer.
void take_footprints(std::span<KernelRow> kernels, std::span<const model::GroupPointer> pointers,
                     std::span<const capture::InstructionView> instructions);

}  // namespace coalescope::analysis
