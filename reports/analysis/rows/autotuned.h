#pragma once
// Kernels that ran only because an autotuner tried candidates. Their names are those of the program's own
// work: the calls that led to them tell.

#include <span>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Gives each kernel all of whose known launches were made by an autotuner's benchmark the origin Origin::tool
// and the autotuner as its owner. Kernels that were launched elsewhere, too, keep theirs.
void name_autotuned(std::vector<KernelRow>& kernels, std::span<const CallSiteRow> sites);

}  // namespace coalescope::analysis
