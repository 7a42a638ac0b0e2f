#pragma once
// The findings of both captures. Whether a finding is reported hangs on predicted times and limits, which
// move a little from one recording to the next: that one appeared or vanished decides only where something
// that is counted changed with it.

#include <vector>

#include "reports/analysis/report.h"
#include "reports/comparison/comparison.h"

namespace coalescope::comparison {

// Of the kernels and transfers as `so_far` has them. Those that decide first, then by the time that they
// cost. What stands aside in both is left out.
[[nodiscard]] std::vector<FindingChange> compare_findings(const analysis::Report& before,
                                                          const analysis::Report& after,
                                                          const Comparison& so_far);

// Those that stand aside in both: no part of what is shown, but a gate may name their rule.
[[nodiscard]] std::vector<FindingChange> compare_aside_findings(const analysis::Report& before,
                                                                const analysis::Report& after,
                                                                const Comparison& so_far);

}  // namespace coalescope::comparison
