#pragma once
// The checks of `doctor` that ask the driver and CUPTI, each in a process of its own.

#include "tool/doctor_check.h"

namespace coalescope::tool {

// Driver, GPUs, CUPTI, permission, counters, and what stands in their way. `site_packages`: of the program's
// Python, where wheels may hold CUPTI.
[[nodiscard]] Checks check_gpus(const Machine& machine, const std::vector<std::string>& site_packages);

}  // namespace coalescope::tool
