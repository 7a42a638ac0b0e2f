#pragma once
// One fault, one finding: what a rule finds in several shapes of a kernel, or in several processes or on
// several GPUs.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// `findings` the costliest first. Of those of one rule and title in one family that blame the same line, or
// none, the first stays, and takes the time of the others; Finding::kernel_ids names them all. So do classes
// of copies and all else that is no kernel, if they have one name and one advice. Evidence is that of the
// first. Levels and order are left for whoever knows the run's time.
void merge_shapes(std::vector<Finding>& findings, const Report& report);

}  // namespace coalescope::analysis
