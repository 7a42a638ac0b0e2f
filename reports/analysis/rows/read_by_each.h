#pragma once
// Launches of one kernel in a row, each of which reads the same array from DRAM, and none of which works on
// what another one stores: one launch could do the work of several. Of the author's kernels told by the
// pointers that all launches were given, and by the pointer from which the code of each access computes its
// address. Of matrix products of libraries by pointers alone: one leads to the matrix in all launches, others
// go on, and between two launches only reductions run.

#include <vector>

#include "reports/analysis/report.h"
#include "reports/analysis/rows/stream_order.h"

namespace coalescope::analysis {

// Most launches first. A capture before schema 17 does not tell: there are none.
[[nodiscard]] std::vector<ReadByEachRow> read_by_each(const LaunchedKernels& input);

}  // namespace coalescope::analysis
