#pragma once
// Launches of one kernel in a row, each of which reads the same array from DRAM, and none of which works on
// what another one stores: one launch could do the work of several. For the author's kernels the pointers of
// all launches tell this, and the code, which shows from which pointer an access computes its address. For
// matrix products of libraries only pointers do: one leads to the matrix in all launches, another one
// changes, and between two launches only reductions run.

#include <vector>

#include "reports/analysis/report.h"
#include "reports/analysis/rows/stream_order.h"

namespace coalescope::analysis {

// Most launches first. A capture before schema 17 does not tell: there are none.
[[nodiscard]] std::vector<ReadByEachRow> read_by_each(const LaunchedKernels& input);

}  // namespace coalescope::analysis
