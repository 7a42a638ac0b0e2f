#pragma once
// Kernels of the author's that follow each other on a stream, where each one alone reads what the one before
// stores, every thread its own elements or those of a neighbour, too: one kernel could keep it in registers.
// Told by the addresses that their first launches were given, and by the pointer from which the code of each
// access computes its address.

#include <vector>

#include "reports/analysis/report.h"
#include "reports/analysis/rows/stream_order.h"

namespace coalescope::analysis {

// Those that ran most often come first.
[[nodiscard]] std::vector<HandedOnRow> handed_on(const LaunchedKernels& input);

}  // namespace coalescope::analysis
