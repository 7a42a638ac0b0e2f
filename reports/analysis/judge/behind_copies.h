#pragma once
// Kernels that run beside copies which never pause: the program waits for the copies, and faster kernels save
// it nothing.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Leaves of what the kernels' findings save the part of the kernels' time that no copy ran beside.
void discount_behind_copies(std::vector<Finding>& findings, const Report& report);

}  // namespace coalescope::analysis
