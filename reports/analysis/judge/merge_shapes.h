#pragma once
// One fault, one finding: what a rule finds in loads and stores, in several shapes of a kernel, or in several
// processes or on several GPUs.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// `findings` the costliest first. Of those of one rule in one function the first stays and takes the time of
// the others: shapes that blame the same line, or none, and parts (loads and stores) with the same cause or
// line. Finding::kernel_ids names all kernels, the evidence lists the parts. Classes of copies and all else
// that is no kernel are one if they have one name and one advice. Evidence is that of the first, of each
// part. Levels and order are left for whoever knows the run's time.
void merge_shapes(std::vector<Finding>& findings, const Report& report);

}  // namespace coalescope::analysis
