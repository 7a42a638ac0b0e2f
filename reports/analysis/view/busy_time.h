#pragma once
// For how much of the time the GPU works, as a sentence of the verdict.

#include <cstdint>
#include <string>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

struct BusyTime {
  std::string text;          // empty: not known
  bool mostly_idle = false;  // between the first and the last launch
};

// Of the time between the first and the last launch, without measuring; of the whole run where too little of
// that is left. Only for one run of one process on one GPU. `wait_ns`: what scheduling changes would save of
// the time in which the GPU waits.
[[nodiscard]] BusyTime busy_time(const Report& report, std::int64_t wait_ns);

}  // namespace coalescope::analysis
