#pragma once
// Kernels of the author's that follow each other on a stream and read the same arrays, none of which works on
// what another one stores: one kernel could do the work of all. Told by the addresses that their launches
// were given (before schema 17: their first launches), and by the pointer from which the code of each access
// computes its address.

#include <vector>

#include "reports/analysis/report.h"
#include "reports/analysis/rows/stream_order.h"

namespace coalescope::analysis {

// Copies and all other launches end such a row. Those that ran most often come first.
[[nodiscard]] std::vector<ReadAgainRow> read_again(const LaunchedKernels& input);

}  // namespace coalescope::analysis
