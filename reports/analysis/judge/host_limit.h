#pragma once
// Programs whose GPU never pauses: once it has less to do, the host's own work limits them.

#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Reduces what findings about kernels save to the time for which the host waits for the GPU: the run is never
// shorter than the host's own work.
void limit_to_host(std::vector<Finding>& findings, const Report& report);

}  // namespace coalescope::analysis
