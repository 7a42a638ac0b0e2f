#pragma once
// What the surplus sectors of one operation of a kernel cost: G01 and G05.

#include "reports/analysis/rules/gain.h"

namespace coalescope::analysis {

// `along_runs`: each thread goes along a run of elements, so that the repair gives a warp to each run.
[[nodiscard]] Cost surplus_cost(const KernelRow& kernel, Operation operation, const Machine& machine,
                                bool along_runs);

}  // namespace coalescope::analysis
