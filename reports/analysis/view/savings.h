#pragma once
// What repairs would save. It is never more than what was spent: of several findings about one kernel, or
// about the copies of one class that one call makes, only the one that is listed first counts.

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "reports/analysis/report.h"

namespace coalescope::analysis {

// Findings with a price, the largest first, such that no kernel and no copy counts twice.
struct Savings {
  std::vector<const Finding*> repairs;  // of GPU time
  std::int64_t gpu_ns = 0;              // of all of them
  std::vector<const Finding*> waits;    // of the host or the GPU for each other: no GPU time
  std::int64_t wait_ns = 0;
};
// Points into the report.
[[nodiscard]] Savings savings_of(const Report& report);
// The findings that these consist of: what is added up counts no time twice.
[[nodiscard]] std::unordered_set<const Finding*> counted_findings(const Report& report);

}  // namespace coalescope::analysis
