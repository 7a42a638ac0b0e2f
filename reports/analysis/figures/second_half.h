#pragma once
// What the GPU did in the second half of a recording: a part of what comes before is start-up.

#include <optional>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Shares of the time from the moment at which half of the kernels' time had passed to the last kernel,
// without measuring and without what is not listed.
struct SecondHalf {
  double kernels_share = 0;
  double copies_share = 0;   // and memory sets
  double at_once_share = 0;  // a kernel and a copy
};

// nullopt: too little of it was listed, or knows_busy_time() is false.
[[nodiscard]] std::optional<SecondHalf> second_half(const Report& report);

// One GPU did all of the work, for one process, and next to all of it has a time.
[[nodiscard]] bool knows_busy_time(const Report& report);

}  // namespace coalescope::analysis
