#pragma once
// For how much of the time the GPU works, as a sentence of the verdict.

#include <string>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct BusyTime {
  std::string text;          // empty: not known
  bool mostly_idle = false;  // in the second half
};

// Of the second half of the kernels' time, where it was listed; else of the whole run. Only for one run of
// one process on one GPU.
[[nodiscard]] BusyTime busy_time(const Report& report);

}  // namespace coalescope::analysis
