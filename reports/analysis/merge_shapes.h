#pragma once
// One fault, one finding: what a rule finds in several shapes of a kernel, or in several processes that
// launched it.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// `findings` the costliest first. Of those of one rule and title in one family that blame the same line, or
// none, the first stays, and takes the time of the others; Finding::kernel_ids names them all. Its evidence
// is that of its own shape. Each keeps the place of its costliest shape; levels and order are left for
// whoever knows the run's time.
void merge_shapes(std::vector<Finding>& findings, const Report& report);

}  // namespace coalescope::analysis
