#pragma once
// Kernels that run beside copies which never pause: the program waits for the copies, and faster kernels save
// it nothing.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Reduces what findings about kernels save to the part of the kernels' time in which no copy ran.
void discount_behind_copies(std::vector<Finding>& findings, const Report& report);

}  // namespace coalescope::analysis
